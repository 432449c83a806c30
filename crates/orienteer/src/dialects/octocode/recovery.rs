//! What to do about an error: hints that name the value that was wrong, and calls that run as given.

use std::time::SystemTime;

use orienteer_base::{ErrorKind, Fact, Problem};
use serde_json::json;

use super::asked::Asked;
use super::errors::fact;
use crate::render::text::time;

mod large;
#[cfg(test)]
mod tests;

pub(super) fn hints(problem: &Problem, code: &str, reset: Option<SystemTime>, asked: &Asked) -> Vec<String> {
    let mut hints = known(problem, code, reset, asked);
    // A query that says too little has nothing that another one could be made of.
    if hints.is_empty() {
        hints.push(format!("Check the query against the schema of {}", asked.tool));
    }
    hints
}

fn known(problem: &Problem, code: &str, reset: Option<SystemTime>, asked: &Asked) -> Vec<String> {
    match code {
        "RATE_LIMIT_EXCEEDED" => rate_limited(problem, reset, asked),
        "FILE_TOO_LARGE" => large::file(problem, asked),
        "RESPONSE_TOO_LARGE" => large::answer(problem, asked),
        "NOT_FOUND" if asked.is_remote() => not_there(problem, asked),
        "NOT_FOUND" => not_here(problem, asked),
        "AUTHENTICATION_ERROR" if asked.tool == "packageSearch" => vec![login(problem, asked)],
        "AUTHENTICATION_ERROR" => token(problem),
        "INVALID_QUERY" => malformed(problem, asked),
        "LSP_NOT_AVAILABLE" => without_server(problem, asked),
        "VALIDATION_ERROR" => parameters(problem, asked),
        "UNSUPPORTED" => unsupported(problem, asked),
        "NETWORK_ERROR" => vec![
            "Check the network and the host. Behind a proxy set HTTPS_PROXY; a private authority belongs into the system's \
             certificate store"
                .to_owned(),
        ],
        "TIMEOUT" => vec!["Narrow the query: a smaller path, a file type, a rarer pattern".to_owned()],
        "PREREQUISITE_MISSING" => {
            let setting = fact(problem, "setting").unwrap_or("packages.npm_registry or packages.python_index");
            vec![format!("Install the package manager, or set `{setting}` in Orienteer's configuration")]
        }
        "NOT_ENABLED" => vec![problem.message.clone()],
        _ => vec!["Run `orienteer doctor` and report its output".to_owned()],
    }
}

/// How a host is called.
fn host(problem: &Problem) -> &str {
    match fact(problem, "host") {
        None | Some("github.com" | "api.github.com") => "GitHub",
        Some("gitlab.com") => "GitLab",
        Some(other) => other,
    }
}

fn rate_limited(problem: &Problem, reset: Option<SystemTime>, asked: &Asked) -> Vec<String> {
    let mut hints = vec![format!("{} API rate limit exceeded", host(problem))];
    hints.extend(reset.map(|reset| format!("Limit resets at {}", time(reset))));
    let words = ["keywordsToSearch", "query", "name"].into_iter().find_map(|field| asked.row.get(field));
    let word = words.and_then(|words| words.as_str().or_else(|| words.get(0)?.as_str()));
    if let Some(word) = word.or_else(|| asked.text("matchString")) {
        let fields = json!({ "pattern": word, "path": ".", "fixedString": true });
        hints.push(asked.other("Use local tools as alternative", "localSearchCode", fields));
    } else {
        hints.push("Use local tools (localSearchCode, localViewStructure) as alternative".to_owned());
    }
    hints.push(format!("Results are cached for {}", kept(asked.tool)));
    if asked.tool == "packageSearch" {
        hints.push(login(problem, asked));
    } else if problem.detail == Some("primary") {
        hints.push(format!(
            "A token for {} raises the limit: set GITHUB_TOKEN or GITLAB_TOKEN",
            host(problem)
        ));
    }
    hints
}

/// How long answers of a tool are served from the cache.
fn kept(tool: &str) -> &'static str {
    match tool {
        "githubSearchRepositories" => "2 hours",
        "githubSearchPullRequests" => "30 minutes",
        "packageSearch" => "10 minutes",
        _ => "1 hour",
    }
}

fn not_there(problem: &Problem, asked: &Asked) -> Vec<String> {
    let mut hints = vec![
        "Check owner, repo, path and branch for spelling; a private repository needs a token".to_owned(),
    ];
    if problem.field == Some("reference") {
        if asked.tool == "githubGetFileContent" {
            hints.push(asked.again("Read it on the default branch", json!({ "branch": null })));
        } else {
            hints.push(asked.again("List the default branch", json!({ "branch": "HEAD" })));
        }
        return hints;
    }
    if let Some(repo) = asked.text("repo") {
        let word = repo.rsplit('/').next().unwrap_or(repo);
        let fields = json!({ "keywordsToSearch": [word] });
        hints.push(asked.other("Find the repository by name", "githubSearchRepositories", fields));
    }
    if let (Some(owner), Some(repo), Some(_)) = (asked.text("owner"), asked.text("repo"), asked.text("path"))
    {
        let branch = asked.text("branch").unwrap_or("HEAD");
        let fields = json!({ "owner": owner, "repo": repo, "branch": branch, "depth": 2 });
        let why = "If the repository exists, see which paths it has";
        hints.push(asked.other(why, "githubViewRepoStructure", fields));
    }
    hints
}

