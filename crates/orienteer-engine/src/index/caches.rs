//! What else of ours is on disk?
//!
//! Beside the indexes lie models and whatever else was fetched. What people decided (`triage`) is not ours to list.

use std::fs;
use std::path::Path;

use orienteer_base::search::Artifact;
use orienteer_base::{Cancel, Stopped};

/// Files that are listed, and how deep they may lie.
const MOST: usize = 10_000;
const DEEPEST: usize = 8;
const TRIAGE: &str = "triage";

/// The files below a folder, by path. Links are not followed.
pub(super) fn files(folder: &Path, kind: &'static str, cancel: &Cancel) -> Result<Vec<Artifact>, Stopped> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((inner, depth)) = folders.pop() {
        for entry in fs::read_dir(inner).into_iter().flatten().flatten() {
            cancel.check()?;
            let Ok(sort) = entry.file_type() else { continue };
            let path = entry.path();
            if sort.is_dir() && depth < DEEPEST && entry.file_name() != TRIAGE {
                folders.push((path, depth + 1));
            } else if sort.is_file() && found.len() < MOST {
                let metadata = entry.metadata().ok();
                found.push(Artifact {
                    kind,
                    path: path.display().to_string(),
                    bytes: metadata.as_ref().map_or(0, fs::Metadata::len),
                    modified: metadata.and_then(|metadata| metadata.modified().ok()),
                });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fetched_files_are_listed_and_decisions_are_not() {
        let temp = tempfile::tempdir().unwrap();
        for path in ["models/m/content/a", "other/b", "triage/decided"] {
            fs::create_dir_all(temp.path().join(path).parent().unwrap()).unwrap();
            fs::write(temp.path().join(path), "12345").unwrap();
        }
        let found = files(temp.path(), "model", &Cancel::new()).unwrap();
        let told: Vec<_> = found.iter().map(|one| (one.kind, one.bytes, one.path.ends_with("a"))).collect();
        assert_eq!(told, [("model", 5, true), ("model", 5, false)]);
    }
}
