//! What becomes of the comments and attributes above a definition that is replaced?
//!
//! They stay unless the content brings its own: a doc comment is not lost because somebody wrote a function without one.

use std::ops::Range;

use orienteer_base::Problem;
use orienteer_edit::TextEdit;
use orienteer_syntax::{Anatomy, dissect};

use super::compose::{Subject, Way};
use super::lines::{indentation, line_start};
use super::verify::{Before, LIMITS, Outcome, unparsed};

/// What the content brings, and what stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) docs: bool,
    pub(super) attributes: bool,
}

/// The text with the content in place of the definition and all that stands above it, to see what the content brings.
pub(super) fn alone(subject: &Subject<'_>, way: &Way) -> Way {
    let mut way = way.clone();
    if let Some(edit) = way.edits.get_mut(way.content) {
        edit.range.start = subject.anatomy.start();
    }
    way
}

/// The definition that the content brings, taken apart.
pub(super) fn brought(before: &Before<'_>, outcome: &Outcome) -> Result<Option<Anatomy>, Problem> {
    let inside = |at: usize| outcome.content.contains(&at);
    let mut symbols = outcome.seen.outline.symbols.iter();
    let Some(symbol) = symbols.find(|symbol| inside(symbol.name_range.start)) else { return Ok(None) };
    let at = Some(symbol.name_range.start);
    let seen = dissect(&outcome.text, before.language, at, &LIMITS, before.cancel).map_err(unparsed)?;
    Ok(seen.anatomy)
}

/// The way with which what the content brings replaces what was above. `outcome`: see [`alone`]; `way`: with everything
/// above left as it is.
pub(super) fn without_old(subject: &Subject<'_>, outcome: &Outcome, new: &Anatomy, way: Way) -> (Way, Kept) {
    let old = subject.anatomy;
    let inside =
        |range: &&Range<usize>| outcome.content.start <= range.start && range.end <= outcome.content.end;
    let docs: Vec<&Range<usize>> = new.docs.iter().filter(inside).collect();
    let has_attributes = new.attributes.iter().any(|range| inside(&range));
    let drop_docs = !docs.is_empty() && !old.docs.is_empty();
    let drop_attributes = has_attributes && !old.attributes.is_empty();
    let kept = Kept {
        docs: !old.docs.is_empty() && !drop_docs,
        attributes: !old.attributes.is_empty() && !drop_attributes,
    };
    let content = outcome.text.get(outcome.content.clone()).unwrap_or_default();
    let Some(main) = way.edits.get(way.content).cloned() else { return (way, kept) };
    let main = &main;
    let last_doc = old.docs.iter().map(|range| range.end).max().unwrap_or(0);
    let first_attribute = old.attributes.iter().map(|range| range.start).min().unwrap_or(old.core.start);
    let way = match (drop_docs, drop_attributes) {
        (false, false) => way,
        // Nothing of what was above stays.
        (true, _) if !kept.attributes => {
            Way { edits: vec![TextEdit::new(old.start()..main.range.end, content)], content: 0 }
        }
        (_, true) if !kept.docs => {
            Way { edits: vec![TextEdit::new(old.start()..main.range.end, content)], content: 0 }
        }
        // The comments stay, and they stand above the attributes.
        (false, true) if last_doc <= first_attribute => {
            Way { edits: vec![TextEdit::new(first_attribute..main.range.end, content)], content: 0 }
        }
        // The attributes stay, and the new comments go above them, where the old ones were.
        (true, false) if last_doc <= first_attribute => {
            let end = docs.iter().map(|range| range.end).max().unwrap_or(outcome.content.start);
            let comment = outcome.text.get(outcome.content.start..end).unwrap_or_default();
            let rest = outcome.text.get(end..outcome.content.end).unwrap_or_default().trim_start();
            let indent = indentation(subject.text, line_start(subject.text, old.start()));
            let comment = format!("{comment}{}{indent}", subject.newline);
            Way {
                edits: vec![
                    TextEdit::new(old.start()..first_attribute, comment),
                    TextEdit::new(main.range.clone(), rest),
                ],
                content: 1,
            }
        }
        _ => scattered(subject, main, if drop_docs { &old.docs } else { &old.attributes }),
    };
    (way, kept)
}

/// Comments and attributes stand between each other: each goes with its own line.
fn scattered(subject: &Subject<'_>, main: &TextEdit, gone: &[Range<usize>]) -> Way {
    let text = subject.text;
    let mut edits: Vec<TextEdit> = gone
        .iter()
        .map(|range| {
            let rest = text.get(range.end..).unwrap_or_default();
            // To the next thing, which takes its place and its indentation.
            TextEdit::new(range.start..range.end + (rest.len() - rest.trim_start().len()), "")
        })
        .collect();
    edits.push(main.clone());
    Way { content: edits.len() - 1, edits }
}
