//! A log file that does not grow for ever: 10 MB a file, five files, `current.log` always the newest.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tracing_subscriber::fmt::MakeWriter;

use crate::render::text;

const MAX_BYTES: u64 = 10_000_000;
const MAX_FILES: usize = 5;

/// Shared by all writers of the process.
#[derive(Debug, Clone)]
pub(super) struct RotatingFile(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    folder: PathBuf,
    program: &'static str,
    file: File,
    written: u64,
    number: u32,
    max_bytes: u64,
}

impl RotatingFile {
    /// `program` is how the names of files begin.
    pub(super) fn open(folder: &Path, program: &'static str) -> io::Result<Self> {
        Self::with_limit(folder, program, MAX_BYTES)
    }

    fn with_limit(folder: &Path, program: &'static str, max_bytes: u64) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let file = create(folder, program, 0)?;
        Ok(Self(Arc::new(Mutex::new(State {
            folder: folder.to_owned(),
            program,
            file,
            written: 0,
            number: 0,
            max_bytes,
        }))))
    }
}

impl State {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.written > 0 && self.written + bytes.len() as u64 > self.max_bytes {
            self.number += 1;
            self.file = create(&self.folder, self.program, self.number)?;
            self.written = 0;
        }
        self.written += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}

/// A new file with the time in its name, the link to it, and no more files than there may be.
fn create(folder: &Path, program: &str, number: u32) -> io::Result<File> {
    let stamp = text::time(SystemTime::now()).replace([':', '-'], "");
    let name = format!("{program}-{stamp}-{}-{number:03}.log", std::process::id());
    let file = OpenOptions::new().create(true).append(true).open(folder.join(&name))?;
    link(folder, &name);
    prune(folder, program)?;
    Ok(file)
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

    #[test]
    fn rotates_links_and_prunes() {
        let temp = tempfile::tempdir().unwrap();
        let file = RotatingFile::with_limit(temp.path(), "orienteer", 100).unwrap();
        for number in 0..40 {
            file.make_writer()
                .write_all(format!("line {number:02} {}\n", "x".repeat(40)).as_bytes())
                .unwrap();
        }
        let mut names: Vec<String> = fs::read_dir(temp.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "current.log")
            .collect();
        names.sort();
        assert_eq!(names.len(), MAX_FILES, "{names:?}");
        for name in &names {
            assert!(fs::metadata(temp.path().join(name)).unwrap().len() <= 100, "{name}");
        }
        let newest = fs::read_to_string(temp.path().join("current.log")).unwrap();
        assert!(newest.contains("line 39"), "{newest}");
    }
}
