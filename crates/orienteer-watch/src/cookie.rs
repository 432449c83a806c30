//! Have all events before now arrived?
//!
//! A cookie is a number in a file's name. Renaming one file from number to number costs one system call, leaves
//! nothing to clean up, and gives each number an event of its own: events of one name could be merged.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

const PREFIX: &str = "orienteer-cookie-";
/// Cookies of processes that were killed are removed by later ones after this time.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// How the cookies of one watch are named.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    folder: PathBuf,
    prefix: String,
}

impl Names {
    pub(crate) fn new(folder: PathBuf) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Processes in different containers may share the folder and the process number, hence the time.
        let nanoseconds =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let watch = NEXT.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        Self { folder, prefix: format!("{PREFIX}{process}-{nanoseconds:x}-{watch}-") }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}{number}", self.prefix))
    }

    #[cfg(test)]
    pub(crate) fn prefix_for_tests(&self) -> &str {
        &self.prefix
    }

    /// The number in a cookie's path.
    pub(crate) fn number(&self, path: &Path) -> Option<u64> {
        let name = path.file_name().and_then(OsStr::to_str)?;
        name.strip_prefix(&self.prefix)?.parse().ok()
    }
}

/// Writes the cookies of one watch.
#[derive(Debug)]
pub(crate) struct Cookies {
    names: Names,
    /// How many were begun. Raised before the file is touched.
    begun: AtomicU64,
    /// The number of the file that exists, if one does.
    written: Mutex<Option<u64>>,
}

impl Cookies {
    /// Removes what killed processes left in the folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        remove_abandoned(&folder);
        Self { names: Names::new(folder), begun: AtomicU64::new(0), written: Mutex::new(None) }
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// The number of a cookie that was written after this call began. Callers that come together share one:
    /// whoever had to wait while another one was being written takes the next, however many they are.
    pub(crate) fn write(&self) -> io::Result<u64> {
        let before = self.begun.load(Ordering::SeqCst);
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = *written
            && number > before
        {
            return Ok(number);
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let to = self.names.path(number);
        let renamed = written.take().is_some_and(|last| fs::rename(self.names.path(last), &to).is_ok());
        if !renamed {
            fs::create_dir_all(&self.names.folder)?;
            fs::File::create(&to)?;
        }
        *written = Some(number);
        Ok(number)
    }
}

impl Drop for Cookies {
    fn drop(&mut self) {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(number) = written {
            let _ = fs::remove_file(self.names.path(number));
        }
    }
}

/// A living process whose cookie is taken away here makes a new one, so a wrong guess costs nothing.
fn remove_abandoned(folder: &Path) {
    let now = SystemTime::now();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let age = || {
            entry.metadata().and_then(|metadata| metadata.modified()).ok().map(|at| now.duration_since(at))
        };
        if ours && matches!(age(), Some(Ok(age)) if age > ABANDONED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn one_file_is_renamed_from_number_to_number_and_removed_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let cookies = Cookies::new(folder.path().join("deep/cookies"));
        assert_eq!(cookies.write().unwrap(), 1);
        assert_eq!(cookies.write().unwrap(), 2);
        let names = names_in(cookies.names().folder());
        assert_eq!(names.len(), 1);
        assert_eq!(cookies.names().number(&cookies.names().folder().join(&names[0])), Some(2));
        let at = cookies.names().folder().to_path_buf();
        drop(cookies);
        assert!(names_in(&at).is_empty());
    }

    #[test]
    fn a_removed_folder_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let cookies = Cookies::new(folder.path().join("cookies"));
        cookies.write().unwrap();
        fs::remove_dir_all(folder.path().join("cookies")).unwrap();
        assert_eq!(cookies.write().unwrap(), 2);
        assert_eq!(names_in(cookies.names().folder()).len(), 1);
    }

    #[test]
    fn cookies_of_other_watches_have_no_number() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (Cookies::new(folder.path().into()), Cookies::new(folder.path().into()));
        two.write().unwrap();
        let path = folder.path().join(&names_in(folder.path())[0]);
        assert_eq!((one.names().number(&path), two.names().number(&path)), (None, Some(1)));
    }

    #[test]
    fn abandoned_cookies_are_removed_and_other_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - ABANDONED * 2;
        for name in ["orienteer-cookie-1-2-3-4", "precious"] {
            fs::File::create(folder.path().join(name)).unwrap().set_modified(old).unwrap();
        }
        fs::write(folder.path().join("orienteer-cookie-5-6-7-8"), "").unwrap();
        let _cookies = Cookies::new(folder.path().into());
        let mut names = names_in(folder.path());
        names.sort();
        assert_eq!(names, ["orienteer-cookie-5-6-7-8", "precious"]);
    }

    #[test]
    fn callers_that_come_together_share_and_never_take_one_begun_before_they_came() {
        let folder = tempfile::tempdir().unwrap();
        let cookies = Cookies::new(folder.path().into());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let before = cookies.begun.load(Ordering::SeqCst);
                        assert!(cookies.write().unwrap() > before);
                    }
                });
            }
        });
        assert!(cookies.begun.load(Ordering::SeqCst) <= 2_000);
    }
}
