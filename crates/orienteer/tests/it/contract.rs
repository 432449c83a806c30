//! The contract that clients depend on: names, defaults, bounds, fields, sizes.

use orienteer::tool::{Effect, Entry};
use orienteer::tools::TOOLS;
use serde_json::{Value, json};

use crate::ORIENTEER;
use crate::support::{offered, run};

/// Name, toolset, in the default set: from the contract, written by hand.
const EXPECTED: &[(&str, &str, bool)] = &[
    ("find_definition", "navigate", true),
    ("find_references", "navigate", true),
    ("find_symbol", "navigate", true),
    ("document_symbols", "navigate", true),
    ("hover", "navigate", true),
    ("call_hierarchy", "navigate", true),
    ("type_hierarchy", "navigate", true),
    ("explore", "navigate", true),
    ("get_diagnostics", "diagnose", true),
    ("rename_symbol", "edit", true),
    ("apply_edits", "edit", true),
    ("undo_edits", "edit", true),
    ("search", "index", true),
    ("search_code", "local", true),
    ("read_file", "local", true),
    ("signature_help", "navigate", false),
    ("complete", "navigate", false),
    ("code_actions", "edit", false),
    ("format_code", "edit", false),
    ("edit_symbol", "edit", false),
    ("list_tree", "local", false),
    ("find_files", "local", false),
    ("search_structure", "local", false),
    ("index_status", "index", false),
    ("build_index", "index", false),
    ("compact_index", "index", false),
    ("gc_cache", "index", false),
    ("clean_index", "index", false),
    ("report_artifacts", "index", false),
    ("triage_list", "triage", false),
    ("triage_ingest", "triage", false),
    ("triage_decide", "triage", false),
    ("triage_context_pack", "triage", false),
    ("remote_search_code", "remote", false),
    ("remote_read_file", "remote", false),
    ("remote_list_tree", "remote", false),
    ("remote_search_repositories", "remote", false),
    ("remote_search_changes", "remote", false),
    ("search_packages", "remote", false),
    ("get_current_config", "ops", true),
    ("list_servers", "ops", true),
    ("get_server_status", "ops", true),
    ("restart_server", "ops", false),
    ("stop_server", "ops", false),
    ("health_check", "ops", false),
    ("batch", "ops", true),
];

