//! Every filter of `search`: what it finds, what it does not, and when it says that it cannot know.

use std::collections::BTreeSet;

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::support::{PROJECT, Session, git, names, over, warnings};

/// A search for definitions with one filter; the query itself rules nothing out.
fn with(name: &str, value: &Value) -> Value {
    json!({ "query": "run query fetch page load settings numbers client", "mode": "code", "top": 50, name: value })
}

/// What a filter must find, and a value with which that is not found.
const FOUND: &[(&str, &str, &str, &str)] = &[
    ("type", "\"class\"", "Client", "\"struct\""),
    ("type", "\"ClassDeclaration\"", "Client", "\"heading\""),
    ("import", "\"flask\"", "run_query", "\"django\""),
    ("calls", "\"read_to_string\"", "load_settings", "\"read_to_end\""),
    ("uses", "\"TooSlow\"", "fetch_page", "\"TooFast\""),
    ("signature", "\"path: &str\"", "load_settings", "\"path: &Path\""),
    ("param", "\"database\"", "run_query", "\"databases\""),
    ("decorator", "\"retry\"", "fetch_page", "\"cached\""),
    ("returnType", "\"bytes\"", "fetch_page", "\"float\""),
    ("inferredType", "\"bytes\"", "fetch_page", "\"float\""),
    ("inferredType", "\"Settings\"", "load_settings", "\"Options\""),
    ("inferredType", "\"str\"", "load_settings", "\"Path\""),
    ("throws", "\"TooSlow\"", "fetch_page", "\"TooFast\""),
    ("reads", "\"self.tries\"", "fetch_page", "\"self.fails\""),
    ("writes", "\"self.tries\"", "__init__", "\"self.fails\""),
    ("extends", "\"Base\"", "Client", "\"Root\""),
    ("visibility", "\"private\"", "_numbers", "\"public\""),
    ("async", "true", "fetch_page", "false"),
    ("generator", "true", "_numbers", "false"),
    ("branchesMin", "1", "fetch_page", "9"),
    ("loopsMin", "1", "fetch_page", "9"),
    ("risk", "\"flow\"", "run_query", "\"deserialize\""),
    ("riskTag", "\"sql\"", "run_query", "\"exec\""),
    ("riskSource", "\"request\"", "run_query", "\"stdin\""),
    ("riskSink", "\"sql\"", "run_query", "\"exec\""),
    ("riskCategory", "\"sql\"", "run_query", "\"exec\""),
    ("riskFlow", "\"request->sql\"", "run_query", "\"request->exec\""),
    ("riskFlow", "\"sql\"", "run_query", "\"exec\""),
    ("path", "\"src\"", "load_settings", "\"docs\""),
    ("file", "\"config.rs\"", "load_settings", "\"client.py\""),
    ("ext", "\".rs\"", "load_settings", "\".py\""),
    ("ext", "\"rs\"", "load_settings", "\"py\""),
    ("lang", "\"python\"", "Client", "\"rust\""),
    ("lint", "false", "Client", "true"),
    ("modifiedSince", "7", "Client", "0"),
];

#[test]
fn every_filter_finds_what_it_says_and_nothing_else() {
    let mut session = over(PROJECT);
    for (name, value, expected, other) in FOUND {
        let value: Value = serde_json::from_str(value).unwrap();
        let found = session.ask("search", with(name, &value));
        assert!(names(&found["code"]).iter().any(|name| name == expected), "{name}={value}: {found}");
        let other: Value = serde_json::from_str(other).unwrap();
        let result = session.result("search", with(name, &other));
        let found = super::support::payload(&result);
        // A tag that no rule has is an error, everything else an answer.
        if result["isError"] != true {
            assert!(!names(&found["code"]).iter().any(|name| name == expected), "{name}={other}: {found}");
        } else {
            assert!(
                name.starts_with("risk") && found["code"] == "INVALID_REQUEST",
                "{name}={other}: {found}"
            );
        }
    }
}

#[test]
fn several_filters_must_all_hold() {
    let mut session = over(PROJECT);
    let both = json!({ "query": "run", "riskSource": "request", "riskSink": "sql", "lang": "python" });
    assert_eq!(session.names("code", both), ["run_query"]);
    let neither = json!({ "query": "run fetch", "riskSource": "request", "calls": "connect" });
    let answer = session.ask("search", neither);
    assert_eq!(names(&answer["code"]), [""; 0], "{answer}");
}

