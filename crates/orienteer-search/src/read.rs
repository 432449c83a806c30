//! What does this file say?
//!
//! A file is decoded chunk by chunk: memory is bounded by what is asked for, however large the file is. A
//! line ends after `\n`, as in the search for text, so that line numbers from there can be read here; a final
//! line end does not begin another line. What is returned is exact: line endings stay as they are on disk.

mod decode;
mod matching;
mod part;

use std::fs::File;

use orienteer_base::listing::FileText;
use orienteer_base::question::{Part, ReadQuery};
use orienteer_base::{Answer, Cancel, Completeness, ErrorKind, PathError, Problem, Reason, Roots, Source};

use crate::stoppable;
use decode::Decoded;

/// A file larger than this is not read as a whole, and no line longer than this is matched.
pub const LARGEST_WHOLE: u64 = 64 << 20;

/// Reads a part of a file.
///
/// For [`Part::Matching`] the content stays empty and the matches are listed: a text put together from
/// pieces would look like a file that does not exist.
pub fn read_file(roots: &Roots, query: &ReadQuery, cancel: &Cancel) -> Result<Answer<FileText>, Problem> {
    let (roots, query, flag) = (roots.clone(), query.clone(), cancel.clone());
    stoppable::run(cancel, move || read(&roots, &query, &flag))
}

fn read(roots: &Roots, query: &ReadQuery, cancel: &Cancel) -> Result<Answer<FileText>, Problem> {
    let shown = query.file.shown();
    let io = |error| Problem::from(PathError::Io { path: shown.to_owned(), error });
    let metadata = std::fs::metadata(query.file.absolute()).map_err(io)?;
    if metadata.is_dir() {
        return Err(PathError::IsDirectory { path: shown.to_owned() }.into());
    }
    // Opening alone does something to pipes and devices.
    if !metadata.is_file() {
        return Err(not_a_file(shown));
    }
    part::check(&query.part)?;
    let mut file = roots.open_path(&query.file).map_err(|error| PathError::unopened(shown, error))?;
    // What was measured above may have been another file, and its size is not for everybody to know.
    let metadata = file.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(not_a_file(shown));
    }
    if query.part == Part::Whole && metadata.len() > LARGEST_WHOLE {
        return Err(too_large(shown, metadata.len()));
    }
    let decoded = decode::sniff(&mut file, cancel).map_err(io)?;
    let Some(decoded) = decoded else {
        cancel.check()?;
        let message =
            format!("`{shown}` is a binary file of {} bytes; only text can be read", metadata.len());
        return Err(Problem::new(ErrorKind::Unsupported, message).detail("binary_file"));
    };
    let text = FileText {
        file_path: shown.to_owned(),
        content: String::new(),
        start_line: 1,
        end_line: 0,
        total_lines: 0,
        total_chars: 0,
        size: metadata.len(),
        encoding: decoded.name,
        lossy: false,
        char_offset: 0,
        next_char_offset: None,
        matches: None,
        total_matches: 0,
    };
    match &query.part {
        Part::Matching { pattern, regex, case_sensitive, context_lines, skip } => {
            let wanted = matching::Wanted::new(
                pattern,
                *regex,
                *case_sensitive,
                *context_lines,
                *skip,
                query.conceal.clone(),
            )?;
            matching::read(&mut file, decoded, wanted, query.max_chars.max(1), text, cancel)
        }
        part => part::read(&mut file, decoded, part, query.max_chars.max(1), text, cancel),
    }
}

fn not_a_file(shown: &str) -> Problem {
    Problem::new(ErrorKind::Unsupported, format!("`{shown}` is not a regular file")).detail("not_a_file")
}

fn too_large(shown: &str, size: u64) -> Problem {
    let message = format!(
        "`{shown}` has {size} bytes, more than the {LARGEST_WHOLE} that are read as a whole; read a range of \
         lines or characters, or search in it"
    );
    Problem::new(ErrorKind::TooLarge, message).detail("too_large")
}

/// Runs the file through `f`, one decoded chunk at a time; says whether bytes had to be replaced.
fn each_chunk(
    file: &mut File,
    decoded: Decoded,
    text: &FileText,
    cancel: &Cancel,
    mut f: impl FnMut(&str) -> Result<(), Problem>,
) -> Result<bool, Problem> {
    let io = |error| Problem::from(PathError::Io { path: text.file_path.clone(), error });
    let mut chunks = decode::Chunks::new(file, decoded).map_err(io)?;
    while let Some(chunk) = chunks.next().map_err(io)? {
        cancel.check()?;
        f(chunk)?;
    }
    Ok(chunks.lossy)
}

fn answer(text: FileText, capped: bool) -> Answer<FileText> {
    let completeness = if capped { Completeness::partial(Reason::Capped) } else { Completeness::Complete };
    Answer::new(text, completeness, Source::Text)
}
