//! What does Forgejo say? Gitea, which it comes from, says the same.

mod changes;
mod details;
mod diff;
mod file;
mod repositories;
mod tree;

use std::time::Duration;

use orienteer_base::remote::{CodeHit, CodeSearch, Page, RepoRef};
use orienteer_base::{ErrorKind, Problem};
use serde::Deserialize;

pub use self::changes::search_changes;
pub use self::file::read_file;
pub use self::repositories::search_repositories;
pub use self::tree::tree;
use super::repository::Repository;
use super::{Caller, Pinned};
use crate::api::{ApiError, Reply, Request};
use crate::path;
use crate::reference::{checked, is_commit};

/// The most rows that a page may have unless somebody configured it otherwise.
const PAGE: usize = 50;

fn request(caller: &Caller, path: String) -> Request {
    caller.request(path)
}

/// There is no such question to Forgejo. An empty list would say that nothing was found.
pub async fn search_code(caller: &Caller, query: &CodeSearch) -> Result<Page<CodeHit>, Problem> {
    let place = match (&query.owner, &query.repo) {
        (Some(owner), Some(repo)) => format!("list the tree of {owner}/{repo}"),
        _ => "search repositories, list the tree of one".to_owned(),
    };
    let message = format!(
        "{} runs Forgejo or Gitea, whose API cannot search code; {place} and read files with a match, or clone the \
         repository and search there",
        caller.host.name
    );
    Err(Problem::new(ErrorKind::Unsupported, message)
        .detail("code_search")
        .fact("host", caller.host.name.clone()))
}

/// The commit that a reference means now.
async fn commit(
    caller: &Caller,
    repository: &Repository,
    wanted: &RepoRef,
    fresh_for: Duration,
) -> Result<Pinned, Problem> {
    #[derive(Deserialize)]
    struct Commit {
        sha: String,
    }
    let reference = match wanted.reference.as_deref() {
        Some(text) => checked(text)?,
        None => "HEAD",
    };
    if is_commit(reference) {
        return Ok(Pinned::exactly(reference));
    }
    let path = repository.path(&format!("git/commits/{}", path::segment(reference)));
    // Only its name is wanted; the rest would be worked out for nothing.
    let asked = request(caller, path).query("stat", false).query("verification", false).query("files", false);
    let answered = caller.get(&Request { fresh_for, ..asked }).await;
    let reply = answered.map_err(|error| no_reference(error, reference, repository, wanted))?;
    let found: Commit = reply.json()?;
    if !is_commit(&found.sha) {
        return Err(reply.unreadable("it names no commit").into());
    }
    Ok(Pinned::by(&reply, found.sha))
}

/// Forgejo repeats the reference where it does not know that one, and says something else where the repository is unknown.
fn no_reference(error: ApiError, reference: &str, repository: &Repository, wanted: &RepoRef) -> Problem {
    match &error {
        ApiError::Refused { status: 404, message, .. } if message == reference => {
            let name = repository.full_name();
            let message = match wanted.reference {
                Some(_) => format!("`{reference}` is neither a branch nor a tag nor a commit of {name}"),
                None => format!("{name} is empty: it has no commit yet"),
            };
            Problem::new(ErrorKind::NotFound, message).field("reference")
        }
        _ => error.into(),
    }
}

/// Whether there are rows after this page: by the header of some questions, by the count of others. How many rows fit on
/// a page is configured by who runs the forge, so those that came are counted.
fn has_more(reply: &Reply, before: usize, rows: usize) -> bool {
    if let Some(more) = reply.header("x-hasmore") {
        return more == "true" && rows > 0;
    }
    let total = reply.header("x-total-count").and_then(|total| total.parse::<usize>().ok());
    rows > 0 && total.map_or_else(|| reply.has_next(), |total| before.saturating_add(rows) < total)
}

#[derive(Debug, Deserialize)]
struct User {
    login: String,
}
