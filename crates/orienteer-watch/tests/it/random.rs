//! Random programs do random things; then, at once, the question. Nothing may be missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use orienteer_watch::{Cursor, Options, Watch};
use proptest::prelude::*;

use crate::model::Model;
use crate::support::Place;

/// One thing a program does, with two places to do it at.
#[derive(Debug, Clone, Copy)]
enum Act {
    Write,
    Append,
    Delete,
    RenameFile,
    ReplaceKeepingTime,
    DeleteFolder,
    RenameFolder,
    MoveFolderIntoNewFolder,
    SwapFolders,
    RemakeFolder,
    FolderToFile,
    ToggleRules,
    Link,
}

const ACTS: [Act; 13] = [
    Act::Write,
    Act::Append,
    Act::Delete,
    Act::RenameFile,
    Act::ReplaceKeepingTime,
    Act::DeleteFolder,
    Act::RenameFolder,
    Act::MoveFolderIntoNewFolder,
    Act::SwapFolders,
    Act::RemakeFolder,
    Act::FolderToFile,
    Act::ToggleRules,
    Act::Link,
];

const FOLDERS: [&str; 8] = ["", "a", "a/b", "a/b/c", "d", "d/e", "hidden", "hidden/in"];
const FILES: [&str; 4] = ["x.rs", "y.rs", "z.log", "b"];

#[derive(Debug, Clone)]
struct Step {
    act: Act,
    from: (usize, usize),
    to: (usize, usize),
    number: u8,
}

impl Step {
    /// Everything may fail, for instance because a name is taken by a folder: then nothing happened.
    fn run(&self, root: &Path, outside: &Path) -> std::io::Result<()> {
        let folder = |at: (usize, usize)| root.join(FOLDERS[at.0]);
        let file = |at: (usize, usize)| folder(at).join(FILES[at.1]);
        let (from, to) = (file(self.from), file(self.to));
        let (from_folder, to_folder) = (folder(self.from), folder(self.to));
        // Always of one size, so that stamps differ as little as they can.
        let text = format!("{:03}", self.number);
        let movable = from_folder != root && to_folder != root;
        match self.act {
            Act::Write => {
                fs::create_dir_all(&from_folder)?;
                fs::write(from, text)
            }
            Act::Append => {
                use std::io::Write;
                fs::File::options().append(true).open(from)?.write_all(text.as_bytes())
            }
            Act::Delete => fs::remove_file(from),
            Act::RenameFile => fs::rename(from, to),
            Act::ReplaceKeepingTime => {
                let old = fs::metadata(&from)?.modified()?;
                let new = outside.join("new");
                fs::write(&new, text)?;
                fs::File::options().write(true).open(&new)?.set_modified(old)?;
                fs::rename(new, from)
            }
            Act::DeleteFolder if movable => fs::remove_dir_all(from_folder),
            Act::RenameFolder if movable => fs::rename(from_folder, to_folder),
            Act::MoveFolderIntoNewFolder if movable => {
                let new = root.join(format!("new{}", self.number % 3));
                fs::create_dir_all(&new)?;
                fs::rename(from_folder, new.join("moved"))
            }
            Act::SwapFolders if movable => {
                fs::rename(&from_folder, outside.join("swap"))?;
                let _ = fs::rename(&to_folder, &from_folder);
                // Where the other one cannot take its place it goes back; one of the two is always free.
                fs::rename(outside.join("swap"), &to_folder)
                    .or_else(|_| fs::rename(outside.join("swap"), &from_folder))
                    .or_else(|_| fs::remove_dir_all(outside.join("swap")))
            }
            Act::RemakeFolder if movable => {
                let _ = fs::remove_dir_all(&from_folder);
                fs::create_dir_all(&from_folder)?;
                fs::write(from, text)
            }
            Act::FolderToFile if movable => {
                fs::remove_dir_all(&from_folder)?;
                fs::write(from_folder, text)
            }
            Act::ToggleRules => {
                let logs = if self.number.is_multiple_of(2) { "*.log\n" } else { "" };
                fs::write(root.join(".ignore"), format!("hidden\n{logs}"))
            }
            #[cfg(unix)]
            Act::Link => std::os::unix::fs::symlink(from_folder, to),
            _ => Ok(()),
        }
    }
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let place = || (0..FOLDERS.len(), 0..FILES.len());
    let step = (0..ACTS.len() + 12, place(), place(), any::<u8>()).prop_map(|(act, from, to, number)| {
        // Half of what happens is writing.
        Step { act: ACTS.get(act).copied().unwrap_or(Act::Write), from, to, number }
    });
    prop::collection::vec(step, 1..most)
}

