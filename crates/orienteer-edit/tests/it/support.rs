//! A tree, a journal beside it, and how both are looked at.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use orienteer_base::Roots;
use orienteer_edit::{Journal, Overlay, Plan, TextEdit};

/// Every path below a root: a folder, a link with its target, or a file with its mode and bytes.
pub(crate) type Tree = BTreeMap<String, (u32, Vec<u8>)>;

pub(crate) struct Place {
    folder: PathBuf,
    _kept: Option<tempfile::TempDir>,
}

impl Place {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let kept = tempfile::tempdir().unwrap();
        let place = Self { folder: fs::canonicalize(kept.path()).unwrap(), _kept: Some(kept) };
        fs::create_dir(place.root()).unwrap();
        for (path, text) in files {
            place.write(path, text);
        }
        place
    }

    /// The same place as another process sees it.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder, _kept: None }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.join("tree")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots::new(&self.root(), &[]).unwrap()
    }

    pub(crate) fn journal(&self) -> Journal {
        Journal::new(self.folder.join("journal"))
    }

    pub(crate) fn overlay(&self) -> Overlay {
        Overlay::new(self.roots())
    }

    /// A plan that puts one word in the place of another in some files.
    pub(crate) fn plan(&self, files: &[&str], from: &str, to: &str) -> Plan {
        let mut overlay = self.overlay();
        for file in files {
            replace(&mut overlay, &self.path(file), from, to);
        }
        overlay.finish()
    }

    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.root()).unwrap().to_str().unwrap().to_owned();
                let metadata = fs::symlink_metadata(&path).unwrap();
                if metadata.is_dir() {
                    tree.insert(format!("{name}/"), (0, Vec::new()));
                    folders.push(path);
                } else if metadata.is_symlink() {
                    let target = fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
                    tree.insert(format!("{name}@"), (0, target));
                } else {
                    tree.insert(name, (metadata.permissions().mode() & 0o7777, fs::read(&path).unwrap()));
                }
            }
        }
        tree
    }

    /// Nothing of a change is going on.
    pub(crate) fn is_settled(&self) -> bool {
        let pending = self.folder.join("journal/pending");
        fs::read_dir(pending).map_or(true, |mut marks| marks.next().is_none())
    }
}

pub(crate) fn replace(overlay: &mut Overlay, path: &Path, from: &str, to: &str) {
    let text = overlay.text(path).unwrap();
    let edits = text.match_indices(from).map(|(at, word)| TextEdit::new(at..at + word.len(), to)).collect();
    overlay.edit(path, edits).unwrap();
}
