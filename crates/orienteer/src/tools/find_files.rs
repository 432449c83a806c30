//! `find_files`: files by name, age, size, permissions.

use std::time::{Duration, SystemTime};

use orienteer_base::Problem;
use orienteer_base::question::{EntryType, FindQuery};
use orienteer_base::units;
use orienteer_engine::modified_ns;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::list_tree::{SortBy, folder, listing};
use crate::render::Reply;
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct FindFiles;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Folder; default: workspace root.
    path: Option<String>,
    /// Globs on the name (on the path when they contain /); any of them.
    #[serde(default)]
    names: Vec<String>,
    #[serde(default = "yes")]
    case_sensitive: bool,
    /// f file, d folder, l link.
    #[serde(rename = "type")]
    entry_type: Option<TypeArg>,
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    max_depth: usize,
    #[serde(default)]
    #[schemars(range(max = 100))]
    min_depth: usize,
    /// E.g. 30m, 2h, 7d, 1w.
    modified_within: Option<String>,
    /// An age (7d) or a date (2026-01-31).
    modified_before: Option<String>,
    /// E.g. 512, 10k, 5M, 1G.
    size_greater: Option<String>,
    size_less: Option<String>,
    /// Octal, e.g. 755.
    permissions: Option<String>,
    executable: Option<bool>,
    readable: Option<bool>,
    writable: Option<bool>,
    /// Names or globs of folders not to enter.
    #[serde(default)]
    exclude_dirs: Vec<String>,
    #[serde(default)]
    hidden: bool,
    /// Also what ignore files hide.
    #[serde(default)]
    no_ignore: bool,
    /// Add permissions.
    #[serde(default)]
    details: bool,
    #[serde(default)]
    sort_by: SortBy,
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 1000))]
    files_per_page: usize,
}

fn yes() -> bool {
    true
}

fn ten() -> usize {
    10
}

fn hundred() -> usize {
    100
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum TypeArg {
    #[serde(rename = "f")]
    File,
    #[serde(rename = "d")]
    Directory,
    #[serde(rename = "l")]
    Symlink,
}

/// Where a page ended, and when the first one was asked for.
#[derive(Default, Serialize, Deserialize)]
struct Position {
    skip: usize,
    now: Option<u64>,
}

impl Tool for FindFiles {
    const NAME: &'static str = "find_files";
    const TITLE: &'static str = "Find files";
    const DESCRIPTION: &'static str = "Find files and folders by name glob, type, depth, age, size and permissions. Ignore files are respected.";
    const TOOLSET: Toolset = Toolset::Local;
    const PAGED: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("entries", "array"), ("summary", "object"), ("total_count", "integer")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let position: Position = ctx.position()?;
        // Ages are counted from the first page, or entries would fall out between pages.
        let now = position.now.unwrap_or_else(|| modified_ns(SystemTime::now()));
        let query = args.query(&ctx, position.skip, SystemTime::UNIX_EPOCH + Duration::from_nanos(now))?;
        let answer = ctx.session.find_files(query, &ctx.cancel).await?;
        Ok(listing(&answer, position.skip, move |skip| json!(Position { skip, now: Some(now) })))
    }
}

impl Args {
    fn query(self, ctx: &Ctx, skip: usize, now: SystemTime) -> Result<FindQuery, Problem> {
        let within = self
            .modified_within
            .as_deref()
            .map(|text| units::parse_age("modified_within", text))
            .transpose()?;
        let before = self
            .modified_before
            .as_deref()
            .map(|text| units::parse_time_before("modified_before", text, now))
            .transpose()?;
        let size = |field, text: Option<&str>| text.map(|text| units::parse_size(field, text)).transpose();
        let permissions = self
            .permissions
            .as_deref()
            .map(|text| {
                u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777).ok_or_else(|| {
                    let message = "`permissions` must be octal digits such as 755";
                    Problem::invalid("permissions", "illegal_value", message)
                })
            })
            .transpose()?;
        Ok(FindQuery {
            folder: folder(ctx, self.path.as_deref())?,
            names: self.names,
            case_sensitive: self.case_sensitive,
            entry_type: self.entry_type.map(|kind| match kind {
                TypeArg::File => EntryType::File,
                TypeArg::Directory => EntryType::Directory,
                TypeArg::Symlink => EntryType::Symlink,
            }),
            min_depth: self.min_depth,
            max_depth: self.max_depth,
            modified_after: within.and_then(|age| now.checked_sub(age)),
            modified_before: before,
            size_greater: size("size_greater", self.size_greater.as_deref())?,
            size_less: size("size_less", self.size_less.as_deref())?,
            permissions,
            executable: self.executable,
            readable: self.readable,
            writable: self.writable,
            exclude_dirs: self.exclude_dirs,
            hidden: self.hidden,
            no_ignore: self.no_ignore,
            details: self.details,
            order: self.sort_by.into(),
            files_per_page: self.files_per_page,
            skip,
        })
    }
}