/// Tool, argument, type, default, least, most: the contract's table of arguments, written by hand.
const ARGUMENTS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "find_definition",
        "relation",
        "definition | declaration | type_definition | implementation",
        "\"definition\"",
        "",
    ),
    ("find_definition", "max_results", "integer, 1 to 200", "20", ""),
    ("find_definition", "include_snippet", "boolean", "true", ""),
    ("find_references", "include_declaration", "boolean", "true", ""),
    ("find_references", "cross_check", "boolean", "true", ""),
    ("find_references", "max_results", "integer, 1 to 5000", "200", ""),
    ("find_references", "include_snippet", "boolean", "false", ""),
    ("find_symbol", "query", "string", "required", ""),
    ("find_symbol", "match", "exact | prefix | fuzzy", "\"fuzzy\"", ""),
    ("find_symbol", "kinds", "list of string", "[]", ""),
    ("find_symbol", "path", "string", "", ""),
    ("find_symbol", "language", "string", "", ""),
    ("find_symbol", "include_dependencies", "boolean", "false", ""),
    ("find_symbol", "max_results", "integer, 1 to 1000", "50", ""),
    ("document_symbols", "file_path", "string", "required", ""),
    ("document_symbols", "depth", "integer, 1 to 10", "2", ""),
    ("document_symbols", "kinds", "list of string", "[]", ""),
    ("document_symbols", "max_results", "integer, 1 to 5000", "500", ""),
    ("call_hierarchy", "direction", "incoming | outgoing", "\"incoming\"", ""),
    ("call_hierarchy", "depth", "integer, 1 to 3", "1", ""),
    ("call_hierarchy", "max_results", "integer, 1 to 2000", "200", ""),
    ("call_hierarchy", "include_snippet", "boolean", "false", ""),
    ("type_hierarchy", "direction", "supertypes | subtypes | both", "\"both\"", ""),
    ("type_hierarchy", "depth", "integer, 1 to 5", "1", ""),
    ("signature_help", "file_path", "string", "required", ""),
    ("signature_help", "line", "integer, from 1", "required", ""),
    ("signature_help", "column", "integer, from 1", "required", ""),
    ("complete", "file_path", "string", "required", ""),
    ("complete", "line", "integer, from 1", "required", ""),
    ("complete", "column", "integer, from 1", "required", ""),
    ("complete", "trigger_character", "string", "", ""),
    ("complete", "resolve", "boolean", "false", ""),
    ("complete", "max_results", "integer, 1 to 500", "50", ""),
    ("explore", "targets", "array, 1 to 5", "required", ""),
    ("explore", "max_total_chars", "integer, 2000 to 2000000", "24000", ""),
    ("get_diagnostics", "scope", "files | changed | workspace", "\"files\"", ""),
    ("get_diagnostics", "file_paths", "list of string", "[]", ""),
    ("get_diagnostics", "severity_filter", "error | warning | info | hint | all", "\"all\"", "minimum"),
    ("get_diagnostics", "mode", "server | compiler", "\"server\"", ""),
    ("get_diagnostics", "save_baseline", "string", "", ""),
    ("get_diagnostics", "baseline", "string", "", ""),
    ("get_diagnostics", "wait_ms", "integer, to 600000", "15000", ""),
    ("get_diagnostics", "max_results", "integer, 1 to 5000", "100", ""),
    ("rename_symbol", "new_name", "string", "required", ""),
    ("rename_symbol", "dry_run", "boolean", "true", ""),
    ("rename_symbol", "expected_before_sha256", "object", "{}", ""),
    ("rename_symbol", "wait_ms", "integer, to 600000", "", ""),
    ("code_actions", "start_line", "integer, from 1", "", ""),
    ("code_actions", "start_column", "integer, from 1", "", ""),
    ("code_actions", "end_line", "integer, from 1", "", ""),
    ("code_actions", "end_column", "integer, from 1", "", ""),
    ("code_actions", "kinds", "list of string", "[]", ""),
    ("code_actions", "action_id", "string", "", ""),
    ("code_actions", "dry_run", "boolean", "true", ""),
    ("format_code", "file_paths", "array, 1 to 200", "required", ""),
    ("format_code", "start_line", "integer, from 1", "", ""),
    ("format_code", "end_line", "integer, from 1", "", ""),
    ("format_code", "dry_run", "boolean", "true", ""),
    (
        "edit_symbol",
        "operation",
        "replace | replace_body | insert_before | insert_after | delete",
        "required",
        "",
    ),
    ("edit_symbol", "content", "string", "", ""),
    ("edit_symbol", "force", "boolean", "false", ""),
    ("edit_symbol", "dry_run", "boolean", "true", ""),
    ("apply_edits", "plan_id", "string", "required", ""),
    ("apply_edits", "simulate", "boolean", "false", ""),
    ("apply_edits", "diagnostics", "boolean", "false", ""),
    ("undo_edits", "journal_id", "string", "", ""),
    ("undo_edits", "count", "integer, 1 to 100", "1", ""),
    ("search_code", "pattern", "string", "required", ""),
    ("search_code", "path", "string", "", ""),
    ("search_code", "mode", "discovery | paginated | detailed", "", ""),
    ("search_code", "fixed_string", "boolean", "false", ""),
    ("search_code", "case", "smart | sensitive | insensitive", "\"smart\"", ""),
    ("search_code", "whole_word", "boolean", "false", ""),
    ("search_code", "multiline", "boolean", "false", ""),
    ("search_code", "file_types", "list of string", "[]", ""),
    ("search_code", "include", "list of string", "[]", ""),
    ("search_code", "exclude", "list of string", "[]", ""),
    ("search_code", "hidden", "boolean", "false", ""),
    ("search_code", "no_ignore", "boolean", "false", ""),
    ("search_code", "files_only", "boolean", "", ""),
    ("search_code", "count_only", "boolean", "false", ""),
    ("search_code", "context_lines", "integer, to 50", "", ""),
    ("search_code", "matches_per_file", "integer, 1 to 1000", "", "Default 10."),
    ("search_code", "files_per_page", "integer, 1 to 1000", "", "Default 20."),
    ("search_code", "sort", "path | modified", "\"path\"", ""),
    ("read_file", "file_path", "string", "required", ""),
    ("read_file", "start_line", "integer, from 1", "", ""),
    ("read_file", "end_line", "integer, from 1", "", ""),
    ("read_file", "match_string", "string", "", ""),
    ("read_file", "match_is_regex", "boolean", "false", ""),
    ("read_file", "match_case_sensitive", "boolean", "false", ""),
    ("read_file", "context_lines", "integer, to 50", "", ""),
    ("read_file", "char_offset", "integer", "", ""),
    ("read_file", "char_length", "integer, from 1", "", ""),
    ("list_tree", "path", "string", "", ""),
    ("list_tree", "depth", "integer, 1 to 10", "1", ""),
    ("list_tree", "details", "boolean", "false", ""),
    ("list_tree", "hidden", "boolean", "false", ""),
    ("list_tree", "sort_by", "name | size | time | extension", "\"name\"", ""),
    ("list_tree", "files_only", "boolean", "false", ""),
    ("list_tree", "directories_only", "boolean", "false", ""),
    ("list_tree", "extensions", "list of string", "[]", ""),
    ("list_tree", "pattern", "string", "", ""),
    ("list_tree", "entries_per_page", "integer, 1 to 1000", "100", ""),
    ("find_files", "path", "string", "", ""),
    ("find_files", "names", "list of string", "[]", ""),
    ("find_files", "case_sensitive", "boolean", "true", ""),
    ("find_files", "type", "f | d | l", "", ""),
    ("find_files", "max_depth", "integer, 1 to 100", "10", ""),
    ("find_files", "min_depth", "integer, to 100", "0", ""),
    ("find_files", "modified_within", "string", "", ""),
    ("find_files", "modified_before", "string", "", ""),
    ("find_files", "size_greater", "string", "", ""),
    ("find_files", "size_less", "string", "", ""),
    ("find_files", "permissions", "string", "", ""),
    ("find_files", "executable", "boolean", "", ""),
    ("find_files", "readable", "boolean", "", ""),
    ("find_files", "writable", "boolean", "", ""),
    ("find_files", "exclude_dirs", "list of string", "[]", ""),
    ("find_files", "sort_by", "name | size | time | extension", "\"name\"", ""),
    ("find_files", "files_per_page", "integer, 1 to 1000", "100", ""),
    ("search_structure", "pattern", "string", "required", ""),
    ("search_structure", "language", "string", "required", ""),
    ("search_structure", "path", "string", "", ""),
    ("search_structure", "include", "list of string", "[]", ""),
    ("search_structure", "exclude", "list of string", "[]", ""),
    ("search_structure", "strictness", "cst | smart | ast | relaxed | signature", "\"smart\"", ""),
    ("search_structure", "context_lines", "integer, to 50", "0", ""),
    ("search_structure", "max_results", "integer, 1 to 5000", "100", ""),
    ("search", "query", "string", "required", ""),
    (
        "search",
        "modes",
        "list of code | prose | comments | config | records",
        "[\"code\",\"prose\",\"comments\"]",
        "",
    ),
    ("search", "filters", "object", "", ""),
    ("search", "output", "compact | full", "\"compact\"", ""),
    ("search", "explain", "boolean", "false", ""),
    ("search", "max_results", "integer, 1 to 100", "10", ""),
    ("search", "wait_ms", "integer, to 600000", "15000", ""),
    ("build_index", "path", "string", "", ""),
    ("build_index", "full", "boolean", "false", ""),
    ("gc_cache", "dry_run", "boolean", "true", ""),
    ("gc_cache", "max_bytes", "integer", "", ""),
    ("gc_cache", "max_age_days", "integer, to 36500", "", ""),
    ("clean_index", "dry_run", "boolean", "false", ""),
    ("compact_index", "dry_run", "boolean", "false", ""),
    ("triage_list", "finding", "string", "", ""),
    ("triage_list", "state", "open | expired | decided | closed | all", "\"open\"", ""),
    ("triage_list", "package", "string", "", ""),
    ("triage_list", "severities", "list of critical | high | medium | low | info | unknown", "[]", ""),
    ("triage_list", "service", "string", "", ""),
    ("triage_list", "query", "string", "", ""),
    ("triage_list", "max_results", "integer, 1 to 1000", "50", ""),
    ("triage_ingest", "input_path", "string", "required", ""),
    ("triage_ingest", "meta", "object", "{}", ""),
    ("triage_ingest", "keep_raw", "boolean", "false", ""),
    ("triage_ingest", "dry_run", "boolean", "false", ""),
    ("triage_decide", "finding", "string", "required", ""),
    ("triage_decide", "status", "fix | accept | defer | false_positive | not_affected", "required", ""),
    ("triage_decide", "justification", "string", "", ""),
    ("triage_decide", "reviewer", "string", "", ""),
    ("triage_decide", "expires", "string", "", ""),
    ("triage_decide", "evidence", "list of string", "[]", ""),
    ("triage_decide", "meta", "object", "{}", ""),
    ("triage_context_pack", "finding", "string", "required", ""),
    ("triage_context_pack", "write", "boolean", "false", ""),
    ("triage_context_pack", "output_path", "string", "", ""),
    ("triage_context_pack", "wait_ms", "integer, to 600000", "", ""),
    ("get_current_config", "include_env", "boolean", "false", ""),
    ("list_servers", "include_env", "boolean", "false", ""),
    ("get_server_status", "server_id", "string", "", ""),
    ("restart_server", "server_id", "string", "", ""),
    ("stop_server", "server_id", "string", "", ""),
    ("batch", "calls", "array, 1 to 10", "required", ""),
];

