//! How does a record get to its place, whole?

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use orienteer_base::private;
use serde::Serialize;

use super::Store;
use crate::error::TriageError;

/// What a file is called before it is at its place.
const BESIDE: &str = ".new-";
/// Nobody writes for so long.
const LEFT: Duration = Duration::from_secs(60 * 60);
/// Records; waiting for the disk once for each of more takes longer than once for everything that is on its way there.
#[cfg(target_os = "linux")]
const FEW: usize = 8;

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// For its owner alone: findings say where a house is open.
pub(super) fn make_folder(store: &Store, folder: &Path) -> Result<(), TriageError> {
    if folder.is_dir() {
        return Ok(());
    }
    let missing: Vec<&Path> = folder.ancestors().take_while(|one| !one.is_dir()).collect();
    private::folder(folder).map_err(TriageError::disk(folder, "made"))?;
    // A record is as durable as the folders above it.
    missing.into_iter().filter_map(Path::parent).try_for_each(|parent| sync_folder(store, parent))
}

/// A file that was written and is not at its place yet. Dropped, it is gone.
#[derive(Debug)]
pub(super) struct Pending {
    file: File,
    beside: PathBuf,
    path: PathBuf,
    put: bool,
}

impl Pending {
    pub(super) fn json(store: &Store, path: &Path, value: &impl Serialize) -> Result<Self, TriageError> {
        let mut bytes = serde_json::to_vec_pretty(value)
            .map_err(|error| TriageError::disk(path, "written")(std::io::Error::other(error)))?;
        bytes.push(b'\n');
        Self::new(store, path, &bytes)
    }

    pub(super) fn text(store: &Store, path: &Path, text: &str) -> Result<Self, TriageError> {
        Self::new(store, path, text.as_bytes())
    }

    fn new(store: &Store, path: &Path, bytes: &[u8]) -> Result<Self, TriageError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        store.step("create");
        let (file, beside) = loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let beside = path.with_file_name(format!("{BESIDE}{}-{number}", std::process::id()));
            match private::open(&beside, &mut options) {
                Ok(file) => break (file, beside),
                // A killed process of the same number left it. There are only so many of these.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(TriageError::disk(&beside, "made")(error)),
            }
        };
        let mut pending = Self { file, beside, path: path.to_path_buf(), put: false };
        // In two halves, so that whoever ends a process at every step meets a half, too.
        let (first, second) = bytes.split_at(bytes.len() / 2);
        let written = pending.file.write_all(first).and_then(|()| {
            store.step("half");
            pending.file.write_all(second)
        });
        written.map_err(TriageError::disk(&pending.beside, "written"))?;
        Ok(pending)
    }

    /// Waits until the text is on the disk.
    fn sync(&self, store: &Store) -> std::io::Result<()> {
        self.file.sync_data().inspect(|()| store.step("sync"))
    }

    pub(super) fn put(mut self) -> Result<(), TriageError> {
        fs::rename(&self.beside, &self.path).map_err(TriageError::disk(&self.path, "replaced"))?;
        self.put = true;
        Ok(())
    }

    /// Puts a page for people to its place, if that can be done. What counts stands elsewhere.
    pub(super) fn show(self, store: &Store) {
        if self.sync(store).is_ok() {
            let _ = self.put();
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.put {
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// Puts records to their places, each with its page for people, after all of them are on the disk.
pub(super) fn settle(store: &Store, pending: Vec<(Pending, Option<Pending>)>) -> Result<(), TriageError> {
    make_durable(store, &pending)?;
    let mut folders: Vec<PathBuf> = Vec::new();
    for (record, shown) in pending {
        let folder = record.path.parent().map(Path::to_path_buf);
        store.step("put");
        record.put()?;
        if let Some(shown) = shown {
            store.step("show");
            shown.put()?;
        }
        folders.extend(folder);
        folders.dedup();
    }
    folders.iter().try_for_each(|folder| sync_folder(store, folder))
}

/// Waits until the texts of records are on the disk.
fn make_durable(store: &Store, pending: &[(Pending, Option<Pending>)]) -> Result<(), TriageError> {
    #[cfg(target_os = "linux")]
    if let Some((first, _)) = pending.first().filter(|_| pending.len() > FEW) {
        let synced = rustix::fs::syncfs(&first.file).map_err(std::io::Error::from);
        return synced.inspect(|()| store.step("sync all")).map_err(TriageError::disk(&first.path, "kept"));
    }
    let files = pending.iter().flat_map(|(record, shown)| std::iter::once(record).chain(shown));
    files.into_iter().try_for_each(|one| one.sync(store).map_err(TriageError::disk(&one.path, "kept")))
}

/// A rename is durable when its folder is.
fn sync_folder(store: &Store, folder: &Path) -> Result<(), TriageError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|opened| opened.sync_all());
        synced.inspect(|()| store.step("folder")).map_err(TriageError::disk(folder, "kept"))?;
    }
    Ok(())
}

