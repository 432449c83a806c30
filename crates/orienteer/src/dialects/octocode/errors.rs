//! From a problem to octocode's `error`, `code` and `hints`: one table of codes, one of names.

use std::time::{Duration, SystemTime};

use orienteer_base::{ErrorKind, Problem};
use serde_json::{Map, Value, json};

use super::asked::Asked;
use super::recovery;

/// Finer words of problems that a look at the parameters alone could have told.
const OF_PARAMETERS: &[&str] = &[
    "conflicting_parts",
    "contradiction",
    "empty_path",
    "illegal_value",
    "missing_field",
    "nul_byte",
    "out_of_range",
    "path_too_long",
    "string_too_long",
    "string_too_short",
    "too_many_filters",
    "unknown_field",
    "wrong_type",
];

/// Our names of arguments, where messages from below use them, and octocode's.
const NAMES: &[(&str, &str)] = &[
    ("api", "host"),
    ("char_offset", "charOffset"),
    ("end_line", "endLine"),
    ("exclude_dirs", "excludeDir"),
    ("file_path", "path"),
    ("fixed_string", "fixedString"),
    ("keywords", "keywordsToSearch"),
    ("labels", "label"),
    ("line", "lineHint"),
    ("match_string", "matchString"),
    ("max_depth", "maxDepth"),
    ("min_depth", "minDepth"),
    ("modified_before", "modifiedBefore"),
    ("modified_within", "modifiedWithin"),
    ("multiline", "(?s)"),
    ("number", "prNumber"),
    ("occurrence", "orderHint"),
    ("reference", "branch"),
    ("size_greater", "sizeGreater"),
    ("size_less", "sizeLess"),
    ("start_line", "startLine"),
    ("symbol_name", "symbolName"),
    ("topics", "topicsToSearch"),
    ("file_types", "type"),
];

/// The code of a problem: those of the document, and for what it has no word, words of the same make.
pub(super) fn code(problem: &Problem) -> &'static str {
    match (problem.kind, problem.detail) {
        (ErrorKind::RateLimited, _) => "RATE_LIMIT_EXCEEDED",
        (ErrorKind::TooLarge, Some("answer_too_large" | "reply_too_large")) => "RESPONSE_TOO_LARGE",
        (ErrorKind::TooLarge, _) => "FILE_TOO_LARGE",
        (ErrorKind::NotFound, _) => "NOT_FOUND",
        (ErrorKind::AuthRequired, _) => "AUTHENTICATION_ERROR",
        (ErrorKind::InvalidParams, Some("no_server_for_extension"))
        | (ErrorKind::Unsupported, Some("method_unsupported"))
        | (ErrorKind::Timeout, Some("server_timeout"))
        | (ErrorKind::InternalError, Some("server_error"))
        | (
            ErrorKind::ServerUnavailable
            | ErrorKind::ServerStartFailed
            | ErrorKind::ServerCrashed
            | ErrorKind::NotReady
            | ErrorKind::NotIndexed
            | ErrorKind::NoProjectRoot,
            _,
        ) => "LSP_NOT_AVAILABLE",
        (ErrorKind::PrerequisiteMissing, _) => {
            // A package manager is no language server.
            if fact(problem, "server_id").is_some() { "LSP_NOT_AVAILABLE" } else { "PREREQUISITE_MISSING" }
        }
        (ErrorKind::InvalidParams, Some(detail)) if OF_PARAMETERS.contains(&detail) => "VALIDATION_ERROR",
        (ErrorKind::PathNotAllowed, _) => "VALIDATION_ERROR",
        (ErrorKind::InvalidParams | ErrorKind::Ambiguous, _) => "INVALID_QUERY",
        (ErrorKind::Unsupported, _) => "UNSUPPORTED",
        (ErrorKind::Timeout, _) => "TIMEOUT",
        (ErrorKind::Network, _) => "NETWORK_ERROR",
        (ErrorKind::Cancelled, _) => "CANCELLED",
        (ErrorKind::Overloaded, _) => "OVERLOADED",
        (ErrorKind::NotEnabled | ErrorKind::ReadOnly, _) => "NOT_ENABLED",
        (ErrorKind::StalePlan | ErrorKind::InternalError, _) => "INTERNAL_ERROR",
    }
}

/// `status`, `error`, `code`, `rateLimitReset` where there is one, and `hints`.
pub(super) fn told(problem: &Problem, asked: &Asked) -> Map<String, Value> {
    let code = code(problem);
    let mut error = Map::new();
    error.insert("status".to_owned(), json!("error"));
    error.insert("error".to_owned(), json!(words(problem, asked)));
    error.insert("code".to_owned(), json!(code));
    let reset = (code == "RATE_LIMIT_EXCEEDED").then(|| reset(problem));
    if let Some(reset) = reset {
        error.insert("rateLimitReset".to_owned(), json!(seconds(reset)));
    }
    error.insert("hints".to_owned(), json!(recovery::hints(problem, code, reset, asked)));
    error
}

