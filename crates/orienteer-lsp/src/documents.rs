//! The documents a server has open, kept in step with the disk.
//!
//! Whatever changed on disk before a question is told to the server before the question. A change in a file that
//! is not open is told twice: as a watched file, which servers take in when they get to it, and by opening the
//! file, which they take in at once. So the next answer is right even where a server is slow to look at the disk. One that
//! looks at no file by itself (`Reporting::Saved`) is told that it was saved.

mod imagined;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use orienteer_watch::{Changes, Stamp, Watch, stamp};
use serde_json::{Value, json};

pub(crate) use self::imagined::Back;
use self::imagined::Imagining;
use crate::capability::Capabilities;
use crate::catalog;
use crate::definition::{Definition, Reporting};
use crate::published::Published;
use crate::quirk::typescript::{KnownProjects, knows_open_projects};
use crate::ready::Ready;
use crate::text::{Text, Texts};
use crate::uri;
use crate::wire::Wire;

/// Changed files that are opened at one time. After a change of more files (another branch was checked out) the
/// rest is told as watched files only.
const MOST_OPENED_BY_CHANGE: usize = 64;

/// Open documents that are looked at in each turn although the watcher says that they are as they were.
const LOOKED_AT: usize = 4;

/// One open document.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) uri: String,
    pub(crate) version: i64,
    pub(crate) text: Arc<Text>,
    /// `None` for a text that is not on disk.
    stamp: Option<Stamp>,
    /// The stamp was too young to be trusted when the text was read.
    young: bool,
    /// Whether the watcher has this very stamp, so that it will say when the file changes; `None`: not asked yet.
    vouched: Option<bool>,
    used: u64,
    /// How many publishes there had been when the server was last told this text.
    pub(crate) told_at: u64,
    /// When it was.
    pub(crate) told: Instant,
}

impl Open {
    /// Tells the whole text as a new version; nothing is saved by that.
    fn tell(&mut self, path: &Path, reach: &Reach<'_>) {
        self.version += 1;
        self.told_at = reach.published.number();
        self.told = Instant::now();
        let document = json!({ "uri": self.uri, "version": self.version });
        let content = json!([{ "text": self.text.text }]);
        reach.ready.was_told(path);
        let changed = json!({ "textDocument": document, "contentChanges": content });
        reach.wire.notify("textDocument/didChange", changed);
    }
}

/// What is remembered of a document that was open.
#[derive(Debug, Clone, Copy)]
struct Closed {
    /// Numbers go on, so that a late word about an old text is old.
    version: i64,
    /// Tells its text apart from others.
    text: u64,
}

fn mark(text: &Text) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.text.hash(&mut hasher);
    hasher.finish()
}

/// What documents are kept in step with, and through which wire.
pub(crate) struct Reach<'a> {
    pub(crate) definition: &'a Definition,
    pub(crate) root: &'a Path,
    pub(crate) wire: &'a Wire,
    pub(crate) capabilities: &'a Capabilities,
    pub(crate) published: &'a Published,
    pub(crate) texts: &'a Texts,
    pub(crate) watch: &'a Watch,
    pub(crate) ready: &'a Ready,
}

/// What a server was told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    /// Files.
    pub(crate) files: u64,
    /// A file that decides what the project is has changed.
    pub(crate) project: bool,
    pub(crate) deleted: Vec<PathBuf>,
    /// Files of the server that are new or changed.
    pub(crate) touched: Vec<PathBuf>,
    /// Some of the server's files are new.
    pub(crate) created: bool,
    /// More changed than could be opened: the server learns of the rest when it gets to it.
    pub(crate) many: bool,
    /// Something changed that it reads only when it starts.
    pub(crate) outdated: bool,
}

impl Told {
    pub(crate) fn add(&mut self, other: Self) {
        // What is there again need not be forgotten, and what is gone need not be read.
        self.deleted.retain(|path| !other.touched.contains(path));
        self.touched.retain(|path| !other.deleted.contains(path));
        self.files += other.files;
        self.project |= other.project;
        self.created |= other.created;
        self.many |= other.many;
        self.outdated |= other.outdated;
        self.deleted.extend(other.deleted);
        self.touched.extend(other.touched);
    }

