//! The tools as they are offered: the document's signatures.

use orienteer_testkit::workspaces::PYTHON;
use serde_json::{Value, json};

use super::support::over;

type Parameter = (&'static str, &'static str, &'static str);

/// Tool, parameter, type, default or `required`: section 5.8, 5.9 and 14.3 of the document, written by hand.
const PARAMETERS: &[(&str, &[Parameter])] = &[
    ("check_types", &[("path", "string", "required"), ("python_version", "string", "")]),
    ("get_hover", POSITION),
    ("go_to_definition", POSITION),
    (
        "find_references",
        &[
            ("file", "string", "required"),
            ("line", "integer", "required"),
            ("column", "integer", "required"),
            ("include_declaration", "boolean", "true"),
        ],
    ),
    (
        "get_completions",
        &[
            ("file", "string", "required"),
            ("line", "integer", "required"),
            ("column", "integer", "required"),
            ("trigger_character", "string", ""),
        ],
    ),
    ("get_signature", POSITION),
    ("health_check", &[]),
];

const POSITION: &[Parameter] =
    &[("file", "string", "required"), ("line", "integer", "required"), ("column", "integer", "required")];

fn listed(answer: &Value) -> Vec<Value> {
    answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

#[test]
fn every_tool_has_the_documented_parameters() {
    let mut client = over(PYTHON).start();
    let tools = listed(&client.server.request("tools/list", json!({})));
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, PARAMETERS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (tool, (name, parameters)) in tools.iter().zip(PARAMETERS) {
        let schema = &tool["inputSchema"];
        let offered: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(offered, parameters.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), "{name}");
        for (parameter, kind, default) in *parameters {
            let property = &schema["properties"][parameter];
            assert_eq!(property["type"], *kind, "{name}.{parameter}");
            let required = schema["required"].as_array().is_some_and(|all| all.contains(&json!(parameter)));
            let found = match property.get("default") {
                Some(default) => default.to_string(),
                None if required => "required".to_owned(),
                None => String::new(),
            };
            assert_eq!(found, *default, "{name}.{parameter}");
            // Positions of the interface start at 1.
            let least = if ["line", "column"].contains(parameter) { json!(1) } else { Value::Null };
            assert_eq!(property["minimum"], least, "{name}.{parameter}");
        }
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{name}: nothing writes");
        assert!(tool.get("outputSchema").is_none(), "{name}: the document describes answers");
    }
    client.end();
}

#[test]
fn the_list_of_tools_is_as_it_was() {
    let mut client = over(PYTHON).start();
    let tools = listed(&client.server.request("tools/list", json!({})));
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_json_snapshot!("tools", tools);
    });
    client.end();
}

#[test]
fn the_health_check_can_be_turned_off() {
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_ENABLE_HEALTH_CHECK", "false").start();
    let tools = listed(&client.server.request("tools/list", json!({})));
    assert!(tools.iter().all(|tool| tool["name"] != "health_check") && tools.len() == 6);
    let answer = client.server.request("tools/call", json!({ "name": "health_check", "arguments": {} }));
    assert!(answer["error"]["message"].as_str().unwrap().contains("no tool `health_check`"), "{answer}");
    client.end();
}
