//! Fixtures: a whole tree of files in one string.

use std::path::{Path, PathBuf};

/// A temporary folder that is removed with its value.
#[derive(Debug)]
pub struct Tree {
    temp: tempfile::TempDir,
    root: PathBuf,
}

/// Makes the files of a fixture: `//- /path` begins a file, everything up to the next such line is its text.
pub fn tree(fixture: &str) -> Tree {
    let tree = Tree::empty();
    let mut current: Option<(String, String)> = None;
    for line in fixture.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("//- /") {
            if let Some((path, text)) = current.replace((path.trim_end().to_owned(), String::new())) {
                tree.write(&path, text);
            }
        } else if let Some((_, text)) = &mut current {
            text.push_str(line);
        }
    }
    if let Some((path, text)) = current {
        tree.write(&path, text);
    }
    tree
}

impl Tree {
    pub fn empty() -> Self {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let root = temp.path().canonicalize().expect("its canonical path").join("work");
        std::fs::create_dir(&root).expect("a root folder");
        Self { temp, root }
    }

    /// The workspace root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A folder beside the root, for what must not be reached and for HOME.
    pub fn beside(&self, name: &str) -> PathBuf {
        let path = self.temp.path().canonicalize().expect("a canonical path").join(name);
        std::fs::create_dir_all(&path).expect("a folder beside the root");
        path
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("the parent folder");
        std::fs::write(path, content).expect("the file written");
    }
}