    /// Whether a server takes this in on its own time.
    pub(crate) fn needs_time(&self, ready: &Ready) -> bool {
        self.project
            || self.many
            || !self.deleted.is_empty()
            || (self.created && ready.counts_files())
            || (!self.touched.is_empty() && ready.is_slow_to_look())
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: HashMap<PathBuf, Open>,
    clock: u64,
    /// Where the next look at some of the open documents begins.
    turn: usize,
    /// Counts everything a server was told that may change its mind.
    pub(crate) epoch: u64,
    /// When it was last told something of that kind.
    pub(crate) changed: Option<Instant>,
    /// Counts documents by whose opening the server may have learned something about others.
    pub(crate) opened: u64,
    closed: HashMap<PathBuf, Closed>,
    projects: KnownProjects,
    imagining: Imagining,
    /// What the server was told when the last of it was taken back.
    pub(crate) back: Option<Arc<Back>>,
}

impl Documents {
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let mut paths: Vec<(u64, PathBuf)> =
            self.open.iter().map(|(path, open)| (open.used, path.clone())).collect();
        paths.sort_unstable();
        paths.into_iter().map(|(_, path)| path).collect()
    }

    pub(crate) fn get(&self, path: &Path) -> Option<&Open> {
        self.open.get(path)
    }

    /// Tells the server what changed.
    pub(crate) fn sync(&mut self, changes: &Changes, reach: &Reach<'_>) -> Told {
        let rest = self.imagining.hold_back(changes);
        let changes = rest.as_ref().unwrap_or(changes);
        let mut told = Told::default();
        let mut events = Vec::new();
        self.look_at_open(changes, reach, &mut told, &mut events);
        let mut opened = 0;
        for (paths, kind) in [(&changes.created, 1), (&changes.changed, 2), (&changes.deleted, 3)] {
            for path in paths {
                let ours = catalog::takes(reach.definition, path);
                let marker = is_marker(reach.definition, path);
                told.project |= marker;
                told.outdated |= is_named(&reach.definition.restarts_for, path);
                // Its own files it hears of in any case: it may look at the disk by itself, but later.
                let read = marker || is_schema(reach.definition, path);
                if !ours && !reach.capabilities.wants(path, reach.root).unwrap_or(read) {
                    continue;
                }
                if !self.open.contains_key(path) || kind == 3 {
                    told.files += 1;
                }
                events.push(json!({ "uri": uri::from_path(path), "type": kind }));
                told.created |= kind == 1 && ours;
                if kind != 3 && ours {
                    told.touched.push(path.clone());
                }
                if kind == 3 {
                    told.deleted.push(path.clone());
                }
                if ours && reach.definition.reporting == Reporting::Saved {
                    tell_unwatching(path, kind == 3, reach);
                } else if kind != 3 && ours && !self.open.contains_key(path) {
                    if opened < MOST_OPENED_BY_CHANGE {
                        opened += usize::from(self.open(path, reach).is_ok());
                    } else {
                        told.many = true;
                    }
                }
            }
        }
        if told.created {
            reach.ready.files_were_added();
        }
        let has_events = !events.is_empty();
        if has_events {
            reach.wire.notify("workspace/didChangeWatchedFiles", json!({ "changes": events }));
        }
        // A compiler reads more than sources: templates, configuration, what is included as text.
        let compiles = reach.definition.reporting == Reporting::Flycheck && !changes.is_empty();
        // A file may have been opened after the watcher spoke and before it was read: then it is told already.
        if told.files > 0 || has_events || compiles {
            self.epoch += 1;
            self.changed = Some(Instant::now());
        }
        told
    }

    /// Open documents that may have changed. The watcher has just said what did, except of files outside the project and
    /// in ignored folders: those are looked at each time. Of the others some are, in turn, because there are disks
    /// whose changes no watcher hears of.
    fn look_at_open(
        &mut self,
        changes: &Changes,
        reach: &Reach<'_>,
        told: &mut Told,
        events: &mut Vec<Value>,
    ) {
        // As long as nothing changes, the watcher would say the same again of each of them.
        if !changes.is_empty() || !changes.complete {
            self.open.values_mut().for_each(|open| open.vouched = None);
        }
        self.turn = self.turn.wrapping_add(LOOKED_AT);
        let (from, count) = (self.turn, self.open.len().max(1));
        let is_next = |at: usize| (at + count - from % count) % count < LOOKED_AT;
        let mut moved: Vec<PathBuf> = Vec::new();
        for (at, (path, open)) in self.open.iter_mut().enumerate() {
            if self.imagining.has(path) {
                continue;
            }
            let hinted = || {
                [&changes.created, &changes.changed, &changes.deleted]
                    .iter()
                    .any(|paths| paths.contains(path))
            };
            let is_moved = if (!changes.is_empty() && hinted()) || open.young {
                true
            } else {
                let ask = || changes.complete && reach.watch.known(path) == open.stamp;
                let vouched = *open.vouched.get_or_insert_with(ask);
                (!vouched || is_next(at)) && stamp(path) != open.stamp
            };
            if is_moved {
                moved.push(path.clone());
            }
        }
        for path in moved {
            match reach.texts.read_stamped(&path) {
                Ok(read) => told.files += u64::from(self.change(&path, read, reach)),
                Err(_) => {
                    self.close(&path, reach);
                    reach.published.forget(&path);
                    told.files += 1;
                    if !reach.watch.contains(&path) && !changes.deleted.contains(&path) {
                        events.push(json!({ "uri": uri::from_path(&path), "type": 3 }));
                    }
                }
            }
        }
    }

