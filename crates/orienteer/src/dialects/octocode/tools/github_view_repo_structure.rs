//! `githubViewRepoStructure`: what a folder of a remote repository holds.

use orienteer_base::Problem;
use orienteer_base::remote::{EntryKind, RemoteTree, RemoteTreeQuery, RepoRef, TreeEntry};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::asked::Asked;
use super::super::bulk::{FEW, Found, Query};
use super::super::forge::{self, At};
use super::super::goals::Goals;
use super::super::paging::Paging;
use super::super::usual::number;
use crate::render::invisible::shown;
use crate::tool::Ctx;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct GithubViewRepoStructure {
    #[serde(flatten)]
    _goals: Goals,
    #[serde(flatten)]
    at: At,
    /// Repository owner
    #[schemars(length(min = 1, max = 200))]
    owner: String,
    /// Repository name
    #[schemars(length(min = 1, max = 150))]
    repo: String,
    /// Branch name; HEAD is the default branch
    #[schemars(length(min = 1, max = 255))]
    branch: String,
    /// Directory path to view
    #[serde(default)]
    path: String,
    /// Recursion depth
    #[serde(default = "number::<1>")]
    #[schemars(range(min = 1, max = 2))]
    depth: usize,
    /// Entries per page
    #[serde(default = "number::<50>")]
    #[schemars(range(min = 1, max = 200))]
    entries_per_page: usize,
    /// Page number
    #[serde(default = "number::<1>")]
    #[schemars(range(min = 1))]
    entry_page_number: usize,
}

impl Query for GithubViewRepoStructure {
    const TOOL: &'static str = "githubViewRepoStructure";
    const TITLE: &'static str = "List a repository on a forge";
    const DESCRIPTION: &'static str = "Display repository directory structure with configurable depth and pagination. Start at the root with depth 1, then look into folders with depth 2. Also GitLab and Forgejo, by provider or host.";
    const MOST: u64 = FEW;
    const OPEN_WORLD: bool = true;

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let (page, per_page) = (self.entry_page_number, self.entries_per_page);
        let repo = RepoRef {
            at: self.at.place(&ctx),
            owner: self.owner.clone(),
            repo: self.repo.clone(),
            reference: Some(self.branch.clone()),
        };
        let query = RemoteTreeQuery {
            repo,
            path: self.path.clone(),
            depth: self.depth,
            skip: Paging::skip(page, per_page),
            limit: per_page,
        };
        let tree = ctx.session.remote_tree(query, &ctx.cancel).await?;
        let paging = Paging { page, per_page, total: tree.total };
        let structure = tree.entries.iter().map(|entry| (shown(&entry.path).into_owned(), row(entry)));
        let data = json!({
            "owner": self.owner,
            "repo": self.repo,
            "branch": self.branch,
            "path": self.path,
            "structure": structure.collect::<Map<_, _>>(),
            "summary": {
                "totalFiles": tree.files,
                "totalFolders": tree.directories,
                "truncated": tree.incomplete.is_some(),
            },
            "pagination": paging.to_json(),
        });
        Ok(Found::new(data, hints(&tree, paging, &asked)))
    }
}

/// The contract knows files and folders: a link is a small file, a submodule a folder kept elsewhere.
fn row(entry: &TreeEntry) -> Value {
    let kind = match entry.kind {
        EntryKind::File | EntryKind::Symlink => "file",
        EntryKind::Directory | EntryKind::Submodule => "dir",
    };
    let mut row = json!({ "type": kind });
    if let Some(size) = entry.size {
        row["size"] = json!(size);
    }
    if let Some(sha) = &entry.sha {
        row["sha"] = json!(sha);
    }
    row
}

fn hints(tree: &RemoteTree, paging: Paging, asked: &Asked) -> Vec<String> {
    let mut hints = forge::notes(tree.incomplete.as_deref(), &tree.from);
    hints.extend(paging.hint(asked, "entryPageNumber"));
    let first = |kind: EntryKind| tree.entries.iter().find(|entry| entry.kind == kind);
    if let Some(folder) = first(EntryKind::Directory) {
        let changes = json!({ "path": folder.path, "depth": 2, "entryPageNumber": 1 });
        hints.push(asked.again("Look into a folder", changes));
    }
    if let (Some(file), Some(owner), Some(repo), Some(branch)) =
        (first(EntryKind::File), asked.text("owner"), asked.text("repo"), asked.text("branch"))
    {
        let fields = json!({ "owner": owner, "repo": repo, "branch": branch, "path": file.path, "charLength": 20_000 });
        hints.push(asked.other("Read a file", "githubGetFileContent", fields));
    }
    if hints.is_empty() && tree.total == 0 {
        hints.push("Nothing is here: has anything been committed to this branch?".to_owned());
    } else if hints.is_empty() {
        hints.push("Links and submodules lead elsewhere: ask for what they name by its own path".to_owned());
    }
    hints
}
