//! Managers of versions that start a program of the project.
//!
//! Where the programs of PATH are stand-ins of asdf or mise, a file of the project chooses which version of `node` or `python`
//! is meant, and may name a folder instead of a version.

use std::path::{Path, PathBuf};

use orienteer_base::settings_file::read_settings;

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
    ".node-version",
    ".nvmrc",
    ".python-version",
    ".ruby-version",
    ".go-version",
];

/// What stands before a folder.
const BY_PLACE: &str = "path:";

/// The file in one of these folders that chooses a program by where it lies.
pub(crate) fn by_place<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Option<PathBuf> {
    let files = folders.into_iter().flat_map(|folder| FILES.iter().map(move |name| folder.join(name)));
    // An escape could spell the word in another way, and what we cannot read they may; versions need neither.
    let names_place = |file: &PathBuf| {
        file.symlink_metadata().is_ok()
            && read_settings(file).is_none_or(|text| text.contains(BY_PLACE) || text.contains("\\u"))
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
