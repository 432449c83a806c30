//! Where users keep programs of their own.
//!
//! A client that is started from a desktop often has a `PATH` without them, and the document looks there.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// Below the home folder, in the order in which they are searched.
const USUAL: &[&str] = &[".cargo/bin", ".npm-global/bin", ".local/bin", "go/bin"];

/// Versions of Node.js that one user has at most.
const MOST_VERSIONS: usize = 100;

/// The folders of a user, whether they are there or not: whoever misses a program is told where it was looked for.
pub(super) fn folders(home: &Path) -> Vec<PathBuf> {
    USUAL.iter().map(|folder| home.join(folder)).chain(of_nvm(home)).collect()
}

/// `~/.nvm/versions/node/*/bin`, the newest first.
fn of_nvm(home: &Path) -> Vec<PathBuf> {
    let versions = std::fs::read_dir(home.join(".nvm/versions/node")).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions.take(MOST_VERSIONS).map(|version| version.path()).collect();
    found.sort_by_key(|path| Reverse(numbers(path)));
    found.into_iter().map(|path| path.join("bin")).collect()
}

/// `v18.19.0` as it is to be compared.
fn numbers(path: &Path) -> Vec<u32> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_node_is_the_first() {
        let home = tempfile::tempdir().unwrap();
        for version in ["v9.11.2", "v22.1.0", "v18.20.8", "v18.19.0"] {
            std::fs::create_dir_all(home.path().join(".nvm/versions/node").join(version)).unwrap();
        }
        let below: Vec<String> = folders(home.path())
            .iter()
            .map(|path| path.strip_prefix(home.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(
            below,
            [
                ".cargo/bin",
                ".npm-global/bin",
                ".local/bin",
                "go/bin",
                ".nvm/versions/node/v22.1.0/bin",
                ".nvm/versions/node/v18.20.8/bin",
                ".nvm/versions/node/v18.19.0/bin",
                ".nvm/versions/node/v9.11.2/bin",
            ]
        );
    }
}
