//! How matches of text and of structure are shown.

use orienteer_base::answer::Warning;
use orienteer_base::listing::{FileMatches, Match, Matches};
use orienteer_base::question::{Detail, Selection};
use orienteer_base::{Problem, RootedPath};
use serde_json::{Map, Value, json};

use crate::render::text::{count, time, visible};
use crate::render::{Body, Parts, Reply, Row};
use crate::tool::Ctx;

/// The body and the figures of a page of matches.
pub(super) fn fill(
    reply: &mut Reply,
    page: &Matches,
    detail: Detail,
    show_modified: bool,
    seen: impl Fn(&FileMatches) -> u64,
) {
    let list_matches = detail == Detail::Matches;
    let rows = page.files.iter().map(|file| row(file, detail, show_modified, seen(file))).collect();
    reply.body = Body::Rows { field: "files", rows };
    let stats = &page.stats;
    reply.field(
        "stats",
        json!({
            "files_searched": stats.files_searched,
            "files_matched": stats.files_matched,
            "binary_files": stats.binary_files,
            "total_matches": (detail != Detail::FilesOnly).then_some(stats.total_matches),
            "elapsed_ms": u64::try_from(stats.elapsed.as_millis()).unwrap_or(u64::MAX),
            "used_index": stats.used_index,
        }),
    );
    if stats.files_searched == 0 {
        reply.warnings.push(Warning::new(
            "nothing_searched",
            "no file was searched at all: ignore files, filters or the path leave none; search_code can widen with no_ignore and hidden",
        ));
    }
    let stopped: Vec<&str> =
        page.files.iter().filter(|file| file.binary).map(|file| file.file_path.as_str()).take(3).collect();
    if !stopped.is_empty() {
        let message =
            format!("binary files were searched only up to their first NUL byte: {}", stopped.join(", "));
        reply.warnings.push(Warning::new("binary_file", message));
    }
    let mut searched = count(stats.files_searched, "file");
    if stats.binary_files > 0 {
        searched.push_str(&format!(", {} of them binary", stats.binary_files));
    }
    reply.head.push(if stats.files_matched == 0 {
        format!("No matches in {searched}.")
    } else if list_matches {
        format!(
            "{} in {} ({searched} searched)",
            matches(stats.total_matches),
            count(stats.files_matched, "file")
        )
    } else {
        format!("{} of {searched} match", count(stats.files_matched, "file"))
    });
    if page.skipped_count > 0 {
        let skipped: Vec<Value> = page
            .skipped
            .iter()
            .map(|skipped| json!({ "path": skipped.path, "reason": skipped.reason }))
            .collect();
        reply.field("skipped", skipped);
        reply.field("skipped_count", page.skipped_count);
    }
}

fn matches(number: u64) -> String {
    if number == 1 { "1 match".to_owned() } else { format!("{number} matches") }
}

fn row(file: &FileMatches, detail: Detail, show_modified: bool, seen: u64) -> Row {
    let mut value = Map::new();
    value.insert("file_path".to_owned(), json!(file.file_path));
    // A search for names stops at the first match of a file: it does not know how many there are.
    if detail != Detail::FilesOnly {
        value.insert("match_count".to_owned(), json!(file.match_count));
    }
    if show_modified && let Some(modified) = file.modified {
        value.insert("modified".to_owned(), json!(time(modified)));
    }
    if file.binary {
        value.insert("binary".to_owned(), json!(true));
    }
    if detail != Detail::Matches {
        let line = if detail == Detail::Counts {
            format!("{}  {}", visible(&file.file_path), matches(file.match_count))
        } else {
            visible(&file.file_path).into_owned()
        };
        return Row { value, line, parts: None };
    }
    let items: Vec<(Value, String)> =
        file.matches.iter().map(|found| (item(found), line(&file.file_path, found))).collect();
    let shown = file.matches.len() as u64;
    let line = if seen + shown < file.match_count {
        format!(
            "{}: {} match, {} shown; raise matches_per_file or search that file alone",
            visible(&file.file_path),
            count(file.match_count, "line"),
            seen + shown
        )
    } else {
        String::new()
    };
    Row { value, line, parts: Some(Parts { field: "matches", items }) }
}

fn item(found: &Match) -> Value {
    let mut value = json!({ "line": found.line, "column": found.column, "content": found.content });
    let object = match &mut value {
        Value::Object(object) => object,
        _ => return value,
    };
    if found.end_line != found.line {
        object.insert("end_line".to_owned(), json!(found.end_line));
    }
    if found.shortened {
        object.insert("shortened".to_owned(), json!(true));
    }
    object.insert("before".to_owned(), json!(found.before));
    object.insert("after".to_owned(), json!(found.after));
    if !found.captures.is_empty() {
        let captures: Map<String, Value> =
            found.captures.iter().map(|(name, text)| (name.clone(), json!(text))).collect();
        object.insert("captures".to_owned(), Value::Object(captures));
    }
    value
}

/// `path:line:column  code`, with context lines as `path-line-  code`, as grep prints them.
fn line(path: &str, found: &Match) -> String {
    let path = visible(path);
    let mut lines = Vec::new();
    let context = |number: u64, text: &str| format!("{path}-{number}-  {text}");
    for (at, text) in found.before.iter().enumerate() {
        lines.push(context(found.line - (found.before.len() - at) as u64, text));
    }
    // A match may be of several lines.
    let mut own = found.content.lines();
    let first = own.next().unwrap_or_default();
    lines.push(format!("{path}:{}:{}  {first}", found.line, found.column));
    lines.extend(own.zip(found.line + 1..).map(|(text, number)| context(number, text)));
    for (at, text) in found.after.iter().enumerate() {
        lines.push(context(found.end_line + 1 + at as u64, text));
    }
    lines.join("\n")
}

/// The file or folder that was asked for, or the workspace root.
pub(super) fn scope(ctx: &Ctx, path: Option<&str>) -> Result<RootedPath, Problem> {
    match path {
        Some(path) => ctx.session.resolve(path).map_err(|error| Problem::from(error).field("path")),
        None => Ok(ctx.session.roots().workspace_path()),
    }
}

/// The arguments that choose files, as a selection.
pub(super) fn selection(
    file_types: Vec<String>,
    include: Vec<String>,
    exclude: Vec<String>,
    hidden: bool,
    no_ignore: bool,
) -> Selection {
    Selection { file_types, include, exclude, hidden, no_ignore }
}