#[test]
fn filters_that_nothing_can_answer_say_so() {
    let mut session = over(PROJECT);
    let rows = [
        ("awaits", json!("connect")),
        ("mutates", json!("tries")),
        ("alias", json!("x")),
        ("returns", json!(true)),
        ("breaksMin", json!(1)),
        ("continuesMin", json!(1)),
    ];
    for (name, value) in &rows {
        let refused = session.refused("search", with(name, value));
        assert_eq!(refused["code"], "UNSUPPORTED", "{refused}");
        assert!(refused["message"].as_str().unwrap().contains(&format!("`{name}`")), "{refused}");
        assert!(refused["hint"].is_string(), "{refused}");
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dialects/pairofcleats.md");
    let page = std::fs::read_to_string(page).unwrap();
    let table = page.split("## Filters that are answered `UNSUPPORTED`").nth(1).unwrap();
    let told: BTreeSet<&str> = table
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    assert_eq!(told, rows.iter().map(|(name, _)| *name).collect(), "the page names exactly these");
}

#[test]
fn lint_tells_files_apart_that_the_grammar_cannot_read() {
    let broken = "//- /src/broken.py\ndef client_of(:\n    return )))\n\ndef fetch_client():\n    return 1\n";
    let mut session = over(&format!("{PROJECT}{broken}"));
    let files = |session: &mut Session, lint: bool| {
        let answer = session.ask("search", with("lint", &json!(lint)));
        let rows = answer["code"].as_array().unwrap().clone();
        rows.iter().map(|row| row["file"].as_str().unwrap().to_owned()).collect::<BTreeSet<String>>()
    };
    assert_eq!(files(&mut session, true), BTreeSet::from(["src/broken.py".to_owned()]));
    let clean = files(&mut session, false);
    assert!(clean.contains("src/client.py") && !clean.contains("src/broken.py"), "{clean:?}");
}

#[test]
fn declared_types_answer_for_inferred_ones_and_the_answer_says_so() {
    let mut session = over(PROJECT);
    let answer = session.ask("search", with("inferredType", &json!("bytes")));
    assert_eq!((names(&answer["code"]), &answer["complete"]), (vec!["fetch_page".to_owned()], &json!(false)));
    assert!(warnings(&answer).contains(&"declared_types".to_owned()), "{answer}");
    let none = session.ask("search", with("inferredType", &json!("float")));
    assert_eq!(
        (&none["code"], &none["complete"]),
        (&json!([]), &json!(false)),
        "an empty list is not the end of it"
    );
    let both = json!({ "query": "fetch", "inferredType": "str", "returnType": "bytes", "mode": "code" });
    assert_eq!(session.names("code", both), ["fetch_page"]);
    let bash = json!({ "query": "start", "inferredType": "str", "lang": "bash" });
    let refused = session.refused("search", bash);
    assert_eq!(refused["code"], "UNSUPPORTED", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("`inferredType`"), "{refused}");
}

#[test]
fn a_filter_that_a_language_does_not_fill_is_unsupported_for_it_and_never_empty() {
    let mut session = over(PROJECT);
    let refused = session.refused("search", json!({ "query": "start", "calls": "echo", "lang": "bash" }));
    assert_eq!(refused["code"], "UNSUPPORTED", "{refused}");
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("`calls`") && message.contains("bash"), "{message}");
    let refused = session.refused("search", json!({ "query": "start", "param": "x", "lang": "bash" }));
    assert!(refused["message"].as_str().unwrap().contains("`param`"), "in the client's words: {refused}");
    // Other languages answer, and what was passed over is said.
    let answer = session.ask("search", json!({ "query": "fetch", "calls": "connect", "mode": "code" }));
    assert_eq!(names(&answer["code"]), ["fetch_page"]);
    assert_eq!((&answer["complete"], warnings(&answer)[0].as_str()), (&json!(false), "unsupported_filter"));
    assert!(answer["warnings"][0]["message"].as_str().unwrap().contains("bash"), "{answer}");
}

