//! Which words does a file on disk hold?

use std::io::{self, Read};
use std::path::Path;

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};
use orienteer_base::path::{leads_elsewhere, open_exactly};

use super::scan::{Gathered, Seen};

/// Where a NUL says that a file is no text.
const SNIFFED: usize = 8 << 10;

/// What is known about a file.
#[derive(Debug)]
pub(super) enum Content {
    /// It does not exist, or is no regular file.
    Gone,
    /// The sorted hashes of its words.
    Words(Box<[u32]>),
    /// It exists, and could not be read or is too large.
    Unknown,
}

/// Reads a file of at most `most` bytes.
pub(super) fn read(path: &Path, most: u64, seen: &mut Seen) -> Content {
    match bytes(path, most) {
        Ok(Some(bytes)) => Content::Words(words(&bytes, seen)),
        Ok(None) => Content::Unknown,
        // A link is no file of its own. One on the way to it may be gone by the next question.
        Err(error) if leads_elsewhere(&error) && path.is_symlink() => Content::Gone,
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput => {
                Content::Gone
            }
            _ => Content::Unknown,
        },
    }
}

/// `None` for a file that is too large.
fn bytes(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = open_exactly(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    if metadata.len() > most {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 1);
    // It may have grown since it was measured.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// The words in every encoding that a reader of the file may see it in.
fn words(bytes: &[u8], seen: &mut Seen) -> Box<[u32]> {
    let mut gathered = Gathered::new(seen);
    match bytes {
        [0xff, 0xfe, rest @ ..] => gathered.scan(&UTF_16LE.decode_without_bom_handling(rest).0),
        [0xfe, 0xff, rest @ ..] => gathered.scan(&UTF_16BE.decode_without_bom_handling(rest).0),
        _ if bytes[..bytes.len().min(SNIFFED)].contains(&0) => {}
        _ => {
            let text = String::from_utf8_lossy(bytes);
            gathered.scan(&text);
            // Not UTF-8: then it is most likely this, and the reader of files decides by more than we look at.
            if matches!(text, std::borrow::Cow::Owned(_)) {
                gathered.scan(&WINDOWS_1252.decode_without_bom_handling(bytes).0);
            }
        }
    }
    gathered.finish()
}
