//! Which files of the folder count, and who may replace them?
//!
//! A generation is a number. Its files carry it in their names, and `CURRENT` names the one that counts. A build makes
//! the files of the next number beside those in use and then replaces `CURRENT` by renaming, so that there is no moment
//! in which the index is half of one and half of another, whenever a process is killed.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use orienteer_base::{Cancel, private};

use super::error::StoreError;
use super::schema;

const CURRENT: &str = "CURRENT";
const LOCK: &str = "build.lock";
/// Its time of change says when the index was used last.
pub(crate) const USED: &str = "USED";
/// How often that is noted.
const MARK_AGAIN: Duration = Duration::from_secs(3600);
const HEAD: &str = "generation ";
/// No generation has this number or a higher one: clients take numbers up to here apart exactly.
const NUMBERS: u64 = 1 << 53;
/// How long between two looks at a lock that another process holds.
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) fn database(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("index-{generation}.db"))
}

pub(crate) fn scratch(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("scratch-{generation}.db"))
}

/// Says that somebody has met damage in a generation. It goes with the generation.
fn damaged(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("damaged-{generation}.mark"))
}

/// Where the trigrams of a generation are.
pub fn trigrams(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("trigrams-{generation}.bin"))
}

/// Where the vectors of a generation are.
pub fn vectors(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("vectors-{generation}.bin"))
}

/// The generation that counts.
pub fn current(folder: &Path) -> Result<u64, StoreError> {
    let text = match fs::read(folder.join(CURRENT)) {
        Ok(bytes) => bytes,
        Err(error) => return Err(StoreError::io(folder, &error)),
    };
    std::str::from_utf8(&text)
        .ok()
        .and_then(|text| number(text.strip_prefix(HEAD)?.strip_suffix('\n')?))
        .ok_or_else(|| StoreError::Corrupt {
            folder: folder.to_owned(),
            detail: "CURRENT names no generation".to_owned(),
        })
}

/// Makes a generation the one that counts.
pub(super) fn promote(folder: &Path, generation: u64) -> Result<(), StoreError> {
    let write = || {
        let fresh = folder.join(format!("{CURRENT}-{generation}.new"));
        let mut file = private::create(&fresh)?;
        file.write_all(format!("{HEAD}{generation}\n").as_bytes())?;
        file.sync_all()?;
        fs::rename(&fresh, folder.join(CURRENT))?;
        sync_folder(folder)
    };
    write().map_err(|error| StoreError::io(folder, &error))
}

/// Makes renamed and created names last. Where folders cannot be opened, the system has no such thing.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    match File::open(folder) {
        Ok(opened) if cfg!(unix) => opened.sync_all(),
        _ => Ok(()),
    }
}

/// A number that no generation in this folder has or had. Processes tell generations apart by their numbers alone, and
/// one that had the index open before it was removed must not take the next one for the same. The clock remembers what
/// a folder that was removed cannot.
pub(super) fn next(folder: &Path) -> u64 {
    let named = files(folder).into_iter().map(|(_, generation)| generation);
    let last = named.chain(current(folder).ok()).max().unwrap_or_default();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(since.as_millis()).unwrap_or_default();
    Some(now.max(last + 1)).filter(|next| *next < NUMBERS).unwrap_or(now)
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number| *number < NUMBERS)
}

/// The files of generations, with their numbers, each database before its log: whoever removes them in this order never
/// leaves a database without the changes that only the log holds.
pub(super) fn files(folder: &Path) -> Vec<(PathBuf, u64)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<(PathBuf, u64)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            generation_of(name.to_str()?).map(|generation| (entry.path(), generation))
        })
        .collect();
    files.sort_unstable();
    files
}

/// Whether the folder holds an index, whole or not. Names alone do not tell: others have a file `CURRENT`, too.
pub(crate) fn is_index(folder: &Path) -> bool {
    current(folder).is_ok()
        || files(folder).iter().any(|(path, number)| *path == database(folder, *number) && is_ours(path))
}

fn is_ours(path: &Path) -> bool {
    let mut head = [0; schema::HEAD];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && schema::is_head(&head)
}

/// Remembers that a generation is damaged, so that the next build replaces it instead of changing it. Where that cannot
/// be written, nothing can be built either.
pub(super) fn mark_damaged(folder: &Path, generation: u64, detail: &str) {
    let path = damaged(folder, generation);
    if !path.exists() {
        let _ = private::write(&path, detail.as_bytes());
    }
}

/// What was wrong with a generation, if anything was.
pub(super) fn damage(folder: &Path, generation: u64) -> Option<String> {
    let mut detail = String::new();
    let file = File::open(damaged(folder, generation)).ok()?;
    let _ = file.take(1 << 10).read_to_string(&mut detail);
    Some(detail)
}