#[test]
fn capitals_count_where_that_is_asked_for() {
    let mut session = over(PROJECT);
    let search = |more: Value| {
        let mut arguments = json!({ "query": "settings", "mode": "code", "top": 50 });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    assert!(!session.names("code", search(json!({ "path": "SRC" }))).is_empty());
    assert!(session.names("code", search(json!({ "path": "SRC", "caseFile": true }))).is_empty());
    assert!(session.names("code", search(json!({ "path": "SRC", "case": true }))).is_empty());
    assert!(!session.names("code", search(json!({ "path": "src", "caseFile": true }))).is_empty());
    let words = json!({ "query": "\"SETTINGS\"", "mode": "code" });
    assert!(!session.names("code", words.clone()).is_empty());
    for flag in ["case", "caseTokens"] {
        let mut exact = words.clone();
        exact[flag] = json!(true);
        assert!(session.names("code", exact).is_empty(), "{flag}");
    }
    let mut files_only = words;
    files_only["caseFile"] = json!(true);
    assert!(!session.names("code", files_only).is_empty());
    let both = session.ask("search", search(json!({ "path": "src", "caseTokens": true })));
    assert_eq!(warnings(&both), ["case"], "{both}");
}

#[test]
fn history_tells_authors_changes_and_branches() {
    let tree = tree(&PROJECT.replace("//- /.git/HEAD\nref: refs/heads/trunk\n", ""));
    let root = tree.root().to_path_buf();
    git(&root, "Ada", &["init", "-q"]);
    git(&root, "Ada", &["add", "src/config.rs", "scripts", "README.md"]);
    git(&root, "Ada", &["commit", "-q", "-m", "one"]);
    git(&root, "Grace", &["add", "."]);
    git(&root, "Grace", &["commit", "-q", "-m", "two"]);
    let text = std::fs::read_to_string(root.join("src/client.py")).unwrap();
    tree.write("src/client.py", text.replace("yield 1", "yield 2"));
    git(&root, "Ada", &["commit", "-q", "-a", "-m", "three"]);
    let mut session = Session::start(tree, &[], &[]);
    let found = |session: &mut Session, name: &str, value: Value| session.names("code", with(name, &value));
    let by_ada = found(&mut session, "author", json!("ada"));
    assert!(
        by_ada.contains(&"load_settings".to_owned()) && by_ada.contains(&"fetch_page".to_owned()),
        "{by_ada:?}"
    );
    assert!(!found(&mut session, "author", json!("grace")).contains(&"fetch_page".to_owned()));
    assert!(found(&mut session, "churnMin", json!(2)).contains(&"fetch_page".to_owned()));
    assert!(!found(&mut session, "churnMin", json!(2)).contains(&"load_settings".to_owned()));
    assert!(found(&mut session, "branch", json!("trunk")).contains(&"load_settings".to_owned()));
    assert!(found(&mut session, "branch", json!("other")).is_empty());
    assert!(found(&mut session, "modifiedAfter", json!("2020-01-01")).contains(&"fetch_page".to_owned()));
    assert!(found(&mut session, "modifiedAfter", json!("2999-01-01")).is_empty());
    // The file was changed last by Ada; these lines were not.
    let lines = found(&mut session, "chunkAuthor", json!("GRACE"));
    assert!(lines.contains(&"fetch_page".to_owned()) && !lines.contains(&"_numbers".to_owned()), "{lines:?}");
    assert!(!lines.contains(&"load_settings".to_owned()), "{lines:?}");
    let lines = found(&mut session, "chunkAuthor", json!("Ada"));
    assert!(
        lines.contains(&"_numbers".to_owned()) && lines.contains(&"load_settings".to_owned()),
        "{lines:?}"
    );
}

#[test]
fn without_a_history_its_filters_are_unsupported() {
    let mut session = over(&PROJECT.replace("//- /.git/HEAD\nref: refs/heads/trunk\n", ""));
    for (name, value) in [
        ("author", json!("ada")),
        ("churnMin", json!(1)),
        ("branch", json!("trunk")),
        ("chunkAuthor", json!("ada")),
    ] {
        let refused = session.refused("search", with(name, &value));
        assert_eq!(refused["code"], "UNSUPPORTED", "{name}: {refused}");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains(&format!("`{name}`")), "{message}");
    }
}

#[test]
fn metadata_is_read_as_an_object_or_as_json() {
    let mut session = over(PROJECT);
    for meta in [json!({ "meta": { "severity": "high" } }), json!({ "metaJson": "{\"severity\":\"high\"}" })]
    {
        let mut arguments = json!({ "query": "lantern", "mode": "records" });
        arguments.as_object_mut().unwrap().extend(meta.as_object().unwrap().clone());
        let answer = session.ask("search", arguments);
        assert_eq!((&answer["records"], &answer["totals"]["records"]), (&json!([]), &json!(0)), "{answer}");
    }
    for wrong in ["[]", "{", "7"] {
        let refused = session.refused("search", json!({ "query": "x", "metaJson": wrong }));
        assert!(refused["message"].as_str().unwrap().contains("`metaJson`"), "{refused}");
    }
}

#[test]
fn wrong_values_are_named_with_what_is_legal() {
    let mut session = over(PROJECT);
    for (name, value, legal) in [
        ("type", "contraption", "function"),
        ("lang", "klingon", "rust"),
        ("visibility", "secret", "private"),
        ("riskSink", "sequel", "sql"),
    ] {
        let refused = session.refused("search", with(name, &json!(value)));
        assert_eq!(refused["code"], "INVALID_REQUEST", "{refused}");
        let said = format!("{} {}", refused["message"], refused["hint"]);
        assert!(
            said.contains(value) && said.contains(legal) && said.contains(&format!("`{name}`")),
            "{said}"
        );
    }
}
