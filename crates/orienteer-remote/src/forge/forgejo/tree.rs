//! Which files and folders does a repository on Forgejo have?

use std::time::Duration;

use orienteer_base::Problem;
use orienteer_base::remote::{RemoteTree, RemoteTreeQuery};

use super::{commit, request};
use crate::forge::listing::check;
use crate::forge::repository::Repository;
use crate::forge::trees::{Dialect, list};
use crate::forge::{Caller, FILES};

const DIALECT: Dialect = Dialect { request, paged: true };

pub async fn tree(caller: &Caller, query: &RemoteTreeQuery) -> Result<RemoteTree, Problem> {
    check(query)?;
    let repository = Repository::new(&query.repo.owner, &query.repo.repo)?;
    let mut fresh_for = FILES;
    loop {
        let pinned = commit(caller, &repository, &query.repo, fresh_for).await?;
        let listed = list(caller, DIALECT, &repository, &pinned.commit, query).await;
        if !pinned.may_have_moved(&listed) {
            return listed;
        }
        fresh_for = Duration::ZERO;
    }
}