fn real(root: &Path) -> Model {
    let rules = fs::read_to_string(root.join(".ignore")).unwrap_or_default();
    let logs = rules.contains("*.log");
    let hidden = !rules.is_empty();
    Model::of_disk(root, &|path: &Path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        (hidden && name == "hidden") || (logs && name.ends_with(".log"))
    })
}

/// Two readers with their own pace.
struct Readers {
    watch: std::sync::Arc<Watch>,
    readers: Vec<(Cursor, Model)>,
}

impl Readers {
    fn new(root: &Path, options: Options) -> Self {
        let watch = Watch::start(root, options);
        let readers = (0..2).map(|_| (Cursor::knowing_nothing(), Model::default())).collect::<Vec<_>>();
        Self { watch, readers }
    }

    fn check(&mut self, which: usize, root: &Path, what: &dyn std::fmt::Debug) {
        let (cursor, model) = &mut self.readers[which];
        let changes = self.watch.changes(cursor);
        model.fold(&self.watch, &changes);
        let real = real(root);
        let differences = model.differences(&real);
        assert!(differences.is_empty(), "{differences:?} differ after {what:?}: {changes:?}");
        let files: Vec<PathBuf> = real.files.into_keys().collect();
        let mut known = self.watch.files();
        known.sort();
        assert_eq!(known, files);
    }
}

fn run_case(rounds: &[Vec<Step>], options: impl Fn(Options) -> Options) {
    let place = Place::new();
    let (root, outside) = (place.root(), place.outside());
    let mut readers = Readers::new(&root, options(place.options()));
    for (number, round) in rounds.iter().enumerate() {
        for step in round {
            let _ = step.run(&root, &outside);
        }
        readers.check(0, &root, round);
        if number % 3 == 2 {
            readers.check(1, &root, round);
        }
    }
    readers.check(1, &root, &"the end");
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(500))]

    /// The point of the crate.
    #[test]
    fn nothing_is_missing_watched(rounds in prop::collection::vec(steps(6), 1..8)) {
        run_case(&rounds, |options| options);
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn nothing_is_missing_polled(rounds in prop::collection::vec(steps(6), 1..6)) {
        run_case(&rounds, |options| Options { polling: true, ..options });
    }

    #[test]
    fn nothing_is_missing_on_the_edge_of_the_limit(rounds in prop::collection::vec(steps(6), 1..6)) {
        run_case(&rounds, |options| Options { max_watched_folders: 5, ..options });
    }
}

proptest! {
    #![proptest_config(config(6))]

    /// One tree that lives long.
    #[test]
    fn nothing_is_missing_after_hundreds_of_rounds(rounds in prop::collection::vec(steps(5), 300..301)) {
        run_case(&rounds, |options| options);
    }

    /// A program that goes on while questions are asked; when it has stopped, everything is known.
    #[test]
    fn nothing_is_missing_after_a_program_that_ran_meanwhile(work in prop::collection::vec(steps(5), 400..401)) {
        let place = Place::new();
        let (root, outside) = (place.root(), place.outside());
        let mut readers = Readers::new(&root, place.options());
        for part in work.chunks(40) {
            let done = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for step in part.iter().flatten() {
                        let _ = step.run(&root, &outside);
                    }
                    done.store(true, Ordering::SeqCst);
                });
                while !done.load(Ordering::SeqCst) {
                    for (cursor, model) in &mut readers.readers {
                        let changes = readers.watch.changes(cursor);
                        model.fold(&readers.watch, &changes);
                    }
                }
            });
            readers.check(0, &root, &part);
            readers.check(1, &root, &part);
        }
    }
}