/// The fields that point at code: argument, type.
const TARGET: &[(&str, &str)] = &[
    ("file_path", "string"),
    ("line", "integer, from 1"),
    ("column", "integer, from 1"),
    ("symbol_name", "string"),
    ("symbol_kind", "string"),
    ("occurrence", "integer, from 1"),
    ("symbol_id", "string"),
];

const TAKE_TARGETS: &[&str] =
    &["find_definition", "find_references", "hover", "call_hierarchy", "type_hierarchy", "code_actions"];
const TAKE_SNIPPETS: &[&str] = &["find_definition", "find_references", "call_hierarchy"];

fn entry(name: &str) -> &'static Entry {
    TOOLS.iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn the_list_has_the_contracts_tools() {
    let found: Vec<_> =
        TOOLS.iter().map(|entry| (entry.name, entry.toolset.as_str(), entry.default)).collect();
    assert_eq!(found, EXPECTED);
}

#[test]
fn arguments_have_the_contracts_types_defaults_and_bounds() {
    for (tool, argument, kind, default, description) in ARGUMENTS {
        let schema = (entry(tool).input_schema)();
        let property = &schema["properties"][*argument];
        assert!(property.is_object(), "{tool}.{argument} is missing");
        assert_eq!(orienteer::docs::kind(property), *kind, "{tool}.{argument}");
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|list| list.contains(&json!(argument)));
        let found = match property.get("default") {
            Some(value) => value.to_string(),
            None if required => "required".to_owned(),
            None => String::new(),
        };
        assert_eq!(found, *default, "{tool}.{argument}");
        let written = property.get("description").and_then(Value::as_str).unwrap_or_default();
        assert!(written.contains(description), "{tool}.{argument}: {written}");
    }
}

