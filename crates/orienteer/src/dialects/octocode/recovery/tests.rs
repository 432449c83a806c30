use orienteer_base::{ErrorKind, Problem};
use serde_json::{Map, Value, json};

use super::super::asked::Asked;
use super::super::bulk::takes;
use super::super::{TOOLS, errors, tools};
use super::hints;

const KINDS: &[ErrorKind] = &[
    ErrorKind::InvalidParams,
    ErrorKind::NotFound,
    ErrorKind::Ambiguous,
    ErrorKind::ServerUnavailable,
    ErrorKind::PrerequisiteMissing,
    ErrorKind::ServerStartFailed,
    ErrorKind::ServerCrashed,
    ErrorKind::NotReady,
    ErrorKind::NotIndexed,
    ErrorKind::NoProjectRoot,
    ErrorKind::Unsupported,
    ErrorKind::TooLarge,
    ErrorKind::ReadOnly,
    ErrorKind::NotEnabled,
    ErrorKind::PathNotAllowed,
    ErrorKind::StalePlan,
    ErrorKind::Timeout,
    ErrorKind::Cancelled,
    ErrorKind::RateLimited,
    ErrorKind::AuthRequired,
    ErrorKind::Network,
    ErrorKind::Overloaded,
    ErrorKind::InternalError,
];

/// Finer words that lead to hints of their own.
const DETAILS: &[Option<&str>] = &[
    None,
    Some("after_end"),
    Some("ambiguous_line"),
    Some("answer_too_large"),
    Some("beyond_network"),
    Some("binary_file"),
    Some("code_search"),
    Some("illegal_value"),
    Some("invalid_regex"),
    Some("is_directory"),
    Some("line_too_long"),
    Some("missing_field"),
    Some("no_server_for_extension"),
    Some("no_such_line"),
    Some("no_such_occurrence"),
    Some("no_such_path"),
    Some("not_a_directory"),
    Some("outside_roots"),
    Some("primary"),
    Some("reply_too_large"),
    Some("secondary"),
    Some("too_many_filters"),
    Some("unknown_field"),
    Some("unknown_host"),
];

/// A query that its tool takes, with as much in it as it may have.
fn full(tool: &str) -> Value {
    let goals = json!({ "mainResearchGoal": "a", "researchGoal": "b", "reasoning": "c" });
    let own = match tool {
        "githubSearchCode" => {
            json!({ "keywordsToSearch": ["x"], "owner": "o", "repo": "r", "extension": "ts", "path": "src", "limit": 10 })
        }
        "githubGetFileContent" => {
            json!({ "owner": "o", "repo": "r", "path": "a/b.ts", "branch": "main", "startLine": 1, "endLine": 2 })
        }
        "githubViewRepoStructure" => {
            json!({ "owner": "o", "repo": "r", "branch": "main", "path": "src", "depth": 2, "entriesPerPage": 200 })
        }
        "githubSearchRepositories" => {
            json!({ "keywordsToSearch": ["x"], "topicsToSearch": ["y"], "limit": 10 })
        }
        "githubSearchPullRequests" => {
            json!({ "owner": "o", "repo": "r", "prNumber": 3, "type": "fullContent", "withComments": true })
        }
        "packageSearch" => {
            json!({ "name": "x", "ecosystem": "npm", "searchLimit": 10, "npmFetchMetadata": true })
        }
        "localSearchCode" => {
            json!({ "pattern": "x(", "path": "src", "mode": "detailed", "filesPerPage": 20 })
        }
        "localGetFileContent" => {
            json!({ "path": "src/a.ts", "matchString": "x(", "matchStringIsRegex": true, "matchStringContextLines": 50,
                "charOffset": 7 })
        }
        "localViewStructure" => json!({ "path": "src/a.ts", "entriesPerPage": 20 }),
        "localFindFiles" => json!({ "path": "src/a.ts", "names": ["*.ts"], "filesPerPage": 20 }),
        _ => {
            json!({ "uri": "src/a.ts", "symbolName": "A.b", "lineHint": 3, "orderHint": 1, "contextLines": 10 })
        }
    };
    let mut row = goals.as_object().unwrap().clone();
    row.extend(own.as_object().unwrap().clone());
    if tool == "lspCallHierarchy" {
        row.insert("direction".to_owned(), json!("incoming"));
    }
    Value::Object(row)
}

