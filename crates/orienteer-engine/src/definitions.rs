//! Where is this defined?

use std::path::PathBuf;

use orienteer_base::answer::Warning;
use orienteer_base::ask::{DefinitionQuery, Relation};
use orienteer_base::code::{Definition, Definitions};
use orienteer_base::{Answer, Cancel, Problem, Source};
use orienteer_lsp::{Failure, Heard, Spot};

use crate::Session;
use crate::answering::{frame, instead};
use crate::failure::problem;
use crate::resolve::Pinned;
use crate::scenery::Scenery;

/// Definitions that are painted on the spot.
const FEW: usize = 8;

impl Session {
    /// Where a symbol is defined, declared, typed or implemented.
    pub async fn definitions(
        &self,
        query: DefinitionQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Definitions>, Problem> {
        let pinned = self.pin(&query.target, cancel).await?;
        let patience = self.patience(query.wait, cancel);
        let (file, at) = (pinned.file.absolute().to_path_buf(), pinned.position);
        let asked = async {
            let lease = self.lease(&file).await?;
            let mut asked = lease.definition(&file, at, query.relation, &patience).await;
            if query.relation == Relation::Definition
                && lease.goes_back_and_forth()
                && let Ok(heard) = &asked
                && let Some(declared) = heard.value.first().filter(|_| lease.declares_only(&heard.value))
            {
                let (of, start) = (declared.path.clone(), declared.range.start);
                let back = lease.definition(&of, start, query.relation, &patience).await;
                let is_defined =
                    |heard: &Heard<Vec<Spot>>| !heard.value.is_empty() && !lease.declares_only(&heard.value);
                if back.as_ref().is_ok_and(is_defined) {
                    asked = back;
                }
            }
            let lacks_list = lease.lacks_list(&file);
            let declared = |heard: &Heard<Vec<Spot>>| lacks_list && lease.declares_only(&heard.value);
            let is_wide = match query.relation {
                Relation::Definition => asked.as_ref().is_ok_and(declared),
                Relation::Implementation => lacks_list,
                Relation::Declaration | Relation::TypeDefinition => false,
            };
            if is_wide {
                let known = self.make_known(&lease, &pinned, &patience, cancel).await;
                asked = lease.definition(&file, at, query.relation, &patience).await;
                if let Ok(heard) = &mut asked
                    && (query.relation == Relation::Implementation || declared(heard))
                {
                    let word = pinned.word.as_deref();
                    let why = self.unlisted(&lease, known, word, None::<Vec<PathBuf>>, &patience);
                    heard.seen.lacks(why.await);
                    known.note(&mut heard.seen);
                }
            }
            let (heard, warning) = match asked {
                // Where nobody tells the two apart, the definition is the declaration.
                Err(failure @ Failure::Unsupported { .. }) if query.relation == Relation::Declaration => {
                    let heard = lease.definition(&file, at, Relation::Definition, &patience).await?;
                    (heard, Some(format!("{failure}: the definition is shown")))
                }
                // Some answer with an error where there is none; the place itself is what they were asked about.
                Err(Failure::Refused { code: 0, message, .. }) if query.relation != Relation::Definition => {
                    let heard = lease.definition(&file, at, Relation::Definition, &patience).await?;
                    (heard.map(|_| Vec::new()), Some(format!("{} says: {message}", lease.server_id())))
                }
                asked => (asked?, None),
            };
            let mut heard = heard;
            if heard.value.is_empty() || query.relation == Relation::Implementation {
                let lines = heard.value.iter().collect();
                let why = self.unexpanded(&lease, pinned.word.as_deref(), lines, cancel).await;
                heard.seen.needs_trust = why.unwrap_or_default();
            }
            if heard.value.is_empty() && heard.seen.ready && warning.is_none() {
                lease.ensure_known(&file, &patience).await?;
            }
            Ok((lease, heard, warning))
        };
        match asked.await {
            Ok((lease, heard, warning)) => {
                let mut answer = frame(&lease, &heard.seen, pinned.warnings);
                answer.warnings.extend(warning.map(|message| Warning::new("method_unsupported", message)));
                let value = self.definition_rows(heard.value, &query, cancel).await?;
                Ok(answer.map(|()| value))
            }
            Err(failure) => {
                // A name tells where it is defined, not what implements it or which type it has.
                let by_name = matches!(query.relation, Relation::Definition | Relation::Declaration);
                let rows = if by_name && self.has_names(&failure, &file) {
                    self.defined_by_name(&pinned, &query, cancel).await?
                } else {
                    Definitions::default()
                };
                if rows.total == 0 {
                    return Err(problem(failure));
                }
                let source = rows.rows.first().map_or(Source::Text, |row| row.place.source);
                let mut answer = instead(rows, failure, pinned.warnings);
                answer.source = source;
                Ok(answer)
            }
        }
    }

    async fn definition_rows(
        &self,
        spots: Vec<Spot>,
        query: &DefinitionQuery,
        cancel: &Cancel,
    ) -> Result<Definitions, Problem> {
        let (window, snippet) = (query.window, query.snippet);
        // Few, as a rule; a trait with hundreds of implementations is painted elsewhere.
        let few = spots.len() <= FEW;
        let at_hand = few && spots.iter().all(|spot| self.has_at_hand(&spot.path));
        let rows = move |scenery: &mut Scenery<'_>| {
            let total = spots.len();
            let shown = spots.iter().skip(window.skip).take(window.limit);
            let rows = shown
                .map(|spot| {
                    let range = scenery.name_range(spot);
                    let symbol = scenery.symbol_at(&spot.path, range.start);
                    Definition {
                        place: scenery.place(&spot.path, range, snippet, Source::Lsp),
                        kind: symbol.as_ref().map(|symbol| symbol.kind),
                        name: symbol.map(|symbol| symbol.name),
                    }
                })
                .collect();
            Ok(Definitions { rows, total })
        };
        if few { self.sketch(cancel, at_hand, rows).await } else { self.paint(cancel, rows).await }
    }

    /// What has the name of the word, by grammar.
    async fn defined_by_name(
        &self,
        pinned: &Pinned,
        query: &DefinitionQuery,
        cancel: &Cancel,
    ) -> Result<Definitions, Problem> {
        let Some(word) = pinned.word.clone() else { return Ok(Definitions::default()) };
        let (session, flag) = (self.clone(), cancel.clone());
        let (window, snippet) = (query.window, query.snippet);
        self.paint(cancel, move |scenery| {
            let (found, source) = session.symbols_named(&word, None, &flag)?;
            let total = found.len();
            let shown = found.iter().skip(window.skip).take(window.limit);
            let rows = shown
                .map(|one| {
                    let text = &one.outlined.text;
                    let range = text.lines.range(&text.text, one.symbol.name_range.clone());
                    Definition {
                        place: scenery.place(&one.path, range, snippet, source),
                        kind: Some(one.symbol.kind),
                        name: Some(one.symbol.name.clone()),
                    }
                })
                .collect();
            Ok(Definitions { rows, total })
        })
        .await
    }
}
