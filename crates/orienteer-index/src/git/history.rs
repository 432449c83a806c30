//! Who changed each file last, when, and how often was it changed?
//!
//! One pass over the log, newest commit first. Merges are not counted: they repeat what their branches changed, so a
//! change made only in a merge is not seen. Renames are not followed: that would compare contents for every commit, and
//! a renamed file begins anew. Lines added and removed are left out for the same reason.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::Cancel;
use orienteer_process::GitEnd;

use super::{Git, GitError, NAMES_ONLY, path_of};

/// The most bytes of a log that are read.
const MOST_BYTES: usize = 2 << 30;
/// The most files that are kept.
const MOST_FILES: usize = 2_000_000;
/// No path and no name of an author is longer.
const LONGEST: usize = 64 << 10;
/// How much more time than other questions this one has.
const PATIENCE_FACTOR: u32 = 6;

/// What the log says about the files below a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// By path relative to the folder. A file that is not here was changed before what was read, or never committed.
    pub files: HashMap<PathBuf, FileHistory>,
    /// How many commits were read.
    pub commits: usize,
    /// Whether these are all commits: not cut off by a limit, by time, or by a shallow clone.
    pub complete: bool,
}

/// What the log says about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHistory {
    pub last_author: Arc<str>,
    pub last_email: Arc<str>,
    /// Seconds since 1970 of the commit.
    pub last_time: i64,
    /// How many commits changed it, as far as the log was read.
    pub commits: u32,
}

impl Git {
    /// Reads at most so many commits. What was read when the time is over is still an answer.
    pub fn history(
        &self,
        root: &Path,
        most_commits: usize,
        cancel: &Cancel,
    ) -> Result<Option<History>, GitError> {
        let place = ["rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix"];
        let Some(place) = self.ask(root, &place, cancel)? else { return Ok(None) };
        if place.code != Some(0) {
            return Ok(place.failed("rev-parse")?);
        }
        let text = String::from_utf8_lossy(&place.bytes).into_owned();
        let mut lines = text.lines();
        if lines.next() != Some("true") {
            return Ok(None);
        }
        let shallow = lines.next() == Some("true");
        let below = lines.next().is_some_and(|prefix| !prefix.is_empty());
        let borders = if shallow { self.shallow_borders(root, cancel)? } else { Vec::new() };

        // One more than asked for shows whether there are more.
        let limit = format!("--max-count={}", most_commits.saturating_add(1));
        let mut arguments = vec!["log", "-z", "--format=%x01%H%x00%ct%x00%aE%x00%aN", "--encoding=UTF-8"];
        arguments.extend(NAMES_ONLY);
        arguments.push(limit.as_str());
        if below {
            // Commits elsewhere in the repository do not use up the limit.
            arguments.push("--full-history");
        }
        arguments.extend(["HEAD", "--"]);
        if below {
            arguments.push(".");
        }
        let arguments: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).collect();
        let borders = borders.into_iter().map(String::into_bytes).collect();
        let mut reader = Reader::new(borders, most_commits);
        let bounds = (self.0.patience().saturating_mul(PATIENCE_FACTOR), MOST_BYTES);
        let output =
            self.0.stream(root, &arguments, bounds, cancel, &mut |chunk| reader.take(chunk, cancel))?;
        let Some(output) = output else { return Ok(None) };
        match (output.stopped, output.code) {
            (None, Some(0)) | (Some(GitEnd::Time | GitEnd::Space | GitEnd::Enough), _) => {}
            _ if is_unborn(&output.said) => {
                return Ok(Some(History { complete: true, ..History::default() }));
            }
            _ => return Ok(output.failed("log")?),
        }
        Ok(Some(reader.finish(output.stopped.is_none() && !shallow)))
    }

    /// The commits at which a shallow clone ends; none in a whole one. Git shows them as if they had made every file.
    pub(super) fn shallow_borders(&self, root: &Path, cancel: &Cancel) -> Result<Vec<String>, GitError> {
        let Some(answer) = self.ask(root, &["rev-parse", "--git-path", "shallow"], cancel)? else {
            return Ok(Vec::new());
        };
        let path = answer.bytes.strip_suffix(b"\n").unwrap_or(&answer.bytes);
        // No such file, no such commits.
        let list = std::fs::read_to_string(root.join(path_of(path))).unwrap_or_default();
        Ok(list.lines().map(str::to_owned).collect())
    }
}

