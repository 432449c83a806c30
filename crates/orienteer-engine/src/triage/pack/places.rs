//! What stands where the source points?

use orienteer_base::error::cut;
use orienteer_base::triage::{CodePlace, Evidence, EvidenceKind, Finding, Provenance, Searched};
use orienteer_base::{Cancel, Completeness, PathError, Problem, Reason};

use super::imports::Line;
use super::{Gathered, evidence};
use crate::Session;
use crate::blocking::blocking;

/// Places that are looked at.
const MOST: usize = 50;

impl Session {
    pub(super) async fn look_at_places(
        &self,
        finding: &Finding,
        gathered: &mut Gathered,
        cancel: &Cancel,
    ) -> Result<(), Problem> {
        let places: Vec<CodePlace> = finding.places.iter().take(MOST).cloned().collect();
        let named = places.iter().map(|place| place.path.clone()).take(5).collect::<Vec<_>>().join(", ");
        let (session, flag) = (self.clone(), cancel.clone());
        let (lines, unread) = blocking(cancel, move || {
            let (mut lines, mut unread) = (Vec::new(), Vec::new());
            for place in places {
                flag.check()?;
                let path = match session.roots().resolve(&place.path) {
                    Ok(path) => path,
                    // It may be gone, or lie in another folder than on the machine of the source: nobody here knows.
                    Err(PathError::NotFound { .. }) => {
                        unread.push(format!("`{}` is not in this workspace", cut(&place.path)));
                        continue;
                    }
                    Err(error) => {
                        unread.push(error.to_string());
                        continue;
                    }
                };
                let Some(text) = session.text_here(&path) else {
                    unread.push(format!("`{}` cannot be read", path.shown()));
                    continue;
                };
                let number = place.line.unwrap_or(1);
                let at = usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
                match text.lines().nth(at) {
                    Some(line) => {
                        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
                        let column = u32::try_from(indent + 1).unwrap_or(1);
                        let file_path = path.shown().to_owned();
                        lines.push((
                            Line { file_path, line: number, column, text: line.to_owned() },
                            place.message,
                        ));
                    }
                    None => unread.push(format!("`{}` has no line {number} any more", path.shown())),
                }
            }
            Ok((lines, unread))
        })
        .await?;
        let completeness = match (unread.is_empty(), finding.places.len() > MOST) {
            (true, false) => Completeness::Complete,
            (true, true) => Completeness::partial(Reason::Capped),
            (false, _) => Completeness::partial(Reason::Unreadable),
        };
        gathered.searches.push(Searched {
            what: "places",
            looked_for: named,
            looked_in: "the workspace".to_owned(),
            found: lines.len(),
            provenance: Provenance::Source,
            completeness,
            note: (!unread.is_empty()).then(|| unread.iter().take(5).cloned().collect::<Vec<_>>().join("; ")),
        });
        let messages: Vec<Option<String>> = lines.iter().map(|(_, message)| message.clone()).collect();
        let around = self.surrounded(lines.into_iter().map(|(line, _)| line).collect(), cancel).await?;
        for ((line, symbol, test), note) in around.into_iter().zip(messages) {
            gathered.add(Evidence {
                column: line.column,
                symbol,
                in_test: test,
                note,
                ..evidence(
                    EvidenceKind::Place,
                    &line.file_path,
                    line.line,
                    &line.text,
                    Provenance::Source,
                    &self.engine().conceal,
                )
            });
        }
        Ok(())
    }
}
