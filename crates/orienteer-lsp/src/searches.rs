//! Into which files does a server look for the uses of a name, where it does not look everywhere?
//!
//! This is how jedi does it, which several servers for Python ask.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use orienteer_base::Cancel;

/// Folders that are passed by wherever they are.
const PASSED_BY: [&str; 5] = [".mypy_cache", ".tox", ".venv", "__pycache__", "venv"];

/// How far a server searches, without saying so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Searches {
    /// Files of the project that it opens besides the one with the definition.
    pub files: usize,
    /// Files with the name that it reads, of these.
    pub holding: usize,
    /// Shorter names are searched for in their own file only.
    pub shortest: usize,
}

/// What lines of `.gitignore` take away: only those without a star count.
#[derive(Debug, Clone, Default)]
struct Ignored {
    paths: HashSet<PathBuf>,
    /// Of folders.
    names: HashSet<OsString>,
}

impl Searches {
    /// The files below a folder that it comes by, or nothing where they are more than it opens.
    pub fn comes_by(&self, root: &Path, but: &[PathBuf], cancel: &Cancel) -> Option<HashSet<PathBuf>> {
        let mut files = HashSet::new();
        let mut folders = vec![(root.to_path_buf(), Rc::new(Ignored::default()))];
        while let Some((folder, above)) = folders.pop() {
            if cancel.is_cancelled() {
                break;
            }
            let Ok(entries) = folder.read_dir() else { continue };
            let ignored = match std::fs::read(folder.join(".gitignore")) {
                Ok(text) => Rc::new(above.and(&folder, &String::from_utf8_lossy(&text))),
                Err(_) => above,
            };
            for entry in entries.flatten() {
                let path = entry.path();
                if ignored.paths.contains(&path) {
                    continue;
                }
                // Links to folders are not followed.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    let name = entry.file_name();
                    // There is no source in the folder of git, though it is not passed by.
                    let is_wanted = name != ".git" && !PASSED_BY.iter().any(|passed| name == *passed);
                    if is_wanted && !ignored.names.contains(&name) {
                        folders.push((path, ignored.clone()));
                    }
                } else if is_python(&path) && !but.contains(&path) {
                    files.insert(path);
                }
            }
            if files.len() > self.files {
                return None;
            }
        }
        Some(files)
    }
}

fn is_python(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|extension| ["py", "pyi"].contains(&extension))
}

impl Ignored {
    fn and(&self, folder: &Path, text: &str) -> Self {
        let mut ignored = self.clone();
        for line in text.lines() {
            if line.is_empty() || line.starts_with(['#', '!']) || line.contains('*') {
                continue;
            }
            let line = line.trim_end_matches('/');
            if line.contains('/') {
                ignored.paths.insert(folder.join(line.trim_start_matches('/')));
            } else {
                ignored.names.insert(line.into());
            }
        }
        ignored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_come_by_unless_a_line_or_a_name_takes_them_away() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for path in [
            "a.py",
            "own.py",
            "b.pyi",
            "c.txt",
            "venv/a.py",
            "deep/.venv/a.py",
            "deep/venv.py",
            "build/a.py",
            "deep/build/a.py",
            "deep/build.py",
            "only/here/a.py",
            "deep/only/here/a.py",
            "gen_1/a.py",
            "deep/single/a.py",
            "single/a.py",
        ] {
            write(path, "");
        }
        write(".gitignore", "# words\n!a.py\ngen_*\nbuild/\n/only/here\n\n");
        write("deep/.gitignore", "single\n");
        let but = [folder.path().join("own.py")];
        let come_by = |files: usize| {
            let searches = Searches { files, holding: 1, shortest: 1 };
            let found = searches.comes_by(folder.path(), &but, &Cancel::new())?;
            let shown =
                found.iter().map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string());
            let mut shown: Vec<String> = shown.collect();
            shown.sort();
            Some(shown)
        };
        let all = [
            "a.py",
            "b.pyi",
            "deep/build.py",
            "deep/only/here/a.py",
            "deep/venv.py",
            "gen_1/a.py",
            "single/a.py",
        ];
        assert_eq!(come_by(7).unwrap(), all);
        assert_eq!(come_by(6), None);
    }
}