    fn change(&mut self, path: &Path, read: (Arc<Text>, Stamp, bool), reach: &Reach<'_>) -> bool {
        let Some(open) = self.open.get_mut(path) else { return false };
        let (text, stamp, young) = read;
        (open.stamp, open.young, open.vouched) = (Some(stamp), young, None);
        if open.text.text == text.text {
            return false;
        }
        open.text = text;
        open.tell(path, reach);
        // A server that compiles is asked to when its word is wanted.
        let compiles = reach.definition.reporting == Reporting::Flycheck;
        if let Some(with_text) = reach.capabilities.save().filter(|_| !compiles) {
            let mut saved = json!({ "textDocument": { "uri": open.uri } });
            if with_text {
                saved["text"] = json!(open.text.text);
            }
            reach.wire.notify("textDocument/didSave", saved);
        }
        self.epoch += 1;
        true
    }

    /// Tells a document again as it is, with a new version: for servers that look at what it includes only then.
    pub(crate) fn poke(&mut self, path: &Path, reach: &Reach<'_>) -> Option<i64> {
        let open = self.open.get_mut(path)?;
        open.tell(path, reach);
        Some(open.version)
    }

    /// Tells an open document as saved, so that the server speaks about it again.
    pub(crate) fn save(&mut self, path: &Path, reach: &Reach<'_>) {
        let Some(open) = self.open.get_mut(path) else { return };
        open.told_at = reach.published.number();
        reach.wire.notify("textDocument/didSave", json!({ "textDocument": { "uri": open.uri } }));
    }

    /// Opens a document unless it is open. It must be in step: call [`Documents::sync`] first.
    pub(crate) fn open(&mut self, path: &Path, reach: &Reach<'_>) -> std::io::Result<()> {
        self.clock += 1;
        if let Some(open) = self.open.get_mut(path) {
            open.used = self.clock;
            return Ok(());
        }
        let (text, stamp, young) = reach.texts.read_stamped(path)?;
        self.tell_new(path, text, Some(stamp), young, reach);
        self.close_unused(reach);
        Ok(())
    }

    /// Whether all of these are open; then they were used just now.
    pub(crate) fn keep_open(&mut self, paths: &[PathBuf]) -> bool {
        self.clock += 1;
        paths.iter().all(|path| match self.open.get_mut(path) {
            Some(open) => {
                open.used = self.clock;
                true
            }
            None => false,
        })
    }

    /// Tells a document that was not open.
    fn tell_new(
        &mut self,
        path: &Path,
        text: Arc<Text>,
        stamp: Option<Stamp>,
        young: bool,
        reach: &Reach<'_>,
    ) {
        let uri = uri::from_path(path);
        let language = catalog::language_id(reach.definition, path);
        let told_at = reach.published.number();
        reach.published.opened(path);
        let closed = self.closed.get(path);
        let was_different = closed.map(|closed| closed.text != mark(&text));
        let is_news = match was_different {
            Some(true) => true,
            _ if knows_open_projects(reach.definition) => {
                self.projects.opens(reach.root, path, self.epoch) || !reach.watch.contains(path)
            }
            Some(false) => false,
            // Nobody says when a file that is not watched changes, nor whether a server has read it.
            None => !reach.definition.knows_closed_files() || !reach.watch.contains(path),
        };
        let version = closed.map_or(0, |closed| closed.version) + 1;
        self.opened += u64::from(is_news);
        let document = json!({ "uri": uri, "languageId": language, "version": version, "text": text.text });
        reach.ready.was_told(path);
        reach.wire.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let told = Instant::now();
        let (used, vouched) = (self.clock, None);
        let mut open = Open { uri, version, text, stamp, young, vouched, used, told_at, told };
        if reach.definition.opens_late {
            open.tell(path, reach);
        }
        self.open.insert(path.to_path_buf(), open);
    }

