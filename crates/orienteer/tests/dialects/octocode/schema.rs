//! Are the tools offered as the document describes them?

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::support::Asking;

/// Name, type, required, default, least and most of a parameter.
type Fact = (&'static str, &'static str, bool, &'static str, &'static str, &'static str);

/// Tool, most queries in a call, and its parameters: name, type, required, default, least, most. Written by hand from the
/// document's tables; `number` of the document is a whole number in each case. Lengths of strings and lists count as least
/// and most.
#[rustfmt::skip]
const FACTS: &[(&str, u64, &[Fact])] = &[
    ("githubSearchCode", 3, &[
        ("keywordsToSearch", "string[]", true, "-", "1", "5"),
        ("owner", "string", false, "-", "-", "-"),
        ("repo", "string", false, "-", "-", "-"),
        ("extension", "string", false, "-", "-", "-"),
        ("filename", "string", false, "-", "-", "-"),
        ("path", "string", false, "-", "-", "-"),
        ("match", "file|path", false, "-", "-", "-"),
        ("limit", "number", false, "10", "1", "100"),
        ("page", "number", false, "1", "1", "10"),
    ]),
    ("githubGetFileContent", 3, &[
        ("owner", "string", true, "-", "1", "200"),
        ("repo", "string", true, "-", "1", "150"),
        ("path", "string", true, "-", "-", "-"),
        ("branch", "string", false, "-", "1", "255"),
        ("fullContent", "boolean", false, "false", "-", "-"),
        ("startLine", "number", false, "-", "1", "-"),
        ("endLine", "number", false, "-", "1", "-"),
        ("matchString", "string", false, "-", "-", "-"),
        ("matchStringContextLines", "number", false, "5", "1", "50"),
        ("charOffset", "number", false, "0", "-", "-"),
        ("charLength", "number", false, "-", "50", "50000"),
    ]),
    ("githubViewRepoStructure", 3, &[
        ("owner", "string", true, "-", "1", "200"),
        ("repo", "string", true, "-", "1", "150"),
        ("branch", "string", true, "-", "1", "255"),
        ("path", "string", false, "\"\"", "-", "-"),
        ("depth", "number", false, "1", "1", "2"),
        ("entriesPerPage", "number", false, "50", "1", "200"),
        ("entryPageNumber", "number", false, "1", "1", "-"),
    ]),
    ("githubSearchRepositories", 3, &[
        ("keywordsToSearch", "string[]", false, "-", "-", "-"),
        ("topicsToSearch", "string[]", false, "-", "-", "-"),
        ("owner", "string", false, "-", "-", "-"),
        ("stars", "string", false, "-", "-", "-"),
        ("size", "string", false, "-", "-", "-"),
        ("created", "string", false, "-", "-", "-"),
        ("updated", "string", false, "-", "-", "-"),
        ("match", "(name|description|readme)[]", false, "-", "-", "-"),
        ("sort", "forks|stars|updated|best-match", false, "-", "-", "-"),
        ("limit", "number", false, "10", "1", "100"),
        ("page", "number", false, "1", "1", "10"),
    ]),
    ("githubSearchPullRequests", 3, &[
        ("owner", "string", false, "-", "-", "-"),
        ("repo", "string", false, "-", "-", "-"),
        ("prNumber", "number", false, "-", "1", "-"),
        ("query", "string", false, "-", "-", "-"),
        ("state", "open|closed", false, "-", "-", "-"),
        ("author", "string", false, "-", "-", "-"),
        ("assignee", "string", false, "-", "-", "-"),
        ("label", "string|string[]", false, "-", "-", "-"),
        ("merged", "boolean", false, "-", "-", "-"),
        ("draft", "boolean", false, "-", "-", "-"),
        ("created", "string", false, "-", "-", "-"),
        ("updated", "string", false, "-", "-", "-"),
        ("type", "metadata|fullContent|partialContent", false, "\"metadata\"", "-", "-"),
        ("partialContentMetadata", "object[]", false, "-", "-", "-"),
        ("withComments", "boolean", false, "false", "-", "-"),
        ("withCommits", "boolean", false, "false", "-", "-"),
        ("limit", "number", false, "5", "1", "10"),
        ("page", "number", false, "1", "1", "10"),
    ]),
    ("packageSearch", 3, &[
        // 214 characters is npm's own limit of names; the document has none.
        ("name", "string", true, "-", "1", "214"),
        ("ecosystem", "npm|python", true, "-", "-", "-"),
        ("searchLimit", "number", false, "1", "1", "10"),
        ("npmFetchMetadata", "boolean", false, "false", "-", "-"),
        ("pythonFetchMetadata", "boolean", false, "false", "-", "-"),
    ]),
    ("localSearchCode", 5, &[
        ("pattern", "string", true, "-", "1", "-"),
        ("path", "string", true, "-", "-", "-"),
        ("mode", "discovery|paginated|detailed", false, "-", "-", "-"),
        ("fixedString", "boolean", false, "false", "-", "-"),
        ("smartCase", "boolean", false, "true", "-", "-"),
        ("type", "string", false, "-", "-", "-"),
        ("include", "string[]", false, "-", "-", "-"),
        ("exclude", "string[]", false, "-", "-", "-"),
        ("filesOnly", "boolean", false, "false", "-", "-"),
        ("contextLines", "number", false, "-", "-", "50"),
        ("matchesPerPage", "number", false, "10", "1", "100"),
        ("filesPerPage", "number", false, "10", "1", "20"),
        ("filePageNumber", "number", false, "1", "1", "-"),
    ]),
    ("localGetFileContent", 5, &[
        ("path", "string", true, "-", "-", "-"),
        ("fullContent", "boolean", false, "false", "-", "-"),
        ("startLine", "number", false, "-", "1", "-"),
        ("endLine", "number", false, "-", "1", "-"),
        ("matchString", "string", false, "-", "-", "-"),
        ("matchStringContextLines", "number", false, "5", "1", "50"),
        ("matchStringIsRegex", "boolean", false, "false", "-", "-"),
        ("matchStringCaseSensitive", "boolean", false, "false", "-", "-"),
        ("charOffset", "number", false, "0", "-", "-"),
        ("charLength", "number", false, "-", "1", "10000"),
    ]),
    ("localViewStructure", 5, &[
        ("path", "string", true, "-", "-", "-"),
        ("depth", "number", false, "-", "1", "5"),
        ("recursive", "boolean", false, "false", "-", "-"),
        ("details", "boolean", false, "false", "-", "-"),
        ("hidden", "boolean", false, "false", "-", "-"),
        ("sortBy", "name|size|time|extension", false, "\"time\"", "-", "-"),
        ("filesOnly", "boolean", false, "false", "-", "-"),
        ("directoriesOnly", "boolean", false, "false", "-", "-"),
        ("extension", "string", false, "-", "-", "-"),
        ("extensions", "string[]", false, "-", "-", "-"),
        ("pattern", "string", false, "-", "-", "-"),
        ("entriesPerPage", "number", false, "20", "1", "20"),
        ("entryPageNumber", "number", false, "1", "1", "-"),
        ("limit", "number", false, "-", "1", "10000"),
    ]),
    ("localFindFiles", 5, &[
        ("path", "string", true, "-", "-", "-"),
        ("name", "string", false, "-", "-", "-"),
        ("iname", "string", false, "-", "-", "-"),
        ("names", "string[]", false, "-", "-", "-"),
        ("type", "f|d|l", false, "-", "-", "-"),
        ("maxDepth", "number", false, "5", "1", "10"),
        ("minDepth", "number", false, "-", "-", "10"),
        ("modifiedWithin", "string", false, "-", "-", "-"),
        ("modifiedBefore", "string", false, "-", "-", "-"),
        ("sizeGreater", "string", false, "-", "-", "-"),
        ("sizeLess", "string", false, "-", "-", "-"),
        ("permissions", "string", false, "-", "-", "-"),
        ("executable", "boolean", false, "-", "-", "-"),
        ("readable", "boolean", false, "-", "-", "-"),
        ("writable", "boolean", false, "-", "-", "-"),
        ("excludeDir", "string[]", false, "-", "-", "-"),
        ("filesPerPage", "number", false, "20", "1", "20"),
        ("filePageNumber", "number", false, "1", "1", "-"),
        ("limit", "number", false, "1000", "1", "10000"),
    ]),
    ("lspGotoDefinition", 5, &[
        ("uri", "string", true, "-", "-", "-"),
        ("symbolName", "string", true, "-", "1", "255"),
        ("lineHint", "number", true, "-", "1", "-"),
        ("orderHint", "number", false, "0", "-", "1000"),
        ("contextLines", "number", false, "5", "-", "20"),
    ]),
    ("lspFindReferences", 5, &[
        ("uri", "string", true, "-", "-", "-"),
        ("symbolName", "string", true, "-", "1", "255"),
        ("lineHint", "number", true, "-", "1", "-"),
        ("orderHint", "number", false, "0", "-", "1000"),
        ("includeDeclaration", "boolean", false, "true", "-", "-"),
        ("contextLines", "number", false, "2", "-", "10"),
        ("referencesPerPage", "number", false, "20", "1", "50"),
        ("page", "number", false, "1", "1", "-"),
    ]),
    ("lspCallHierarchy", 3, &[
        ("uri", "string", true, "-", "-", "-"),
        ("symbolName", "string", true, "-", "1", "255"),
        ("lineHint", "number", true, "-", "1", "-"),
        ("orderHint", "number", false, "0", "-", "1000"),
        ("direction", "incoming|outgoing", true, "-", "-", "-"),
        ("depth", "number", false, "1", "1", "3"),
        ("contextLines", "number", false, "2", "-", "10"),
        ("callsPerPage", "number", false, "15", "1", "30"),
        ("page", "number", false, "1", "1", "-"),
    ]),
];

/// Fields that every query of a kind of tool has; those to forges also say which one.
const GOALS: [&str; 3] = ["mainResearchGoal", "researchGoal", "reasoning"];
const FORGE: [&str; 2] = ["provider", "host"];

fn offered() -> Vec<Value> {
    let mut asking = Asking::with(tree("//- /a\n"), "", &[]);
    let answer = asking.server.request("tools/list", json!({}));
    answer["result"]["tools"].as_array().unwrap().clone()
}

/// A type as the document writes it.
fn written(schema: &Value) -> String {
    if let Some(options) = schema["anyOf"].as_array() {
        return options.iter().map(written).collect::<Vec<_>>().join("|");
    }
    if let Some(legal) = schema["enum"].as_array() {
        return legal.iter().map(|word| word.as_str().unwrap()).collect::<Vec<_>>().join("|");
    }
    match schema["type"].as_str().unwrap() {
        "integer" => "number".to_owned(),
        "array" => {
            let items = written(&schema["items"]);
            if items.contains('|') { format!("({items})[]") } else { format!("{items}[]") }
        }
        other => other.to_owned(),
    }
}

/// A bound of a number, a string or a list.
fn bound(schema: &Value, names: [&str; 3]) -> String {
    names.iter().find_map(|name| schema[name].as_u64()).map_or("-".to_owned(), |bound| bound.to_string())
}

#[test]
fn every_tool_has_the_documents_parameters() {
    let tools = offered();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, FACTS.iter().map(|(name, _, _)| *name).collect::<Vec<_>>());
    for (tool, (name, most, facts)) in tools.iter().zip(FACTS) {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["required"], json!(["queries"]), "{name}");
        let queries = &schema["properties"]["queries"];
        assert_eq!((&queries["minItems"], &queries["maxItems"]), (&json!(1), &json!(most)), "{name}");
        let items = &queries["items"];
        assert_eq!(items["additionalProperties"], json!(false), "{name}");
        let required: Vec<&str> =
            items["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let properties = items["properties"].as_object().unwrap();
        for (field, kind, is_required, default, least, most) in *facts {
            let property = properties.get(*field).unwrap_or_else(|| panic!("{name}.{field}"));
            assert_eq!(written(property), *kind, "{name}.{field}");
            assert_eq!(required.contains(field), *is_required, "{name}.{field}");
            let told = property.get("default").map_or("-".to_owned(), Value::to_string);
            assert_eq!(told, *default, "{name}.{field}");
            assert_eq!(bound(property, ["minimum", "minLength", "minItems"]), *least, "{name}.{field}");
            assert_eq!(bound(property, ["maximum", "maxLength", "maxItems"]), *most, "{name}.{field}");
        }
        let documented = |field: &str| facts.iter().any(|(known, ..)| *known == field);
        let more: Vec<&str> =
            properties.keys().map(String::as_str).filter(|field| !documented(field)).collect();
        let asks_forges = name.starts_with("github");
        let expected: Vec<&str> =
            GOALS.into_iter().chain(FORGE.into_iter().filter(|_| asks_forges)).collect();
        assert_eq!(more, expected, "{name}");
    }
}

#[test]
fn research_fields_are_required_of_queries_to_other_machines_only() {
    for tool in offered() {
        let name = tool["name"].as_str().unwrap();
        let required = tool["inputSchema"]["properties"]["queries"]["items"]["required"].to_string();
        let remote = name.starts_with("github") || name == "packageSearch";
        for field in GOALS {
            assert_eq!(required.contains(field), remote, "{name}.{field}");
        }
        assert_eq!(tool["annotations"]["openWorldHint"], json!(remote), "{name}");
        assert_eq!(tool["annotations"]["readOnlyHint"], json!(true), "{name}");
        assert!(tool.get("outputSchema").is_none(), "{name}: the document describes answers");
    }
}

#[test]
fn the_list_of_tools_is_the_one_that_was_looked_at() {
    let told: Vec<Value> = offered();
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_json_snapshot!("octocode_tools", told);
    });
}