/// Whether git says that there is no commit yet.
fn is_unborn(said: &str) -> bool {
    ["does not have any commits yet", "bad revision 'HEAD'", "bad default revision", "unknown revision"]
        .iter()
        .any(|words| said.contains(words))
}

/// What the next field of the log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The beginning of a commit, or of a changed file.
    Any,
    Time,
    Email,
    Name,
    Path {
        deleted: bool,
    },
}

#[derive(Debug)]
struct Entry {
    author: Arc<str>,
    email: Arc<str>,
    time: i64,
    commits: u32,
    /// The newest commit that mentions it took it away.
    gone: bool,
}

/// Takes the log in as it comes.
#[derive(Debug)]
struct Reader {
    borders: HashSet<Vec<u8>>,
    most: usize,
    next: Next,
    field: Vec<u8>,
    files: HashMap<Vec<u8>, Entry>,
    names: HashSet<Arc<str>>,
    commits: usize,
    /// Something was left out.
    partial: bool,
    /// The files of this commit say nothing.
    border: bool,
    time: i64,
    email: Arc<str>,
    author: Arc<str>,
}

impl Reader {
    fn new(borders: HashSet<Vec<u8>>, most: usize) -> Self {
        let nobody: Arc<str> = "".into();
        Self {
            borders,
            most,
            next: Next::Any,
            field: Vec::new(),
            files: HashMap::new(),
            names: HashSet::new(),
            commits: 0,
            partial: false,
            border: false,
            time: 0,
            email: nobody.clone(),
            author: nobody,
        }
    }

    /// Whether more is wanted.
    fn take(&mut self, chunk: &[u8], cancel: &Cancel) -> bool {
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let wanted = if self.field.is_empty() {
                self.field_is(&rest[..end], cancel)
            } else {
                let mut field = std::mem::take(&mut self.field);
                field.extend_from_slice(&rest[..end]);
                let wanted = self.field_is(&field, cancel);
                field.clear();
                self.field = field;
                wanted
            };
            rest = &rest[end + 1..];
            if !wanted {
                return false;
            }
        }
        self.field.extend_from_slice(rest);
        if self.field.len() > LONGEST {
            self.partial = true;
            return false;
        }
        true
    }

    fn field_is(&mut self, field: &[u8], cancel: &Cancel) -> bool {
        self.next = match self.next {
            Next::Any => {
                // The first file of a commit comes after a line break.
                let field = field.strip_prefix(b"\n").unwrap_or(field);
                match field {
                    [1, commit @ ..] => {
                        if self.commits == self.most {
                            self.partial = true;
                            return false;
                        }
                        self.commits += 1;
                        cancel.advance(1);
                        self.border = self.borders.contains(commit);
                        Next::Time
                    }
                    [] => Next::Any,
                    [status, ..] => Next::Path { deleted: *status == b'D' },
                }
            }
            Next::Time => {
                self.time =
                    std::str::from_utf8(field).ok().and_then(|text| text.parse().ok()).unwrap_or_default();
                Next::Email
            }
            Next::Email => {
                self.email = self.name(field);
                Next::Name
            }
            Next::Name => {
                self.author = self.name(field);
                Next::Any
            }
            Next::Path { deleted } => {
                if !self.border {
                    self.changed(field, deleted);
                }
                Next::Any
            }
        };
        true
    }

    fn changed(&mut self, path: &[u8], deleted: bool) {
        if let Some(entry) = self.files.get_mut(path) {
            entry.commits = entry.commits.saturating_add(1);
        } else if self.files.len() < MOST_FILES {
            let (author, email) = (self.author.clone(), self.email.clone());
            self.files
                .insert(path.to_vec(), Entry { author, email, time: self.time, commits: 1, gone: deleted });
        } else {
            self.partial = true;
        }
    }

    /// Few people change many files.
    fn name(&mut self, bytes: &[u8]) -> Arc<str> {
        let text = String::from_utf8_lossy(bytes);
        if let Some(known) = self.names.get(text.as_ref()) {
            return known.clone();
        }
        let name: Arc<str> = text.as_ref().into();
        self.names.insert(name.clone());
        name
    }

    fn finish(self, whole: bool) -> History {
        let complete = whole && !self.partial;
        let files = self
            .files
            .into_iter()
            .filter(|(_, entry)| !entry.gone)
            .map(|(path, entry)| {
                let Entry { author: last_author, email: last_email, time: last_time, commits, .. } = entry;
                (path_of(&path), FileHistory { last_author, last_email, last_time, commits })
            })
            .collect();
        History { files, commits: self.commits, complete }
    }
}
