//! Which of these entries were asked for, and how many are there?

use orienteer_base::Problem;
use orienteer_base::remote::{EntryKind, Provenance, RemoteTree, RemoteTreeQuery, TreeEntry};

use crate::path;

const MOST_DEPTH: usize = 10;

/// Checks what can be wrong before anybody is asked.
pub(crate) fn check(query: &RemoteTreeQuery) -> Result<(), Problem> {
    if !(1..=MOST_DEPTH).contains(&query.depth) {
        let message = format!("depth is {}; write 1 to {MOST_DEPTH}", query.depth);
        return Err(Problem::invalid("depth", "out_of_range", message));
    }
    path::parts(&query.path).map(|_| ())
}

/// What an entry of a git tree is, by its mode; by its type where there is none.
pub(crate) fn kind(mode: &str, kind: &str) -> EntryKind {
    match (mode, kind) {
        ("120000", _) => EntryKind::Symlink,
        ("160000", _) | (_, "commit") => EntryKind::Submodule,
        ("040000" | "40000", _) | (_, "tree") => EntryKind::Directory,
        _ => EntryKind::File,
    }
}

/// Entries in order, counted, and of them the page that was asked for.
pub(crate) fn finish(
    mut entries: Vec<TreeEntry>,
    query: &RemoteTreeQuery,
    incomplete: Option<String>,
    from: Provenance,
) -> RemoteTree {
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    entries.dedup_by(|one, other| one.path == other.path);
    let directories = entries.iter().filter(|entry| entry.kind == EntryKind::Directory).count();
    let total = entries.len();
    let entries = entries.into_iter().skip(query.skip).take(query.limit).collect();
    RemoteTree { entries, total, files: total - directories, directories, incomplete, from }
}