/// What one of our files is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// Words, symbols, files.
    Database,
    /// Changes that are not folded into the database yet.
    Log,
    Trigrams,
    Vectors,
    /// Of a build that runs, or did not end well.
    Scratch,
    /// Which generation counts, who builds, when it was used.
    Marks,
}

impl FileKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Log => "log",
            Self::Trigrams => "trigrams",
            Self::Vectors => "vectors",
            Self::Scratch => "scratch",
            Self::Marks => "marks",
        }
    }
}

/// What a file of this name is; `None` when it is not ours.
pub(crate) fn kind(name: &str) -> Option<FileKind> {
    if matches!(name, CURRENT | LOCK | USED) {
        return Some(FileKind::Marks);
    }
    generation_of(name)?;
    Some(match name.split_once('-')?.0 {
        "index" if name.ends_with(".db") => FileKind::Database,
        "index" => FileKind::Log,
        "trigrams" if name.ends_with(".bin") => FileKind::Trigrams,
        "vectors" if name.ends_with(".bin") => FileKind::Vectors,
        "damaged" => FileKind::Marks,
        _ => FileKind::Scratch,
    })
}

/// Removes everything of ours from a folder, and the folder if nothing else is in it. `CURRENT` goes first: without it
/// there is no index, whatever else is left.
pub(crate) fn remove(folder: &Path, _lock: &BuildLock) -> std::io::Result<()> {
    match fs::remove_file(folder.join(CURRENT)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    sweep(folder, None);
    let _ = fs::remove_file(folder.join(USED));
    // Whoever waits for it sees that it is another file now. Where files have no identity, it stays.
    if cfg!(unix) {
        let _ = fs::remove_file(folder.join(LOCK));
    }
    // Something of somebody else may be in it.
    let _ = fs::remove_dir(folder);
    Ok(())
}

/// Notes that an index is in use, for whoever looks for old ones. Not worth an error.
pub(super) fn mark_used(folder: &Path) {
    let path = folder.join(USED);
    let now = SystemTime::now();
    let recent = fs::metadata(&path)
        .and_then(|metadata| metadata.modified())
        .is_ok_and(|then| now.duration_since(then).is_ok_and(|since| since < MARK_AGAIN));
    if !recent && let Ok(file) = mark(&path) {
        let _ = file.set_modified(now);
    }
}

fn mark(path: &Path) -> std::io::Result<File> {
    private::open(path, File::options().create(true).truncate(false).read(true).write(true))
}

/// Held as long as a process has the index open. `None` where nothing can be written or locked.
pub(super) fn hold(folder: &Path) -> Option<File> {
    let file = mark(&folder.join(USED)).ok()?;
    file.try_lock_shared().ok().map(|()| file)
}

/// Whether some process has the index open.
pub(crate) fn is_held(folder: &Path) -> bool {
    let opened = File::options().read(true).write(true).open(folder.join(USED));
    opened.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The number in one of our names.
fn generation_of(name: &str) -> Option<u64> {
    let (kind, rest) = name.split_once('-')?;
    let (digits, end) = rest.split_once('.')?;
    let ours = match kind {
        "index" | "scratch" => matches!(end, "db" | "db-wal" | "db-shm" | "db-journal"),
        // While they are written there is something between number and end.
        "trigrams" | "vectors" => end == "bin" || end == "new" || end.ends_with(".new"),
        "damaged" => end == "mark",
        CURRENT => end == "new",
        _ => false,
    };
    ours.then(|| number(digits))?
}

/// Removes the files of all other generations. Only for who holds the lock: another build may be making one. What cannot
/// be removed, because somebody on Windows reads it, is left for next time.
pub(super) fn sweep(folder: &Path, keep: Option<u64>) -> Vec<PathBuf> {
    let mut removed = Vec::new();
    for (path, generation) in files(folder) {
        if Some(generation) != keep && fs::remove_file(&path).is_ok() {
            removed.push(path);
        }
    }
    removed
}

/// Held while a generation is made. The system lets go of it when the process ends, however it does.
#[derive(Debug)]
pub struct BuildLock {
    _file: File,
}

impl BuildLock {
    /// Waits until no other build runs, no longer than `wait`. The folder is made if need be.
    pub fn take(folder: &Path, wait: Duration, cancel: &Cancel) -> Result<Self, StoreError> {
        let failed = |error: &std::io::Error| match StoreError::io(folder, error) {
            // The folder was there a moment ago.
            StoreError::Missing { folder } => StoreError::Vanished { folder },
            other => other,
        };
        let path = folder.join(LOCK);
        let start = Instant::now();
        loop {
            cancel.check()?;
            // Opened each time: whoever held it may have removed it together with the index.
            private::folder(folder).map_err(|error| failed(&error))?;
            let file = match private::open(&path, File::options().create(true).truncate(false).write(true)) {
                Ok(file) => file,
                // The folder was removed since the line before.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && start.elapsed() < wait => {
                    continue;
                }
                Err(error) => return Err(failed(&error)),
            };
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Self { _file: file }),
                // Another process may hold the one that is there now.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if start.elapsed() < wait => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(StoreError::Busy { folder: folder.to_owned() }),
                Err(TryLockError::Error(error)) => return Err(failed(&error)),
            }
        }
    }
}

