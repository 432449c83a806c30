//! Which files and folders does a repository have, where a forge shows git's trees as GitHub does?
//!
//! Large trees are cut off. Then the folders are asked for one by one, those that are cut off again in the same way,
//! until everything is there or too much has been asked.

use orienteer_base::remote::{EntryKind, RemoteTree, RemoteTreeQuery, TreeEntry};
use orienteer_base::{ErrorKind, Problem};
use serde::Deserialize;
use tokio::task::JoinSet;

use super::Caller;
use super::listing::{finish, kind};
use super::repository::{Repository, spelled};
use crate::api::{ApiError, FOREVER, Request};
use crate::path;

/// GitHub itself stops at seven megabytes.
const MOST_OF_A_TREE: usize = 32 << 20;
const MOST_REQUESTS: usize = 200;
const SIDE_BY_SIDE: usize = 6;
/// Where trees come in pages.
const PAGE: usize = 1000;
const MOST_PAGES: usize = 50;

#[derive(Debug, Default, Deserialize)]
struct Tree {
    url: Option<String>,
    /// Some write null for nothing.
    tree: Option<Vec<Item>>,
    #[serde(default)]
    truncated: bool,
    total_count: Option<u64>,
}

impl Tree {
    fn items(&self) -> &[Item] {
        self.tree.as_deref().unwrap_or_default()
    }
}

#[derive(Debug, Deserialize)]
struct Item {
    path: String,
    mode: String,
    #[serde(rename = "type")]
    kind: String,
    sha: Option<String>,
    size: Option<u64>,
}

/// A folder that must be asked for.
#[derive(Debug, Clone)]
struct Folder {
    /// From the root of the repository; empty for the root.
    path: String,
    sha: String,
    /// How many levels of it are wanted.
    levels: usize,
}

/// What is different from forge to forge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// A request as this forge wants it.
    pub(crate) request: fn(&Caller, String) -> Request,
    /// Whether trees come in pages, instead of as much as there is room for.
    pub(crate) paged: bool,
}

/// Everything that was asked for, at a commit.
pub(crate) async fn list(
    caller: &Caller,
    dialect: Dialect,
    repository: &Repository,
    commit: &str,
    query: &RemoteTreeQuery,
) -> Result<RemoteTree, Problem> {
    let at = Place { caller: caller.clone(), dialect, repository: repository.clone() };
    let (start, name) = at.find(commit, &path::parts(&query.path)?, query.depth).await?;
    let (entries, incomplete) = at.walk(start).await?;
    let name = name.unwrap_or_else(|| repository.full_name());
    Ok(finish(entries, query, incomplete, caller.provenance(Some(name), Some(commit.to_owned()))))
}

#[derive(Debug, Clone)]
struct Place {
    caller: Caller,
    dialect: Dialect,
    repository: Repository,
}

impl Place {
    /// Goes down to the folder, one level after the other: only trees themselves have addresses that never change.
    async fn find(
        &self,
        commit: &str,
        parts: &[&str],
        levels: usize,
    ) -> Result<(Folder, Option<String>), Problem> {
        let mut at = Folder { path: String::new(), sha: commit.to_owned(), levels };
        let mut name = None;
        for part in parts {
            let here = self.ask(&at.sha, false).await?;
            name = name.or(spelled(here.url.as_deref()));
            let below = if at.path.is_empty() { (*part).to_owned() } else { format!("{}/{part}", at.path) };
            let found = here.items().iter().find(|item| item.path == *part);
            let folder = found.filter(|item| kind(&item.mode, &item.kind) == EntryKind::Directory);
            let Some(sha) = folder.and_then(|item| item.sha.clone()) else {
                return Err(missing(&below, &at, found, &here));
            };
            at = Folder { path: below, sha, levels };
        }
        Ok((at, name))
    }

