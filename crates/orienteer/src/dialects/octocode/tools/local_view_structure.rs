//! `localViewStructure`: what a local folder holds.

use orienteer_base::Problem;
use orienteer_base::listing::{Entry, Listing};
use orienteer_base::question::{EntryOrder, EntryType, TreeQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::asked::Asked;
use super::super::bulk::{Found, Query};
use super::super::goals::LocalGoals;
use super::super::paging::Paging;
use super::super::usual::number;
use crate::render::text::time;
use crate::tool::Ctx;

/// How deep `recursive` goes: what `depth` may be at most.
const DEEPEST: usize = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct LocalViewStructure {
    #[serde(flatten)]
    _goals: LocalGoals,
    /// Directory path
    path: String,
    /// Recursion depth
    #[schemars(range(min = 1, max = 5))]
    depth: Option<usize>,
    /// Recursive listing
    #[serde(default)]
    recursive: bool,
    /// Show size/permissions
    #[serde(default)]
    details: bool,
    /// Include hidden files
    #[serde(default)]
    hidden: bool,
    /// Sort order
    #[serde(default)]
    sort_by: SortBy,
    /// Files only
    #[serde(default)]
    files_only: bool,
    /// Directories only
    #[serde(default)]
    directories_only: bool,
    /// Filter by extension
    extension: Option<String>,
    /// Multiple extensions
    #[serde(default)]
    extensions: Vec<String>,
    /// Name pattern (glob or substring)
    pattern: Option<String>,
    /// Entries per page
    #[serde(default = "number::<20>")]
    #[schemars(range(min = 1, max = 20))]
    entries_per_page: usize,
    /// Page number
    #[serde(default = "number::<1>")]
    #[schemars(range(min = 1))]
    entry_page_number: usize,
    /// Max entries
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<usize>,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortBy {
    Name,
    Size,
    #[default]
    Time,
    Extension,
}

impl Query for LocalViewStructure {
    const TOOL: &'static str = "localViewStructure";
    const TITLE: &'static str = "List a local folder";
    const DESCRIPTION: &'static str = "Display local directory structure with file sizes, extensions, and configurable depth. Ignored files are listed, too.";

    fn check(&self) -> Result<(), Problem> {
        if self.files_only && self.directories_only {
            let message = "`filesOnly` and `directoriesOnly` exclude each other";
            return Err(Problem::invalid("filesOnly", "contradiction", message));
        }
        Ok(())
    }

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let folder =
            ctx.session.resolve_uri(&self.path).and_then(orienteer_base::RootedPath::require_directory);
        let folder = folder.map_err(|error| Problem::from(error).field("path"))?;
        let shown = folder.shown().to_owned();
        let (page, per_page) = (self.entry_page_number, self.entries_per_page);
        let skip = Paging::skip(page, per_page);
        let query = TreeQuery {
            folder,
            depth: self.depth.unwrap_or(if self.recursive { DEEPEST } else { 1 }),
            whole: self.recursive && self.depth.is_none(),
            details: self.details,
            hidden: self.hidden,
            no_ignore: true,
            order: match self.sort_by {
                SortBy::Name => EntryOrder::Name,
                SortBy::Size => EntryOrder::Size,
                SortBy::Time => EntryOrder::Time,
                SortBy::Extension => EntryOrder::Extension,
            },
            files_only: self.files_only,
            directories_only: self.directories_only,
            extensions: self.extension.into_iter().chain(self.extensions).collect(),
            pattern: self.pattern,
            entries_per_page: per_page,
            skip,
        };
        let answer = ctx.session.list_tree(query, &ctx.cancel).await?;
        let found = &answer.value;
        let all = usize::try_from(found.total_count).unwrap_or(usize::MAX);
        let total = all.min(self.limit.unwrap_or(usize::MAX));
        let paging = Paging { page, per_page, total };
        let rows = found.entries.iter().take(total.saturating_sub(skip)).map(|entry| row(entry, &shown));
        let data = json!({
            "path": shown,
            "entries": rows.collect::<Vec<_>>(),
            "summary": { "totalFiles": found.files, "totalDirs": found.directories, "totalSize": found.bytes },
            "pagination": paging.to_json(),
        });
        let mut hints: Vec<String> = answer.warnings.iter().map(|warning| warning.message.clone()).collect();
        if total < all {
            hints.push(format!("`limit` leaves out {} of {all} entries", all - total));
        }
        hints.extend(next(found, paging, &asked));
        Ok(Found::new(data, hints))
    }
}

/// Names are relative to the folder that is listed.
fn row(entry: &Entry, folder: &str) -> Value {
    let below = entry.path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
    let mut row = json!({
        "name": below.unwrap_or(&entry.path),
        "type": if entry.entry_type == EntryType::Directory { "dir" } else { "file" },
    });
    if entry.entry_type != EntryType::Directory {
        row["size"] = json!(entry.size);
    }
    if let Some(modified) = entry.modified {
        row["modified"] = json!(time(modified));
    }
    if let Some(mode) = entry.permissions {
        row["permissions"] = json!(format!("{mode:03o}"));
    }
    row
}

fn next(found: &Listing, paging: Paging, asked: &Asked) -> Vec<String> {
    let mut hints: Vec<String> = paging.hint(asked, "entryPageNumber").into_iter().collect();
    if paging.total == 0 {
        hints.push("Nothing here: hidden entries need `hidden`".to_owned());
        let filters = ["extension", "extensions", "pattern", "filesOnly", "directoriesOnly"];
        if filters.iter().any(|field| asked.row.contains_key(*field)) {
            let none: Value = filters.iter().map(|field| ((*field).to_owned(), Value::Null)).collect();
            hints.push(asked.again("Without filters", none));
        }
        return hints;
    }
    let first = |kind: EntryType| found.entries.iter().find(|entry| entry.entry_type == kind);
    if let Some(folder) = first(EntryType::Directory) {
        hints.push(asked.again("Look into a folder", json!({ "path": folder.path, "entryPageNumber": 1 })));
    }
    if let Some(file) = first(EntryType::File) {
        hints.push(asked.other("Read a file", "localGetFileContent", json!({ "path": file.path })));
    }
    if hints.is_empty() {
        hints.push("Links are listed and not followed: ask for what they lead to by its own path".to_owned());
    }
    hints
}
