//! What does GitLab say? Its REST API, version 4, on gitlab.com and on hosts of one's own.

mod changes;
mod code;
mod details;
mod file;
mod range;
mod repositories;
mod tree;

use std::time::Duration;

use orienteer_base::remote::RepoRef;
use orienteer_base::{ErrorKind, Problem};
use serde::Deserialize;

pub use self::changes::search_changes;
pub use self::code::search_code;
pub use self::file::read_file;
pub use self::repositories::search_repositories;
pub use self::tree::tree;
use super::{Caller, FILES, Pinned};
use crate::api::{FOREVER, Reply, Request};
use crate::path;
use crate::reference::{checked, is_commit};

/// As many rows as GitLab puts on a page.
const PAGE: usize = 100;

/// A project's place among groups and subgroups, checked and not yet encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Project {
    full_name: String,
}

impl Project {
    /// The owner may be a path of groups. Who copied it from an address of the API has slashes encoded already.
    fn new(owner: &str, repo: &str) -> Result<Self, Problem> {
        let group = group(owner)?;
        let name = path::name("repo", repo)?;
        let name = name.strip_suffix(".git").filter(|name| !name.is_empty()).unwrap_or(name);
        Ok(Self { full_name: format!("{group}/{name}") })
    }

    /// Encoded once: GitLab takes the whole path as one part of the address.
    fn path(&self, below: &str) -> String {
        let project = path::segment(&self.full_name);
        if below.is_empty() { format!("projects/{project}") } else { format!("projects/{project}/{below}") }
    }
}

/// The path of a group, or the name of a user.
fn group(owner: &str) -> Result<String, Problem> {
    let plain = owner.trim().replace("%2F", "/").replace("%2f", "/");
    let parts: Vec<&str> = plain.split('/').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return path::name("owner", owner).map(str::to_owned);
    }
    for part in &parts {
        path::name("owner", part)?;
    }
    Ok(parts.join("/"))
}

/// What is known of a project.
#[derive(Debug, Clone, Deserialize)]
struct Known {
    path_with_namespace: String,
    web_url: String,
    #[serde(default)]
    default_branch: Option<String>,
}

async fn known(caller: &Caller, project: &Project) -> Result<Known, Problem> {
    let asked = Request { fresh_for: FILES, ..caller.request(project.path("")) };
    Ok(caller.json(&asked).await?)
}

#[derive(Debug, Deserialize)]
struct Commit {
    id: String,
}

/// The commit that a reference means now.
async fn commit(
    caller: &Caller,
    project: &Project,
    known: &Known,
    wanted: &RepoRef,
    fresh_for: Duration,
) -> Result<Pinned, Problem> {
    let reference = match (wanted.reference.as_deref(), known.default_branch.as_deref()) {
        (Some(text), _) => checked(text)?,
        (None, Some(branch)) => branch,
        (None, None) => {
            let message = format!("{} is empty: it has no branch yet", known.path_with_namespace);
            return Err(Problem::new(ErrorKind::NotFound, message));
        }
    };
    if is_commit(reference) {
        return Ok(Pinned::exactly(reference));
    }
    let path = project.path(&format!("repository/commits/{}", path::segment(reference)));
    let reply = match caller.get(&Request { fresh_for, ..caller.request(path) }).await {
        Ok(reply) => reply,
        // The project was just seen, so it is the reference that is missing.
        Err(error) if error.status() == Some(404) => {
            let name = &known.path_with_namespace;
            let message = format!("`{reference}` is neither a branch nor a tag nor a commit of {name}");
            return Err(Problem::new(ErrorKind::NotFound, message).field("reference"));
        }
        Err(error) => return Err(error.into()),
    };
    let found: Commit = reply.json()?;
    if !is_commit(&found.id) {
        return Err(reply.unreadable("it names no commit").into());
    }
    Ok(Pinned::by(&reply, found.id.to_ascii_lowercase()))
}

/// For questions about a commit, which never changes.
fn pinned(request: Request) -> Request {
    Request { fresh_for: FOREVER, ..request }
}

/// How many there are, where GitLab has counted: beyond ten thousand it does not.
fn total(reply: &Reply) -> Option<u64> {
    reply.header("x-total")?.trim().parse().ok()
}

/// Whether another page follows.
fn has_more(reply: &Reply) -> bool {
    reply.has_next() || reply.header("x-next-page").is_some_and(|page| !page.trim().is_empty())
}

/// `owner/repo` in one is understood, too.
fn place<'q>(owner: Option<&'q str>, repo: Option<&'q str>) -> (Option<&'q str>, Option<&'q str>) {
    match (owner, repo.and_then(|repo| repo.rsplit_once('/'))) {
        (None, Some((owner, repo))) => (Some(owner), Some(repo)),
        _ => (owner, repo),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_groups_is_encoded_once() {
        for (owner, repo, expected) in [
            ("group", "name", "projects/group%2Fname"),
            ("group/sub/deep", "name", "projects/group%2Fsub%2Fdeep%2Fname"),
            ("group%2Fsub", "name.git", "projects/group%2Fsub%2Fname"),
            ("/group/sub/", "a.b", "projects/group%2Fsub%2Fa.b"),
        ] {
            assert_eq!(Project::new(owner, repo).unwrap().path(""), expected);
        }
        assert_eq!(Project::new("g", "n").unwrap().path("repository/tree"), "projects/g%2Fn/repository/tree");
    }

    #[test]
    fn odd_names_are_told() {
        for (owner, repo, field) in [
            ("", "x", "owner"),
            ("a/../b", "x", "owner"),
            ("a/%2e%2e", "x", "owner"),
            ("a", "b/c", "repo"),
            ("a", "..", "repo"),
        ] {
            assert_eq!(Project::new(owner, repo).unwrap_err().field, Some(field), "{owner} {repo}");
        }
    }

    #[test]
    fn owner_and_name_may_be_written_in_one() {
        assert_eq!(place(None, Some("g/s/n")), (Some("g/s"), Some("n")));
        assert_eq!(place(Some("g"), Some("n")), (Some("g"), Some("n")));
        assert_eq!(place(None, Some("n")), (None, Some("n")));
    }
}
