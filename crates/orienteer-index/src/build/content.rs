//! What does a file say, read within limits?

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use orienteer_base::path::open_exactly;

use crate::store::Stamp;

/// A larger file is not parsed, and only the words of its beginning count.
pub(super) const LARGE: u64 = 4 << 20;
/// How much of it counts.
const BEGINNING: usize = 1 << 20;
/// A larger file is not even read to its end.
const HUGE: u64 = 32 << 20;
/// Where a NUL says that a file is no text.
const SNIFFED: usize = 8 << 10;

/// A file as it was read.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) bytes: Vec<u8>,
    /// All of it was read.
    pub(super) whole: bool,
    pub(super) stamp: Stamp,
    pub(super) young: bool,
    /// BLAKE3 of what was read.
    pub(super) hash: [u8; 32],
}

/// Whether a file of this size is read to its end.
pub(super) fn is_read_whole(size: u64) -> bool {
    size <= HUGE
}

/// Reads a file. What the file system says of it is asked first, so that a change while it is read shows later.
pub(super) fn load(path: &Path) -> io::Result<Loaded> {
    let (file, metadata) = open_file(path)?;
    let size = metadata.len();
    let whole = is_read_whole(size);
    let most = if whole { size + 1 } else { BEGINNING as u64 };
    let mut bytes = Vec::with_capacity(usize::try_from(most).unwrap_or_default());
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Loaded {
        whole,
        stamp: Stamp::of(&metadata),
        young: Stamp::is_young(&metadata, SystemTime::now()) || (whole && bytes.len() as u64 != size),
        hash: *blake3::hash(&bytes).as_bytes(),
        bytes,
    })
}

/// Opens a file and nothing else. Opening alone does something to pipes and devices.
fn open_file(path: &Path) -> io::Result<(File, fs::Metadata)> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let file = open_exactly(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// The part of a large file whose words count: whole lines, if there are any.
pub(super) fn beginning(bytes: &[u8]) -> &[u8] {
    let part = &bytes[..bytes.len().min(BEGINNING)];
    if part.len() == bytes.len() {
        return part;
    }
    match part.iter().rposition(|byte| *byte == b'\n') {
        Some(at) => &part[..=at],
        None => {
            // Not in the middle of a character.
            let mut end = part.len();
            while end > 0 && bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
                end -= 1;
            }
            &part[..end]
        }
    }
}

/// The text of a file, as every offset in the index counts it; `None` for what is no text.
///
/// UTF-8 is taken as it is, byte order mark included. UTF-16 counts with its mark. Other bytes are windows-1252 where no
/// UTF-8 is mixed in, and otherwise what is broken is replaced.
pub fn text_of(bytes: &[u8]) -> Option<Cow<'_, str>> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] => return None,
        [0xFF, 0xFE, rest @ ..] => return Some(Cow::Owned(utf16(rest, u16::from_le_bytes))),
        [0xFE, 0xFF, rest @ ..] => return Some(Cow::Owned(utf16(rest, u16::from_be_bytes))),
        _ => {}
    }
    if bytes[..bytes.len().min(SNIFFED)].contains(&0) {
        return None;
    }
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Some(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let multibyte = bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    let strange = bytes.iter().any(|byte| {
        (*byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B))
            || (matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D) && error.error_len().is_some())
    });
    Some(if multibyte || strange { String::from_utf8_lossy(bytes) } else { Cow::Owned(western(bytes)) })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// What windows-1252 has between the two halves of Latin-1; its free places are left as they are.
const MIDDLE: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn western(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| match byte {
            0x80..=0x9F => MIDDLE[usize::from(byte - 0x80)],
            _ => char::from(*byte),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_several_encodings_are_read() {
        assert_eq!(text_of("größe".as_bytes()).unwrap(), "größe");
        assert_eq!(text_of(b"gr\xf6\xdfe \x80").unwrap(), "größe €");
        assert_eq!(text_of("\u{feff}a".as_bytes()).unwrap(), "\u{feff}a");
        assert_eq!(text_of(b"\xff\xfeh\0i\0").unwrap(), "hi");
        assert_eq!(text_of(b"\xfe\xff\0h\0i").unwrap(), "hi");
        assert_eq!(text_of(b"a\0b"), None);
        assert_eq!(text_of(b"").unwrap(), "");
        assert_eq!(text_of("ö \u{fffd}".as_bytes()).unwrap(), "ö \u{fffd}");
        assert_eq!(text_of(b"\xc3\xb6 \xff").unwrap(), "ö \u{fffd}");
    }

    #[test]
    fn the_beginning_of_a_large_file_ends_with_a_line() {
        let text = "0123456789\n".repeat(200_000);
        let part = beginning(text.as_bytes());
        assert!(part.len() <= BEGINNING && part.len() > BEGINNING - 11);
        assert_eq!(part.last(), Some(&b'\n'));
        let wide = "é".repeat(1 << 20);
        assert!(std::str::from_utf8(beginning(wide.as_bytes())).is_ok());
        assert_eq!(beginning(b"abc"), b"abc");
    }

    #[test]
    fn a_changed_file_has_another_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "one").unwrap();
        let first = load(&path).unwrap();
        assert_eq!((first.bytes.as_slice(), first.whole, first.young), (&b"one"[..], true, true));
        std::fs::write(folder.path().join("b"), "two").unwrap();
        std::fs::rename(folder.path().join("b"), &path).unwrap();
        assert_ne!(load(&path).unwrap().stamp, first.stamp);
        assert!(load(folder.path()).is_err());
    }
}
