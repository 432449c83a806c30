//! Some lines of a large file, without reading all of it.
//!
//! An answer may show one line each of a hundred files. To read a whole file and find its lines takes longer than everything
//! else that is done about it, so where lines begin is remembered of each file that was read once, for some of them, and
//! only the stretch between two of those is read.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::ops::Range as Span;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use orienteer_base::path::open_exactly;
use orienteer_watch::Stamp;

use super::Text;

/// Of so many lines, the beginning of one is remembered.
const STEP: usize = 32;

/// Shorter files are read whole: that is as fast.
const SHORT: usize = 8 << 10;

/// A stretch that is longer is not read: the lines are too long for this.
const LONGEST: usize = 64 << 10;

/// Where every so-many-th line of a text begins, as it lies on disk.
#[derive(Debug, Clone)]
pub struct Milestones {
    starts: Arc<[u32]>,
    lines: usize,
    bytes: usize,
}

impl Milestones {
    /// `None` of a text that is short, or not on disk letter by letter.
    pub fn of(text: &Text) -> Option<Self> {
        if !text.verbatim || text.text.len() < SHORT {
            return None;
        }
        let lines = text.lines.line_count();
        let start = |line| text.lines.line_bytes(line).and_then(|bytes| u32::try_from(bytes.start).ok());
        let starts = (0..lines).step_by(STEP).map(start).collect::<Option<Arc<[u32]>>>()?;
        Some(Self { starts, lines, bytes: text.text.len() })
    }

    /// Memory.
    pub fn size(&self) -> usize {
        size_of_val::<[u32]>(&self.starts)
    }

    /// The lines between the milestones around some lines, all from 0, and their bytes.
    fn around(&self, lines: Span<usize>) -> Option<(usize, Span<usize>)> {
        if lines.is_empty() || lines.end > self.lines {
            return None;
        }
        let first = lines.start / STEP;
        let end = self.starts.get((lines.end - 1) / STEP + 1).map_or(self.bytes, |start| *start as usize);
        let start = *self.starts.get(first)? as usize;
        (end - start <= LONGEST).then_some((first * STEP, start..end))
    }
}

/// Consecutive lines.
#[derive(Debug)]
pub struct Stretch {
    pub text: Text,
    /// The number of its first line, from 0.
    pub first: usize,
    /// Where it begins in the file.
    pub start: usize,
}

/// A file of which some lines are wanted. It is open: what replaces it meanwhile changes nothing.
#[derive(Debug)]
pub struct Partial {
    file: File,
    stamp: Stamp,
    milestones: Milestones,
    last: RefCell<Option<Rc<Stretch>>>,
    failed: Cell<bool>,
}

impl Partial {
    /// `None` unless the file is still what its milestones were made of.
    pub fn open(path: &Path, stamp: Stamp, milestones: Milestones) -> Option<Self> {
        let file = open_exactly(path).ok()?;
        let partial = Self { file, stamp, milestones, last: RefCell::default(), failed: Cell::new(false) };
        partial.is_unchanged().then_some(partial)
    }

    fn is_unchanged(&self) -> bool {
        self.file.metadata().is_ok_and(|data| Stamp::of(&data) == self.stamp)
    }

    /// Whether everything that was read is what was there: to be asked in the end, before any of it is believed.
    pub fn held(&self) -> bool {
        !self.failed.get() && self.is_unchanged()
    }

    /// The stretch with some lines, from 0; `None` where it is too long, or there are no such lines.
    pub fn stretch(&self, lines: Span<usize>) -> Option<Rc<Stretch>> {
        let (first, bytes) = self.milestones.around(lines)?;
        let mut last = self.last.borrow_mut();
        if let Some(last) =
            last.as_ref().filter(|last| last.start == bytes.start && last.len() == bytes.len())
        {
            return Some(last.clone());
        }
        let text = Text::new(self.read(bytes.clone())?);
        let read = Rc::new(Stretch { text, first, start: bytes.start });
        *last = Some(read.clone());
        Some(read)
    }

    /// Some bytes that are text.
    pub fn slice(&self, bytes: Span<usize>) -> String {
        if let Some(last) = self.last.borrow().as_ref()
            && let Some(start) = bytes.start.checked_sub(last.start)
            && let Some(text) = last.text.text.get(start..start + bytes.len())
        {
            return text.to_owned();
        }
        self.read(bytes).unwrap_or_default()
    }

