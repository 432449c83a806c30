//! Who wrote what is shown?

use std::path::Path;
use std::time::{Duration, Instant};

use orienteer_base::Cancel;

use super::error::FindError;
use super::{Found, Hit, Note};
use crate::git::Git;

/// How long all hits of a page together may take.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// The newest commit among the lines of a hit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blame {
    pub commit: String,
    pub author: String,
    pub email: String,
    /// Seconds since 1970.
    pub time: i64,
    /// Some of its lines are not committed yet.
    pub changed: bool,
    /// The history ends at this commit (a shallow clone), so the lines are of it or older.
    pub border: bool,
}

/// Asks git about each hit, as long as there is time. What is not committed has no answer.
pub(super) fn blame(git: &Git, root: &Path, found: &mut Found, cancel: &Cancel) -> Result<(), FindError> {
    let begun = Instant::now();
    let mut left = found.hits.len();
    for hit in &mut found.hits {
        cancel.check()?;
        let Some(time) = PATIENCE.checked_sub(begun.elapsed()).filter(|time| !time.is_zero()) else { break };
        hit.blame = of(&git.clone().with_patience(time), root, hit, cancel);
        left -= 1;
    }
    cancel.check()?;
    if left > 0 {
        let message = format!("git was too slow to say who wrote the last {left} results; ask for fewer");
        found.notes.push(Note { kind: "blame_cut", message });
    }
    Ok(())
}

fn of(git: &Git, root: &Path, hit: &Hit, cancel: &Cancel) -> Option<Blame> {
    let path = hit.path.absolute(Path::new(""));
    let lines = git.blame(root, &path, hit.lines.0..=hit.lines.1, cancel).ok()??;
    let changed = lines.iter().any(|line| line.by.is_none());
    let newest = lines.iter().filter_map(|line| line.by.as_deref()).max_by_key(|writer| writer.time);
    let newest = newest.map(|writer| Blame {
        commit: writer.commit.clone(),
        author: writer.author.clone(),
        email: writer.email.clone(),
        time: writer.time,
        changed,
        border: writer.border,
    });
    newest.or_else(|| changed.then(|| Blame { changed, ..Blame::default() }))
}
