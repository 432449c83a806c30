//! What is this?

use orienteer_base::ask::HoverQuery;
use orienteer_base::code::Hover;
use orienteer_base::{Answer, Cancel, ErrorKind, Problem};
use orienteer_lsp::command::Hovered;

use crate::Session;
use crate::answering::{frame, instead};
use crate::failure::problem;
use crate::resolve::Pinned;
use crate::unexpanded::FoundLines;

impl Session {
    /// Type, documentation and origin of a symbol.
    pub async fn hover(&self, query: HoverQuery, cancel: &Cancel) -> Result<Answer<Hover>, Problem> {
        let pinned = self.pin(&query.target, cancel).await?;
        let patience = self.patience(query.wait, cancel);
        let (file, at) = (pinned.file.absolute().to_path_buf(), pinned.position);
        let asked = async {
            let lease = self.lease(&file).await?;
            let mut heard = lease.hover(&file, at, &patience).await?;
            if heard.value.is_none() {
                let why =
                    self.unexpanded(&lease, pinned.word.as_deref(), FoundLines::default(), cancel).await;
                heard.seen.needs_trust = why.unwrap_or_default();
            }
            if heard.value.is_none() && heard.seen.ready {
                lease.ensure_known(&file, &patience).await?;
            }
            Ok((lease, heard))
        };
        match asked.await {
            Ok((lease, heard)) => {
                let answer = frame(&lease, &heard.seen, pinned.warnings.clone());
                match heard.value {
                    Some(hovered) => Ok(answer.map(|()| shape(&pinned, hovered))),
                    None if answer.completeness.is_complete() => Err(nothing(&pinned)),
                    // Not ready: nothing means nothing.
                    None => Ok(answer
                        .map(|()| Hover { file_path: pinned.file.shown().to_owned(), ..Hover::default() })),
                }
            }
            Err(failure) if self.has_substitute(&failure) => {
                match self.hover_by_grammar(&pinned, cancel).await? {
                    Some(hover) => Ok(instead(hover, failure, pinned.warnings)),
                    None => Err(problem(failure)),
                }
            }
            Err(failure) => Err(problem(failure)),
        }
    }

    /// The signature of the only symbol of that name.
    async fn hover_by_grammar(&self, pinned: &Pinned, cancel: &Cancel) -> Result<Option<Hover>, Problem> {
        let Some(word) = pinned.word.clone() else { return Ok(None) };
        let (session, flag) = (self.clone(), cancel.clone());
        let shown = pinned.file.shown().to_owned();
        self.paint(cancel, move |_| {
            let found = session.symbols_named(&word, None, &flag)?.0;
            Ok(match found.as_slice() {
                [one] => Some(Hover {
                    type_info: Some(one.symbol.signature.clone()),
                    documentation: None,
                    source_module: Some(session.roots().show(&one.path)),
                    range: None,
                    word: Some(word.clone()),
                    file_path: shown,
                }),
                _ => None,
            })
        })
        .await
    }
}

fn shape(pinned: &Pinned, hovered: Hovered) -> Hover {
    Hover {
        type_info: hovered.type_info,
        documentation: hovered.documentation,
        source_module: hovered.source_module,
        range: hovered.range,
        word: pinned.word.clone(),
        file_path: pinned.file.shown().to_owned(),
    }
}

fn nothing(pinned: &Pinned) -> Problem {
    let place = format!("{}:{}:{}", pinned.file.shown(), pinned.position.line, pinned.position.column);
    let message = match &pinned.word {
        Some(word) => format!("the language server knows nothing about `{word}` at {place}"),
        None => format!("there is no symbol at {place}; point at a name"),
    };
    Problem::new(ErrorKind::NotFound, message).detail("no_symbol_here")
}
