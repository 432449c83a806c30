//! Places of a long answer, in the server's own counting until somebody looks at one.
//!
//! A name may be used ten thousand times in a thousand files, and a page shows two hundred of them: only the files of
//! the page are read. Lines and columns of the server are enough to order the rest and to tell them apart.

use std::collections::HashMap;
use std::ops::Range as Span;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::{ColumnUnit, Position, Range};

use crate::lease::Spot;
use crate::live::Live;
use crate::message::{Extent, Location, Point, Raw};
use crate::order::is_foreign;
use crate::position;
use crate::reading::{Content, Entry, LeftOut, Reading, needed, resolve};
use crate::text::{Stretch, Text, Texts};

/// Places of one answer that are kept: some forty bytes each.
const MOST: usize = 1_000_000;

/// In order, each once: the project's own files first, then by path and place.
#[derive(Debug, Default)]
pub struct Uses {
    places: Vec<(u32, Extent)>,
    files: Vec<PathBuf>,
    unit: Option<ColumnUnit>,
    texts: Option<Arc<Texts>>,
    /// There may be more: the server lists only so many.
    pub cut: bool,
}

impl Content for Arc<Uses> {
    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl Uses {
    pub(crate) fn read(live: &Live, raw: &Raw, reading: &mut Reading) -> Self {
        let mut named: HashMap<String, Entry<(u32, u64)>> = HashMap::new();
        let mut files: Vec<PathBuf> = Vec::new();
        let mut told = 0;
        let places = reading.list(raw, MOST, |location: Location<'_>, reading| {
            told += 1;
            let uri = needed(location.uri.as_deref().or(location.target_uri.as_deref()))?;
            let range = location.target_selection_range.or(location.target_range).or(location.range);
            let range = needed(range)?;
            let file = match named.get(uri) {
                Some(file) => *file,
                None => {
                    let file = resolve(live, uri).and_then(|path| {
                        let bytes = path.metadata().map_or(u64::MAX, |data| data.len());
                        Ok((needed(number(&mut files, path))?, bytes))
                    });
                    if file == Err(LeftOut::NoFile) {
                        reading.not_a_file(uri);
                    }
                    named.insert(uri.to_owned(), file);
                    file
                }
            };
            let (file, bytes) = file?;
            // Each line before has at least its end. Who shows a place knows exactly whether there is such a line.
            if range.start.line > bytes { Err(LeftOut::Unreadable) } else { Ok((file, range)) }
        });
        let (files, mut places) = in_order(&live.root, files, places);
        places.shrink_to_fit();
        let cut = live.limits.cut_uses(told);
        Self { places, files, unit: Some(live.unit), texts: Some(live.texts.clone()), cut }
    }