    /// The least recently used are closed where too many are open.
    fn close_unused(&mut self, reach: &Reach<'_>) {
        while self.open.len() > reach.definition.keeps_open {
            let free = self.open.iter().filter(|(path, _)| !self.imagining.has(path));
            let Some(oldest) = free.min_by_key(|(_, open)| open.used).map(|(path, _)| path.clone()) else {
                return;
            };
            self.close(&oldest, reach);
        }
    }

    pub(crate) fn close(&mut self, path: &Path, reach: &Reach<'_>) {
        if let Some(open) = self.open.remove(path) {
            self.projects.closes(path);
            reach.ready.was_told(path);
            reach.wire.notify("textDocument/didClose", json!({ "textDocument": { "uri": open.uri } }));
            if self.closed.len() > 100_000 {
                self.closed.clear();
                self.opened += 1;
            }
            let closed = Closed { version: open.version, text: mark(&open.text) };
            self.closed.insert(path.to_path_buf(), closed);
        }
    }

    /// Closes all of them, for a server that is about to be told to end.
    pub(crate) fn close_all(&mut self, reach: &Reach<'_>) {
        for path in self.paths() {
            self.close(&path, reach);
        }
    }
}

/// For servers that look at a file only when they are told that it was saved. One that is gone they would keep as it was:
/// they are told that nothing is left of it.
fn tell_unwatching(path: &Path, is_gone: bool, reach: &Reach<'_>) {
    let uri = uri::from_path(path);
    if is_gone {
        let document = json!({ "uri": uri, "version": 0 });
        let emptied = json!({ "textDocument": document, "contentChanges": [{ "text": "" }] });
        reach.wire.notify("textDocument/didChange", emptied);
    } else {
        reach.wire.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    }
}

/// The YAML server listens for changes of schemas and does not say so.
fn is_schema(definition: &Definition, path: &Path) -> bool {
    definition.is("yaml") && path.extension().is_some_and(|extension| extension == "json")
}

pub(crate) fn is_marker(definition: &Definition, path: &Path) -> bool {
    let markers = definition.root_markers.iter().flat_map(|tier| tier.split('|'));
    is_named(markers.map(|marker| marker.rsplit('/').next().unwrap_or(marker)), path)
}

/// Whether a file has one of these names, in which a star stands for anything.
fn is_named(names: impl IntoIterator<Item = impl AsRef<str>>, path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    names.into_iter().any(|pattern| match pattern.as_ref().split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
        None => pattern.as_ref() == name,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_again_is_not_waited_for_to_be_forgotten() {
        let told = |deleted: &[&str], touched: &[&str]| Told {
            deleted: deleted.iter().map(PathBuf::from).collect(),
            touched: touched.iter().map(PathBuf::from).collect(),
            ..Told::default()
        };
        let mut all = told(&["/w/old.rs"], &["/w/new.rs"]);
        all.add(told(&["/w/new.rs"], &["/w/old.rs"]));
        assert_eq!(all.deleted, [PathBuf::from("/w/new.rs")]);
        assert_eq!(all.touched, [PathBuf::from("/w/old.rs")]);
    }

    #[test]
    fn a_file_that_decides_what_the_project_is_is_known_in_every_tier() {
        let marks = |id: &str, name: &str| {
            let all = catalog::built_in().unwrap();
            let definition = all.iter().find(|definition| definition.id == id).unwrap();
            is_marker(definition, Path::new(name))
        };
        assert!(marks("rust-analyzer", "/w/crates/a/Cargo.toml"));
        assert!(
            marks("typescript-native", "/w/tsconfig.json") && marks("typescript-native", "/w/package.json")
        );
        assert!(marks("pyright", "/w/pyproject.toml") && marks("pyright", "/w/setup.cfg"));
        assert!(marks("clangd", "/w/build/compile_commands.json"));
        assert!(marks("csharp", "/w/App.csproj"));
        assert!(!marks("csharp", "/w/csproj") && !marks("rust-analyzer", "/w/src/main.rs"));
    }
}
