use serde_json::json;

use super::*;
use crate::schema::validate;
use crate::tools::{TOOLS, target};

fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn by_name() -> Value {
    json!({ "file_path": "src/a.rs", "line": 3, "symbol_name": "Type::run", "wait_ms": 10, "max_total_chars": 9000 })
}

/// The steps of one problem as `kind tool arguments`.
fn steps(problem: &Problem, tool: &'static str, given: Value) -> Vec<String> {
    advise(problem, tool, &arguments(given))
        .iter()
        .map(|step| match step {
            NextStep::Tool { tool, arguments, .. } => format!("{tool} {arguments}"),
            other => other.to_json()["kind"].as_str().unwrap().to_owned(),
        })
        .collect()
}

/// Problems as the rooms below report them.
fn problems() -> Vec<Problem> {
    let new = |kind| Problem::new(kind, "it failed").fact("server_id", "gopls");
    vec![
        new(ErrorKind::InvalidParams).detail("no_server_for_extension").fact("extension", "md"),
        new(ErrorKind::InvalidParams).detail("incomplete_target"),
        new(ErrorKind::Ambiguous).candidates(vec!["a#x".into(), "b#x".into(), "c#x".into(), "d#x".into()]),
        new(ErrorKind::NotFound).detail("no_symbol_here"),
        new(ErrorKind::NotFound).detail("unknown_symbol").candidates(vec!["runs".into()]),
        new(ErrorKind::NotFound).detail("unknown_symbol_id").candidates(vec!["a.rs#runs".into()]),
        new(ErrorKind::InvalidParams).detail("no_such_line"),
        new(ErrorKind::InvalidParams).detail("no_such_occurrence"),
        new(ErrorKind::NotFound),
        new(ErrorKind::NotFound).detail("no_such_path").candidates(vec!["src/b.rs".into()]),
        new(ErrorKind::ServerUnavailable).fact("install_hint", "go install gopls"),
        new(ErrorKind::PrerequisiteMissing).fact("suggestion", "Install Go."),
        new(ErrorKind::ServerStartFailed).fact("suggestion", "Run: npm install typescript"),
        new(ErrorKind::ServerCrashed).fact("exit_code", 1),
        new(ErrorKind::NotReady).retry_after_ms(500),
        new(ErrorKind::NotIndexed),
        new(ErrorKind::NoProjectRoot),
        new(ErrorKind::Timeout).detail("server_timeout"),
        new(ErrorKind::Unsupported).detail("method_unsupported"),
        new(ErrorKind::InternalError).detail("server_error"),
        new(ErrorKind::InternalError).detail("unreadable_answer"),
    ]
}

/// Arguments that each tool of language servers takes.
fn calls() -> Vec<(&'static str, Value)> {
    let place = json!({ "file_path": "src/a.rs", "line": 3, "column": 4 });
    vec![
        ("find_definition", by_name()),
        ("find_references", json!({ "symbol_name": "run", "cross_check": false })),
        ("find_symbol", json!({ "query": "run" })),
        ("document_symbols", json!({ "file_path": "src/a.rs" })),
        ("hover", place.clone()),
        ("call_hierarchy", json!({ "symbol_id": "x", "depth": 2, "cursor": "abc" })),
        ("type_hierarchy", by_name()),
        ("explore", json!({ "targets": [by_target(), { "symbol_id": "y" }], "sections": ["body"] })),
        ("get_diagnostics", json!({ "file_paths": ["src/a.rs"], "wait_ms": 600_000 })),
        ("signature_help", place.clone()),
        ("complete", place),
    ]
}

fn by_target() -> Value {
    json!({ "file_path": "src/a.rs", "symbol_name": "run" })
}

