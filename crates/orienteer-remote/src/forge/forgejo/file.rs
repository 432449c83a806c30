//! What stands in a file on Forgejo?

use std::time::Duration;

use orienteer_base::Problem;
use orienteer_base::remote::{RemoteFile, RemoteFileQuery};
use serde::Deserialize;

use super::{User, commit, request};
use crate::api::{FOREVER, Request};
use crate::forge::contents::{Dialect, read, wanted};
use crate::forge::repository::Repository;
use crate::forge::{Caller, FILES};
use crate::path;

/// Content comes along with a description up to ten megabytes, as it is usually configured.
const DIALECT: Dialect = Dialect { request, raw: "raw", raw_accept: "*/*", most_of_a_description: 12 << 20 };

pub async fn read_file(caller: &Caller, query: &RemoteFileQuery) -> Result<RemoteFile, Problem> {
    let repository = Repository::new(&query.repo.owner, &query.repo.repo)?;
    wanted(query)?;
    let mut fresh_for = FILES;
    let mut read = loop {
        let pinned = commit(caller, &repository, &query.repo, fresh_for).await?;
        let read = read(caller, DIALECT, &repository, &pinned.commit, query).await;
        if !pinned.may_have_moved(&read) {
            break read?;
        }
        fresh_for = Duration::ZERO;
    };
    if let Some(last) = read.last_commit {
        read.file.last_author = author(caller, &repository, &last).await;
    }
    Ok(read.file)
}

/// Who made a commit. Nobody misses it where it is not known.
async fn author(caller: &Caller, repository: &Repository, commit: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Commit {
        author: Option<User>,
        commit: Inner,
    }
    #[derive(Deserialize)]
    struct Inner {
        author: Option<Name>,
    }
    #[derive(Deserialize)]
    struct Name {
        name: String,
    }
    let path = repository.path(&format!("git/commits/{}", path::segment(commit)));
    let asked = request(caller, path).query("stat", false).query("verification", false).query("files", false);
    let found: Commit = caller.json(&Request { fresh_for: FOREVER, ..asked }).await.ok()?;
    found.author.map(|user| user.login).or(found.commit.author.map(|author| author.name))
}
