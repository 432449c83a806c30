//! Which comments, commits and files does a pull request on Forgejo have?

use orienteer_base::Problem;
use orienteer_base::remote::{Change, ChangeComment, ChangeCommit, ChangeContent, ChangeFile, ChangeSearch};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::diff::patches;
use super::{PAGE, User, has_more, request};
use crate::api::{ApiError, Expected, Request};
use crate::forge::repository::Repository;
use crate::forge::{CHANGES, Caller, chosen};

const MOST_PAGES: usize = 20;
/// Each review is asked for its comments.
const MOST_REVIEWS: usize = 50;
const MOST_OF_A_DIFF: usize = 16 << 20;

#[derive(Debug, Deserialize)]
struct Comment {
    user: Option<User>,
    original_author: Option<String>,
    body: Option<String>,
    created_at: Option<String>,
    path: Option<String>,
    position: Option<u64>,
    original_position: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Review {
    id: u64,
    user: Option<User>,
    body: Option<String>,
    submitted_at: Option<String>,
    #[serde(default)]
    comments_count: u64,
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
}

/// The change with all that was asked for, and what of it is missing.
pub(super) async fn add_details(
    caller: &Caller,
    query: &ChangeSearch,
    mut change: Change,
) -> Result<(Change, Vec<String>), Problem> {
    let (owner, name) = change.repository.split_once('/').unwrap_or((&change.repository, ""));
    let repository = Repository::new(owner, name)?;
    let mut asking = Asking { caller, repository, number: change.number, notes: Vec::new() };
    if query.with_comments {
        change.comments = Some(asking.comments().await?);
    }
    if query.with_commits {
        change.commits = Some(asking.commits().await?);
    }
    if query.content != ChangeContent::Metadata {
        change.files = Some(asking.files(&query.content).await?);
    }
    Ok((change, asking.notes))
}

struct Asking<'a> {
    caller: &'a Caller,
    repository: Repository,
    number: u64,
    notes: Vec<String>,
}

impl Asking<'_> {
    async fn rows<T: DeserializeOwned>(&mut self, path: &str, what: &str) -> Result<Vec<T>, ApiError> {
        let asked = request(self.caller, self.repository.path(path)).query("limit", PAGE);
        let asked = Request { fresh_for: CHANGES, ..asked };
        let mut rows = Vec::new();
        for page in 1..=MOST_PAGES {
            let reply = self.caller.get(&asked.clone().query("page", page)).await?;
            let found: Option<Vec<T>> = reply.json()?;
            let found = found.unwrap_or_default();
            let more = has_more(&reply, rows.len(), found.len());
            rows.extend(found);
            if !more {
                return Ok(rows);
            }
        }
        self.notes.push(format!("#{} has more {what} than were read", self.number));
        Ok(rows)
    }

    /// Those below the change, those of reviews, and those that reviews have on lines.
    async fn comments(&mut self) -> Result<Vec<ChangeComment>, Problem> {
        let number = self.number;
        let below: Vec<Comment> = self.rows(&format!("issues/{number}/comments"), "comments").await?;
        let mut comments: Vec<ChangeComment> = below.into_iter().map(comment).collect();
        let reviews: Vec<Review> = self.rows(&format!("pulls/{number}/reviews"), "reviews").await?;
        if reviews.len() > MOST_REVIEWS {
            self.notes.push(format!("#{number} has more reviews than were read"));
        }
        for review in reviews.into_iter().take(MOST_REVIEWS) {
            if review.comments_count > 0 {
                let path = format!("pulls/{number}/reviews/{}/comments", review.id);
                let on_lines: Vec<Comment> = self.rows(&path, "comments").await?;
                comments.extend(on_lines.into_iter().map(comment));
            }
            if let Some(body) = review.body.filter(|body| !body.is_empty()) {
                let author = review.user.map_or_else(|| "ghost".to_owned(), |user| user.login);
                let created_at = review.submitted_at;
                comments.push(ChangeComment {
                    author,
                    association: None,
                    body,
                    created_at,
                    path: None,
                    line: None,
                });
            }
        }
        comments.sort_by(|one, other| one.created_at.cmp(&other.created_at));
        Ok(comments)
    }

    async fn commits(&mut self) -> Result<Vec<ChangeCommit>, Problem> {
        let commits: Vec<Commit> = self.rows(&format!("pulls/{}/commits", self.number), "commits").await?;
        Ok(commits.into_iter().map(commit).collect())
    }

    /// Patches are only in the diff of the whole.
    async fn files(&mut self, content: &ChangeContent) -> Result<Vec<ChangeFile>, Problem> {
        let number = self.number;
        let files: Vec<File> = self.rows(&format!("pulls/{number}/files"), "files").await?;
        let asked = Request {
            accept: "text/plain",
            expected: Expected::Bytes,
            fresh_for: CHANGES,
            max_bytes: MOST_OF_A_DIFF,
            ..request(self.caller, self.repository.path(&format!("pulls/{number}.diff")))
        };
        let (diff, why) = match self.caller.get(&asked).await {
            Ok(reply) => (
                String::from_utf8_lossy(&reply.body).into_owned(),
                "nothing to show: binary, or only renamed",
            ),
            Err(ApiError::TooLarge { .. }) => (String::new(), "the whole diff is too large to be read"),
            Err(error) => return Err(error.into()),
        };
        let mut patches = patches(&diff);
        let files = files.into_iter().map(|row| {
            let at = patches.iter().position(|(name, _)| *name == row.filename);
            let patch = at.and_then(|at| patches.swap_remove(at).1);
            file(row, patch, why)
        });
        let (files, missing) = chosen(files.collect(), content);
        self.notes.extend(missing.into_iter().map(|name| format!("#{number} does not change `{name}`")));
        Ok(files)
    }
}

fn comment(comment: Comment) -> ChangeComment {
    let imported = comment.original_author.filter(|author| !author.is_empty());
    let author = imported.or(comment.user.map(|user| user.login));
    ChangeComment {
        author: author.unwrap_or_else(|| "ghost".to_owned()),
        association: None,
        body: comment.body.unwrap_or_default(),
        created_at: comment.created_at,
        line: comment
            .position
            .filter(|line| *line > 0)
            .or(comment.original_position.filter(|line| *line > 0)),
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

fn file(file: File, patch: Option<String>, why: &str) -> ChangeFile {
    let status = match file.status.as_str() {
        "changed" => "modified",
        "deleted" => "removed",
        other => other,
    };
    ChangeFile {
        filename: file.filename,
        previous: file.previous_filename,
        status: status.to_owned(),
        additions: file.additions,
        deletions: file.deletions,
        patch_note: patch.is_none().then(|| why.to_owned()),
        patch,
    }
}
