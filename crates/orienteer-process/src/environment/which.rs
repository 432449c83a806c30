//! Where on the `PATH` is a program?

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::Environment;

impl Environment {
    /// The executables that `program` can stand for, the preferred one first.
    ///
    /// A bare name is looked up in [`Environment::search_path`]. A name with a folder in it (`./gradlew`,
    /// `/usr/bin/git`) is taken from `cwd` or from the root, and the `PATH` plays no part.
    pub fn which(&self, program: impl AsRef<OsStr>, cwd: &Path) -> Vec<PathBuf> {
        let program = Path::new(program.as_ref());
        let mut found = Vec::new();
        for folder in self.folders_for(program, cwd) {
            for candidate in self.spellings(&folder.join(program)) {
                if is_executable(&candidate) && !found.contains(&candidate) {
                    found.push(candidate);
                }
            }
        }
        found
    }

    /// The absolute folders of the `PATH`, in order.
    ///
    /// Empty and relative entries are left out. They would be resolved inside the folder we work in, and
    /// a project that somebody else wrote must not be able to supply its own `git`.
    pub fn search_path(&self) -> Vec<PathBuf> {
        let path = self.get("PATH").unwrap_or_default();
        std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect()
    }

    /// The same environment with these folders behind those of its `PATH`, for whoever looks for a program here and for
    /// the programs that are started with it.
    #[must_use]
    pub fn searching(self, folders: &[PathBuf]) -> Self {
        let mut known = self.search_path();
        for folder in folders.iter().filter(|folder| folder.is_absolute()) {
            if !known.contains(folder) {
                known.push(folder.clone());
            }
        }
        self.with_path(known)
    }

    /// The same environment for a program that is started: what it starts by a bare name comes from an absolute folder. An
    /// empty entry would stand for the folder that it works in, which somebody else wrote.
    #[must_use]
    pub(crate) fn for_a_child(self) -> Self {
        let known = self.search_path();
        let mut environment = self.with_path(known);
        for name in ["PYTHONPATH", "NODE_PATH"] {
            let Some(given) = environment.get(name) else { continue };
            let folders: Vec<PathBuf> =
                std::env::split_paths(given).filter(|folder| folder.is_absolute()).collect();
            environment = match std::env::join_paths(&folders) {
                Ok(joined) if !folders.is_empty() => environment.with(name, joined),
                _ => environment.without(name),
            };
        }
        environment
    }

    fn with_path(self, folders: Vec<PathBuf>) -> Self {
        // One with the separator in its name cannot be written there.
        let can_be = |folder: &PathBuf| std::env::join_paths([folder]).is_ok();
        let folders: Vec<PathBuf> = folders.into_iter().filter(can_be).collect();
        match std::env::join_paths(&folders) {
            Ok(joined) if !folders.is_empty() => self.with("PATH", joined),
            // Without the variable a system looks in its own folders; with an empty one, in the current one.
            _ => self.without("PATH"),
        }
    }

    /// The folders in which [`Environment::which`] looks for `program`.
    pub(crate) fn folders_for(&self, program: &Path, cwd: &Path) -> Vec<PathBuf> {
        let is_bare = program.file_name() == Some(program.as_os_str());
        if is_bare { self.search_path() } else { vec![cwd.to_path_buf()] }
    }

    /// The file names to try for one path: itself, and on Windows also with each extension of `PATHEXT`.
    fn spellings(&self, path: &Path) -> Vec<PathBuf> {
        if !cfg!(windows) || path.extension().is_some() {
            return vec![path.to_path_buf()];
        }
        let extensions = self.get("PATHEXT").and_then(OsStr::to_str).unwrap_or(".COM;.EXE;.BAT;.CMD");
        extensions
            .split(';')
            .filter(|extension| !extension.is_empty())
            .map(|extension| {
                let mut name = OsString::from(path);
                name.push(extension);
                PathBuf::from(name)
            })
            .collect()
    }
}

