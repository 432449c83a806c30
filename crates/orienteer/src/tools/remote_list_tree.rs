//! `remote_list_tree`: what a folder of a remote repository holds.

use orienteer_base::Problem;
use orienteer_base::remote::{EntryKind, RemoteTreeQuery, TreeEntry};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::remote::{self, AtArgs, RepoArgs};
use crate::render::text::{bytes, count, visible};
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct RemoteListTree;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    at: AtArgs,
    #[serde(flatten)]
    repo: RepoArgs,
    /// Folder; default: the root.
    #[serde(default)]
    path: String,
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10))]
    depth: usize,
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 1000))]
    entries_per_page: usize,
}

fn one() -> usize {
    1
}

fn hundred() -> usize {
    100
}

impl Tool for RemoteListTree {
    const NAME: &'static str = "remote_list_tree";
    const TITLE: &'static str = "List a folder of a remote repository";
    const DESCRIPTION: &'static str =
        "List a folder of a repository on a forge, to a depth, at a branch, tag or commit.";
    const TOOLSET: Toolset = Toolset::Remote;
    const OPEN_WORLD: bool = true;
    const PAGED: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("entries", "array"), ("summary", "object"), ("total_count", "integer"), ("provenance", "object")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        // A branch may move on between pages: those after the first are of the same commit.
        let (skip, commit): (usize, Option<String>) = ctx.position()?;
        let mut repo = args.repo.repo(args.at)?;
        repo.reference = commit.or(repo.reference);
        let query =
            RemoteTreeQuery { repo, path: args.path, depth: args.depth, skip, limit: args.entries_per_page };
        let tree = ctx.session.remote_tree(query, &ctx.cancel).await?;
        let mut reply = Reply::default();
        remote::provenance(&mut reply, tree.incomplete.as_deref(), &tree.from);
        reply.field("summary", json!({ "files": tree.files, "directories": tree.directories }));
        reply.field("total_count", tree.total as u64);
        reply.total = Some(tree.total as u64);
        reply.head.push(format!(
            "{}: {}, {}",
            tree.from.repository.as_deref().map(visible).unwrap_or_default(),
            count(tree.files as u64, "file"),
            count(tree.directories as u64, "folder")
        ));
        let (shown, total, commit) = (tree.entries.len(), tree.total, tree.from.commit.clone());
        reply.body = Body::Rows { field: "entries", rows: tree.entries.iter().map(row).collect() };
        reply.resume = Some(Box::new(move |kept| {
            let reached = skip + if kept.all { shown } else { kept.rows };
            (reached < total && reached > skip).then(|| json!((reached, &commit)))
        }));
        Ok(reply)
    }
}

fn row(entry: &TreeEntry) -> Row {
    let name = visible(&entry.path);
    let line = match entry.kind {
        EntryKind::Directory => format!("{name}/"),
        EntryKind::File => match entry.size {
            Some(size) => format!("{name}  {}", bytes(size)),
            None => name.into_owned(),
        },
        EntryKind::Symlink => format!("{name} ->"),
        EntryKind::Submodule => format!("{name}  (submodule)"),
    };
    Row::new(remote::object(entry), line)
}