#[test]
fn everything_that_takes_a_symbol_takes_the_same_fields() {
    let nested = (entry("explore").input_schema)()["properties"]["targets"]["items"].clone();
    assert_eq!(nested["additionalProperties"], json!(false), "unknown fields of a target are refused");
    let flat = TAKE_TARGETS.iter().map(|tool| Value::Object((entry(tool).input_schema)()));
    for schema in flat.chain([nested]) {
        for (field, kind) in TARGET {
            assert_eq!(orienteer::docs::kind(&schema["properties"][field]), *kind, "{field} in {schema}");
            assert!(schema.get("required").is_none(), "{schema}");
        }
    }
}

#[test]
fn snippets_and_waits_are_the_same_everywhere() {
    for tool in TAKE_SNIPPETS {
        let properties = &(entry(tool).input_schema)()["properties"];
        let lines = &properties["snippet_context_lines"];
        assert_eq!(
            (orienteer::docs::kind(lines), &lines["default"]),
            ("integer, to 10".to_owned(), &json!(1))
        );
        let chars = &properties["max_snippet_chars"];
        assert_eq!(
            (orienteer::docs::kind(chars), &chars["default"]),
            ("integer, 40 to 4000".to_owned(), &json!(400))
        );
    }
    for entry in TOOLS.iter().filter(|entry| ["navigate", "diagnose"].contains(&entry.toolset.as_str())) {
        let schema = (entry.input_schema)();
        let wait = orienteer::docs::kind(&schema["properties"]["wait_ms"]);
        assert_eq!(wait, "integer, to 600000", "{}", entry.name);
    }
}

