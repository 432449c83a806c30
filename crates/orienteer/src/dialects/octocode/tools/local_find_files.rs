//! `localFindFiles`: local files by name, age, size and permissions.

use std::time::SystemTime;

use orienteer_base::listing::Entry;
use orienteer_base::question::{EntryOrder, EntryType, FindQuery};
use orienteer_base::{Problem, RootedPath, units};
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

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct LocalFindFiles {
    #[serde(flatten)]
    _goals: LocalGoals,
    /// Starting directory
    path: String,
    /// Name pattern (e.g., "*.test.ts")
    name: Option<String>,
    /// Case-insensitive name; without name and names
    iname: Option<String>,
    /// Multiple patterns (OR logic)
    #[serde(default)]
    names: Vec<String>,
    /// File type (f=file, d=dir, l=symlink)
    #[serde(rename = "type")]
    entry_type: Option<TypeArg>,
    /// Max depth
    #[serde(default = "number::<5>")]
    #[schemars(range(min = 1, max = 10))]
    max_depth: usize,
    /// Min depth
    #[schemars(range(min = 0, max = 10))]
    min_depth: Option<usize>,
    /// Modified within (e.g., "7d", "2h")
    modified_within: Option<String>,
    /// Modified before, an age or a date
    modified_before: Option<String>,
    /// Size > (e.g., "10M", "1G")
    size_greater: Option<String>,
    /// Size <
    size_less: Option<String>,
    /// Permission pattern (e.g., "755")
    permissions: Option<String>,
    /// Executable files
    executable: Option<bool>,
    /// Readable files
    readable: Option<bool>,
    /// Writable files
    writable: Option<bool>,
    /// Directories to exclude
    #[serde(default)]
    exclude_dir: Vec<String>,
    /// Files per page
    #[serde(default = "number::<20>")]
    #[schemars(range(min = 1, max = 20))]
    files_per_page: usize,
    /// Page number
    #[serde(default = "number::<1>")]
    #[schemars(range(min = 1))]
    file_page_number: usize,
    /// Max results
    #[serde(default = "number::<1000>")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: usize,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
enum TypeArg {
    #[serde(rename = "f")]
    File,
    #[serde(rename = "d")]
    Directory,
    #[serde(rename = "l")]
    Symlink,
}

impl Query for LocalFindFiles {
    const TOOL: &'static str = "localFindFiles";
    const TITLE: &'static str = "Find local files";
    const DESCRIPTION: &'static str = "Find files on local filesystem by name patterns, modification time, size, and permissions. Hidden and ignored files count, too; .git does not.";

    fn check(&self) -> Result<(), Problem> {
        if self.iname.is_some() && (self.name.is_some() || !self.names.is_empty()) {
            let message = "`iname` stands alone: `name` and `names` tell upper case from lower";
            return Err(Problem::invalid("iname", "contradiction", message));
        }
        if self.min_depth.is_some_and(|least| least > self.max_depth) {
            let message = format!("`minDepth` is greater than `maxDepth`, which is {}", self.max_depth);
            return Err(Problem::invalid("minDepth", "contradiction", message));
        }
        Ok(())
    }

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let (page, per_page, limit) = (self.file_page_number, self.files_per_page, self.limit);
        let skip = Paging::skip(page, per_page);
        let query = self.query(skip, &ctx)?;
        let answer = ctx.session.find_files(query, &ctx.cancel).await?;
        let found = &answer.value;
        let all = usize::try_from(found.total_count).unwrap_or(usize::MAX);
        let total = all.min(limit);
        let paging = Paging { page, per_page, total };
        let rows = found.entries.iter().take(total.saturating_sub(skip)).map(row);
        let data = json!({
            "files": rows.collect::<Vec<_>>(),
            "totalCount": total,
            "pagination": paging.to_json(),
        });
        let mut hints: Vec<String> = answer.warnings.iter().map(|warning| warning.message.clone()).collect();
        if total < all {
            hints.push(format!("`limit` leaves out {} of {all} files", all - total));
        }
        hints.extend(paging.hint(&asked, "filePageNumber"));
        hints.extend(next(&found.entries, total, &asked));
        Ok(Found::new(data, hints))
    }
}

