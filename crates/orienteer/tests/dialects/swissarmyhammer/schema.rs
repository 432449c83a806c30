//! The schema of the tool, against the one that the document prints.

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::support::over;

/// As the document has it.
fn documented() -> Value {
    json!({
        "type": "object",
        "properties": {
            "operation": {
                "type": "string",
                "enum": ["definition", "references", "diagnostics", "hover"],
                "description": "The LSP operation to perform",
            },
            "file_path": { "type": "string", "description": "Absolute path to the file" },
            "line": {
                "type": "integer",
                "description": "Line number (1-based). Required for definition, references, hover.",
                "minimum": 1,
            },
            "column": {
                "type": "integer",
                "description": "Column number (1-based). Required for definition, references, hover.",
                "minimum": 1,
            },
            "include_declaration": {
                "type": "boolean",
                "description": "Include the declaration in results (references only)",
                "default": true,
            },
            "severity_filter": {
                "type": "string",
                "enum": ["error", "warning", "info", "hint", "all"],
                "description": "Filter by minimum severity (diagnostics only)",
                "default": "all",
            },
            "limit": {
                "type": "integer",
                "description": "Maximum number of results to return (diagnostics only)",
                "default": 100,
            },
        },
        "required": ["operation", "file_path"],
    })
}

/// The document's future features, and two that its clients ask for.
const ADDED: &[&str] = &[
    "rename",
    "completion",
    "signature",
    "symbols",
    "format",
    "actions",
    "implementation",
    "call_hierarchy",
];

fn listed(args: &[&str]) -> Value {
    let mut start = over(tree("//- /a.rs\n"));
    for arg in args {
        start = start.arg(arg);
    }
    let mut hammer = start.start();
    let answer = hammer.server.request("tools/list", json!({}));
    hammer.end();
    answer["result"]["tools"].clone()
}

#[test]
fn there_is_one_tool_with_the_documented_schema() {
    let tools = listed(&[]);
    let [tool] = tools.as_array().unwrap().as_slice() else { panic!("{tools:#}") };
    assert_eq!(tool["name"], "lsp");
    assert!(tool.get("outputSchema").is_none());
    let (schema, documented) = (&tool["inputSchema"], documented());
    assert_eq!(schema["type"], documented["type"]);
    assert_eq!(schema["required"], documented["required"]);
    for (name, expected) in documented["properties"].as_object().unwrap() {
        let mut offered = schema["properties"][name].clone();
        if name == "operation" {
            let all = offered["enum"].as_array_mut().unwrap();
            let added: Vec<Value> = all.drain(4..).collect();
            assert_eq!(added, ADDED.iter().map(|name| json!(name)).collect::<Vec<_>>());
        }
        assert_eq!(&offered, expected, "{name}");
    }
}

#[test]
fn what_is_added_to_the_schema_is_optional() {
    let schema = &listed(&[])[0]["inputSchema"];
    let documented = documented();
    let more: Vec<&String> = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .filter(|name| documented["properties"].get(name.as_str()).is_none())
        .collect();
    assert_eq!(more, ["new_name", "query", "direction", "action_id", "apply", "plan_id"]);
    assert_eq!(schema["properties"]["apply"]["default"], false, "nothing is written unasked");
    assert_eq!(schema["properties"]["direction"]["default"], "incoming");
}

#[test]
fn the_tool_as_clients_see_it() {
    let tools = listed(&[]);
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_json_snapshot!("swissarmyhammer_lsp", tools[0]);
    });
}

#[test]
fn clients_are_told_whether_it_may_write() {
    let annotations = listed(&[])[0]["annotations"].clone();
    assert_eq!(
        (&annotations["readOnlyHint"], &annotations["destructiveHint"]),
        (&json!(false), &json!(true))
    );
    let annotations = listed(&["--read-only"])[0]["annotations"].clone();
    assert_eq!(
        (&annotations["readOnlyHint"], &annotations["destructiveHint"]),
        (&json!(true), &json!(false))
    );
}

#[test]
fn wrong_arguments_say_what_is_legal() {
    let mut hammer = over(tree("//- /Cargo.toml\n//- /a.rs\nfn a() {}\n")).start();
    let wrong = hammer.refused("define", "a.rs", json!({}));
    assert_eq!(wrong["code"], "INVALID_PARAMS");
    assert!(
        wrong["message"].as_str().unwrap().contains("definition, references, diagnostics, hover"),
        "{wrong}"
    );
    for operation in [
        "definition",
        "references",
        "hover",
        "rename",
        "completion",
        "signature",
        "implementation",
        "call_hierarchy",
    ] {
        let wrong = hammer.refused(operation, "a.rs", json!({ "line": 1 }));
        assert_eq!(
            (&wrong["code"], &wrong["details"]["field"]),
            (&json!("INVALID_PARAMS"), &json!("column")),
            "{operation}"
        );
        let wrong = hammer.refused(operation, "a.rs", json!({ "column": 1 }));
        assert_eq!(wrong["details"]["field"], "line", "{operation}");
    }
    for (more, word) in [
        (json!({ "line": 0, "column": 1 }), "`line` is 0"),
        (json!({ "line": "1", "column": 1 }), "a whole number"),
        (json!({ "line": 1, "col": 1 }), "did you mean `column`?"),
        (json!({ "line": 1, "column": 1, "severity_filter": "fatal" }), "error, warning, info, hint, all"),
        (json!({ "line": 1, "column": 1, "limit": -1 }), "`limit` is -1"),
        (json!({ "line": 1, "column": 1, "plan_id": "plan-1" }), "`apply: true`"),
    ] {
        let wrong = hammer.refused("rename", "a.rs", more.clone());
        assert_eq!(wrong["code"], "INVALID_PARAMS", "{more}");
        assert!(wrong["message"].as_str().unwrap().contains(word), "{more}: {wrong}");
    }
    let wrong = hammer.refused_raw(json!({ "operation": "diagnostics", "file_path": "a.rs" }));
    assert_eq!(
        (&wrong["code"], &wrong["details"]["reason"]),
        (&json!("INVALID_PARAMS"), &json!("relative_path"))
    );
    let wrong = hammer.refused_raw(json!({ "operation": "diagnostics" }));
    assert!(wrong["message"].as_str().unwrap().contains("`file_path` is required"), "{wrong}");
    let gone = hammer.refused("diagnostics", "gone.rs", json!({}));
    assert_eq!((&gone["code"], &gone["details"]["field"]), (&json!("NOT_FOUND"), &json!("file_path")));
    for path in ["", "/\0", "/etc/../no such folder/x.rs"] {
        hammer.refused_raw(json!({ "operation": "diagnostics", "file_path": path }));
    }
    hammer.end();
}
