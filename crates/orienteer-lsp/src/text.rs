//! Texts of files as they stand on disk, read once per state.

mod partial;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use orienteer_base::path::read_exactly;
use orienteer_base::{LineIndex, Range};
use orienteer_watch::{Stamp, stamp};

pub use partial::{Milestones, Partial, Stretch};

/// Larger files are not given to language servers: none of them copes.
pub const LARGEST: u64 = 32 << 20;

/// One text and where its lines begin.
#[derive(Debug)]
pub struct Text {
    pub text: String,
    pub lines: LineIndex,
    /// It stands in its file byte by byte.
    verbatim: bool,
}

impl Text {
    pub fn new(text: String) -> Self {
        let lines = LineIndex::new(&text);
        Self { text, lines, verbatim: false }
    }

    /// A 1-based line without its line end.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.lines.line_text(&self.text, (line as usize).checked_sub(1)?)
    }

    /// Where a name first stands in a range, for servers that tell only the lines of a definition: as a word if it does
    /// anywhere, and up to the end of the first line, because some ranges end where that line begins.
    pub fn name_within(&self, range: Range, name: &str) -> Option<Range> {
        let start = self.lines.offset_of(&self.text, range.start)?;
        let end = self.lines.offset_of(&self.text, range.end)?;
        let line_end = self.text.get(start..)?.find('\n').map_or(self.text.len(), |length| start + length);
        let inside = self.text.get(start..end.max(line_end)).filter(|_| !name.is_empty())?;
        let at = start + words(inside, name).next().or_else(|| inside.find(name))?;
        Some(self.lines.range(&self.text, at..at + name.len()))
    }
}

/// Where a text has a word and not only a part of one.
pub(crate) fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole =
        move |at: &usize| !text[..*at].ends_with(in_word) && !text[*at + word.len()..].starts_with(in_word);
    text.match_indices(word).map(|(at, _)| at).filter(is_whole)
}

#[derive(Debug)]
struct Held {
    stamp: Stamp,
    text: Arc<Text>,
    used: u64,
}

#[derive(Debug, Default)]
struct State {
    held: HashMap<PathBuf, Held>,
    bytes: usize,
    clock: u64,
}

/// A bounded store of texts. A text is used again only while the file's stamp is what it was before it was read.
#[derive(Debug)]
pub struct Texts {
    state: Mutex<State>,
    most: usize,
}

impl Texts {
    /// Holds at most so many bytes.
    pub fn new(most: usize) -> Self {
        Self { state: Mutex::default(), most }
    }

    /// The text of a file as it is now.
    pub fn read(&self, path: &Path) -> std::io::Result<Arc<Text>> {
        Ok(self.read_stamped(path)?.0)
    }

    /// The text of a file in this state, if it is in memory.
    pub fn held(&self, path: &Path, stamp: &Stamp) -> Option<Arc<Text>> {
        let mut state = self.lock();
        state.clock += 1;
        let clock = state.clock;
        let held = state.held.get_mut(path).filter(|held| held.stamp == *stamp)?;
        held.used = clock;
        Some(held.text.clone())
    }

    /// The text of a file that is no larger than this.
    pub fn read_up_to(&self, path: &Path, most: u64) -> std::io::Result<Arc<Text>> {
        Ok(self.read_within(path, most)?.0)
    }

    /// The same with the stamp the file had before it was read: if the file changes meanwhile, the stamp is old
    /// and the next look reads again. The last part says that the stamp was too young to be trusted: a change
    /// right after may have left the same one, so the text is neither kept here nor to be relied upon.
    pub fn read_stamped(&self, path: &Path) -> std::io::Result<(Arc<Text>, Stamp, bool)> {
        self.read_within(path, LARGEST)
    }