impl LocalFindFiles {
    fn query(self, skip: usize, ctx: &Ctx) -> Result<FindQuery, Problem> {
        let folder = ctx.session.resolve_uri(&self.path).and_then(RootedPath::require_directory);
        let folder = folder.map_err(|error| Problem::from(error).field("path"))?;
        let now = SystemTime::now();
        let within = self
            .modified_within
            .as_deref()
            .map(|text| units::parse_age("modifiedWithin", text))
            .transpose()?;
        let before = self.modified_before.as_deref();
        let before = before.map(|text| units::parse_time_before("modifiedBefore", text, now)).transpose()?;
        let size = |field, text: Option<&str>| text.map(|text| units::parse_size(field, text)).transpose();
        let case_sensitive = self.iname.is_none();
        Ok(FindQuery {
            folder,
            names: self.name.into_iter().chain(self.iname).chain(self.names).collect(),
            case_sensitive,
            entry_type: self.entry_type.map(|kind| match kind {
                TypeArg::File => EntryType::File,
                TypeArg::Directory => EntryType::Directory,
                TypeArg::Symlink => EntryType::Symlink,
            }),
            min_depth: self.min_depth.unwrap_or(0),
            max_depth: self.max_depth,
            modified_after: within.and_then(|age| now.checked_sub(age)),
            modified_before: before,
            size_greater: size("sizeGreater", self.size_greater.as_deref())?,
            size_less: size("sizeLess", self.size_less.as_deref())?,
            permissions: self.permissions.as_deref().map(octal).transpose()?,
            executable: self.executable,
            readable: self.readable,
            writable: self.writable,
            exclude_dirs: self.exclude_dir.into_iter().chain([".git".to_owned()]).collect(),
            hidden: true,
            no_ignore: true,
            details: true,
            order: EntryOrder::Name,
            files_per_page: self.files_per_page,
            skip,
        })
    }
}

fn octal(text: &str) -> Result<u32, Problem> {
    u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777).ok_or_else(|| {
        Problem::invalid("permissions", "illegal_value", "`permissions` must be octal digits such as 755")
    })
}

fn row(entry: &Entry) -> Value {
    let kind = match entry.entry_type {
        EntryType::File => "file",
        EntryType::Directory => "dir",
        EntryType::Symlink => "symlink",
    };
    let mut row = json!({ "path": entry.path, "type": kind, "size": entry.size });
    if let Some(modified) = entry.modified {
        row["modified"] = json!(time(modified));
    }
    if let Some(mode) = entry.permissions {
        row["permissions"] = json!(format!("{mode:03o}"));
    }
    row
}

fn next(entries: &[Entry], total: usize, asked: &Asked) -> Vec<String> {
    let mut hints = Vec::new();
    if let Some(file) = entries.iter().find(|entry| entry.entry_type == EntryType::File) {
        hints.push(asked.other("Read the first file", "localGetFileContent", json!({ "path": file.path })));
    } else if let Some(folder) = entries.iter().find(|entry| entry.entry_type == EntryType::Directory) {
        hints.push(asked.other("Look into a folder", "localViewStructure", json!({ "path": folder.path })));
    } else if !entries.is_empty() {
        hints.push("Links are not followed: ask for what they lead to by its own path".to_owned());
    }
    if total == 0 {
        hints.push("Nothing is like that here".to_owned());
        let deeper = json!({ "maxDepth": 10, "modifiedWithin": null, "modifiedBefore": null, "sizeGreater": null, "sizeLess": null, "permissions": null });
        hints.push(asked.again("Deeper, and without age, size and permissions", deeper));
    }
    hints
}