fn not_here(problem: &Problem, asked: &Asked) -> Vec<String> {
    let mut hints = Vec::new();
    let field = if asked.tool.starts_with("lsp") { "uri" } else { "path" };
    match problem.detail {
        Some("no_such_path") => {
            for candidate in problem.candidates.iter().take(2) {
                hints.push(asked.again(&format!("Try `{candidate}`"), json!({ field: candidate })));
            }
            let written = asked.text(field).unwrap_or_default();
            let name = written.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if !name.is_empty() && name.len() < 200 && !name.contains(['{', '[', '*', '?', '\\', '%']) {
                let why = format!("Look for `{name}` anywhere");
                let fields = json!({ "path": ".", "iname": name, "maxDepth": 10 });
                hints.push(asked.other(&why, "localFindFiles", fields));
            }
            hints.push(asked.other(
                "See what the workspace root holds",
                "localViewStructure",
                json!({ "path": "." }),
            ));
        }
        _ => {
            hints.extend(search_for_symbol(asked));
            hints.extend(problem.candidates.iter().take(3).map(|name| format!("Similar: {name}")));
        }
    }
    hints
}

/// The word that stands in a text for a name with what it belongs to, such as `AuthService.validate`.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '/', '#']).find(|part| !part.is_empty()).unwrap_or(name)
}

/// A search for the word of a name anywhere.
pub(super) fn by_text(asked: &Asked, why: &str, name: &str) -> String {
    let fields = json!({ "pattern": last_part(name), "path": ".", "fixedString": true, "smartCase": false });
    asked.other(why, "localSearchCode", fields)
}

/// Where the word of an LSP query stands, by text.
fn search_for_symbol(asked: &Asked) -> Option<String> {
    let (name, uri) = (asked.text("symbolName")?, asked.text("uri")?);
    let word = last_part(name);
    let fields = json!({ "pattern": word, "path": uri, "fixedString": true, "smartCase": false });
    Some(asked.other(&format!("Find the line of `{word}` for lineHint"), "localSearchCode", fields))
}

fn token(problem: &Problem) -> Vec<String> {
    let host = host(problem);
    let mut hints = vec![match host {
        "GitHub" => "Set GITHUB_TOKEN, or run `gh auth login`".to_owned(),
        "GitLab" => "Set GITLAB_TOKEN, or run `glab auth login`".to_owned(),
        other => format!(
            "Give a token for {other} in a [[hosts]] block of Orienteer's configuration (`token_variable`), or run `gh auth \
             login --hostname {other}`"
        ),
    }];
    hints.push("A token that is set has expired or lacks the scope to read this".to_owned());
    hints
}

/// A registry knows its users from the settings of its package manager.
fn login(problem: &Problem, asked: &Asked) -> String {
    let host = fact(problem, "host").unwrap_or("the registry");
    if asked.text("ecosystem") == Some("python") {
        return format!(
            "Put a user and a token for {host} into the address of the index: `pip config set global.index-url \
             https://USER:TOKEN@{host}/PATH`"
        );
    }
    format!(
        "Log in to {host} with `npm login --registry=https://{host}/PATH`, whose token in ~/.npmrc is used here, too"
    )
}

fn malformed(problem: &Problem, asked: &Asked) -> Vec<String> {
    match problem.detail {
        Some("invalid_regex") if matches!(asked.tool, "localSearchCode" | "localGetFileContent") => {
            let changes = if asked.tool == "localSearchCode" {
                json!({ "fixedString": true })
            } else {
                json!({ "matchStringIsRegex": false })
            };
            vec![asked.again("Search for the same text literally", changes)]
        }
        Some("is_directory") if asked.tool == "githubGetFileContent" => {
            let fields = json!({ "owner": asked.text("owner"), "repo": asked.text("repo"), "path": asked.text("path"),
                "branch": asked.text("branch").unwrap_or("HEAD") });
            vec![asked.other("List that folder", "githubViewRepoStructure", fields)]
        }
        Some("is_directory") if !asked.is_remote() => {
            let path = asked.text("path").or_else(|| asked.text("uri"));
            vec![asked.other("List that folder", "localViewStructure", json!({ "path": path }))]
        }
        Some("not_a_directory") if asked.tool.starts_with("local") => {
            let path = asked.text("path");
            vec![asked.other("Read that file", "localGetFileContent", json!({ "path": path }))]
        }
        Some("no_such_occurrence") if asked.tool.starts_with("lsp") => {
            vec![asked.again("Take the first on the line", json!({ "orderHint": 0 }))]
        }
        Some("after_end") if asked.row.contains_key("charOffset") => {
            vec![asked.again("Begin at the beginning", json!({ "charOffset": 0 }))]
        }
        Some("no_such_line" | "ambiguous_line") => search_for_symbol(asked).into_iter().collect(),
        Some("unknown_host") => vec![
            "Write `provider` (github, gitlab or forgejo), or describe the host in a [[hosts]] block of Orienteer's \
             configuration"
                .to_owned(),
        ],
        _ => {
            let mut hints = vec![format!("Check the query against the schema of {}", asked.tool)];
            if !problem.candidates.is_empty() {
                hints.push(format!("Legal are {}", list(&problem.candidates)));
            }
            hints
        }
    }
}