    /// Everything below a folder, as deep as it is wanted; and what is missing.
    async fn walk(&self, start: Folder) -> Result<(Vec<TreeEntry>, Option<String>), Problem> {
        let (mut entries, mut open, mut asked) = (Vec::new(), vec![start], 0);
        let mut running = JoinSet::new();
        let mut left_out = 0;
        loop {
            while running.len() < SIDE_BY_SIDE
                && let Some(folder) = open.pop()
            {
                if asked >= MOST_REQUESTS {
                    left_out += 1;
                    continue;
                }
                asked += 1;
                let place = self.clone();
                running.spawn(async move { place.expand(folder).await });
            }
            let Some(done) = running.join_next().await else { break };
            let (found, more) = done.map_err(|_| ApiError::Abandoned)??;
            entries.extend(found);
            open.extend(more);
        }
        let incomplete = (left_out > 0).then(|| {
        format!(
            "the repository is so large that {left_out} folders were not listed after {MOST_REQUESTS} requests; ask for a \
             folder, or for fewer levels"
        )
    });
        Ok((entries, incomplete))
    }

    /// What is in a folder: all its levels at once, or, where GitHub cuts that off, its own and the folders to go on with.
    async fn expand(&self, folder: Folder) -> Result<(Vec<TreeEntry>, Vec<Folder>), Problem> {
        let deep = folder.levels > 1;
        let all = self.ask(&folder.sha, deep).await?;
        if !(deep && all.truncated) {
            let entries =
                all.tree.into_iter().flatten().filter(|item| item.path.split('/').count() <= folder.levels);
            return Ok((entries.map(|item| entry(&folder, item)).collect(), Vec::new()));
        }
        let own = self.ask(&folder.sha, false).await?;
        let entries: Vec<TreeEntry> =
            own.tree.into_iter().flatten().map(|item| entry(&folder, item)).collect();
        let below = entries.iter().filter(|entry| entry.kind == EntryKind::Directory);
        let below = below.filter_map(|entry| {
            Some(Folder { path: entry.path.clone(), sha: entry.sha.clone()?, levels: folder.levels - 1 })
        });
        let below = below.collect();
        Ok((entries, below))
    }

    /// One tree. What comes in pages is put together; where that ends too early, it is marked as cut off.
    async fn ask(&self, sha: &str, deep: bool) -> Result<Tree, Problem> {
        let path = self.repository.path(&format!("git/trees/{}", path::segment(sha)));
        let asked = (self.dialect.request)(&self.caller, path);
        let mut asked = Request { max_bytes: MOST_OF_A_TREE, fresh_for: FOREVER, ..asked };
        if deep {
            asked = asked.query("recursive", 1);
        }
        if !self.dialect.paged {
            return Ok(self.caller.json(&asked).await?);
        }
        let asked = asked.query("per_page", PAGE);
        let mut all = Tree::default();
        for page in 1..=MOST_PAGES {
            let more: Tree = self.caller.json(&asked.clone().query("page", page)).await?;
            let rows = more.tree.unwrap_or_default();
            let empty = rows.is_empty();
            let known = all.tree.get_or_insert_default();
            known.extend(rows);
            all.url = all.url.or(more.url);
            // The last page may say that it is cut off when it is full, so the count decides where there is one.
            let done = more.total_count.map_or(!more.truncated, |total| known.len() as u64 >= total);
            if done || empty {
                return Ok(all);
            }
        }
        all.truncated = true;
        Ok(all)
    }
}

fn missing(path: &str, above: &Folder, found: Option<&Item>, here: &Tree) -> Problem {
    if let Some(item) = found {
        let what = match kind(&item.mode, &item.kind) {
            EntryKind::Submodule => "a submodule, which is a repository of its own",
            EntryKind::Symlink => "a link",
            EntryKind::File | EntryKind::Directory => "a file",
        };
        return Problem::invalid("path", "not_a_directory", format!("`{path}` is {what}, not a folder"));
    }
    let folders = here.items().iter().filter(|item| kind(&item.mode, &item.kind) == EntryKind::Directory);
    let place = if above.path.is_empty() { "the root of the repository" } else { above.path.as_str() };
    Problem::new(ErrorKind::NotFound, format!("there is no `{path}`; {place} has other folders"))
        .field("path")
        .candidates(folders.take(20).map(|item| item.path.clone()).collect())
}

fn entry(folder: &Folder, item: Item) -> TreeEntry {
    let path = if folder.path.is_empty() { item.path } else { format!("{}/{}", folder.path, item.path) };
    TreeEntry { path, kind: kind(&item.mode, &item.kind), size: item.size, sha: item.sha }
}
