//! What was said and changed in a merge request?

use orienteer_base::Problem;
use orienteer_base::remote::{Change, ChangeComment, ChangeCommit, ChangeContent, ChangeFile, ChangeSearch};
use serde::Deserialize;

use super::changes::User;
use super::{PAGE, has_more};
use crate::api::{ApiError, Request};
use crate::forge::{CHANGES, Caller, chosen};

/// So many pages of a hundred are read at most.
const MOST_PAGES: usize = 30;

#[derive(Debug, Deserialize)]
struct Note {
    body: String,
    #[serde(default)]
    author: Option<User>,
    /// Written by GitLab itself: labels added, branches changed.
    #[serde(default)]
    system: bool,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    position: Option<Position>,
}

#[derive(Debug, Deserialize)]
struct Position {
    #[serde(default)]
    new_path: Option<String>,
    #[serde(default)]
    old_path: Option<String>,
    #[serde(default)]
    new_line: Option<u64>,
    #[serde(default)]
    old_line: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Commit {
    id: String,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    author_name: Option<String>,
    #[serde(default)]
    authored_date: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Diff {
    old_path: String,
    new_path: String,
    #[serde(default)]
    diff: String,
    #[serde(default)]
    new_file: bool,
    #[serde(default)]
    renamed_file: bool,
    #[serde(default)]
    deleted_file: bool,
    #[serde(default)]
    too_large: Option<bool>,
    #[serde(default)]
    collapsed: Option<bool>,
}

/// The older answer, which has all differences in one.
#[derive(Debug, Deserialize)]
struct Changes {
    changes: Vec<Diff>,
    /// Whether there are others, which are held back.
    #[serde(default)]
    overflow: Option<bool>,
}

/// The change with what was asked for, and what of it is missing.
pub(super) async fn details(
    caller: &Caller,
    query: &ChangeSearch,
    project: u64,
    number: u64,
    mut change: Change,
) -> Result<(Change, Vec<String>), Problem> {
    let request = |below: &str| {
        let path = format!("projects/{project}/merge_requests/{number}/{below}");
        Request { fresh_for: CHANGES, max_bytes: 32 << 20, ..caller.request(path) }
    };
    let paged = |below: &str| request(below).query("per_page", PAGE);
    let mut notes = Vec::new();
    let mut cut = |more: bool, what: &str| {
        if more {
            notes.push(format!("!{number} has more than {} {what}, which were not read", MOST_PAGES * PAGE));
        }
    };
    if query.with_comments {
        let asked = paged("notes").query("sort", "asc").query("order_by", "created_at");
        let (comments, more) = caller.pages::<Note>(&asked, MOST_PAGES, |reply, _| has_more(reply)).await?;
        cut(more, "comments");
        change.comments = Some(comments.into_iter().filter(|note| !note.system).map(comment).collect());
    }
    if query.with_commits {
        let asked = paged("commits");
        let (commits, more) = caller.pages::<Commit>(&asked, MOST_PAGES, |reply, _| has_more(reply)).await?;
        cut(more, "commits");
        change.commits = Some(commits.into_iter().map(commit).collect());
    }
    if query.content != ChangeContent::Metadata {
        let (told, more) = diffs(caller, &paged("diffs"), &request("changes")).await?;
        cut(more, "files");
        if told.overflow == Some(true) {
            notes.push(format!("!{number} changes more files than GitLab tells"));
        }
        let (files, missing) = chosen(told.changes.into_iter().map(file).collect(), &query.content);
        notes.extend(missing.into_iter().map(|name| format!("!{number} does not change `{name}`")));
        change.files = Some(files);
    }
    Ok((change, notes))
}

/// The differences by pages, or at once from a server that does not know pages of them.
async fn diffs(caller: &Caller, paged: &Request, at_once: &Request) -> Result<(Changes, bool), ApiError> {
    match caller.pages::<Diff>(paged, MOST_PAGES, |reply, _| has_more(reply)).await {
        Ok((changes, more)) => Ok((Changes { changes, overflow: None }, more)),
        Err(error) if error.status() == Some(404) => Ok((caller.json(at_once).await?, false)),
        Err(error) => Err(error),
    }
}

fn comment(note: Note) -> ChangeComment {
    let (path, line) = note
        .position
        .map_or((None, None), |place| (place.new_path.or(place.old_path), place.new_line.or(place.old_line)));
    ChangeComment {
        author: note.author.map(|user| user.username).unwrap_or_default(),
        association: None,
        body: note.body,
        created_at: note.created_at,
        path,
        line,
    }
}

fn commit(commit: Commit) -> ChangeCommit {
    ChangeCommit {
        sha: commit.id,
        message: commit.message.or(commit.title).unwrap_or_default(),
        author: commit.author_name.unwrap_or_default(),
        date: commit.authored_date.or(commit.created_at),
    }
}

fn file(diff: Diff) -> ChangeFile {
    let status = match (diff.new_file, diff.deleted_file, diff.renamed_file) {
        (true, ..) => "added",
        (_, true, _) => "removed",
        (.., true) => "renamed",
        _ => "modified",
    };
    let count = |sign: char, header: &str| {
        let lines = diff.diff.lines();
        lines.filter(|line| line.starts_with(sign) && !line.starts_with(header)).count() as u64
    };
    let (additions, deletions) = (count('+', "+++ "), count('-', "--- "));
    let patch_note = match () {
        () if diff.too_large == Some(true) => {
            Some("GitLab does not show this patch: it is too large".to_owned())
        }
        () if diff.collapsed == Some(true) && diff.diff.is_empty() => {
            Some("GitLab does not show this patch here: the change has too many of them".to_owned())
        }
        () if diff.diff.is_empty() => Some("no text was changed".to_owned()),
        () => None,
    };
    ChangeFile {
        previous: (diff.old_path != diff.new_path).then_some(diff.old_path),
        filename: diff.new_path,
        status: status.to_owned(),
        additions,
        deletions,
        patch: (!diff.diff.is_empty()).then_some(diff.diff),
        patch_note,
    }
}
