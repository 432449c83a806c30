//! A watched tree and short ways to ask about it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use orienteer_watch::{Changes, Cursor, How, Options, Watch};

/// A folder with a root and a place of ours in it. Nothing is watched yet.
pub(crate) struct Place {
    temp: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { temp: tempfile::tempdir().unwrap() };
        fs::create_dir(place.root()).unwrap();
        place
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.outside().join("root")
    }

    pub(crate) fn options(&self) -> Options {
        Options::new(self.outside().join("ours"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.root(), name, text);
    }

    pub(crate) fn watch(self) -> Fixture {
        let options = self.options();
        self.watch_with(options)
    }

    pub(crate) fn poll(self) -> Fixture {
        let options = Options { polling: true, ..self.options() };
        self.watch_with(options)
    }

    /// The stamps of the files made so far are old enough to be trusted. What was changed just before all files
    /// are looked at may be told twice, which is right and not what these stories are about.
    pub(crate) fn watch_with(self, options: Options) -> Fixture {
        grow_old();
        let watch = Watch::start(&self.root(), options);
        let cursor = watch.cursor();
        Fixture { place: self, watch, cursor }
    }
}

pub(crate) struct Fixture {
    pub(crate) place: Place,
    pub(crate) watch: Arc<Watch>,
    pub(crate) cursor: Cursor,
}

impl Fixture {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.place.write(name, text);
    }

    pub(crate) fn ask(&mut self) -> Changes {
        self.watch.changes(&mut self.cursor)
    }

    /// Asks and says it in one line per change: `+` created, `~` changed, `-` deleted.
    pub(crate) fn told(&mut self) -> Vec<String> {
        let changes = self.ask();
        assert!(changes.complete);
        lines(&changes, &self.place.root())
    }

    /// As [`Fixture::told`], and events were enough to know it.
    pub(crate) fn told_by_events(&mut self) -> Vec<String> {
        let changes = self.ask();
        assert_eq!(changes.how, How::Watched, "{changes:?}");
        lines(&changes, &self.place.root())
    }

    pub(crate) fn files(&self) -> Vec<String> {
        self.watch.files().iter().map(|path| relative(path, &self.place.root())).collect()
    }
}

pub(crate) fn lines(changes: &Changes, root: &Path) -> Vec<String> {
    let all = [('+', &changes.created), ('~', &changes.changed), ('-', &changes.deleted)];
    let all = all.into_iter().flat_map(|(sign, paths)| paths.iter().map(move |path| (sign, path)));
    all.map(|(sign, path)| format!("{sign}{}", relative(path, root))).collect()
}

pub(crate) fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).expect("a path below the root").display().to_string()
}

pub(crate) fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Waits until stamps are trusted.
pub(crate) fn grow_old() {
    std::thread::sleep(Duration::from_millis(25));
}

pub(crate) const NOTHING: [&str; 0] = [];