/// Whether a file is still the one under this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(opened), Ok(named)) => identity(opened) == identity(named),
        _ => false,
    }
}

/// Here locks are never removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promoted_generation_counts_and_others_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        assert!(matches!(current(at), Err(StoreError::Missing { .. })));
        assert!(next(at) > 1_700_000_000_000, "numbers come from the clock");
        for name in
            ["index-4.db", "index-4.db-wal", "index-3.db", "trigrams-3.bin", "notes-1.txt", "index-x.db"]
        {
            fs::write(at.join(name), "").unwrap();
        }
        promote(at, 4).unwrap();
        assert_eq!(current(at).unwrap(), 4);
        sweep(at, Some(4));
        let mut left: Vec<_> = fs::read_dir(at)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["CURRENT", "index-4.db", "index-4.db-wal", "index-x.db", "notes-1.txt"]);
    }

    #[test]
    fn numbers_grow_whatever_the_clock_says_and_never_run_out() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let ahead = next(at) + 1_000_000_000;
        fs::write(at.join(format!("index-{ahead}.db")), "").unwrap();
        assert_eq!(next(at), ahead + 1);
        // Nothing of ours, however it is called.
        fs::write(at.join(format!("index-{}.db", u64::MAX)), "").unwrap();
        fs::write(at.join(CURRENT), format!("{HEAD}{}\n", u64::MAX)).unwrap();
        assert_eq!(next(at), ahead + 1);
        assert!(matches!(current(at), Err(StoreError::Corrupt { .. })));
    }

    #[test]
    fn a_database_goes_before_its_log() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["index-7.db-wal", "index-7.db", "index-7.db-shm", "trigrams-7.Ab3.new", "damaged-7.mark"]
        {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let removed = sweep(folder.path(), None);
        let names: Vec<&str> = removed.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        let at = |wanted: &str| names.iter().position(|name| *name == wanted).unwrap();
        assert!(at("index-7.db") < at("index-7.db-shm") && at("index-7.db") < at("index-7.db-wal"));
        assert_eq!(names.len(), 5);
    }

    #[test]
    fn garbage_in_current_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        for garbage in ["", "7", "generation \n", "generation -1\n", "generation 1", "\u{0}\u{1}"] {
            fs::write(folder.path().join(CURRENT), garbage).unwrap();
            assert!(matches!(current(folder.path()), Err(StoreError::Corrupt { .. })), "{garbage:?}");
        }
    }

    #[test]
    fn only_one_build_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let cancel = Cancel::new();
        let held = BuildLock::take(folder.path(), Duration::ZERO, &cancel).unwrap();
        let busy = BuildLock::take(folder.path(), Duration::ZERO, &cancel).unwrap_err();
        assert!(matches!(busy, StoreError::Busy { .. }));
        drop(held);
        BuildLock::take(folder.path(), Duration::ZERO, &cancel).unwrap();
    }

    /// Whoever waits for a lock that is removed with the index gets the one that is there afterwards.
    #[cfg(unix)]
    #[test]
    fn a_lock_that_was_removed_is_nobodys() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        let cancel = Cancel::new();
        let held = BuildLock::take(&index, Duration::ZERO, &cancel).unwrap();
        // Another process has opened it and waits.
        let waiting = File::options().write(true).open(index.join(LOCK)).unwrap();
        assert!(waiting.try_lock().is_err());
        remove(&index, &held).unwrap();
        drop(held);
        let second = BuildLock::take(&index, Duration::ZERO, &cancel).unwrap();
        waiting.try_lock().unwrap();
        assert!(!is_at(&waiting, &index.join(LOCK)), "it locks what has no name any more");
        let busy = BuildLock::take(&index, Duration::ZERO, &cancel).unwrap_err();
        assert!(matches!(busy, StoreError::Busy { .. }));
        drop(second);
    }

    #[test]
    fn only_what_is_ours_is_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        for (name, content) in [("CURRENT", "MANIFEST-000004\n"), ("LOCK", ""), ("index-3.db", "a book")] {
            fs::write(at.join(name), content).unwrap();
        }
        assert!(!is_index(at));
        fs::write(at.join(CURRENT), "generation 3\n").unwrap();
        assert!(is_index(at));
    }
}
