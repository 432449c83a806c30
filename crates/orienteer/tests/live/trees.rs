//! What a tree is, to the byte, and whether its compiler agrees to it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use orienteer_testkit::tools;

use crate::support::rust_homes;

/// What compilers and servers leave behind.
const MADE: &[&str] = &["target", "dist", ".cache", "node_modules", "__pycache__"];

/// Every file of a tree: mode, link, content.
#[derive(PartialEq, Eq)]
pub(crate) struct State(BTreeMap<String, (u32, Option<PathBuf>, Vec<u8>)>);

impl State {
    pub(crate) fn of(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if MADE.iter().any(|name| path.ends_with(name)) {
                    continue;
                }
                let data = std::fs::symlink_metadata(&path).unwrap();
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                if data.is_dir() {
                    files.insert(name, (data.permissions().mode(), None, Vec::new()));
                    folders.push(path);
                } else if data.is_symlink() {
                    files.insert(name, (0, Some(std::fs::read_link(&path).unwrap()), Vec::new()));
                } else {
                    files.insert(name, (data.permissions().mode(), None, std::fs::read(&path).unwrap()));
                }
            }
        }
        Self(files)
    }

    pub(crate) fn sha256(&self, path: &str) -> String {
        let mut sum = orienteer_base::sha256::Sha256::new();
        sum.update(&self.0[path].2);
        sum.finish().to_string()
    }
}

/// Only what differs is worth reading.
impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let show = |(path, (mode, link, bytes)): (&String, &(u32, Option<PathBuf>, Vec<u8>))| {
            format!("{path} {mode:o} {link:?} {:?}", String::from_utf8_lossy(bytes))
        };
        f.debug_list().entries(self.0.iter().map(show)).finish()
    }
}

/// A project's own compiler.
pub(crate) enum Compiler {
    Cargo,
    TypeScript,
    Pyright,
    C,
}

impl Compiler {
    /// It finds no error in the tree.
    pub(crate) fn agrees(&self, root: &Path) {
        let elsewhere = tempfile::tempdir().unwrap();
        // What it builds must not be taken for a part of the project.
        let root = if matches!(self, Self::TypeScript) {
            let copied = Command::new("cp").arg("-r").arg(root).arg(elsewhere.path()).status().unwrap();
            assert!(copied.success());
            &elsewhere.path().join(root.file_name().unwrap())
        } else {
            root
        };
        let mut command = match self {
            Self::Cargo => {
                let mut command = Command::new("cargo");
                command.args(["check", "--offline", "--quiet", "--workspace", "--all-targets"]);
                command.env("CARGO_TARGET_DIR", root.join("target/check")).envs(rust_homes());
                command
            }
            Self::TypeScript => {
                let mut command = Command::new(tools::require("tsc"));
                command.args(["--build", "--force"]);
                command
            }
            Self::Pyright => Command::new(tools::require("pyright")),
            Self::C => {
                let mut command = Command::new("cc");
                command.args(["-std=c11", "-Wall", "-Werror", "-fsyntax-only", "src/main.c", "src/stack.c"]);
                command
            }
        };
        let ran = command.current_dir(root).env("PATH", tools::server_path()).output();
        let ran = ran.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let said = [ran.stdout, ran.stderr].concat();
        assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said));
    }
}