fn renamed(name: &str, asked: &Asked) -> String {
    match NAMES.iter().find(|(ours, _)| *ours == name) {
        Some(("file_path", _)) if asked.tool.starts_with("lsp") => "uri".to_owned(),
        Some((_, theirs)) => (*theirs).to_owned(),
        None => name.to_owned(),
    }
}

/// A text with the names of this contract. What the client wrote itself stays: a symbol may be called `line`.
pub(super) fn in_their_names(text: &str, asked: &Asked) -> String {
    let mut text = text.to_owned();
    for (ours, _) in NAMES.iter().filter(|(ours, _)| !asked.row.values().any(|value| value == ours)) {
        text = text.replace(&format!("`{ours}`"), &format!("`{}`", renamed(ours, asked)));
    }
    text
}

/// The message, with the argument that is to blame.
fn words(problem: &Problem, asked: &Asked) -> String {
    let mut message = in_their_names(&problem.message, asked);
    if let Some(field) = problem.field.map(|field| renamed(field, asked))
        && !message.contains(&field)
    {
        message = format!("`{field}`: {message}");
    }
    if problem.detail == Some("no_such_occurrence") {
        message.push_str(" (`orderHint` counts from 0)");
    }
    message
}

/// When the host takes questions again.
fn reset(problem: &Problem) -> SystemTime {
    SystemTime::now() + Duration::from_millis(problem.retry_after_ms.unwrap_or(60_000))
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A fact of a problem that is text.
pub(super) fn fact<'p>(problem: &'p Problem, name: &str) -> Option<&'p str> {
    problem.facts.iter().find_map(|(known, fact)| match fact {
        orienteer_base::Fact::Text(text) if *known == name => Some(text.as_str()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: ErrorKind, detail: Option<&'static str>) -> &'static str {
        code(&Problem { detail, ..Problem::new(kind, "x") })
    }

    #[test]
    fn every_documented_code_has_its_problem() {
        for (kind, detail, expected) in [
            (ErrorKind::RateLimited, Some("primary"), "RATE_LIMIT_EXCEEDED"),
            (ErrorKind::TooLarge, None, "FILE_TOO_LARGE"),
            (ErrorKind::TooLarge, Some("beyond_network"), "FILE_TOO_LARGE"),
            (ErrorKind::TooLarge, Some("reply_too_large"), "RESPONSE_TOO_LARGE"),
            (ErrorKind::NotFound, Some("no_such_path"), "NOT_FOUND"),
            (ErrorKind::AuthRequired, None, "AUTHENTICATION_ERROR"),
            (ErrorKind::InvalidParams, Some("invalid_regex"), "INVALID_QUERY"),
            (ErrorKind::InvalidParams, None, "INVALID_QUERY"),
            (ErrorKind::ServerUnavailable, None, "LSP_NOT_AVAILABLE"),
            (ErrorKind::NotReady, None, "LSP_NOT_AVAILABLE"),
            (ErrorKind::InvalidParams, Some("out_of_range"), "VALIDATION_ERROR"),
            (ErrorKind::PathNotAllowed, Some("outside_roots"), "VALIDATION_ERROR"),
            (ErrorKind::PrerequisiteMissing, None, "PREREQUISITE_MISSING"),
        ] {
            assert_eq!(of(kind, detail), expected, "{kind:?} {detail:?}");
        }
        let node = Problem::new(ErrorKind::PrerequisiteMissing, "x").fact("server_id", "ts");
        assert_eq!(code(&node), "LSP_NOT_AVAILABLE");
    }

    #[test]
    fn messages_use_the_names_of_the_contract() {
        let problem =
            Problem::invalid("line", "ambiguous_line", "as near on lines 3 and 5; say which with `line`");
        let asked = Asked::new("lspGotoDefinition", Map::new());
        let told = told(&problem, &asked);
        assert_eq!(told["error"], "as near on lines 3 and 5; say which with `lineHint`");
        let row = Map::from_iter([("symbolName".to_owned(), json!("line"))]);
        let own = Asked::new("lspGotoDefinition", row);
        assert_eq!(
            in_their_names("`line` is not near `symbol_name`", &own),
            "`line` is not near `symbolName`"
        );
        let problem = Problem::invalid("file_path", "is_directory", "`src` is a folder");
        assert_eq!(words(&problem, &asked), "`uri`: `src` is a folder");
        assert_eq!(
            words(&problem, &Asked::new("localGetFileContent", Map::new())),
            "`path`: `src` is a folder"
        );
    }

    #[test]
    fn a_rate_limit_says_when_it_ends() {
        let problem =
            Problem::new(ErrorKind::RateLimited, "x").fact("host", "github.com").retry_after_ms(61_000);
        let told = told(&problem, &Asked::new("githubSearchCode", Map::new()));
        let now = seconds(SystemTime::now());
        let reset = told["rateLimitReset"].as_u64().unwrap();
        assert!((now + 59..=now + 62).contains(&reset), "{reset} {now}");
        assert_eq!(told["hints"][0], "GitHub API rate limit exceeded");
    }
}
