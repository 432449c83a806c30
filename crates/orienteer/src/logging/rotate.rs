//! A log file that does not grow for ever: 10 MiB a file, a handful of files, `current.log` always the newest.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use orienteer_base::private;
use tracing_subscriber::fmt::MakeWriter;

use crate::render::text;

const MAX_BYTES: u64 = 10 << 20;
/// Files of a folder, or full ones of a process.
const MAX_FILES: usize = 5;

/// Which files belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    /// All of the folder, whoever wrote them: each has a name of its own, and the oldest go.
    OfFolder,
    /// Those of this process, as Python's `RotatingFileHandler` keeps them: what is written now keeps its name, what is
    /// full is called `.1` to `.5` behind it, and nobody else's are touched.
    OfProcess,
}

/// Shared by all writers of the process.
#[derive(Debug, Clone)]
pub(super) struct RotatingFile(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    folder: PathBuf,
    program: &'static str,
    files: Files,
    /// The name of what is written now.
    name: String,
    file: File,
    written: u64,
    number: u32,
    max_bytes: u64,
}

impl RotatingFile {
    /// `program` is how the names of files begin.
    pub(super) fn open(folder: &Path, program: &'static str, files: Files) -> io::Result<Self> {
        Self::with_limit(folder, program, files, MAX_BYTES)
    }

    fn with_limit(folder: &Path, program: &'static str, files: Files, max_bytes: u64) -> io::Result<Self> {
        private::folder(folder)?;
        let (name, file) = match files {
            Files::OfFolder => numbered(folder, program, 0)?,
            Files::OfProcess => own(folder, program)?,
        };
        link(folder, &name);
        let (folder, written, number) = (folder.to_owned(), 0, 0);
        let state = State { folder, program, files, name, file, written, number, max_bytes };
        Ok(Self(Arc::new(Mutex::new(state))))
    }
}

impl State {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.written > 0 && self.written + bytes.len() as u64 > self.max_bytes {
            self.rotate()?;
            self.written = 0;
        }
        self.written += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    fn rotate(&mut self) -> io::Result<()> {
        match self.files {
            Files::OfFolder => {
                self.number += 1;
                (self.name, self.file) = numbered(&self.folder, self.program, self.number)?;
                link(&self.folder, &self.name);
            }
            Files::OfProcess => {
                let path = self.folder.join(&self.name);
                let full = |number: usize| self.folder.join(format!("{}.{number}", self.name));
                for number in (1..MAX_FILES).rev() {
                    // Those that are not there yet cannot be moved on.
                    let _ = fs::rename(full(number), full(number + 1));
                }
                let is_away = match fs::rename(&path, full(1)) {
                    Ok(()) => true,
                    // Somebody deleted it, and nobody would ever read what the old handle writes.
                    Err(error) => error.kind() == io::ErrorKind::NotFound,
                };
                // A file that cannot be put aside is written on: a full one is better than none.
                if is_away {
                    self.file = private::open(&path, OpenOptions::new().create(true).append(true))?;
                }
            }
        }
        Ok(())
    }
}

/// A new file with time, process and number in its name, and no more files than there may be.
fn numbered(folder: &Path, program: &str, number: u32) -> io::Result<(String, File)> {
    let stamp = text::time(SystemTime::now()).replace([':', '-'], "");
    let name = format!("{program}-{stamp}-{}-{number:03}.log", std::process::id());
    let file = private::open(&folder.join(&name), OpenOptions::new().create(true).append(true))?;
    // The new one counts, and is the last to go.
    prune(folder, program)?;
    Ok((name, file))
}

/// The file of this process: `program-20260121-100000.log`. Who starts in the same second gets another name.
fn own(folder: &Path, program: &str) -> io::Result<(String, File)> {
    let stamp = text::time(SystemTime::now()).replace([':', '-', 'Z'], "").replace('T', "-");
    let (usual, other) =
        (format!("{program}-{stamp}.log"), format!("{program}-{stamp}-{}.log", std::process::id()));
    match private::open(&folder.join(&usual), OpenOptions::new().create_new(true).append(true)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let file = private::open(&folder.join(&other), OpenOptions::new().create(true).append(true))?;
            Ok((other, file))
        }
        made => made.map(|file| (usual, file)),
    }
}

#[cfg(unix)]
fn link(folder: &Path, name: &str) {
    // Made beside and renamed over: there is always a link, also for two processes at once.
    let staged = folder.join(format!(".current-{}", std::process::id()));
    let _ = fs::remove_file(&staged);
    if std::os::unix::fs::symlink(name, &staged).is_ok() {
        let _ = fs::rename(&staged, folder.join("current.log"));
    }
}

#[cfg(not(unix))]
fn link(folder: &Path, name: &str) {
    let _ = fs::write(folder.join("current.log"), name);
}

