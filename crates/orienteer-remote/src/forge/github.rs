//! What does GitHub say? Its REST API, version 3, on github.com and on Enterprise Server.

mod changes;
mod code;
mod details;
mod file;
mod repositories;
mod tree;

use std::time::Duration;

use orienteer_base::Problem;
use orienteer_base::remote::RepoRef;

pub use self::changes::search_changes;
pub use self::code::search_code;
pub use self::file::read_file;
pub use self::repositories::search_repositories;
pub use self::tree::tree;
use super::repository::Repository;
use super::{Caller, Pinned};
use crate::api::{Expected, Reply, Request};
use crate::path;
use crate::reference::{checked, is_commit};

const VERSION: (&str, &str) = ("X-GitHub-Api-Version", "2022-11-28");
const JSON: &str = "application/vnd.github+json";
const RAW: &str = "application/vnd.github.raw+json";
const SHA: &str = "application/vnd.github.sha";
const TEXT_MATCHES: &str = "application/vnd.github.text-match+json";

fn request(caller: &Caller, path: String) -> Request {
    Request { accept: JSON, headers: vec![VERSION], ..caller.request(path) }
}

/// The commit that a reference means now.
async fn commit(
    caller: &Caller,
    repository: &Repository,
    wanted: &RepoRef,
    fresh_for: Duration,
) -> Result<Pinned, Problem> {
    let reference = match wanted.reference.as_deref() {
        Some(text) => checked(text)?,
        None => "HEAD",
    };
    if is_commit(reference) {
        return Ok(Pinned::exactly(reference));
    }
    let path = repository.path(&format!("commits/{}", path::segment(reference)));
    let asked = Request { accept: SHA, expected: Expected::Bytes, fresh_for, ..request(caller, path) };
    let answered = caller.get(&asked).await;
    let reply = match answered {
        Ok(reply) => reply,
        // GitHub says "No commit found for SHA" for a branch that does not exist, and 409 for an empty repository.
        Err(error) if error.status() == Some(422) => {
            let name = repository.full_name();
            let message = format!("`{reference}` is neither a branch nor a tag nor a commit of {name}");
            return Err(Problem::new(orienteer_base::ErrorKind::NotFound, message).field("reference"));
        }
        Err(error) if error.status() == Some(409) => {
            let message = format!("{} is empty: it has no commit yet", repository.full_name());
            return Err(Problem::new(orienteer_base::ErrorKind::NotFound, message));
        }
        Err(error) => return Err(error.into()),
    };
    match named(&reply) {
        Some(commit) => Ok(Pinned::by(&reply, commit)),
        None => Err(reply.unreadable("it names no commit").into()),
    }
}

/// The commit in an answer: alone, or in a description of it, where a server does not know the short form.
fn named(reply: &Reply) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Commit {
        sha: String,
    }
    let text = std::str::from_utf8(&reply.body).ok()?.trim();
    let sha = if is_commit(text) { text.to_owned() } else { reply.json::<Commit>().ok()?.sha };
    is_commit(&sha).then(|| sha.to_ascii_lowercase())
}
