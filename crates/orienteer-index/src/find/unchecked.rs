//! What could not be looked at?
//!
//! An empty answer says that there is nothing. Where something could not be looked at, that has to be said instead.

use super::error::FindError;
use super::known::Files;
use super::{Found, Note, Question, narrow};
use crate::store::{Condition, FileFlags, Plan, Reader};

/// Files that are named in a note.
const MOST_NAMED: usize = 3;

/// Something that an answer does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unchecked {
    /// One word, for programs; the note of the same kind says why.
    pub kind: &'static str,
    /// The filter that could not be asked, as the query box spells it.
    pub filter: Option<&'static str>,
    /// Files that it is about.
    pub files: usize,
}

/// Files that had to be read and could not be.
pub(super) fn unread(files: &Files<'_>, found: &mut Found) {
    let paths = files.unread();
    if paths.is_empty() {
        return;
    }
    let message = format!(
        "{} could not be read (gone, not readable, larger than 32 MB, or no text any more), so nothing in them was \
         compared: {}",
        counted(paths.len()),
        named(&paths)
    );
    found.add("unreadable_files", message, paths.len());
}

/// Files of which the index knows only a part, where a question asks for what may stand in the rest.
pub(super) fn partly_indexed(
    reader: &Reader<'_>,
    question: &Question<'_>,
    found: &mut Found,
) -> Result<(), FindError> {
    let filters = &question.ask.query.filters;
    let of_symbols = narrow::asks_definitions(filters);
    // What stands somewhere exactly is looked for in the whole file.
    let large = of_symbols || question.checks.must.is_empty();
    let mut parts = Vec::new();
    parts.extend(large.then_some(Condition::Flags(FileFlags::TOO_LARGE)));
    parts.extend(of_symbols.then_some(Condition::Flags(FileFlags::TRUNCATED)));
    if parts.is_empty() {
        return Ok(());
    }
    let narrowed = question.narrowed;
    let mut conditions = narrow::of_files(&narrowed.plan.conditions);
    conditions.push(Condition::Any(parts));
    conditions.push(Condition::Not(Box::new(Condition::Flags(FileFlags::BINARY))));
    let plan = Plan { files: narrowed.plan.files.clone(), conditions };
    let mut paths = Vec::new();
    for id in reader.files_where(&plan, question.cancel)?.iter() {
        let Some(file) = reader.file(id)? else { continue };
        if narrowed.takes(file.mode) {
            paths.push(file.path.shown());
        }
    }
    if !paths.is_empty() {
        let message = format!(
            "{} indexed only in part, because they are very large or could not be parsed to the end, so something in \
             the rest may be missing: {}; a \"phrase\" or a /regex/ without filters on definitions is looked for in \
             whole files",
            if paths.len() == 1 { "1 file is".to_owned() } else { format!("{} files are", paths.len()) },
            named(&paths)
        );
        found.add("partly_indexed", message, paths.len());
    }
    Ok(())
}

impl Found {
    fn add(&mut self, kind: &'static str, message: String, files: usize) {
        self.notes.push(Note { kind, message });
        self.unchecked.push(Unchecked { kind, filter: None, files });
    }
}

fn counted(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}

fn named(paths: &[String]) -> String {
    let first = paths.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = paths.len().saturating_sub(MOST_NAMED);
    if more > 0 { format!("{first} and {more} more") } else { first }
}
