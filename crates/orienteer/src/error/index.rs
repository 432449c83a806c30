//! What to do about problems that have to do with the index and with searching it.

use orienteer_base::{ErrorKind, Fact, Problem};
use serde_json::{Map, Value, json};

use super::NextStep;

/// A wait that lets most workspaces be indexed.
const LONG_WAIT_MS: u64 = 60_000;

type Arguments = Map<String, Value>;

/// Adds the steps for a problem of this kind; says whether it was one.
pub(super) fn advise(
    problem: &Problem,
    tool: &'static str,
    arguments: &Arguments,
    steps: &mut Vec<NextStep>,
) -> bool {
    let is_search = tool == "search";
    match (problem.kind, problem.detail) {
        (ErrorKind::InvalidParams, Some("invalid_regex")) if is_search => {
            let query = text(arguments, "query").unwrap_or_default();
            let plain: String = query.trim().trim_matches('/').chars().filter(|c| *c != '"').collect();
            if !plain.trim().is_empty() {
                let again = with(arguments, "query", json!(format!("\"{plain}\"")));
                steps.push(NextStep::tool(tool, again, "Search for the text itself."));
            }
            steps.push(NextStep::doc("Between slashes stands a regular expression in Rust's syntax."));
        }
        (ErrorKind::InvalidParams, Some("empty_query" | "only_exclusions" | "query_too_long"))
            if is_search =>
        {
            steps.push(NextStep::doc(
                "Write words (`parse config file`), `+must`, `-not`, `\"phrase\"`, `/regex/`, or filters \
                 (`lang:rust kind:function`).",
            ));
            steps.push(NextStep::tool("list_tree", json!({}), "See what the workspace root holds."));
        }
        (
            ErrorKind::InvalidParams,
            Some("unknown_filter" | "invalid_filter" | "unclosed_quote" | "contradiction"),
        ) if is_search => {
            if !problem.candidates.is_empty() {
                steps.push(NextStep::doc(format!("Legal: {}.", problem.candidates.join(", "))));
            }
            if arguments.contains_key("filters") && text(arguments, "query").is_some() {
                let mut again = arguments.clone();
                again.remove("filters");
                again.remove("cursor");
                steps.push(NextStep::tool(tool, Value::Object(again), "Search without the filters."));
            }
            steps.push(NextStep::doc("docs/tools.md lists every filter."));
        }
        (ErrorKind::Unsupported, Some("unsupported_filter")) => {
            let named = problem.facts.iter().find_map(|(name, fact)| match fact {
                Fact::List(filters) if *name == "filters" => Some(filters),
                _ => None,
            });
            if let Some(filters) = arguments.get("filters").and_then(Value::as_object)
                && text(arguments, "query").is_some()
            {
                let mut left = filters.clone();
                left.retain(|name, _| !named.is_some_and(|named| named.contains(name)));
                let again = with(arguments, "filters", Value::Object(left));
                steps.push(NextStep::tool(tool, again, "Search without that filter."));
            }
            literal_search(arguments, steps);
            steps.push(NextStep::doc("Take the filter away, or ask for languages that have it."));
        }
        (ErrorKind::NotReady, Some("index_building")) => {
            if is_search {
                let again = with(arguments, "wait_ms", json!(LONG_WAIT_MS));
                steps.push(NextStep::tool(tool, again, "Wait longer for the index."));
            }
            steps.push(NextStep::tool("index_status", json!({}), "See how far the build is."));
            literal_search(arguments, steps);
            steps.push(NextStep::doc("The build goes on; ask again when it is done."));
        }
        (
            ErrorKind::NotIndexed,
            Some(
                "no_index" | "index_format" | "index_damaged" | "index_removed" | "index_unusable"
                | "not_indexed",
            ),
        ) => {
            steps.push(NextStep::tool("build_index", json!({}), "Build the index."));
            literal_search(arguments, steps);
            steps.push(NextStep::doc("search_code needs no index."));
        }
        (ErrorKind::NotEnabled, Some("index_disabled")) => {
            steps.push(NextStep::config("Set `index.enabled = true`."));
            literal_search(arguments, steps);
        }
        (ErrorKind::ReadOnly, Some("index_read_only")) => {
            steps.push(NextStep::config("Set `index.folder` to a folder that can be written."));
            literal_search(arguments, steps);
        }
        (ErrorKind::InternalError, Some("disk_full")) => {
            steps.push(NextStep::tool("gc_cache", json!({}), "See which old indexes could be removed."));
            steps.push(NextStep::config("Free some space, or set `index.folder` to another disk."));
            literal_search(arguments, steps);
        }
        (ErrorKind::Overloaded, Some("index_busy" | "index_superseded")) => {
            steps.push(NextStep::doc("Another process is changing the index; ask again shortly."));
        }
        _ => return false,
    }
    true
}

fn text<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// The arguments with one of them changed, from the first page.
fn with(arguments: &Arguments, name: &str, value: Value) -> Value {
    let mut again = arguments.clone();
    again.remove("cursor");
    again.insert(name.to_owned(), value);
    Value::Object(again)
}

/// The longest word of a query, as text.
fn literal_search(arguments: &Arguments, steps: &mut Vec<NextStep>) {
    let query = text(arguments, "query").unwrap_or_default();
    let words = query.split(|c: char| !c.is_alphanumeric() && c != '_');
    let Some(word) = words.filter(|word| (2..100).contains(&word.len())).max_by_key(|word| word.len()) else {
        return;
    };
    let arguments = json!({ "pattern": word, "fixed_string": true });
    steps.push(NextStep::tool("search_code", arguments, format!("Look for `{word}` as text.")));
}
