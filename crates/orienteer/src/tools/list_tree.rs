//! `list_tree`: what a folder holds.

use orienteer_base::listing::{Entry, Listing};
use orienteer_base::question::{EntryOrder, EntryType, TreeQuery};
use orienteer_base::{Answer, Problem, RootedPath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::matches;
use crate::render::text::{bytes, count, time, visible};
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct ListTree;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Folder; default: workspace root.
    path: Option<String>,
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10))]
    depth: usize,
    /// Add permissions.
    #[serde(default)]
    details: bool,
    #[serde(default)]
    hidden: bool,
    /// Also what ignore files hide.
    #[serde(default)]
    no_ignore: bool,
    #[serde(default)]
    sort_by: SortBy,
    #[serde(default)]
    files_only: bool,
    #[serde(default)]
    directories_only: bool,
    #[serde(default)]
    extensions: Vec<String>,
    /// Glob or part of the name.
    pattern: Option<String>,
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

/// The orders of a listing. Sizes and times come largest and newest first.
#[derive(Clone, Copy, Default, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SortBy {
    #[default]
    Name,
    Size,
    Time,
    Extension,
}

impl From<SortBy> for EntryOrder {
    fn from(sort: SortBy) -> Self {
        match sort {
            SortBy::Name => Self::Name,
            SortBy::Size => Self::Size,
            SortBy::Time => Self::Time,
            SortBy::Extension => Self::Extension,
        }
    }
}

impl Tool for ListTree {
    const NAME: &'static str = "list_tree";
    const TITLE: &'static str = "List a folder";
    const DESCRIPTION: &'static str = "List a folder to a depth, with sizes and times. Ignore files are respected; links are shown, not followed.";
    const TOOLSET: Toolset = Toolset::Local;
    const PAGED: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("entries", "array"), ("summary", "object"), ("total_count", "integer")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let folder = folder(&ctx, args.path.as_deref())?;
        let skip: usize = ctx.position()?;
        let query = TreeQuery {
            folder,
            depth: args.depth,
            whole: false,
            details: args.details,
            hidden: args.hidden,
            no_ignore: args.no_ignore,
            order: args.sort_by.into(),
            files_only: args.files_only,
            directories_only: args.directories_only,
            extensions: args.extensions,
            pattern: args.pattern,
            entries_per_page: args.entries_per_page,
            skip,
        };
        let answer = ctx.session.list_tree(query, &ctx.cancel).await?;
        Ok(listing(&answer, skip, |skip| json!(skip)))
    }
}

/// The folder that was asked for, or the workspace root.
pub(super) fn folder(ctx: &Ctx, path: Option<&str>) -> Result<RootedPath, Problem> {
    matches::scope(ctx, path)?.require_directory().map_err(|error| Problem::from(error).field("path"))
}

/// A page of entries as a reply.
pub(super) fn listing(
    answer: &Answer<Listing>,
    skip: usize,
    position: impl Fn(usize) -> Value + Send + Sync + 'static,
) -> Reply {
    let mut reply = Reply::of(answer);
    let page = &answer.value;
    reply.field(
        "summary",
        json!({ "files": page.files, "directories": page.directories, "bytes": page.bytes }),
    );
    reply.field("total_count", page.total_count);
    reply.total = Some(page.total_count);
    reply.head.push(match page.total_count {
        0 => "Nothing found; what ignore files hide and hidden entries need `no_ignore` and `hidden`."
            .to_owned(),
        _ => format!(
            "{}: {}, {}, {}",
            if page.total_count == 1 {
                "1 entry".to_owned()
            } else {
                format!("{} entries", page.total_count)
            },
            count(page.files, "file"),
            count(page.directories, "folder"),
            bytes(page.bytes)
        ),
    });
    reply.body = Body::Rows { field: "entries", rows: page.entries.iter().map(row).collect() };
    let (shown, total) = (page.entries.len(), page.total_count);
    reply.resume = Some(Box::new(move |kept| {
        let reached = skip + if kept.all { shown } else { kept.rows };
        ((reached as u64) < total).then(|| position(reached))
    }));
    reply
}

fn row(entry: &Entry) -> Row {
    let kind = match entry.entry_type {
        EntryType::File => "file",
        EntryType::Directory => "directory",
        EntryType::Symlink => "symlink",
    };
    let mut value =
        json!({ "path": entry.path, "type": kind, "size": entry.size, "modified": entry.modified.map(time) });
    let name = visible(&entry.path);
    let mut line = match entry.entry_type {
        EntryType::Directory => format!("{name}/"),
        EntryType::File => format!("{name}  {}", bytes(entry.size)),
        EntryType::Symlink => format!("{name} ->"),
    };
    if let (Some(mode), Value::Object(object)) = (entry.permissions, &mut value) {
        object.insert("permissions".to_owned(), json!(format!("{mode:03o}")));
        line.push_str(&format!("  {mode:03o}"));
    }
    Row::new(value, line)
}