    fn read(&self, bytes: Span<usize>) -> Option<String> {
        let text = read_at(&self.file, bytes).and_then(|read| String::from_utf8(read).ok());
        if text.is_none() {
            self.failed.set(true);
        }
        text
    }
}

impl Stretch {
    fn len(&self) -> usize {
        self.text.text.len()
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: Span<usize>) -> Option<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let mut buffer = vec![0; bytes.len().min(LONGEST)];
    file.read_exact_at(&mut buffer, bytes.start as u64).ok()?;
    Some(buffer)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: Span<usize>) -> Option<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut buffer = vec![0; bytes.len().min(LONGEST)];
    file.seek(SeekFrom::Start(bytes.start as u64)).ok()?;
    file.read_exact(&mut buffer).ok()?;
    Some(buffer)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use orienteer_watch::stamp;
    use proptest::prelude::*;

    use super::super::Texts;
    use super::*;

    fn on_disk(content: &[u8]) -> (tempfile::TempDir, std::path::PathBuf, Arc<Text>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, content).unwrap();
        let text = Texts::new(0).read(&path).unwrap();
        (folder, path, text)
    }

    fn opened(path: &Path, text: &Text) -> Partial {
        Partial::open(path, stamp(path).unwrap(), Milestones::of(text).unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn every_line_is_what_it_is_in_the_whole(
            lines in prop::collection::vec("[a-zé😀\\r ]{0,60}(\\n|\\r\\n)?", 600..900),
            asked in 0_usize..3000,
            more in 1_usize..80,
        ) {
            let whole = lines.concat();
            prop_assume!(whole.len() >= SHORT);
            let (_folder, path, text) = on_disk(whole.as_bytes());
            let partial = opened(&path, &text);
            let end = asked + more;
            match partial.stretch(asked..end) {
                None => prop_assert!(end > text.lines.line_count()),
                Some(stretch) => {
                    for line in asked..end {
                        let inside = stretch.text.lines.line_text(&stretch.text.text, line - stretch.first);
                        prop_assert_eq!(inside, text.lines.line_text(&text.text, line));
                        let bytes = text.lines.line_bytes(line).unwrap();
                        let start = stretch.text.lines.line_bytes(line - stretch.first).unwrap().start;
                        prop_assert_eq!(start + stretch.start, bytes.start);
                        prop_assert_eq!(partial.slice(bytes.clone()), &text.text[bytes]);
                    }
                }
            }
            prop_assert!(partial.held());
        }
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_not_believed() {
        let (_folder, path, text) = on_disk("a line of some length\n".repeat(1000).as_bytes());
        let partial = opened(&path, &text);
        assert_eq!(partial.stretch(900..901).unwrap().first, 896);
        assert!(partial.held());
        std::fs::write(&path, "another\n").unwrap();
        assert!(!partial.held());
        assert!(partial.stretch(600..601).is_none(), "there is nothing any more");
        let milestones = Milestones::of(&text).unwrap();
        let before = partial.stamp;
        assert!(Partial::open(&path, before, milestones).is_none());
    }

    #[test]
    fn what_is_short_has_long_lines_or_is_not_text_as_it_lies_is_read_whole() {
        let lines = |content: &[u8]| Milestones::of(&on_disk(content).2).is_some();
        assert!(!lines("short\n".as_bytes()));
        assert!(!lines(&[b"line\n".repeat(2000), vec![0xff]].concat()));
        let wide: Vec<u8> = "line\n".repeat(9000).encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(!lines(&[vec![0xff, 0xfe], wide].concat()));
        assert!(Milestones::of(&Text::new("line\n".repeat(2000))).is_none(), "not of a file");
        let (_folder, path, text) =
            on_disk(format!("{}\n{}", "x".repeat(LONGEST), "line\n".repeat(200)).as_bytes());
        let partial = opened(&path, &text);
        assert!(partial.stretch(3..4).is_none() && partial.held());
        assert!(partial.stretch(70..71).is_some());
        assert!(partial.stretch(70..70).is_none() && partial.stretch(70..9999).is_none());
    }
}
