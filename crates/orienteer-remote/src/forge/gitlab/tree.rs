//! Which files and folders does a project on GitLab have?

use std::collections::HashSet;
use std::time::Duration;

use orienteer_base::Problem;
use orienteer_base::remote::{EntryKind, RemoteTree, RemoteTreeQuery, TreeEntry};
use reqwest::Url;
use serde::Deserialize;

use super::{Known, PAGE, Project, commit, known, pinned};
use crate::api::{ApiError, Reply};
use crate::forge::{Caller, FILES, listing};
use crate::path;

/// Twenty thousand entries; who wants more asks for a folder.
const MOST_PAGES: usize = 200;

#[derive(Debug, Deserialize)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) path: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    mode: String,
}

impl Item {
    pub(super) fn kind(&self) -> EntryKind {
        listing::kind(&self.mode, &self.kind)
    }
}

pub async fn tree(caller: &Caller, query: &RemoteTreeQuery) -> Result<RemoteTree, Problem> {
    listing::check(query)?;
    let project = Project::new(&query.repo.owner, &query.repo.repo)?;
    let known = known(caller, &project).await?;
    let mut fresh_for = FILES;
    loop {
        let pinned = commit(caller, &project, &known, &query.repo, fresh_for).await?;
        let listed = list(caller, &project, &known, &pinned.commit, query).await;
        if !pinned.may_have_moved(&listed) {
            return listed;
        }
        fresh_for = Duration::ZERO;
    }
}

async fn list(
    caller: &Caller,
    project: &Project,
    known: &Known,
    commit: &str,
    query: &RemoteTreeQuery,
) -> Result<RemoteTree, Problem> {
    let folder = path::parts(&query.path)?.join("/");
    let listed = items(caller, project, &folder, commit, query.depth > 1).await;
    let (items, incomplete) = listed.map_err(|error| {
        let missing = error.status() == Some(404);
        let problem = Problem::from(error);
        if missing {
            let message =
                format!("there is no folder `{folder}` in {} at {commit}", known.path_with_namespace);
            return Problem { message, ..problem }.field("path");
        }
        problem
    })?;
    let base = if folder.is_empty() { 0 } else { folder.split('/').count() };
    let entries = items
        .into_iter()
        .filter(|item| item.path.split('/').count() <= base + query.depth)
        .map(|item| TreeEntry { kind: item.kind(), path: item.path, size: None, sha: Some(item.id) })
        .collect();
    let from = caller.provenance(Some(known.path_with_namespace.clone()), Some(commit.to_owned()));
    Ok(listing::finish(entries, query, incomplete, from))
}

/// Everything in a folder, page after page, and why that is not all. Where the next page begins is told with each.
pub(super) async fn items(
    caller: &Caller,
    project: &Project,
    folder: &str,
    commit: &str,
    recursive: bool,
) -> Result<(Vec<Item>, Option<String>), ApiError> {
    let first = pinned(caller.request(project.path("repository/tree")));
    let mut first = first.query("ref", commit).query("per_page", PAGE).query("pagination", "keyset");
    if !folder.is_empty() {
        first = first.query("path", folder);
    }
    if recursive {
        first = first.query("recursive", "true");
    }
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    let mut token: Option<(&'static str, String)> = None;
    for _ in 0..MOST_PAGES {
        let mut asked = first.clone();
        if let Some((name, value)) = &token {
            asked = asked.query(name, value);
        }
        let reply = caller.get(&asked).await?;
        let before = all.len();
        let page = reply.json::<Vec<Item>>()?;
        all.extend(page.into_iter().filter(|item| seen.insert(item.path.clone())));
        token = next(&reply);
        if token.is_none() {
            return Ok((all, None));
        }
        // Tokens may repeat, because they are names; pages may not.
        if all.len() == before {
            let reason = format!("{} sends the same page again and again", caller.host.name);
            return Ok((all, Some(reason)));
        }
    }
    let reason = format!("there are more than {} entries; list a folder, or less deep", MOST_PAGES * PAGE);
    Ok((all, Some(reason)))
}

/// What the next page is asked with: a token, or a number where the server does not know tokens.
fn next(reply: &Reply) -> Option<(&'static str, String)> {
    let link = reply.header("link").unwrap_or_default();
    let next = link.split(',').find(|link| link.contains("rel=\"next\""));
    let address = next.and_then(|link| link.split_once('<')?.1.split_once('>').map(|(url, _)| url));
    if let Some(url) = address.and_then(|url| Url::parse(url).ok()) {
        let value = |wanted: &str| {
            url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
        };
        if let Some(token) = value("page_token").filter(|token| !token.is_empty()) {
            return Some(("page_token", token));
        }
        if let Some(page) = value("page") {
            return Some(("page", page));
        }
    }
    let page = reply.header("x-next-page").map(str::trim).filter(|page| !page.is_empty())?;
    Some(("page", page.to_owned()))
}
