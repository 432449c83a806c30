//! Whose repository is it?
//!
//! What lies in a folder of somebody else's is somebody else's word. Git itself asks this where it finds a repository by
//! itself; told which one it is, it does not, so it is asked here by the same rule.

use super::{GitError, Repository};

/// Refuses a repository that belongs neither to the user nor to the system, unless it is one of `safe`.
pub(super) fn check(
    repository: &Repository,
    safe: impl FnOnce() -> Result<Vec<String>, GitError>,
) -> Result<(), GitError> {
    #[cfg(unix)]
    let user = rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let user = 0;
    check_for(repository, user, safe)
}

pub(super) fn check_for(
    repository: &Repository,
    user: u32,
    safe: impl FnOnce() -> Result<Vec<String>, GitError>,
) -> Result<(), GitError> {
    let parts = [&repository.work_tree, &repository.git_dir, &repository.common_dir];
    let entry = repository.work_tree.join(".git");
    let Some(part) = parts.into_iter().chain([&entry]).find(|part| !is_of(part, user)) else { return Ok(()) };
    if names(&safe()?, &repository.work_tree.to_string_lossy()) {
        return Ok(());
    }
    Err(GitError::Foreign { part: part.clone(), repository: repository.work_tree.clone() })
}

#[cfg(unix)]
fn is_of(path: &std::path::Path, user: u32) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().is_ok_and(|data| data.uid() == user || data.uid() == 0)
}

/// Who owns a file is a list of rights here, which git reads in its own way; a folder that another user can write to is not
/// told apart.
#[cfg(not(unix))]
fn is_of(_: &std::path::Path, _: u32) -> bool {
    true
}

/// Whether `safe.directory` names a folder: by its path, by one above it with `/*` behind, or all with `*`. An empty value
/// takes back those before it.
fn names(safe: &[String], folder: &str) -> bool {
    let last = safe.iter().rposition(String::is_empty).map_or(0, |at| at + 1);
    safe[last..].iter().any(|named| {
        let above = named.strip_suffix("/*");
        named == "*"
            || named.trim_end_matches('/') == folder
            || above.is_some_and(|above| folder.strip_prefix(above).is_some_and(|rest| rest.starts_with('/')))
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_folder_is_named_by_itself_by_one_above_or_with_all() {
        let named = |safe: &[&str]| {
            names(&safe.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>(), "/srv/shop")
        };
        assert!(named(&["/srv/shop"]) && named(&["/srv/shop/"]) && named(&["*"]) && named(&["/srv/*"]));
        assert!(!named(&["/srv"]) && !named(&["/srv/shop2"]) && !named(&["/srv/shop/*"]) && !named(&[]));
        assert!(!named(&["*", ""]) && named(&["", "/srv/shop"]), "an empty one takes back those before it");
    }
}