/// They take the same fields and one that must be there.
#[test]
fn what_changes_a_symbol_points_at_it_as_everything_else_does() {
    for tool in ["rename_symbol", "edit_symbol"] {
        let schema = Value::Object((entry(tool).input_schema)());
        for (field, kind) in TARGET {
            assert_eq!(orienteer::docs::kind(&schema["properties"][field]), *kind, "{tool}.{field}");
        }
    }
}

#[test]
fn sections_of_an_exploration_are_the_contracts() {
    let sections = &(entry("explore").input_schema)()["properties"]["sections"];
    let words = orienteer::docs::kind(&sections["items"]);
    assert_eq!(words, "body | hover | references | callers | callees | implementations | tests");
}

#[test]
fn laws_over_all_tools() {
    for entry in TOOLS {
        let schema = (entry.input_schema)();
        assert_eq!(
            schema["additionalProperties"],
            json!(false),
            "{}: unknown arguments are refused",
            entry.name
        );
        let text = Value::Object(schema.clone()).to_string();
        for noise in ["\"$schema\"", "\"format\"", "\"null\"", "\"$ref\"", "\"$defs\"", "\"title\""] {
            assert!(!text.contains(noise), "{}: {noise} in {text}", entry.name);
        }
        assert_eq!(schema["properties"]["max_total_chars"]["minimum"], json!(2000), "{}", entry.name);
        assert_eq!(schema["properties"].get("cursor").is_some(), entry.paged, "{}", entry.name);
        assert!(!entry.output.is_empty(), "{} names no output", entry.name);
        jsonschema::validator_for(&Value::Object(schema))
            .unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        let described = orienteer::server::describe(entry, &(entry.input_schema)());
        let annotations = described.annotations.unwrap();
        assert_eq!(annotations.read_only_hint, Some(entry.effect == Effect::Read), "{}", entry.name);
        assert!(
            annotations.destructive_hint.is_some() && annotations.idempotent_hint.is_some(),
            "{}",
            entry.name
        );
        assert!(annotations.open_world_hint.is_some() && described.title.is_some(), "{}", entry.name);
        assert!(described.output_schema.is_some(), "{}", entry.name);
    }
}

#[test]
fn every_tool_definition_is_as_it_was() {
    let list = run(ORIENTEER, &["tools", "--json", "--toolsets", "all"]);
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    insta::with_settings!({ snapshot_path => "../contract", prepend_module_to_snapshot => false }, {
        for tool in list["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            insta::assert_json_snapshot!(name, tool);
        }
    });
}

#[test]
fn the_default_set_costs_few_tokens() {
    let tokens = |text: &str| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
    let list = run(ORIENTEER, &["tools", "--json"]);
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    let spent = tokens(&list.to_string());
    eprintln!("tools/list of the default set: {spent} tokens");
    assert!(spent < 6_000, "tools/list of the default set is {spent} tokens");
    // Nineteen tools are to share 6,000 tokens; those there are may not have spent more than their part.
    let there = TOOLS.iter().filter(|entry| entry.default).count();
    assert!(spent < 6_000 * there / 19 + 200, "the default set so far is {spent} tokens");
    for toolsets in ["default", "all"] {
        let text = orienteer::server::instructions(&offered(toolsets));
        let spent = tokens(&text);
        assert!(spent < 200, "the instructions are {spent} tokens: {text}");
    }
}

#[test]
fn instructions_name_only_tools_that_are_offered() {
    let text = orienteer::server::instructions(&offered("default"));
    for name in ["search_code", "batch", "explore", "get_diagnostics"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(!text.contains("search_structure") && !text.contains("list_tree"), "{text}");
}