fn prune(folder: &Path, program: &str) -> io::Result<()> {
    let mut logs: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.strip_prefix(program).is_some_and(|rest| rest.starts_with('-')) && name.ends_with(".log")
        })
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    logs.sort();
    let surplus = logs.len().saturating_sub(MAX_FILES);
    for (_, path) in logs.into_iter().take(surplus) {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// One event.
#[derive(Debug)]
pub(super) struct Event<'f>(&'f RotatingFile);

impl Write for Event<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).file.flush()
    }
}

impl<'f> MakeWriter<'f> for RotatingFile {
    type Writer = Event<'f>;

    fn make_writer(&'f self) -> Event<'f> {
        Event(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "current.log").collect();
        names.sort();
        names
    }

    /// Two of these lines fit into a file of 100 bytes.
    fn line(number: usize) -> String {
        format!("line {number:02} {}\n", "x".repeat(40))
    }

    fn write(file: &RotatingFile, lines: std::ops::Range<usize>) {
        for number in lines {
            file.make_writer().write_all(line(number).as_bytes()).unwrap();
        }
    }

    #[test]
    fn files_of_a_folder_are_new_ones_and_the_oldest_go() {
        let temp = tempfile::tempdir().unwrap();
        let file = RotatingFile::with_limit(temp.path(), "orienteer", Files::OfFolder, 100).unwrap();
        write(&file, 0..40);
        let names = names(temp.path());
        assert_eq!(names.len(), MAX_FILES, "{names:?}");
        for name in &names {
            assert!(fs::metadata(temp.path().join(name)).unwrap().len() <= 100, "{name}");
        }
        let newest = fs::read_to_string(temp.path().join("current.log")).unwrap();
        assert!(newest.contains("line 39"), "{newest}");
    }

    #[test]
    fn files_of_a_process_keep_their_name_and_leave_others_alone() {
        let temp = tempfile::tempdir().unwrap();
        // Others ran before, more of them than one process keeps files.
        let others: Vec<String> = (0..9).map(|at| format!("pyright-mcp-20200101-00000{at}.log")).collect();
        for name in &others {
            fs::write(temp.path().join(name), "theirs").unwrap();
        }
        let file = RotatingFile::with_limit(temp.path(), "pyright-mcp", Files::OfProcess, 100).unwrap();
        // At the same time another begins, mostly in the same second.
        let second = RotatingFile::with_limit(temp.path(), "pyright-mcp", Files::OfProcess, 100).unwrap();
        second.make_writer().write_all(b"second").unwrap();
        write(&file, 0..20);
        let name = file.0.lock().unwrap().name.clone();
        let stamp = name.strip_prefix("pyright-mcp-").and_then(|rest| rest.strip_suffix(".log")).unwrap();
        assert!(stamp.len() == 15 && stamp.as_bytes()[8] == b'-', "{name}");
        let names = names(temp.path());
        assert!(others.iter().all(|other| names.contains(other)), "{names:?}");
        let own: Vec<&String> = names.iter().filter(|other| other.starts_with(&name)).collect();
        let expected: Vec<String> =
            std::iter::once(name.clone()).chain((1..=5).map(|number| format!("{name}.{number}"))).collect();
        assert_eq!(own, expected.iter().collect::<Vec<_>>(), "what is written now and five that are full");
        assert_eq!(names.len(), 9 + 6 + 1, "{names:?}");
        let read = |name: &str| fs::read_to_string(temp.path().join(name)).unwrap();
        assert_eq!(read(&name), line(18) + &line(19));
        assert_eq!(read(&expected[1]), line(16) + &line(17));
        assert_eq!(read(&expected[5]), line(8) + &line(9), "what is older is gone");
        let name = second.0.lock().unwrap().name.clone();
        assert_eq!(read(&name), "second");
        assert_eq!(read("current.log"), "second", "the link is of who began last");
    }

    #[test]
    fn a_file_that_was_deleted_is_made_anew() {
        let temp = tempfile::tempdir().unwrap();
        let file = RotatingFile::with_limit(temp.path(), "pyright-mcp", Files::OfProcess, 100).unwrap();
        write(&file, 0..2);
        let path = temp.path().join(&file.0.lock().unwrap().name);
        fs::remove_file(&path).unwrap();
        write(&file, 2..4);
        assert_eq!(fs::read_to_string(&path).unwrap(), line(2) + &line(3));
    }

    #[test]
    fn a_file_holds_ten_mebibytes() {
        let temp = tempfile::tempdir().unwrap();
        let file = RotatingFile::open(temp.path(), "pyright-mcp", Files::OfProcess).unwrap();
        for _ in 0..10 {
            file.make_writer().write_all(&vec![b'x'; 1 << 20]).unwrap();
        }
        assert_eq!(names(temp.path()).len(), 1, "they fit");
        file.make_writer().write_all(b"one more").unwrap();
        let sizes: Vec<u64> = names(temp.path())
            .iter()
            .map(|name| fs::metadata(temp.path().join(name)).unwrap().len())
            .collect();
        assert_eq!(sizes, [8, 10 * 1024 * 1024]);
    }
}