    fn read_within(&self, path: &Path, most: u64) -> std::io::Result<(Arc<Text>, Stamp, bool)> {
        let now = stamp(path).ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound))?;
        if now.size() > most {
            return Err(std::io::Error::other(format!("it is larger than {} MiB", most >> 20)));
        }
        // Before it is read: a slow reader must not find that the stamp has come of age meanwhile.
        let young = now.is_recent();
        let mut state = self.lock();
        state.clock += 1;
        let clock = state.clock;
        if let Some(held) = state.held.get_mut(path)
            && held.stamp == now
        {
            held.used = clock;
            return Ok((held.text.clone(), now, false));
        }
        drop(state);
        let (text, verbatim) = decode(read_exactly(path)?);
        let text = Arc::new(Text { verbatim, ..Text::new(text) });
        if !young {
            self.keep(path, now, &text, clock);
        }
        Ok((text, now, young))
    }

    fn keep(&self, path: &Path, stamp: Stamp, text: &Arc<Text>, clock: u64) {
        let mut state = self.lock();
        let size = text.text.len();
        // A few large ones would drive out all others, again with each question that shows the same files.
        if size > self.most / 8 {
            return;
        }
        let held = Held { stamp, text: text.clone(), used: clock };
        if let Some(old) = state.held.insert(path.to_path_buf(), held) {
            state.bytes -= old.text.text.len();
        }
        state.bytes += size;
        if state.bytes <= self.most {
            return;
        }
        // Rarely: lets go of the half that was used longest ago.
        let mut used: Vec<u64> = state.held.values().map(|held| held.used).collect();
        used.sort_unstable();
        let middle = used[used.len() / 2];
        state.held.retain(|_, held| held.used > middle);
        state.bytes = state.held.values().map(|held| held.text.text.len()).sum();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The characters of a file. UTF-16 says so by its mark, as compilers and editors have it; read as bytes, such a file
/// would look like one that defines nothing. The second value: they are the bytes of the file.
fn decode(bytes: Vec<u8>) -> (String, bool) {
    type Order = fn([u8; 2]) -> u16;
    let order: Option<Order> = match bytes.get(..2) {
        // Four bytes: UTF-32, which begins like UTF-16 and which no language server reads.
        Some([0xff, 0xfe]) if bytes.get(2..4) != Some(&[0, 0]) => Some(u16::from_le_bytes),
        Some([0xfe, 0xff]) => Some(u16::from_be_bytes),
        _ => None,
    };
    if let Some(order) = order {
        let units = bytes[2..].chunks_exact(2).map(|unit| order([unit[0], unit[1]]));
        let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        return (text, false);
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use orienteer_base::Position;

    use super::*;

    #[test]
    fn a_name_in_lines_is_a_word_of_them() {
        let text =
            Text::new("module m\n  integer :: i, ij\n  procedure :: area => circle_area\nend\n".to_owned());
        let lines =
            |first: u32, last: u32| Range { start: Position::new(first, 1), end: Position::new(last, 1) };
        let start =
            |at: u32, name: &str| text.name_within(lines(at, at), name).map(|found| found.start.column);
        assert_eq!(start(2, "i"), Some(14), "not the one in `integer`");
        assert_eq!(start(2, "ij"), Some(17));
        assert_eq!(start(3, "area"), Some(16));
        assert_eq!(start(3, "cle"), Some(27), "no word: wherever it stands");
        assert_eq!((start(2, "area"), start(2, "")), (None, None));
        let found = text.name_within(lines(1, 4), "circle_area").map(|found| found.start);
        assert_eq!(found, Some(Position::new(3, 24)));
        assert_eq!(text.name_within(lines(9, 9), "m"), None);
    }

    #[test]
    fn utf_16_is_read_as_what_it_says() {
        let units: Vec<u16> = "fn größe() {} // 🦀\n".encode_utf16().collect();
        let decode = |bytes: Vec<u8>| decode(bytes).0;
        let little: Vec<u8> =
            [0xfeff].iter().chain(&units).flat_map(|unit: &u16| unit.to_le_bytes()).collect();
        let big: Vec<u8> = [0xfeff].iter().chain(&units).flat_map(|unit: &u16| unit.to_be_bytes()).collect();
        assert_eq!(decode(little.clone()), "fn größe() {} // 🦀\n");
        assert_eq!(decode(big), "fn größe() {} // 🦀\n");
        // Half a unit at the end, and half a character, are passed over or shown as such.
        assert_eq!(decode([&little[..], &[1]].concat()), "fn größe() {} // 🦀\n");
        assert_eq!(decode(vec![0xff, 0xfe, 0x00, 0xd8]), "\u{fffd}");
        assert_eq!(decode(vec![0xff, 0xfe]), "");
        assert_eq!(decode(b"a\xffb".to_vec()), "a\u{fffd}b");
    }

    #[test]
    fn a_text_that_may_have_changed_under_its_stamp_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let texts = Texts::new(1 << 20);
        std::fs::write(&path, "one").unwrap();
        assert!(texts.read_stamped(&path).unwrap().2, "too young to be trusted");
        // Another text of the same size within the same tick of the clock would have the same stamp.
        assert!(texts.lock().held.is_empty());
        while stamp(&path).unwrap().is_recent() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(!texts.read_stamped(&path).unwrap().2);
        assert_eq!(texts.lock().held.len(), 1);
    }
}