/// Whether the operating system would agree to run this file.
#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// Whether the operating system would agree to run this file. Windows has no bit for it; the extension
/// decides.
#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn file(path: &Path, mode: u32) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn candidates_come_in_path_order_and_must_be_executable() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        file(&root.join("a/tool"), 0o644);
        file(&root.join("b/tool"), 0o755);
        file(&root.join("c/tool"), 0o755);
        fs::create_dir_all(root.join("d/tool")).unwrap();
        let path = std::env::join_paths(["a", "b", "c", "b", "d"].map(|name| root.join(name))).unwrap();
        let environment = Environment::default().with("PATH", path);
        assert_eq!(environment.which("tool", root), [root.join("b/tool"), root.join("c/tool")]);
        assert_eq!(environment.which("other", root), [""; 0].map(PathBuf::from));
    }

    #[test]
    fn a_project_cannot_supply_a_bare_name_through_a_relative_path_entry() {
        let temp = tempfile::tempdir().unwrap();
        file(&temp.path().join("git"), 0o755);
        let environment = Environment::default().with("PATH", ".::bin");
        assert!(environment.which("git", temp.path()).is_empty());
        assert!(Environment::default().which("git", temp.path()).is_empty());
    }

    #[test]
    fn further_folders_come_after_those_of_the_path() {
        let with = |path: &str, folders: &[&str]| {
            let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
            Environment::default().with("PATH", path).searching(&folders).search_path()
        };
        assert_eq!(with("/a:/b", &["/c", "/a", "relative"]), ["/a", "/b", "/c"].map(PathBuf::from));
        assert_eq!(with("/a", &[]), [PathBuf::from("/a")]);
        assert_eq!(with("/a", &["/with:colon", "/c"]), ["/a", "/c"].map(PathBuf::from));
        for none in [Environment::default(), Environment::default().with("PATH", "")] {
            let searching = none.searching(&[PathBuf::from("/c")]);
            assert_eq!(searching.get("PATH"), Some(OsStr::new("/c")), "no entry that stands for any folder");
        }
    }

    #[test]
    fn no_child_is_given_an_entry_that_stands_for_the_folder_it_works_in() {
        for (path, left) in [
            ("/a:", Some("/a")),
            (".:/a", Some("/a")),
            ("a::b", None),
            ("", None),
            ("/a:/b", Some("/a:/b")),
            (":/a::/b:bin", Some("/a:/b")),
        ] {
            let environment = Environment::default().with("PATH", path);
            for made in [environment.clone().for_a_child(), environment.clone().searching(&[])] {
                assert_eq!(made.get("PATH"), left.map(OsStr::new), "{path}");
            }
            let more = environment.searching(&[PathBuf::from("/c")]);
            let expected = left.map_or("/c".to_owned(), |left| format!("{left}:/c"));
            assert_eq!(more.get("PATH"), Some(OsStr::new(&expected)), "{path}");
        }
    }

    #[test]
    fn a_name_with_a_folder_is_taken_from_the_working_folder() {
        let temp = tempfile::tempdir().unwrap();
        let script = temp.path().join("bin/run");
        file(&script, 0o755);
        let environment = Environment::default();
        assert_eq!(environment.which("bin/run", temp.path()), std::slice::from_ref(&script));
        assert_eq!(environment.which(&script, Path::new("/")), [script]);
        assert_eq!(environment.which("./bin/run", temp.path()).len(), 1);
    }

    #[test]
    fn a_child_finds_modules_in_absolute_folders_alone() {
        let given = Environment::default().with("PYTHONPATH", ":/foo:lib:").with("NODE_PATH", "modules");
        let child = given.for_a_child();
        assert_eq!(child.get("PYTHONPATH"), Some(OsStr::new("/foo")), "an empty one is the current folder");
        assert_eq!(child.get("NODE_PATH"), None);
    }
}
