//! Managers of versions that start a program of the project.
//!
//! Where the programs of PATH are stand-ins of asdf or mise, a file of the project chooses which version of `node` or `python`
//! is meant, and may name a folder instead of a version.

use std::path::{Path, PathBuf};

/// Files in which versions are chosen.
const FILES: &[&str] = &[
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".mise.local.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
    ".mise/config.toml",
    "mise/config.toml",
    ".rtx.toml",
];

/// What stands before a folder.
const BY_PLACE: &str = "path:";

/// The file in one of these folders that chooses a program by where it lies.
pub(crate) fn by_place<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Option<PathBuf> {
    let files = folders.into_iter().flat_map(|folder| FILES.iter().map(move |name| folder.join(name)));
    // What cannot be read as text says nothing to them either.
    let names_place = |file: &PathBuf| {
        file.is_file()
            && std::fs::read(file).is_ok_and(|text| String::from_utf8_lossy(&text).contains(BY_PLACE))
    };
    files.into_iter().find(names_place)
}

#[cfg(test)]
mod tests {
    use orienteer_testkit::tree;

    use super::by_place;

    #[test]
    fn a_version_is_no_place() {
        let tree = tree(
            "//- /a/.tool-versions\nnodejs 20.1.0\n//- /b/.tool-versions\nnodejs path:./evil\n//- /c/mise.toml\n[tools]\nnode = 'path:evil'\n",
        );
        let of = |name: &str| by_place([tree.root().join(name).as_path()]);
        assert_eq!(of("a"), None);
        assert_eq!(of("b"), Some(tree.root().join("b/.tool-versions")));
        assert_eq!(of("c"), Some(tree.root().join("c/mise.toml")));
    }
}