/// Whether a tool takes the one query of a call, as it does when it is called.
fn checked(tool: &str, arguments: &Value) -> Result<(), Problem> {
    let takes: fn(Value) -> Result<(), Problem> = match tool {
        "githubSearchCode" => takes::<tools::github_search_code::GithubSearchCode>,
        "githubGetFileContent" => takes::<tools::github_get_file_content::GithubGetFileContent>,
        "githubViewRepoStructure" => takes::<tools::github_view_repo_structure::GithubViewRepoStructure>,
        "githubSearchRepositories" => takes::<tools::github_search_repositories::GithubSearchRepositories>,
        "githubSearchPullRequests" => takes::<tools::github_search_pull_requests::GithubSearchPullRequests>,
        "packageSearch" => takes::<tools::package_search::PackageSearch>,
        "localSearchCode" => takes::<tools::local_search_code::LocalSearchCode>,
        "localGetFileContent" => takes::<tools::local_get_file_content::LocalGetFileContent>,
        "localViewStructure" => takes::<tools::local_view_structure::LocalViewStructure>,
        "localFindFiles" => takes::<tools::local_find_files::LocalFindFiles>,
        "lspGotoDefinition" => takes::<tools::lsp_goto_definition::LspGotoDefinition>,
        "lspFindReferences" => takes::<tools::lsp_find_references::LspFindReferences>,
        "lspCallHierarchy" => takes::<tools::lsp_call_hierarchy::LspCallHierarchy>,
        other => panic!("no tool {other}"),
    };
    let [query] = arguments["queries"].as_array().unwrap().as_slice() else { panic!("{arguments}") };
    takes(query.clone())
}

fn told(problem: &Problem, tool: &'static str, row: Value) -> Vec<String> {
    let asked = Asked::new(tool, row.as_object().unwrap().clone());
    hints(problem, errors::code(problem), None, &asked)
}

#[test]
fn public_forges_are_called_by_their_names() {
    let problem = Problem::new(ErrorKind::AuthRequired, "x");
    let told = |problem: &Problem| told(problem, "githubSearchCode", json!({})).join("\n");
    let github = told(&problem.clone().fact("host", "api.github.com"));
    assert!(github.starts_with("Set GITHUB_TOKEN, or run `gh auth login`"), "{github}");
    let gitlab = told(&problem.clone().fact("host", "gitlab.com"));
    assert!(gitlab.starts_with("Set GITLAB_TOKEN, or run `glab auth login`"), "{gitlab}");
    let other = told(&problem.fact("host", "git.example.org"));
    assert!(other.contains("git.example.org") && other.contains("token_variable"), "{other}");
}

#[test]
fn every_kind_of_problem_has_a_way_out() {
    let mut calls = 0;
    for tool in TOOLS.iter().map(|entry| entry.name) {
        checked(tool, &json!({ "queries": [full(tool)] }))
            .unwrap_or_else(|problem| panic!("{tool}: {problem}"));
        for kind in KINDS {
            for detail in DETAILS {
                let problem = Problem { detail: *detail, ..Problem::new(*kind, "why") }
                    .fact("host", "git.example.org")
                    .fact("length", 9_000_000_i64)
                    .fact("share", 2_000_000_i64);
                // What was refused before anything was read may be empty.
                for row in [full(tool), Value::Object(Map::new())] {
                    let is_full = row.as_object().is_some_and(|row| !row.is_empty());
                    let hints = told(&problem, tool, row);
                    assert!(!hints.is_empty(), "{tool} {kind:?} {detail:?}");
                    for hint in hints.iter().filter(|_| is_full) {
                        let Some((before, _)) = hint.split_once(" {\"queries\":") else { continue };
                        let named = before.rsplit(' ').next().unwrap();
                        let arguments: Value = serde_json::from_str(hint[before.len()..].trim()).unwrap();
                        checked(named, &arguments).unwrap_or_else(|problem| {
                            panic!("{tool} {kind:?} {detail:?}: {hint}: {problem}")
                        });
                        calls += 1;
                    }
                }
            }
        }
    }
    assert!(calls > 1_000, "{calls}");
}

#[test]
fn a_registry_is_told_apart_from_a_forge() {
    let limited = Problem { detail: Some("primary"), ..Problem::new(ErrorKind::RateLimited, "x") };
    let limited = limited.fact("host", "registry.example.org");
    for (ecosystem, way) in [("npm", "npm login --registry"), ("python", "pip config set global.index-url")] {
        let row = json!({ "name": "left-pad", "ecosystem": ecosystem });
        for problem in [limited.clone(), Problem { kind: ErrorKind::AuthRequired, ..limited.clone() }] {
            let hints = told(&problem, "packageSearch", row.clone()).join("\n");
            assert!(hints.contains(way) && hints.contains("registry.example.org"), "{hints}");
            assert!(!hints.contains("GITHUB_TOKEN") && !hints.contains("gh auth"), "{hints}");
        }
        let hints = told(&limited, "packageSearch", row).join("\n");
        assert!(hints.contains("Results are cached for 10 minutes"), "{hints}");
        assert!(hints.contains(r#"localSearchCode {"queries":[{"pattern":"left-pad""#), "{hints}");
    }
}