#[test]
fn every_problem_has_advice_and_every_tool_step_fits_its_schema() {
    let mut checked = 0;
    for problem in problems() {
        for (tool, given) in calls() {
            let given = arguments(given);
            // Only what points at symbols can point at several.
            let plain = ["signature_help", "complete", "find_symbol", "document_symbols", "get_diagnostics"];
            let about_symbols = [Some("unknown_symbol"), Some("unknown_symbol_id")].contains(&problem.detail);
            if (problem.kind == ErrorKind::Ambiguous || about_symbols) && plain.contains(&tool) {
                continue;
            }
            let steps = advise(&problem, tool, &given);
            assert!(!steps.is_empty(), "{:?} {:?} of {tool}", problem.kind, problem.detail);
            for step in steps {
                let NextStep::Tool { tool: next, arguments, message } = step else { continue };
                assert!(!message.is_empty());
                let Some(entry) = TOOLS.iter().find(|entry| entry.name == next) else {
                    assert_eq!(next, "build_index", "the only tool that is still to come");
                    continue;
                };
                let mut arguments = arguments.as_object().cloned().unwrap();
                let told = format!("{:?} of {tool}: {next} {arguments:?}", problem.kind);
                let fits = validate::check(&(entry.input_schema)(), &mut arguments);
                assert!(fits.is_ok(), "{told}: {fits:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked}");
}

#[test]
fn candidates_replace_the_target_and_keep_the_rest() {
    let problem = &problems().into_iter().find(|problem| problem.kind == ErrorKind::Ambiguous).unwrap();
    let found = steps(
        problem,
        "find_references",
        json!({ "symbol_name": "run", "line": 1, "file_path": "a", "wait_ms": 5, "cursor": "c" }),
    );
    assert_eq!(
        found[..3],
        [
            r#"find_references {"wait_ms":5,"symbol_id":"a#x"}"#,
            r#"find_references {"wait_ms":5,"symbol_id":"b#x"}"#,
            r#"find_references {"wait_ms":5,"symbol_id":"c#x"}"#,
        ]
    );
    assert_eq!(found.len(), 4, "three candidates and a word: {found:?}");
    let found =
        steps(problem, "explore", json!({ "targets": [{ "symbol_name": "run" }], "sections": ["body"] }));
    assert_eq!(found[0], r#"explore {"targets":[{"symbol_id":"a#x"}],"sections":["body"]}"#);
}

#[test]
fn an_extension_without_a_server_is_advised_as_the_guide_does() {
    let found = steps(&problems()[0], "find_definition", by_name());
    let expected =
        ["get_current_config {}", "list_servers {}", r#"get_server_status {"server_id":"gopls"}"#, "config"];
    assert_eq!(found, expected);
    let failure = Failure { problem: problems().remove(0), next_steps: Vec::new() };
    assert_eq!(
        failure.to_json()["data"],
        json!({ "kind": "no_server_for_extension", "server_id": "gopls", "extension": "md" })
    );
    assert_eq!(failure.to_json()["code"], -32602);
    assert_eq!(failure.server_id(), Some("gopls"));
}

#[test]
fn a_symbol_that_is_not_there_is_looked_for_by_its_last_word() {
    let found = steps(&Problem::new(ErrorKind::NotFound, "x").detail("no_symbol"), "hover", by_name());
    assert_eq!(found[0], r#"find_symbol {"query":"run","match":"fuzzy"}"#);
    assert_eq!(found[1], r#"search_code {"pattern":"run","fixed_string":true,"whole_word":true}"#);
    assert_eq!(found[2], r#"document_symbols {"file_path":"src/a.rs"}"#);
}

#[test]
fn waiting_longer_is_longer_and_ends() {
    let problem = Problem::new(ErrorKind::NotReady, "x").retry_after_ms(700);
    let wait = |given: Value| {
        steps(&problem, "hover", given).into_iter().find(|step| step.starts_with("hover")).unwrap_or_default()
    };
    assert_eq!(wait(json!({ "symbol_id": "x" })), r#"hover {"symbol_id":"x","wait_ms":60000}"#);
    assert_eq!(
        wait(json!({ "symbol_id": "x", "wait_ms": 90_000 })),
        r#"hover {"symbol_id":"x","wait_ms":180000}"#
    );
    assert_eq!(wait(json!({ "symbol_id": "x", "wait_ms": 600_000 })), "", "there is no longer wait");
    let error = Failure { problem, next_steps: Vec::new() }.to_json();
    assert_eq!((&error["retryable"], &error["retry_after_ms"]), (&json!(true), &json!(700)));
}

#[test]
fn what_is_incomplete_is_completed_where_that_is_possible() {
    let problem = Problem::new(ErrorKind::InvalidParams, "x").detail("incomplete_target");
    let found = steps(&problem, "hover", json!({ "line": 4, "symbol_name": "run", "wait_ms": 5 }));
    assert_eq!(found, [r#"hover {"wait_ms":5,"symbol_name":"run"}"#, "doc"]);
    let found = steps(&problem, "hover", json!({ "file_path": "src/a.rs" }));
    assert_eq!(found, [r#"document_symbols {"file_path":"src/a.rs"}"#, "doc"]);
    let doc = advise(&problem, "hover", &Map::new()).pop().unwrap();
    assert_eq!(doc.message(), target::ENOUGH);
}

#[test]
fn a_missing_path_is_replaced_where_it_stands() {
    let problem = &problems().into_iter().find(|problem| problem.detail == Some("no_such_path")).unwrap();
    let first = |tool, given| steps(problem, tool, given).remove(0);
    assert_eq!(
        first("hover", json!({ "file_path": "x", "line": 1 })),
        r#"hover {"file_path":"src/b.rs","line":1}"#
    );
    assert_eq!(
        first("get_diagnostics", json!({ "file_paths": ["x"] })),
        r#"get_diagnostics {"file_paths":["src/b.rs"]}"#
    );
    assert_eq!(
        first("explore", json!({ "targets": [{ "file_path": "x", "symbol_name": "f" }] })),
        r#"explore {"targets":[{"file_path":"src/b.rs","symbol_name":"f"}]}"#
    );
}

#[test]
fn what_is_too_large_on_the_network_is_not_asked_for_in_parts() {
    let told = |detail: &'static str| {
        let problem = Problem::new(ErrorKind::TooLarge, "it failed").detail(detail);
        let steps = advise(&problem, "remote_read_file", &arguments(json!({ "path": "a" })));
        steps.iter().map(|step| step.to_json().to_string()).collect::<String>()
    };
    assert!(told("beyond_network").contains("Clone the repository"), "{}", told("beyond_network"));
    assert!(told("reply_too_large").contains("less at a time"), "{}", told("reply_too_large"));
    for detail in ["beyond_network", "reply_too_large"] {
        assert!(!told(detail).contains("start_line"), "{}", told(detail));
    }
}

#[test]
fn a_crashed_server_can_be_restarted() {
    let crashed = problems().into_iter().find(|problem| problem.kind == ErrorKind::ServerCrashed).unwrap();
    let found = steps(&crashed, "hover", json!({ "symbol_id": "x" }));
    assert_eq!(found[0], r#"restart_server {"server_id":"gopls"}"#);
    assert_eq!(found[2], r#"hover {"symbol_id":"x"}"#);
}

#[test]
fn a_name_that_is_almost_right_is_corrected() {
    let unknown =
        |detail| Problem::new(ErrorKind::NotFound, "x").detail(detail).candidates(vec!["runs".to_owned()]);
    let first = |detail, given| steps(&unknown(detail), "hover", given).remove(0);
    let named = json!({ "file_path": "a.rs", "line": 3, "symbol_name": "rusn", "wait_ms": 1 });
    assert_eq!(
        first("unknown_symbol", named),
        r#"hover {"wait_ms":1,"file_path":"a.rs","symbol_name":"runs"}"#
    );
    assert_eq!(first("unknown_symbol_id", json!({ "symbol_id": "a" })), r#"hover {"symbol_id":"runs"}"#);
}

#[test]
fn what_a_checker_cannot_do_is_replaced_by_what_can() {
    let unsupported = |detail| Problem::new(ErrorKind::Unsupported, "x").detail(detail);
    let first = |detail, given| steps(&unsupported(detail), "get_diagnostics", given).remove(0);
    assert_eq!(
        first("no_version_control", json!({ "scope": "changed" })),
        r#"get_diagnostics {"scope":"workspace"}"#
    );
    assert_eq!(
        first("no_compiler", json!({ "file_paths": ["a"], "mode": "compiler" })),
        r#"get_diagnostics {"file_paths":["a"],"mode":"server"}"#
    );
    let unknown =
        Problem::new(ErrorKind::NotFound, "x").detail("unknown_baseline").candidates(vec!["old".into()]);
    let found = steps(&unknown, "get_diagnostics", json!({ "scope": "workspace", "baseline": "odl" }));
    assert_eq!(found, [r#"get_diagnostics {"scope":"workspace","baseline":"old"}"#, "doc"]);
}

#[test]
fn problems_of_the_index_come_with_steps_that_its_tools_take() {
    let new = |kind, detail| Problem::new(kind, "it failed").detail(detail);
    let cases = [
        new(ErrorKind::InvalidParams, "invalid_regex"),
        new(ErrorKind::InvalidParams, "empty_query"),
        new(ErrorKind::InvalidParams, "unknown_filter").candidates(vec!["lang".into()]),
        new(ErrorKind::InvalidParams, "invalid_filter"),
        new(ErrorKind::Unsupported, "unsupported_filter").fact("filters", vec!["calls".to_owned()]),
        new(ErrorKind::NotReady, "index_building").retry_after_ms(100),
        new(ErrorKind::NotIndexed, "index_damaged"),
        new(ErrorKind::NotEnabled, "index_disabled"),
        new(ErrorKind::ReadOnly, "index_read_only"),
        new(ErrorKind::InternalError, "disk_full"),
        new(ErrorKind::Overloaded, "index_busy"),
    ];
    let given =
        json!({ "query": "/load_(settings/", "filters": { "calls": "open", "lang": "rust" }, "cursor": "x" });
    for problem in cases {
        let steps = advise(&problem, "search", &arguments(given.clone()));
        assert!(!steps.is_empty(), "{problem:?}");
        for step in steps {
            let NextStep::Tool { tool, arguments, .. } = step else { continue };
            let entry = TOOLS.iter().find(|entry| entry.name == tool).unwrap_or_else(|| panic!("{tool}"));
            let mut arguments = arguments.as_object().cloned().unwrap();
            assert!(!arguments.contains_key("cursor"), "{tool}: a new question has no cursor");
            validate::check(&(entry.input_schema)(), &mut arguments).unwrap();
        }
    }
    let unsupported = Problem::new(ErrorKind::Unsupported, "x").detail("unsupported_filter");
    let unsupported = unsupported.fact("filters", vec!["calls".to_owned()]);
    let told = steps(
        &unsupported,
        "search",
        json!({ "query": "load settings", "filters": { "calls": "a", "lang": "go" } }),
    );
    assert_eq!(told[0], r#"search {"query":"load settings","filters":{"lang":"go"}}"#);
    assert_eq!(told[1], r#"search_code {"pattern":"settings","fixed_string":true}"#);
    let regex = Problem::new(ErrorKind::InvalidParams, "x").detail("invalid_regex");
    let told = steps(&regex, "search", json!({ "query": "/a(b/" }));
    assert_eq!(told[0], r#"search {"query":"\"a(b\""}"#);
}