/// Removes what killed writers left; how many there were.
pub(super) fn sweep(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let left = entries.filter(|entry| {
        let Some(writer) = writer(&entry.file_name().to_string_lossy()) else { return false };
        let Ok(metadata) = entry.metadata() else { return false };
        let age = metadata.modified().ok().and_then(|modified| modified.elapsed().ok());
        metadata.is_file() && (is_gone(writer) || age.is_some_and(|age| age > LEFT))
    });
    left.filter(|entry| fs::remove_file(entry.path()).is_ok()).count()
}

/// The process that wrote a file of this name, if it is one of ours that is not at its place.
fn writer(name: &str) -> Option<u32> {
    let (writer, number) = name.strip_prefix(BESIDE)?.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(writer) && is_number(number)).then(|| writer.parse().ok()).flatten()
}

/// Whether no process has this number; where nobody can tell, one may.
fn is_gone(process: u32) -> bool {
    cfg!(target_os = "linux")
        && !Path::new("/proc").join(process.to_string()).exists()
        && Path::new("/proc/self").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_with_all_that_is_above_them() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("a/b/c");
        let synced = std::sync::Arc::new(AtomicU64::new(0));
        let witness = synced.clone();
        let store = Store::new(folder.clone()).with_witness(std::sync::Arc::new(move |step| {
            assert_eq!(step, "folder");
            witness.fetch_add(1, Ordering::Relaxed);
        }));
        make_folder(&store, &folder).unwrap();
        make_folder(&store, &folder).unwrap();
        assert!(folder.is_dir());
        let each = if cfg!(unix) { 3 } else { 0 };
        assert_eq!(synced.load(Ordering::Relaxed), each, "each folder that got one");
        fs::write(temp.path().join("file"), "").unwrap();
        assert!(make_folder(&store, &temp.path().join("file/x")).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_writers_left_that_are_gone_is_swept_and_nothing_else() {
        let temp = tempfile::tempdir().unwrap();
        let beside = |name: &str| temp.path().join(name);
        // No process has a number so high.
        let gone = [".new-4194305-0", ".new-4194305-17"];
        let alive = format!(".new-{}-0", std::process::id());
        let others = [
            ".new-",
            ".new-1",
            ".new-x-0",
            ".new-4194305-x",
            ".new-4194305-1-1",
            "new-4194305-0",
            alive.as_str(),
        ];
        for name in gone.iter().chain(&others) {
            fs::write(beside(name), "left").unwrap();
        }
        fs::create_dir(beside(".new-4194305-2")).unwrap();
        std::os::unix::fs::symlink(beside("elsewhere"), beside(".new-4194305-3")).unwrap();
        assert_eq!(sweep(temp.path()), gone.len());
        let mut left: Vec<String> = fs::read_dir(temp.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let mut expected: Vec<String> = others.map(str::to_owned).to_vec();
        expected.extend([".new-4194305-2", ".new-4194305-3"].map(str::to_owned));
        expected.sort();
        assert_eq!(left, expected);
        assert_eq!(sweep(&beside("none")), 0);
    }

    #[test]
    fn what_a_killed_process_of_the_same_number_left_is_in_nobodys_way() {
        let temp = tempfile::tempdir().unwrap();
        let next = NUMBER.load(Ordering::Relaxed);
        for number in next..next + 300 {
            fs::write(temp.path().join(format!("{BESIDE}{}-{number}", std::process::id())), "left").unwrap();
        }
        let path = temp.path().join("x.json");
        let store = Store::new(temp.path().to_path_buf());
        Pending::text(&store, &path, "whole").unwrap().put().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "whole");
    }
}