    /// Takes the places away that begin where one of the others does.
    pub(crate) fn leave_out(&mut self, others: &Self) {
        let start = |range: &Extent| (range.start.line, range.start.character);
        let (files, of) = (&self.files, |uses: &Self, file: u32| uses.files.get(file as usize).cloned());
        self.places.retain(|(file, range)| {
            let same = |(other, at): &(u32, Extent)| {
                start(at) == start(range) && of(others, *other).as_ref() == files.get(*file as usize)
            };
            !others.places.iter().any(same)
        });
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        let names: usize = self.files.iter().map(|path| path.as_os_str().len() + size_of::<PathBuf>()).sum();
        self.places.len() * size_of::<(u32, Extent)>() + names
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Each file with its places.
    pub fn files(&self) -> impl Iterator<Item = (&Path, Span<usize>)> {
        let mut at = 0;
        self.places.chunk_by(|left, right| left.0 == right.0).filter_map(move |uses| {
            let span = at..at + uses.len();
            at = span.end;
            Some((self.files.get(uses.first()?.0 as usize)?.as_path(), span))
        })
    }

    pub fn path(&self, at: usize) -> &Path {
        let file = self.places.get(at).and_then(|(file, _)| self.files.get(*file as usize));
        file.map_or(Path::new(""), PathBuf::as_path)
    }

    /// Whether one of the places of a file, which are `of_file`, is a word of this width that begins here (line and column from
    /// 0, as the server counts): it begins there, too, or ends with the word, as servers do that name `shapes.square` for a use
    /// of `square`.
    pub fn has_word(&self, of_file: Span<usize>, start: (u64, u64), width: u64) -> bool {
        let spelled = |point: Point| (point.line, point.character);
        let places = self.places.get(of_file).unwrap_or_default();
        let behind = places.partition_point(|(_, range)| spelled(range.start) <= start);
        places[..behind].last().is_some_and(|(_, range)| {
            let ends_with_it = || spelled(range.end) == (start.0, start.1 + width);
            spelled(range.start) == start || (range.start.line == start.0 && ends_with_it())
        })
    }

    /// What the server counts columns in.
    pub fn unit(&self) -> ColumnUnit {
        self.unit.unwrap_or(ColumnUnit::Utf16)
    }

    /// A place in our counting, if the text has it; without the text, columns stay as the server counts them.
    pub fn range(&self, at: usize, text: Option<&Text>) -> Option<Range> {
        let (_, range) = self.places.get(at)?;
        match text {
            Some(text) => position::from_server(text, *range, self.unit()),
            None => position::without_text(*range),
        }
    }

    /// The lines of a place, from 0.
    pub fn lines(&self, at: usize) -> Option<Span<usize>> {
        let (_, range) = self.places.get(at)?;
        let line = |point: Point| usize::try_from(point.line).ok();
        Some(line(range.start)?..line(range.end)?.checked_add(1)?)
    }

    /// A place in our counting, in a stretch that has its lines.
    pub fn range_in(&self, at: usize, stretch: &Stretch) -> Option<Range> {
        let (_, range) = self.places.get(at)?;
        let above = u64::try_from(stretch.first).ok()?;
        let inside =
            |point: Point| Some(Point { line: point.line.checked_sub(above)?, character: point.character });
        let inside = Extent { start: inside(range.start)?, end: inside(range.end)? };
        let range = position::from_server(&stretch.text, inside, self.unit())?;
        let above = u32::try_from(stretch.first).ok()?;
        let outside =
            |position: Position| Some(Position { line: position.line.checked_add(above)?, ..position });
        Some(Range { start: outside(range.start)?, end: outside(range.end)? })
    }

    /// All places that there are in our counting. Reads every file.
    pub fn spots(&self) -> Vec<Spot> {
        let mut spots = Vec::with_capacity(self.places.len());
        for (path, span) in self.files() {
            let text = self.texts.as_ref().and_then(|texts| texts.read(path).ok());
            spots.extend(span.filter_map(|at| {
                let range = self.range(at, text.as_deref())?;
                Some(Spot { path: path.to_path_buf(), range, whole: None, unread: text.is_none() })
            }));
        }
        spots
    }
}

fn number(files: &mut Vec<PathBuf>, path: PathBuf) -> Option<u32> {
    // Two URIs may name one file, rarely: then their places are merged when they are put in order.
    files.push(path);
    u32::try_from(files.len() - 1).ok()
}

type Places = Vec<(u32, Extent)>;

fn in_order(root: &Path, files: Vec<PathBuf>, mut places: Places) -> (Vec<PathBuf>, Places) {
    let mut order: Vec<u32> = (0..).take(files.len()).collect();
    let key = |file: &u32| {
        let path = &files[*file as usize];
        (is_foreign(root, path), path.as_os_str())
    };
    order.sort_by(|left, right| key(left).cmp(&key(right)));
    // The new number of each file; the same path has the same.
    let mut renamed = vec![0; files.len()];
    let mut kept: Vec<PathBuf> = Vec::with_capacity(files.len());
    for file in order {
        let path = &files[file as usize];
        if kept.last() != Some(path) {
            kept.push(path.clone());
        }
        renamed[file as usize] = u32::try_from(kept.len() - 1).unwrap_or(u32::MAX);
    }
    let spelled = |point: Point| (point.line, point.character);
    for (file, _) in &mut places {
        *file = renamed[*file as usize];
    }
    places.sort_by_key(|(file, range)| (*file, spelled(range.start), spelled(range.end)));
    places.dedup_by_key(|(file, range)| (*file, spelled(range.start), spelled(range.end)));
    (kept, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: u32, line: u64, character: u64) -> (u32, Extent) {
        let point = Point { line, character };
        (file, Extent { start: point, end: point })
    }

    #[test]
    fn a_place_may_be_a_word_with_what_stands_before_it() {
        let extent = |line: u64, from: u64, to: u64| {
            let point = |character: u64| Point { line, character };
            (0, Extent { start: point(from), end: point(to) })
        };
        // `square` alone, `shapes.square`, `square()` with what stands behind it.
        let places = vec![extent(1, 4, 10), extent(2, 4, 17), extent(3, 4, 12)];
        let uses = Uses { places, files: vec![PathBuf::from("/a")], unit: None, texts: None, cut: false };
        let has = |line: u64, column: u64| uses.has_word(0..3, (line, column), 6);
        assert!(has(1, 4) && has(2, 11) && has(3, 4));
        assert!(!has(1, 3) && !has(1, 11) && !has(2, 10) && !has(3, 5) && !has(4, 4));
        assert!(!uses.has_word(0..1, (2, 11), 6) && !uses.has_word(5..9, (1, 4), 6));
    }

    #[test]
    fn own_files_come_first_and_each_place_once() {
        let files = ["/lib/x.d.ts", "/w/p/b.ts", "/w/p/a.ts", "/w/p/b.ts"].map(PathBuf::from).to_vec();
        let places = vec![at(0, 1, 1), at(1, 9, 0), at(3, 2, 5), at(2, 4, 4), at(1, 2, 5)];
        let (files, places) = in_order(Path::new("/w/p"), files, places);
        assert_eq!(files, ["/w/p/a.ts", "/w/p/b.ts", "/lib/x.d.ts"].map(PathBuf::from));
        let told: Vec<_> = places.iter().map(|(file, range)| (*file, range.start.line)).collect();
        assert_eq!(told, [(0, 4), (1, 2), (1, 9), (2, 1)]);
        let uses = Uses { places, files, unit: None, texts: None, cut: false };
        let by_file: Vec<_> = uses.files().map(|(path, span)| (path.to_path_buf(), span)).collect();
        assert_eq!(by_file[1], (PathBuf::from("/w/p/b.ts"), 1..3));
        assert_eq!((uses.path(3), uses.has_word(3..4, (1, 1), 0)), (Path::new("/lib/x.d.ts"), true));
        assert_eq!((uses.path(9), uses.range(9, None)), (Path::new(""), None));
    }
}
