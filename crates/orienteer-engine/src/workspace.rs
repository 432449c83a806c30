//! The workspace as a whole: which files there are, and which of them contain a word, where.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use orienteer_base::{ColumnUnit, Position, Range};
use orienteer_lsp::text::{Text, Texts};
use orienteer_search::words::{WordLimits, WordTable, occurrences};
use orienteer_watch::{Changes, Cursor, Watch};

use crate::representatives::Representative;

/// A workspace of more files than this has no table of words: building it would take longer than searching.
const MOST_FILES: usize = 30_000;

/// Memory of the table: about two kilobytes a file.
const MOST_BYTES: usize = 8 << 20;

/// Larger files hold data, not code.
const LARGEST: u64 = 1 << 20;

/// A word in more files than this is too common to be looked for.
const COMMON: usize = 400;

/// Words whose places are remembered, and places of one word.
const REMEMBERED: usize = 512;
const MOST_PLACES: usize = 20_000;
/// Places of all remembered words.
const MOST_REMEMBERED: usize = 100_000;

/// Where a word stands: files in order, each with its places in order.
pub(crate) type Places = Vec<(PathBuf, Vec<WordPlace>)>;

/// One place of a word, counted in every way that a server may count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordPlace {
    /// From 0.
    line: u32,
    /// Columns from 0, in bytes, in UTF-16 units and in scalars.
    columns: [u32; 3],
}

impl WordPlace {
    fn new(text: &Text, offset: usize) -> Self {
        let count = |unit| text.lines.locate(&text.text, offset, unit);
        let (line, bytes) = count(ColumnUnit::Utf8);
        let start = offset - bytes.min(offset);
        let columns = if text.text.as_bytes()[start..offset].is_ascii() {
            [bytes; 3]
        } else {
            [bytes, count(ColumnUnit::Utf16).1, count(ColumnUnit::Utf32).1]
        };
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { line: small(line), columns: columns.map(small) }
    }

    /// Where the word is, in our counting.
    pub(crate) fn range(&self, word: &str) -> Range {
        let column = self.columns[2].saturating_add(1);
        let width = u32::try_from(word.chars().count()).unwrap_or(u32::MAX);
        let at = |column: u32| Position::new(self.line.saturating_add(1), column);
        Range { start: at(column), end: at(column.saturating_add(width)) }
    }

    /// Line and column from 0.
    pub(crate) fn start(&self, unit: ColumnUnit) -> (u64, u64) {
        let column = match unit {
            ColumnUnit::Utf8 => self.columns[0],
            ColumnUnit::Utf16 => self.columns[1],
            ColumnUnit::Utf32 => self.columns[2],
        };
        (u64::from(self.line), u64::from(column))
    }
}

/// With the version of the words they were found in.
type Remembered = (u64, Option<Arc<Places>>);
type Chosen = (u64, Arc<Vec<Representative>>);

/// For which server, in which project, and the word.
pub(crate) type Choice = (String, PathBuf, String);

#[derive(Debug)]
struct Words {
    table: WordTable,
    cursor: Cursor,
    /// Counts looks that found a change: what was remembered before one is forgotten.
    version: u64,
    places: HashMap<String, Remembered>,
    chosen: HashMap<Choice, Chosen>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Workspace {
    watch: Arc<Watch>,
    words: Mutex<Option<Words>>,
}

impl Workspace {
    pub(crate) fn new(watch: Arc<Watch>) -> Self {
        Self { watch, words: Mutex::default() }
    }

    pub(crate) fn watch(&self) -> Arc<Watch> {
        self.watch.clone()
    }

    /// Every file that is not ignored, as it is now. Blocks.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        // Asking makes the snapshot true.
        let mut cursor = self.watch.cursor();
        let _: Changes = self.watch.changes(&mut cursor);
        self.watch.files()
    }

    /// Runs `ask` on a table that knows the disk as it is now; `None` when there is no table. Blocks; the first call
    /// reads the whole workspace.
    fn with_words<T>(&self, ask: impl FnOnce(&mut Words) -> Option<T>) -> Option<T> {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        if words.is_none() {
            if self.watch.files().len() > MOST_FILES {
                return None;
            }
            let limits = WordLimits { total_bytes: MOST_BYTES, file_bytes: LARGEST };
            *words = Some(Words {
                table: WordTable::new(limits),
                cursor: Cursor::knowing_nothing(),
                version: 0,
                places: HashMap::new(),
                chosen: HashMap::new(),
            });
        }
        let words = words.as_mut()?;
        let changes = self.watch.changes(&mut words.cursor);
        if !changes.is_empty() {
            let moved = changes.created.iter().chain(&changes.changed).chain(&changes.deleted);
            words.table.update(moved.map(PathBuf::as_path));
            words.version += 1;
            words.places.clear();
            words.chosen.clear();
        }
        if changes.complete { ask(words) } else { None }
    }

    /// Whether the words have been read, and nobody is at it.
    pub(crate) fn has_words(&self) -> bool {
        self.words.try_lock().is_ok_and(|words| words.is_some())
    }

    /// The files that may contain a word: none that does is missing. `None` when nobody can tell cheaply.
    pub(crate) fn files_with(&self, word: &str) -> Option<Vec<PathBuf>> {
        self.with_words(|words| words.files_with(word))
    }

