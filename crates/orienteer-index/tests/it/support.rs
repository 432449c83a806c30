//! A tree, its index, and short ways to ask.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orienteer_base::Cancel;
use orienteer_index::analyse;
use orienteer_index::build::{Build, Report, UpdateReport};
use orienteer_index::store::{
    Candidate, Collector, Column, FileFlags, FileRecord, Lexical, Mode, PieceRecord, Plan, Reader,
    RelativePath, Stamp, Store, Symbol, SymbolLookup,
};

/// A folder with a root and a place for the index.
pub(crate) struct Place {
    temp: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { temp: tempfile::tempdir().unwrap() };
        fs::create_dir(place.root()).unwrap();
        place
    }

    /// With some files in it.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self::new();
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.outside().join("root")
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.outside().join("index")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn plan(&self) -> Build {
        Build::new(&self.root(), &self.folder())
    }

    pub(crate) fn build(&self) -> Report {
        self.plan().run(&Cancel::new(), &|_| {}).unwrap()
    }

    pub(crate) fn rebuild(&self) -> Report {
        let mut build = self.plan();
        build.options.fresh = true;
        build.run(&Cancel::new(), &|_| {}).unwrap()
    }

    /// Builds until every stamp proves something: files that changed a moment ago are read again.
    pub(crate) fn settle(&self) {
        let young = |store: &Store| {
            store.read().unwrap().files().unwrap().iter().any(|file| file.flags.has(FileFlags::YOUNG))
        };
        wait_until("no file is young", || {
            self.build();
            !young(&self.store())
        });
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.folder()).unwrap()
    }

    pub(crate) fn built(&self) -> Store {
        self.build();
        self.store()
    }

    pub(crate) fn update(&self, store: &Store, names: &[&str]) -> UpdateReport {
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        self.plan().update(store, &paths, &Cancel::new()).unwrap()
    }

    /// The generation's file.
    pub(crate) fn database(&self) -> PathBuf {
        let generation = self.store().read().unwrap().generation();
        self.folder().join(format!("index-{generation}.db"))
    }
}

/// Tells threads to stop, also when the test fails: nobody waits for them for ever.
pub(crate) struct Stops<'s>(pub(crate) &'s AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Looks again and again until something is true.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "after a minute it is still not true that {what}");
        std::thread::yield_now();
    }
}

pub(crate) fn ask(question: &str) -> Lexical {
    let mut words = Vec::new();
    analyse::words(question, &mut |word| words.push(word.to_owned()));
    Lexical { words, limit: 1000, ..Lexical::default() }
}

pub(crate) fn candidates(store: &Store, ask: &Lexical) -> Vec<Candidate> {
    store.read().unwrap().candidates(ask, &Cancel::new()).unwrap()
}

/// Paths of the files that have one of the words, best first, each once.
pub(crate) fn found(store: &Store, question: &str) -> Vec<String> {
    found_by(store, &ask(question))
}

/// The same for one word as it stands, without its parts.
pub(crate) fn found_word(store: &Store, word: &str) -> Vec<String> {
    found_by(store, &Lexical { words: vec![word.to_owned()], limit: 1000, ..Lexical::default() })
}

pub(crate) fn found_by(store: &Store, ask: &Lexical) -> Vec<String> {
    let reader = store.read().unwrap();
    let mut paths: Vec<String> = Vec::new();
    for candidate in reader.candidates(ask, &Cancel::new()).unwrap() {
        let path = reader.path(candidate.file).unwrap().shown();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Name paths of symbols, nearest first.
pub(crate) fn symbols(store: &Store, name: &str) -> Vec<String> {
    symbols_by(store, &SymbolLookup { name: name.to_owned(), ..SymbolLookup::default() })
}

pub(crate) fn symbols_by(store: &Store, ask: &SymbolLookup) -> Vec<String> {
    let hits = store.read().unwrap().symbols(ask, &Cancel::new()).unwrap();
    hits.into_iter().map(|hit| hit.symbol.name_path).collect()
}

pub(crate) fn symbols_where(reader: &Reader<'_>, plan: &Plan) -> Vec<String> {
    let found = reader.symbols_where(plan, 1000, &Cancel::new()).unwrap();
    found.into_iter().map(|symbol| symbol.name_path).collect()
}

pub(crate) fn files(store: &Store) -> Vec<String> {
    store.read().unwrap().files().unwrap().iter().map(|file| file.path.shown()).collect()
}

pub(crate) fn symbol(store: &Store, path: &str, name_path: &str) -> Symbol {
    let reader = store.read().unwrap();
    let file = reader.file_at(&RelativePath::new(Path::new(path))).unwrap().unwrap();
    reader.symbol_at(&file, name_path, 0).unwrap().unwrap()
}

/// A file of one piece with these words in its body.
pub(crate) fn record(path: &str, words: &[&str]) -> FileRecord {
    let mut collector = Collector::new();
    for word in words {
        collector.word(Column::Body, word);
    }
    collector.end_piece();
    FileRecord {
        path: RelativePath::new(Path::new(path)),
        language: None,
        mode: Mode::Code,
        flags: FileFlags::NONE,
        stamp: Stamp::default(),
        hash: [0; 16],
        lines: 1,
        trigrams: None,
        pieces: vec![PieceRecord { range: 0..10, lines: 0..1, symbol: None }],
        symbols: Vec::new(),
        comments: Vec::new(),
        terms: collector.finish(),
    }
}
