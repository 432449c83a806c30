//! May it be deleted? Only when somebody who understands the program says that nothing uses it.

use orienteer_base::answer::Warning;
use orienteer_base::ask::{ReferencesQuery, Window};
use orienteer_base::code::{Place, References};
use orienteer_base::edit::EditSymbolQuery;
use orienteer_base::error::cut;
use orienteer_base::{Answer, Cancel, Completeness, ErrorKind, Problem, Reason, Target};
use orienteer_syntax::Anatomy;

use crate::Session;
use crate::resolve::Pinned;

/// Uses that are looked at; more are uses enough.
const LOOKED_AT: usize = 2_000;

/// Uses that are told.
const TOLD: usize = 20;

/// Where the word stands as text, and how often.
pub(super) type Strangers = (Vec<Place>, Option<usize>);

impl Session {
    /// Refuses while something uses the definition, or nobody can tell; with `force`, warns instead.
    pub(super) async fn require_unused(
        &self,
        pinned: &Pinned,
        anatomy: &Anatomy,
        query: &EditSymbolQuery,
        answer: &mut Answer<()>,
        cancel: &Cancel,
    ) -> Result<Strangers, Problem> {
        let target = Target {
            file: Some(pinned.file.clone()),
            line: Some(pinned.position.line),
            column: Some(pinned.position.column),
            ..Target::default()
        };
        let asked = ReferencesQuery {
            target,
            include_declaration: false,
            cross_check: true,
            window: Window { skip: 0, limit: LOOKED_AT },
            snippet: None,
            wait: query.wait,
        };
        let found = match self.references(asked, cancel).await {
            Ok(found) => found,
            Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
            Err(problem) if query.force => {
                let message =
                    format!("nobody could tell whether it is used ({}); deleted anyway", problem.message);
                answer.warnings.push(Warning::new("uses_unknown", message));
                return Ok((Vec::new(), None));
            }
            Err(problem) => return Err(unknown(anatomy, Some(problem), None)),
        };
        let own = self.own_range(pinned, anatomy, cancel).await?;
        let inside = |place: &Place| place.file_path == pinned.file.shown() && own(place);
        let Answer { value: References { rows, total_count, unconfirmed, unconfirmed_total, .. }, .. } =
            found;
        let outside: Vec<Place> =
            rows.iter().map(|row| row.place.clone()).filter(|place| !inside(place)).collect();
        let beyond = total_count.saturating_sub(rows.len());
        let uses = outside.len() + beyond;
        let restricted = self.lease(pinned.file.absolute()).await.is_ok_and(|lease| lease.is_restricted());
        // What a macro writes has names that stand nowhere.
        let whole =
            found.completeness.is_complete() && !(restricted && self.has_procedural_macros(cancel).await?);
        if uses > 0 && whole && !query.force {
            return Err(used(anatomy, &outside, uses));
        }
        if !whole && !query.force {
            return Err(unknown(anatomy, None, Some((found.completeness, &outside))));
        }
        if uses > 0 {
            let places = outside.iter().take(TOLD).map(shown).collect::<Vec<_>>().join(", ");
            let certainty = if whole { "" } else { " at least, because the answer was not whole" };
            let message = format!("it is still used in {uses} places{certainty}: {places}");
            answer.warnings.push(Warning::new("still_used", message));
        } else if !whole {
            let message = "the language server could not tell all of its uses; deleted anyway";
            answer.warnings.push(Warning::new("uses_unknown", message));
        }
        let strangers: Vec<Place> = unconfirmed.iter().filter(|place| !inside(place)).cloned().collect();
        let removed = unconfirmed.len() - strangers.len();
        Ok((strangers, unconfirmed_total.map(|total| total.saturating_sub(removed))))
    }

    /// Whether a place of the file goes with the definition.
    async fn own_range(
        &self,
        pinned: &Pinned,
        anatomy: &Anatomy,
        cancel: &Cancel,
    ) -> Result<impl Fn(&Place) -> bool + use<>, Problem> {
        let (session, flag) = (self.clone(), cancel.clone());
        let (path, whole) = (pinned.file.absolute().to_path_buf(), anatomy.start()..anatomy.end());
        let range = self
            .sketch(cancel, false, move |_| {
                let outlined = session.outlined(&path, &flag)?;
                Ok(outlined.text.lines.range(&outlined.text.text, whole))
            })
            .await?;
        Ok(move |place: &Place| range.start <= place.range.start && place.range.end <= range.end)
    }
}

fn shown(place: &Place) -> String {
    format!("{}:{}:{}", place.file_path, place.range.start.line, place.range.start.column)
}

fn used(anatomy: &Anatomy, places: &[Place], uses: usize) -> Problem {
    let told: Vec<String> = places
        .iter()
        .take(TOLD)
        .map(|place| format!("{} {}", shown(place), cut(place.preview.trim())))
        .collect();
    let some = places.iter().take(3).map(shown).collect::<Vec<_>>().join(", ");
    let message = format!(
        "`{}` is still used in {uses} {}: {some}{}; change them first, or delete it with `force`",
        cut(&anatomy.symbol.name_path),
        if uses == 1 { "place" } else { "places" },
        if uses > 3 { ", …" } else { "" },
    );
    Problem::new(ErrorKind::InvalidParams, message)
        .detail("still_used")
        .field("force")
        .fact("uses", i64::try_from(uses).unwrap_or(i64::MAX))
        .fact("references", told.clone())
        .candidates(told)
}

fn unknown(anatomy: &Anatomy, cause: Option<Problem>, answer: Option<(Completeness, &[Place])>) -> Problem {
    let name = cut(&anatomy.symbol.name_path);
    let (why, kind, retry) = match (&cause, answer) {
        (Some(cause), _) => (cause.message.clone(), cause.kind, cause.retry_after_ms),
        (None, Some((Completeness::Partial { reason, retry_after_ms }, _))) => {
            let (why, kind) = match reason {
                Reason::ServerIndexing | Reason::ServerStarting => {
                    ("the language server has not read all of the project yet", ErrorKind::NotReady)
                }
                Reason::Heuristic => ("no language server answers for this file", ErrorKind::Unsupported),
                _ => ("the language server's answer is not whole", ErrorKind::NotReady),
            };
            (why.to_owned(), kind, retry_after_ms)
        }
        _ => ("nobody answered".to_owned(), ErrorKind::ServerUnavailable, None),
    };
    let message = format!(
        "whether `{name}` is used cannot be told: {why}; nothing was planned. `force` deletes it anyway"
    );
    let mut problem = Problem::new(kind, message).detail("uses_unknown");
    if let Some(cause) = cause {
        problem.facts = cause.facts;
    }
    if let Some((_, places)) = answer
        && !places.is_empty()
    {
        let told: Vec<String> = places.iter().take(TOLD).map(shown).collect();
        problem = problem.fact("references", told.clone()).candidates(told);
    }
    match retry {
        Some(wait) => problem.retry_after_ms(wait),
        None => problem,
    }
}
