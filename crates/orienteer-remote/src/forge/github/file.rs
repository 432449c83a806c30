//! What stands in a file on GitHub?

use std::time::Duration;

use orienteer_base::Problem;
use orienteer_base::remote::{RemoteFile, RemoteFileQuery};
use serde::Deserialize;

use super::{RAW, commit, request};
use crate::api::{FOREVER, Request};
use crate::forge::contents::{Dialect, read, wanted};
use crate::forge::repository::Repository;
use crate::forge::{Caller, FILES};

/// Content comes along with a description up to a megabyte.
const DIALECT: Dialect =
    Dialect { request, raw: "contents", raw_accept: RAW, most_of_a_description: 2 << 20 };

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
    let commit = read.file.from.commit.as_deref().unwrap_or_default();
    read.file.last_author = last_author(caller, &repository, &read.at, commit).await;
    Ok(read.file)
}

/// Who changed it last. That costs a request, which those without a token have few of; and nobody misses it.
async fn last_author(caller: &Caller, repository: &Repository, at: &str, commit: &str) -> Option<String> {
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
    struct User {
        login: String,
    }
    #[derive(Deserialize)]
    struct Name {
        name: String,
    }
    if !caller.has_token() {
        return None;
    }
    let asked = request(caller, repository.path("commits")).query("sha", commit).query("path", at);
    let commits: Vec<Commit> =
        caller.json(&Request { fresh_for: FOREVER, ..asked.query("per_page", 1) }).await.ok()?;
    let last = commits.into_iter().next()?;
    last.author.map(|user| user.login).or(last.commit.author.map(|author| author.name))
}
