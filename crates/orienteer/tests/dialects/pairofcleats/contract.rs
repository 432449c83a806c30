//! The tools and their parameters, as PairOfCleats documents them.

use serde_json::{Value, json};

use super::support::{PROJECT, over};

/// What stands in the table below for a parameter: its JSON type, and default, bounds or legal values.
enum Type {
    Text,
    Flag,
    /// With its default.
    On(bool),
    /// With what its schema says about bounds.
    Count(&'static str),
    Number(&'static str),
    Object,
    /// The default first.
    OneOf(&'static [&'static str]),
    /// Legal values, without a default.
    Word(&'static [&'static str]),
    /// Text with a default.
    Usually(&'static str),
    Texts,
}

use Type::{Count, Flag, Number, Object, On, OneOf, Text, Texts, Usually, Word};

type Rows = &'static [(&'static str, Type)];

const MODES: Type = OneOf(&["all", "code", "prose", "extracted-prose", "records"]);

/// Every tool with its parameters besides `repoPath`, which all of them have. `*` marks what is required.
const TOOLS: &[(&str, Rows)] = &[
    ("index_status", &[]),
    ("config_status", &[]),
    (
        "build_index",
        &[
            ("mode", MODES),
            ("sqlite", On(false)),
            ("incremental", On(true)),
            ("stubEmbeddings", On(false)),
            ("useArtifacts", On(false)),
            ("artifactsDir", Text),
        ],
    ),
    (
        "build_sqlite_index",
        &[
            ("mode", MODES),
            ("incremental", On(true)),
            ("compact", On(false)),
            ("codeDir", Text),
            ("proseDir", Text),
            ("out", Text),
        ],
    ),
    ("compact_sqlite_index", &[("mode", MODES), ("dryRun", On(false)), ("keepBackup", On(false))]),
    (
        "search",
        &[
            ("query*", Text),
            ("mode", OneOf(&["all", "both", "code", "prose", "extracted-prose", "records"])),
            ("backend", OneOf(&["auto", "memory", "sqlite", "sqlite-fts", "lmdb"])),
            ("output", OneOf(&["compact", "full"])),
            ("ann", Flag),
            ("top", Count(r#"{"default":5,"maximum":100,"minimum":1}"#)),
            ("context", Count(r#"{"default":0,"maximum":50}"#)),
            ("type", Text),
            ("author", Text),
            ("chunkAuthor", Text),
            ("import", Text),
            ("calls", Text),
            ("uses", Text),
            ("signature", Text),
            ("param", Text),
            ("decorator", Text),
            ("inferredType", Text),
            ("returnType", Text),
            ("throws", Text),
            ("awaits", Text),
            ("reads", Text),
            ("writes", Text),
            ("mutates", Text),
            ("alias", Text),
            ("extends", Text),
            ("visibility", Text),
            ("async", Flag),
            ("generator", Flag),
            ("returns", Flag),
            ("branchesMin", Count("{}")),
            ("loopsMin", Count("{}")),
            ("breaksMin", Count("{}")),
            ("continuesMin", Count("{}")),
            ("churnMin", Count("{}")),
            ("risk", Text),
            ("riskTag", Text),
            ("riskSource", Text),
            ("riskSink", Text),
            ("riskCategory", Text),
            ("riskFlow", Text),
            ("modifiedAfter", Text),
            ("modifiedSince", Count("{}")),
            ("path", Text),
            ("file", Text),
            ("ext", Text),
            ("lang", Text),
            ("branch", Text),
            ("case", Flag),
            ("caseFile", Flag),
            ("caseTokens", Flag),
            ("lint", Flag),
            ("meta", Object),
            ("metaJson", Text),
        ],
    ),
    (
        "triage_ingest",
        &[
            (
                "source*",
                Word(&[
                    "dependabot",
                    "aws_inspector",
                    "generic",
                    "manual",
                    "sarif",
                    "osv",
                    "npm_audit",
                    "cargo_audit",
                    "pip_audit",
                ]),
            ),
            ("inputPath*", Text),
            ("meta", Object),
            ("buildIndex", On(false)),
            ("incremental", On(true)),
        ],
    ),
    (
        "triage_decision",
        &[
            ("finding*", Text),
            ("status*", Word(&["fix", "accept", "defer", "false_positive", "not_affected"])),
            ("justification", Text),
            ("reviewer", Text),
            ("expires", Text),
            ("meta", Object),
            ("codes", Texts),
            ("evidence", Texts),
        ],
    ),
    ("triage_context_pack", &[("recordId*", Text), ("outPath", Text), ("ann", On(false))]),
    ("download_models", &[("model", Text), ("cacheDir", Text), ("url", Text), ("sha256", Text)]),
    (
        "download_dictionaries",
        &[
            ("lang", Text),
            ("dir", Text),
            ("url", Text),
            ("update", On(false)),
            ("force", On(false)),
            ("sha256", Text),
        ],
    ),
    (
        "download_extensions",
        &[
            ("provider", Usually("sqlite-vec")),
            ("dir", Text),
            ("url", Text),
            ("out", Text),
            ("platform", Text),
            ("arch", Text),
            ("update", On(false)),
            ("force", On(false)),
            ("sha256", Text),
        ],
    ),
    (
        "verify_extensions",
        &[
            ("provider", Text),
            ("dir", Text),
            ("path", Text),
            ("platform", Text),
            ("arch", Text),
            ("load", On(false)),
        ],
    ),
    (
        "cache_gc",
        &[
            ("dryRun", On(false)),
            ("maxBytes", Count(r#"{"maximum":9007199254740991}"#)),
            ("maxGb", Number(r#"{"maximum":1000000}"#)),
            ("maxAgeDays", Count(r#"{"maximum":36500}"#)),
        ],
    ),
    ("clean_artifacts", &[("all", On(false))]),
    (
        "bootstrap",
        &[
            ("skipInstall", On(false)),
            ("skipDicts", On(false)),
            ("skipIndex", On(false)),
            ("withSqlite", On(false)),
            ("incremental", On(false)),
        ],
    ),
    ("report_artifacts", &[("all", On(false))]),
];

/// The schema that a row stands for; descriptions apart.
fn expected(kind: &Type) -> Value {
    let with = |kind: &str, more: &str| {
        let mut schema: Value = serde_json::from_str(more).unwrap();
        schema["type"] = json!(kind);
        schema
    };
    match kind {
        Type::Text => json!({ "type": "string" }),
        Type::Flag => json!({ "type": "boolean" }),
        Type::On(default) => json!({ "type": "boolean", "default": default }),
        Type::Count(more) => with("integer", more),
        Type::Number(more) => with("number", more),
        Type::Object => json!({ "type": "object" }),
        Type::Texts => json!({ "type": "array", "items": { "type": "string" }, "default": [] }),
        Type::Usually(default) => json!({ "type": "string", "default": default }),
        Type::Word(words) => json!({ "type": "string", "enum": words }),
        Type::OneOf(words) => json!({ "type": "string", "enum": words, "default": words[0] }),
    }
}

/// A property without its words for people; legal values as one list in the order of letters, however they were written.
fn facts(property: &Value) -> Value {
    let mut facts = property.as_object().unwrap().clone();
    facts.remove("description");
    facts.remove("additionalProperties");
    if let Some(choices) = facts.remove("oneOf").or_else(|| facts.remove("anyOf")) {
        let words = choices.as_array().unwrap().iter().flat_map(|choice| {
            let list = choice["enum"].as_array().cloned().unwrap_or_default();
            list.into_iter().chain(choice.get("const").cloned())
        });
        facts.insert("enum".to_owned(), words.collect());
        facts.insert("type".to_owned(), json!("string"));
    }
    if let Some(Value::Array(words)) = facts.get_mut("enum") {
        words.sort_by_key(Value::to_string);
    }
    Value::Object(facts)
}

#[test]
fn every_tool_and_parameter_is_offered_as_documented() {
    let mut session = over(PROJECT);
    let list = session.server.request("tools/list", json!({}))["result"]["tools"].clone();
    let list = list.as_array().unwrap();
    let names: Vec<&str> = list.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (tool, (name, rows)) in list.iter().zip(TOOLS) {
        let schema = &tool["inputSchema"];
        assert_eq!(
            (&schema["type"], &schema["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{name}"
        );
        let properties = schema["properties"].as_object().unwrap();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap()).collect();
        let mut documented = vec!["repoPath"];
        for (row, kind) in *rows {
            let parameter = row.trim_end_matches('*');
            documented.push(parameter);
            let property = properties.get(parameter).unwrap_or_else(|| panic!("{name} has no {parameter}"));
            assert_eq!(facts(property), facts(&expected(kind)), "{name}.{parameter}");
            assert_eq!(required.contains(&parameter), row.ends_with('*'), "{name}.{parameter}");
        }
        let mut offered: Vec<&str> = properties.keys().map(String::as_str).collect();
        offered.sort_unstable();
        documented.sort_unstable();
        assert_eq!(offered, documented, "{name}");
        assert!(
            tool["description"].as_str().unwrap().len() > 20 && tool.get("outputSchema").is_none(),
            "{tool}"
        );
    }
}

#[test]
fn every_definition_is_as_it_was() {
    let mut session = over(PROJECT);
    let list = session.server.request("tools/list", json!({}))["result"]["tools"].clone();
    insta::with_settings!({ snapshot_path => "../../contract", prepend_module_to_snapshot => false }, {
        insta::assert_json_snapshot!("pairofcleats", list);
    });
}

#[test]
fn unknown_tools_and_parameters_are_refused_with_the_nearest_name() {
    let mut session = over(PROJECT);
    let answer = session.server.request("tools/call", json!({ "name": "serch", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("search"), "{answer}");
    let refused = session.refused("search", json!({ "query": "x", "chunkauthor": "Ada" }));
    assert_eq!(refused["code"], "INVALID_REQUEST");
    assert!(refused["message"].as_str().unwrap().contains("chunkAuthor"), "{refused}");
}
