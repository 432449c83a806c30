//! Where does the old name still stand as text once a plan is carried out: comments, strings, documentation?

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use orienteer_base::code::Place;
use orienteer_base::{Cancel, Problem, Source};
use orienteer_edit::Plan;
use orienteer_lsp::text::Text;
use orienteer_search::words::occurrences;

use crate::Session;
use crate::around::shorten;
use crate::scenery::Scenery;

/// Places that are told; the number of all is told beside.
const TOLD: usize = 20;

/// The first places, and how many there are; `None` when the word is too common to count.
pub(super) type LeftBehind = (Vec<Place>, Option<usize>);

/// Counts in the texts as the plan leaves them: what it changes is explained, everything else is not. Blocks.
pub(super) fn left_behind(
    session: &Session,
    scenery: &mut Scenery<'_>,
    plan: &Plan,
    word: &str,
    cancel: &Cancel,
) -> Result<LeftBehind, Problem> {
    let texts = session.engine().fleet.texts();
    let Some(places) = session.workspace().places_of(word, texts) else { return Ok((Vec::new(), None)) };
    let changed: HashMap<&Path, Option<&str>> = plan
        .changes
        .iter()
        .map(|change| {
            let after = change.after.as_ref().and_then(|after| std::str::from_utf8(&after.content).ok());
            (change.path.as_path(), after)
        })
        .collect();
    let mut files: Vec<(&PathBuf, Option<&str>)> = Vec::new();
    files.extend(
        places.iter().map(|(path, _)| (path, None)).filter(|(path, _)| !changed.contains_key(path.as_path())),
    );
    files.extend(
        plan.changes
            .iter()
            .map(|change| (&change.path, changed.get(change.path.as_path()).copied().flatten())),
    );
    files.sort_by(|left, right| left.0.as_os_str().cmp(right.0.as_os_str()));
    let unchanged: HashMap<&Path, usize> =
        places.iter().map(|(path, hits)| (path.as_path(), hits.len())).collect();
    let mut told = Vec::new();
    let mut total = 0;
    for (path, after) in files {
        cancel.check()?;
        let room = TOLD - told.len();
        match (changed.contains_key(path.as_path()), after) {
            (true, Some(after)) => {
                let hits: Vec<_> = occurrences(after, word).collect();
                total += hits.len();
                let text = (!hits.is_empty() && room > 0).then(|| Text::new(after.to_owned()));
                for (range, text) in
                    hits.into_iter().take(room).filter_map(|range| Some((range, text.as_ref()?)))
                {
                    let range = text.lines.range(&text.text, range);
                    let line = text.line(range.start.line).unwrap_or_default();
                    told.push(Place {
                        file_path: session.roots().show(path),
                        range,
                        withheld: false,
                        preview: shorten(line, range.start.column, scenery.conceal()),
                        snippet: None,
                        symbol: None,
                        source: Source::Text,
                    });
                }
            }
            // It goes, or it is no text.
            (true, None) => {}
            (false, _) => {
                total += unchanged.get(path.as_path()).copied().unwrap_or_default();
                let Some(file) = scenery.file(path).filter(|_| room > 0) else { continue };
                let text = file.text.clone();
                for range in occurrences(&text.text, word).take(room) {
                    let range = text.lines.range(&text.text, range);
                    told.push(scenery.place(path, range, None, Source::Text));
                }
            }
        }
    }
    Ok((told, Some(total)))
}
