//! `localSearchCode`: lines of local files that match a pattern.

use orienteer_base::listing::{FileMatches, Matches};
use orienteer_base::question::{After, Case, Detail, FileOrder, Selection, TextQuery};
use orienteer_base::{Answer, Conceal, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::asked::Asked;
use super::super::bulk::{Found, Query};
use super::super::excerpts;
use super::super::goals::LocalGoals;
use super::super::paging::Paging;
use super::super::usual::{number, yes};
use crate::render::text::time;
use crate::tool::Ctx;
use crate::tools::keys;

/// As many matches of a file as one page can have.
const MOST_PER_FILE: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct LocalSearchCode {
    #[serde(flatten)]
    _goals: LocalGoals,
    /// Search pattern (regex or literal)
    #[schemars(length(min = 1))]
    pattern: String,
    /// Root directory to search; of a single file, filePageNumber pages through its matches
    path: String,
    /// Workflow preset: discovery (file names), paginated, detailed (with context)
    mode: Option<Mode>,
    /// Literal string search (no regex)
    #[serde(default)]
    fixed_string: bool,
    /// Case-insensitive if lowercase
    #[serde(default = "yes")]
    smart_case: bool,
    /// File type (ts, py, rust, etc.)
    #[serde(rename = "type")]
    file_type: Option<String>,
    /// Include glob patterns
    #[serde(default)]
    include: Vec<String>,
    /// Exclude glob patterns
    #[serde(default)]
    exclude: Vec<String>,
    /// List matching files only
    #[schemars(extend("default" = false))]
    files_only: Option<bool>,
    /// Context lines
    #[schemars(range(min = 0, max = 50))]
    context_lines: Option<usize>,
    /// Matches per file
    #[schemars(range(min = 1, max = 100), extend("default" = 10))]
    matches_per_page: Option<usize>,
    /// Files per page
    #[serde(default = "number::<10>")]
    #[schemars(range(min = 1, max = 20))]
    files_per_page: usize,
    /// File page number
    #[serde(default = "number::<1>")]
    #[schemars(range(min = 1))]
    file_page_number: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Discovery,
    Paginated,
    Detailed,
}

/// What a mode sets where the query does not.
struct Preset {
    files_only: bool,
    context_lines: usize,
    matches_per_file: usize,
}

impl Preset {
    fn of(mode: Option<Mode>) -> Self {
        let usual = Self { files_only: false, context_lines: 0, matches_per_file: 10 };
        match mode {
            Some(Mode::Discovery) => Self { files_only: true, ..usual },
            Some(Mode::Detailed) => Self { context_lines: 3, matches_per_file: 20, ..usual },
            Some(Mode::Paginated) | None => usual,
        }
    }
}

/// The number that a mode sets for a field, if it sets that one.
pub(in super::super) fn preset(mode: &str, field: &str) -> Option<u64> {
    let mode = serde_json::from_value(json!(mode)).ok()?;
    let preset = Preset::of(Some(mode));
    let set = match field {
        "contextLines" => preset.context_lines,
        "matchesPerPage" => preset.matches_per_file,
        _ => return None,
    };
    u64::try_from(set).ok()
}

impl Query for LocalSearchCode {
    const TOOL: &'static str = "localSearchCode";
    const TITLE: &'static str = "Search local code";
    const DESCRIPTION: &'static str = "Fast pattern search across local files using regex patterns, file filters, and context lines (ripgrep's rules: ignore files respected, binaries skipped). Totals are exact.";

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let (page, per_page) = (self.file_page_number, self.files_per_page);
        let mut query = self.query(&ctx)?;
        let in_file = query.scope.absolute().is_file();
        let detail = query.detail;
        let per_file = query.matches_per_file;
        if !begin(&mut query, page, per_page, in_file, &ctx).await? {
            // Behind the end: nothing is shown, and the totals are told all the same.
            query.files_per_page = 1;
        }
        let mut answer = ctx.session.search_text(query, &ctx.cancel).await?;
        let hidden = keys::hide_in_matches(&ctx, &mut answer.value).await?;
        let found = &answer.value;
        let total = if in_file && detail == Detail::Matches {
            usize::try_from(found.stats.total_matches).unwrap_or(usize::MAX)
        } else {
            usize::try_from(found.stats.files_matched).unwrap_or(usize::MAX)
        };
        let per_page = if in_file && detail == Detail::Matches { per_file } else { per_page };
        let paging = Paging { page, per_page, total };
        let behind = page > paging.pages();
        let number = if in_file { page } else { 1 };
        let rows = found.files.iter().filter(|_| !behind).map(|file| row(file, detail, number, per_file));
        let data = json!({
            "files": rows.collect::<Vec<_>>(),
            "stats": {
                "filesSearched": found.stats.files_searched,
                "filesWithMatches": found.stats.files_matched,
                "totalMatches": found.stats.total_matches,
                "searchTimeMs": u64::try_from(found.stats.elapsed.as_millis()).unwrap_or(u64::MAX),
            },
            "pagination": paging.to_json(),
        });
        let mut hints = hints(&answer, paging, detail, behind, &asked);
        hints.extend(hidden.map(|warning| warning.message));
        Ok(Found::new(data, hints))
    }
}

