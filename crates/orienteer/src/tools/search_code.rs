//! `search_code`: lines that match a pattern.

use orienteer_base::listing::{FileMatches, Matches};
use orienteer_base::question::{After, Case, Detail, FileOrder, TextQuery};
use orienteer_base::{Conceal, Problem};
use orienteer_engine::modified_ns;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{keys, matches};
use crate::render::{Kept, Reply};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct SearchCode;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Regular expression (Rust syntax).
    pattern: String,
    /// File or folder; default: workspace root.
    path: Option<String>,
    /// discovery: file names; paginated: 10 files × 10; detailed: 3 context lines.
    mode: Option<Mode>,
    /// Pattern is literal text.
    #[serde(default)]
    fixed_string: bool,
    #[serde(default)]
    case: CaseArg,
    #[serde(default)]
    whole_word: bool,
    /// Let matches span lines.
    #[serde(default)]
    multiline: bool,
    /// E.g. rust, ts, py.
    #[serde(default)]
    file_types: Vec<String>,
    /// Globs.
    #[serde(default)]
    include: Vec<String>,
    /// Globs; win over include.
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    hidden: bool,
    #[serde(default)]
    no_ignore: bool,
    /// Only names of matching files.
    files_only: Option<bool>,
    /// Only matching lines per file.
    #[serde(default)]
    count_only: bool,
    #[schemars(range(max = 50))]
    context_lines: Option<usize>,
    /// Default 10.
    #[schemars(range(min = 1, max = 1000))]
    matches_per_file: Option<usize>,
    /// Default 20.
    #[schemars(range(min = 1, max = 1000))]
    files_per_page: Option<usize>,
    #[serde(default)]
    sort: Sort,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Discovery,
    Paginated,
    Detailed,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CaseArg {
    #[default]
    Smart,
    Sensitive,
    Insensitive,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    #[default]
    Path,
    // Newest first.
    Modified,
}

/// Where a page ended: behind a file, or so many matches into it.
#[derive(Default, Serialize, Deserialize)]
struct Position {
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<u64>,
    #[serde(default)]
    m: u64,
}

impl Tool for SearchCode {
    const NAME: &'static str = "search_code";
    const TITLE: &'static str = "Search text";
    const DESCRIPTION: &'static str = "Exact regex or literal search over files on disk (ripgrep rules: ignore files respected, binaries skipped). Use for strings, names, error messages. Totals are exact; results are paged by file.";
    const TOOLSET: Toolset = Toolset::Local;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("files", "array"), ("stats", "object")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let position: Position = ctx.position()?;
        let query = args.query(&ctx, &position)?;
        let in_file = query.scope.absolute().is_file();
        let (detail, order) = (query.detail, query.order);
        let mut answer = ctx.session.search_text(query, &ctx.cancel).await?;
        let hidden = keys::hide_in_matches(&ctx, &mut answer.value).await?;
        let mut reply = Reply::of(&answer);
        reply.warnings.extend(hidden);
        let (begun, before) = (position.p.clone(), position.m);
        let seen = move |file: &FileMatches| {
            if in_file || begun.as_deref() == Some(file.file_path.as_str()) { before } else { 0 }
        };
        matches::fill(&mut reply, &answer.value, detail, order == FileOrder::Modified, &seen);
        let stats = answer.value.stats;
        reply.total = Some(if detail == Detail::Matches { stats.total_matches } else { stats.files_matched });
        reply.resume = Some(Box::new(move |kept| {
            next(&answer.value, kept, &seen, in_file, order).map(|position| json!(position))
        }));
        Ok(reply)
    }
}

impl Args {
    fn query(self, ctx: &Ctx, position: &Position) -> Result<TextQuery, Problem> {
        let scope = matches::scope(ctx, self.path.as_deref())?;
        // What is written wins over what the mode presets.
        let (files_only, context, per_file, per_page) = match self.mode {
            Some(Mode::Discovery) => (true, 0, 10, 20),
            Some(Mode::Paginated) => (false, 0, 10, 10),
            Some(Mode::Detailed) => (false, 3, 20, 10),
            None => (false, 0, 10, 20),
        };
        if self.pattern.is_empty() {
            return Err(Problem::invalid(
                "pattern",
                "empty_pattern",
                "`pattern` is empty; it would match every line",
            ));
        }
        Ok(TextQuery {
            pattern: self.pattern,
            scope,
            fixed_string: self.fixed_string,
            case: match self.case {
                CaseArg::Smart => Case::Smart,
                CaseArg::Sensitive => Case::Sensitive,
                CaseArg::Insensitive => Case::Insensitive,
            },
            whole_word: self.whole_word,
            multiline: self.multiline,
            selection: matches::selection(
                self.file_types,
                self.include,
                self.exclude,
                self.hidden,
                self.no_ignore,
            ),
            detail: if self.files_only.unwrap_or(files_only && !self.count_only) {
                Detail::FilesOnly
            } else if self.count_only {
                Detail::Counts
            } else {
                Detail::Matches
            },
            context_lines: self.context_lines.unwrap_or(context),
            matches_per_file: self.matches_per_file.unwrap_or(per_file),
            files_per_page: self.files_per_page.unwrap_or(per_page),
            order: if self.sort == Sort::Modified { FileOrder::Modified } else { FileOrder::Path },
            after: After { path: position.p.clone(), modified_ns: position.t, matches: position.m },
            conceal: Conceal::default(),
        })
    }
}

/// The position after what was kept of a page, if anything is left: the file it is in, and how many of its
/// matches were seen, none when it was shown to its end.
fn next(
    page: &Matches,
    kept: Kept,
    seen: &dyn Fn(&FileMatches) -> u64,
    in_file: bool,
    order: FileOrder,
) -> Option<Position> {
    if kept.all && page.remaining == 0 {
        return None;
    }
    let cut = kept.parts > 0;
    let file = page.files.get(if cut { kept.rows } else { kept.rows.checked_sub(1)? })?;
    let shown = if cut { kept.parts } else { file.matches.len() };
    let matches = seen(file) + shown as u64;
    if in_file {
        return Some(Position { m: matches, ..Position::default() });
    }
    Some(Position {
        p: Some(file.file_path.clone()),
        t: (order == FileOrder::Modified).then(|| file.modified.map_or(0, modified_ns)),
        m: if cut { matches } else { 0 },
    })
}