fn without_server(problem: &Problem, asked: &Asked) -> Vec<String> {
    let mut hints = Vec::new();
    if let Some(wait) = problem.retry_after_ms.filter(|_| problem.kind != ErrorKind::ServerStartFailed) {
        hints.push(asked.again(&format!("Ask again in {} s", wait.div_ceil(1_000)), json!({})));
    }
    for name in ["install_hint", "suggestion"] {
        if let Some(told) = fact(problem, name) {
            let how =
                if name == "install_hint" { "Install the language server, then check PATH: " } else { "" };
            hints.push(format!("{how}{told}"));
        }
    }
    if let Some(command) = fact(problem, "command").filter(|command| !command.is_empty()) {
        hints.push(format!("The command is `{command}`; `orienteer doctor` shows where it was looked for"));
    }
    if let Some((_, Fact::List(extensions))) =
        problem.facts.iter().find(|(name, _)| *name == "supported_extensions")
    {
        hints.push(format!("Extensions that have a server: {}", list(extensions)));
    }
    if let Some(name) = asked.text("symbolName") {
        hints.push(by_text(asked, "Meanwhile, by text", name));
    }
    if hints.is_empty() {
        hints.push("`orienteer doctor` shows which language servers are there".to_owned());
    }
    hints
}

fn parameters(problem: &Problem, asked: &Asked) -> Vec<String> {
    match problem.detail {
        Some("outside_roots" | "symlink_escape") => {
            let mut hints = Vec::new();
            if !problem.candidates.is_empty() {
                hints.push(format!("Folders that may be read: {}", list(&problem.candidates)));
            }
            hints.push("Add the folder to ALLOWED_PATHS, or start in it with WORKSPACE_ROOT".to_owned());
            hints
        }
        Some("missing_field") => {
            vec![format!("Review parameter constraints of {}: a field is missing", asked.tool)]
        }
        Some("too_many_filters") if asked.tool == "githubSearchCode" => ["extension", "filename", "path"]
            .into_iter()
            .map(|field| asked.again(&format!("Without `{field}`"), json!({ field: null })))
            .collect(),
        Some("illegal_value" | "unknown_field") if !problem.candidates.is_empty() => {
            vec![format!(
                "Review parameter constraints of {}: legal are {}",
                asked.tool,
                list(&problem.candidates)
            )]
        }
        _ => vec![format!("Review parameter constraints of {}", asked.tool)],
    }
}

fn unsupported(problem: &Problem, asked: &Asked) -> Vec<String> {
    match problem.detail {
        Some("code_search") => {
            let mut hints = Vec::new();
            if let (Some(owner), Some(repo)) = (asked.text("owner"), asked.text("repo")) {
                let fields = json!({ "owner": owner, "repo": repo, "branch": "HEAD", "depth": 2 });
                hints.push(asked.other("List the files instead", "githubViewRepoStructure", fields));
            } else if let Some(words) = asked.row.get("keywordsToSearch") {
                let fields = json!({ "keywordsToSearch": words });
                hints.push(asked.other("Find a repository instead", "githubSearchRepositories", fields));
            }
            hints
        }
        Some("binary_file") if asked.tool == "githubGetFileContent" => {
            let changes = json!({ "startLine": null, "endLine": null, "matchString": null, "matchStringContextLines": null,
                "charOffset": 0, "charLength": 50_000 });
            vec![asked.again("Read it as base64, in pages", changes)]
        }
        Some("binary_file") if !asked.is_remote() => {
            let path = asked.text("path").unwrap_or(".");
            let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
            let folder = if folder.is_empty() { "/" } else { folder };
            let fields = json!({ "path": folder, "name": name, "maxDepth": 1 });
            vec![asked.other("See its size and age; its bytes are not text", "localFindFiles", fields)]
        }
        _ => vec!["Ask for something else: this cannot be answered here".to_owned()],
    }
}

/// Not all of a hundred.
fn list(names: &[String]) -> String {
    let shown = names.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 20 { format!("{shown}, …") } else { shown }
}