impl LocalSearchCode {
    fn query(self, ctx: &Ctx) -> Result<TextQuery, Problem> {
        let scope =
            ctx.session.resolve_uri(&self.path).map_err(|error| Problem::from(error).field("path"))?;
        // What is written wins over what the mode presets.
        let Preset { files_only, context_lines, matches_per_file } = Preset::of(self.mode);
        Ok(TextQuery {
            pattern: self.pattern,
            scope,
            fixed_string: self.fixed_string,
            case: if self.smart_case { Case::Smart } else { Case::Sensitive },
            whole_word: false,
            multiline: false,
            selection: Selection {
                file_types: self.file_type.into_iter().collect(),
                include: self.include,
                exclude: self.exclude,
                hidden: false,
                no_ignore: false,
            },
            // Names alone would do for a list of files, but its contract has the number of matches.
            detail: if self.files_only.unwrap_or(files_only) { Detail::Counts } else { Detail::Matches },
            context_lines: self.context_lines.unwrap_or(context_lines),
            matches_per_file: self.matches_per_page.unwrap_or(matches_per_file),
            files_per_page: self.files_per_page,
            order: FileOrder::Path,
            after: After::default(),
            conceal: Conceal::default(),
        })
    }
}

/// Lets a query begin at its page; says whether there is one. Pages of the engine begin behind a file, so the names
/// before are asked for first.
async fn begin(
    query: &mut TextQuery,
    page: usize,
    per_page: usize,
    in_file: bool,
    ctx: &Ctx,
) -> Result<bool, Problem> {
    if page <= 1 {
        return Ok(true);
    }
    if in_file {
        let before = Paging::skip(page, query.matches_per_file);
        query.after.matches = u64::try_from(before).unwrap_or(u64::MAX);
        return Ok(true);
    }
    let skip = Paging::skip(page, per_page);
    let names = TextQuery { detail: Detail::FilesOnly, files_per_page: skip, ..query.clone() };
    let before = ctx.session.search_text(names, &ctx.cancel).await?.value.files;
    if before.len() < skip {
        return Ok(false);
    }
    query.after.path = before.last().map(|file| file.file_path.clone());
    Ok(true)
}

/// `page`: which of its matches are listed.
fn row(file: &FileMatches, detail: Detail, page: usize, per_file: usize) -> Value {
    let mut row = json!({ "path": file.file_path, "matchCount": file.match_count });
    if let Some(modified) = file.modified {
        row["modified"] = json!(time(modified));
    }
    if detail == Detail::Matches {
        let matches = file.matches.iter();
        row["matches"] = matches
            .map(|found| excerpts::row(found.line, &found.content, &found.before, &found.after))
            .collect();
        let shown = Paging::skip(page, per_file) + file.matches.len();
        row["pagination"] = json!({
            "currentPage": page,
            "hasMore": (shown as u64) < file.match_count,
            "matchesOnPage": file.matches.len(),
        });
    }
    row
}

fn hints(
    answer: &Answer<Matches>,
    paging: Paging,
    detail: Detail,
    behind: bool,
    asked: &Asked,
) -> Vec<String> {
    let found = &answer.value;
    let mut hints = Vec::new();
    // Further pages are no lack: `pagination` tells of them.
    if found.skipped_count > 0 {
        let skipped = found.skipped.iter().map(|one| format!("{} ({})", one.path, one.reason));
        let some: Vec<String> = skipped.take(3).collect();
        hints.push(format!(
            "Not everything could be searched: {} left out: {}",
            found.skipped_count,
            some.join(", ")
        ));
    }
    let binary = found.files.iter().filter(|file| file.binary).count();
    if binary > 0 {
        hints.push(format!(
            "{binary} of these files have NUL bytes and were searched only up to the first one: their counts are of that part"
        ));
    }
    if found.files.iter().flat_map(|file| &file.matches).any(|line| line.shortened) {
        hints.push("Long lines are shown in part, around what matches".to_owned());
    }
    hints.extend(answer.warnings.iter().map(|warning| warning.message.clone()));
    hints.extend(paging.hint(asked, "filePageNumber"));
    if behind {
        return hints;
    }
    match found
        .files
        .iter()
        .find(|file| detail == Detail::Matches && (file.matches.len() as u64) < file.match_count)
    {
        Some(file) if paging.total > 0 && asked.text("path") != Some(file.file_path.as_str()) => {
            let changes =
                json!({ "path": file.file_path, "filePageNumber": 1, "matchesPerPage": MOST_PER_FILE });
            hints.push(asked.again(&format!("All {} matches of one file", file.match_count), changes));
        }
        _ => {}
    }
    if let Some(file) = found.files.first() {
        let line = file.matches.first().map(|found| found.line);
        let fields = match line {
            Some(line) => {
                let first = line.saturating_sub(10).max(1);
                json!({ "path": file.file_path, "startLine": first, "endLine": line + 20 })
            }
            None => {
                let literal = asked.row.get("fixedString") == Some(&json!(true));
                json!({ "path": file.file_path, "matchString": asked.text("pattern"), "matchStringIsRegex": !literal })
            }
        };
        hints.push(asked.other("Read around the first match", "localGetFileContent", fields));
    }
    if found.stats.files_matched == 0 {
        hints.push(format!("No match in {} files", found.stats.files_searched));
        if found.stats.files_searched == 0 {
            hints.push("No file was searched at all: ignore files or filters leave none".to_owned());
        }
        let filters = ["type", "include", "exclude"];
        if filters.iter().any(|field| asked.row.contains_key(*field)) {
            let none = json!({ "type": null, "include": null, "exclude": null });
            hints.push(asked.again("Without filters", none));
        }
    }
    hints
}
