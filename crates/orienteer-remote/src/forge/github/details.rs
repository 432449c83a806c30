//! Which comments, commits and files does a pull request on GitHub have?

use orienteer_base::Problem;
use orienteer_base::remote::{Change, ChangeComment, ChangeCommit, ChangeContent, ChangeFile, ChangeSearch};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::changes::User;
use super::request;
use crate::api::Request;
use crate::forge::repository::Repository;
use crate::forge::{CHANGES, Caller, chosen};

/// A page has a hundred rows. GitHub itself stops at 3,000 files and 250 commits.
const PAGES_OF_COMMENTS: usize = 10;
const PAGES_OF_COMMITS: usize = 3;
const PAGES_OF_FILES: usize = 30;

#[derive(Debug, Deserialize)]
struct Comment {
    user: Option<User>,
    author_association: Option<String>,
    body: Option<String>,
    created_at: Option<String>,
    path: Option<String>,
    line: Option<u64>,
    original_line: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Commit {
    sha: String,
    author: Option<User>,
    commit: Inner,
}

#[derive(Debug, Deserialize)]
struct Inner {
    message: String,
    author: Option<Signature>,
}

#[derive(Debug, Deserialize)]
struct Signature {
    name: Option<String>,
    date: Option<String>,
}

#[derive(Debug, Deserialize)]
struct File {
    filename: String,
    previous_filename: Option<String>,
    status: String,
    #[serde(default)]
    additions: u64,
    #[serde(default)]
    deletions: u64,
    patch: Option<String>,
}

/// The change with all that was asked for, and what of it is missing.
pub(super) async fn add_details(
    caller: &Caller,
    query: &ChangeSearch,
    mut change: Change,
) -> Result<(Change, Vec<String>), Problem> {
    let (owner, name) = change.repository.split_once('/').unwrap_or((&change.repository, ""));
    let repository = Repository::new(owner, name)?;
    let number = change.number;
    let mut notes = Vec::new();
    if query.with_comments {
        let path = format!("issues/{number}/comments");
        let (mut comments, more) = rows::<Comment>(caller, &repository, path, PAGES_OF_COMMENTS).await?;
        let path = format!("pulls/{number}/comments");
        let (on_lines, more_on_lines) = rows::<Comment>(caller, &repository, path, PAGES_OF_COMMENTS).await?;
        comments.extend(on_lines);
        if more || more_on_lines {
            notes.push(format!("#{number} has more comments than were read"));
        }
        let mut comments: Vec<ChangeComment> = comments.into_iter().map(comment).collect();
        comments.sort_by(|one, other| one.created_at.cmp(&other.created_at));
        change.comments = Some(comments);
    }
    if query.with_commits {
        let path = format!("pulls/{number}/commits");
        let (commits, more) = rows::<Commit>(caller, &repository, path, PAGES_OF_COMMITS).await?;
        if more || commits.len() >= 250 {
            notes.push(format!("#{number} has more commits than GitHub lists"));
        }
        change.commits = Some(commits.into_iter().map(commit).collect());
    }
    if query.content != ChangeContent::Metadata {
        let path = format!("pulls/{number}/files");
        let (files, more) = rows::<File>(caller, &repository, path, PAGES_OF_FILES).await?;
        if more || files.len() >= 3000 {
            notes.push(format!("#{number} has more files than GitHub lists"));
        }
        let files = files.into_iter().map(file).collect();
        let (files, missing) = chosen(files, &query.content);
        notes.extend(missing.into_iter().map(|name| format!("#{number} does not change `{name}`")));
        change.files = Some(files);
    }
    Ok((change, notes))
}

async fn rows<T: DeserializeOwned>(
    caller: &Caller,
    repository: &Repository,
    path: String,
    most: usize,
) -> Result<(Vec<T>, bool), Problem> {
    let asked = Request { fresh_for: CHANGES, ..request(caller, repository.path(&path)) };
    Ok(caller.pages(&asked.query("per_page", 100), most, |reply, _| reply.has_next()).await?)
}

fn comment(comment: Comment) -> ChangeComment {
    ChangeComment {
        author: comment.user.map_or_else(|| "ghost".to_owned(), |user| user.login),
        association: comment.author_association.map(|association| association.to_lowercase()),
        body: comment.body.unwrap_or_default(),
        created_at: comment.created_at,
        line: comment.line.or(comment.original_line),
        path: comment.path,
    }
}

fn commit(commit: Commit) -> ChangeCommit {
    let (name, date) = commit.commit.author.map_or((None, None), |author| (author.name, author.date));
    ChangeCommit {
        sha: commit.sha,
        message: commit.commit.message,
        author: commit.author.map(|user| user.login).or(name).unwrap_or_default(),
        date,
    }
}

fn file(file: File) -> ChangeFile {
    let changed = file.additions + file.deletions > 0;
    let patch_note = match (&file.patch, changed) {
        (Some(_), _) => None,
        (None, true) => Some("GitHub leaves this patch out: it is too large".to_owned()),
        (None, false) => Some("nothing to show: binary, or only renamed".to_owned()),
    };
    ChangeFile {
        filename: file.filename,
        previous: file.previous_filename,
        status: file.status,
        additions: file.additions,
        deletions: file.deletions,
        patch: file.patch,
        patch_note,
    }
}