    /// Everywhere a word stands as text; `None` when it is too common, or nobody can tell cheaply.
    pub(crate) fn places_of(&self, word: &str, texts: &Texts) -> Option<Arc<Places>> {
        self.with_words(|words| {
            if let Some(places) = words.places_before(word) {
                return places;
            }
            let places = find(&words.files_with(word)?, word, texts).map(Arc::new);
            let held: usize =
                words.places.values().flat_map(|(_, places)| places).map(|places| size(places)).sum();
            let more = places.as_ref().map_or(0, |places| size(places));
            if words.places.len() >= REMEMBERED || held + more > MOST_REMEMBERED {
                words.places.clear();
            }
            words.places.insert(word.to_owned(), (words.version, places.clone()));
            places
        })
    }

    /// What [`Workspace::places_of`] gave before, if it takes no time to see that it holds.
    pub(crate) fn places_before(&self, word: &str) -> Option<Arc<Places>> {
        self.with_words_before(|words| words.places_before(word)?)
    }

    /// The same for [`Workspace::chosen_with`].
    pub(crate) fn chosen_before(&self, choice: &Choice) -> Option<Arc<Vec<Representative>>> {
        self.with_words_before(|words| words.chosen_before(choice))
    }

    /// Runs `ask` on a table of which it is known at once that nothing has changed.
    fn with_words_before<T>(&self, ask: impl FnOnce(&Words) -> Option<T>) -> Option<T> {
        let words = self.words.try_lock().ok()?;
        let words = words.as_ref()?;
        let _: Changes = self.watch.changes_if_still(&words.cursor)?;
        ask(words)
    }

    /// Some of the files with a word, chosen once as long as nothing changes.
    pub(crate) fn chosen_with(
        &self,
        choice: &Choice,
        choose: impl FnOnce(Vec<PathBuf>) -> Vec<Representative>,
    ) -> Option<Arc<Vec<Representative>>> {
        self.with_words(|words| {
            if let Some(chosen) = words.chosen_before(choice) {
                return Some(chosen);
            }
            let chosen = Arc::new(choose(words.files_with(&choice.2)?));
            if words.chosen.len() >= REMEMBERED {
                words.chosen.clear();
            }
            words.chosen.insert(choice.clone(), (words.version, chosen.clone()));
            Some(chosen)
        })
    }
}

impl Words {
    /// `Some(None)`: the word is too common.
    fn places_before(&self, word: &str) -> Option<Option<Arc<Places>>> {
        let (version, places) = self.places.get(word)?;
        (*version == self.version).then(|| places.clone())
    }

    fn chosen_before(&self, choice: &Choice) -> Option<Arc<Vec<Representative>>> {
        let (version, chosen) = self.chosen.get(choice)?;
        (*version == self.version).then(|| chosen.clone())
    }

    fn files_with(&self, word: &str) -> Option<Vec<PathBuf>> {
        let mut files = self.table.files_with(word)?;
        files.sort_unstable_by(|left, right| left.as_os_str().cmp(right.as_os_str()));
        Some(files)
    }
}

fn size(places: &Places) -> usize {
    places.iter().map(|(_, hits)| hits.len()).sum()
}

fn find(files: &[PathBuf], word: &str, texts: &Texts) -> Option<Places> {
    if files.len() > COMMON {
        return None;
    }
    let mut places = Vec::new();
    let mut count = 0;
    for path in files {
        // Nothing of what is too large: the table names such files for every word.
        let Ok(text) = texts.read_up_to(path, LARGEST) else { continue };
        let hits = occurrences(&text.text, word).map(|range| WordPlace::new(&text, range.start));
        let hits: Vec<WordPlace> = hits.collect();
        count += hits.len();
        if count > MOST_PLACES {
            return None;
        }
        if !hits.is_empty() {
            places.push((path.clone(), hits));
        }
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representatives::representatives;
    use orienteer_testkit::tree;
    use orienteer_watch::Options;

    #[test]
    fn what_was_chosen_for_one_project_is_not_for_another() {
        let tree = tree("//- /one/a.ts\nconst word = 1;\n//- /two/a.ts\nconst word = 2;\n");
        let watch = Watch::start(tree.root(), Options::new(tree.beside("ours")));
        let workspace = Workspace::new(watch);
        for project in ["one", "two", "one"] {
            let root = tree.root().join(project);
            let choice = ("server".to_owned(), root.clone(), "word".to_owned());
            let chosen = workspace.chosen_with(&choice, |files| representatives(files, &root, 9)).unwrap();
            let files: Vec<_> = chosen.iter().map(|one| one.file.clone()).collect();
            assert_eq!(files, [root.join("a.ts")]);
            let before = workspace.chosen_before(&choice).unwrap();
            assert!(Arc::ptr_eq(&before, &chosen), "known at once the next time");
        }
        std::fs::write(tree.root().join("one/b.ts"), "word").unwrap();
        let choice = ("server".to_owned(), tree.root().join("one"), "word".to_owned());
        assert!(workspace.chosen_before(&choice).is_none(), "something changed");
    }
}
