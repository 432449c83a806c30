//! Do the queries of one call stay apart, and is each answered in the documented shape?

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::stub::Stub;
use super::support::{AUTH, Asking, goals, hints, host, keys, there, with};

#[test]
fn rows_come_in_the_order_of_queries_and_fail_alone() {
    let mut asking = Asking::over(AUTH);
    let queries = json!([
        { "path": "src/utils.ts", "fullContent": true },
        { "path": "src/missing.ts" },
        { "path": "src/utils.ts", "charLength": 0 },
        { "path": "src/index.ts", "startLine": 1, "endLine": 1 },
        "no object",
    ]);
    let rows = asking.rows("localGetFileContent", queries);
    let told: Vec<&Value> = rows.iter().map(|row| row.get("code").unwrap_or(&row["status"])).collect();
    assert_eq!(told, ["success", "NOT_FOUND", "VALIDATION_ERROR", "success", "VALIDATION_ERROR"]);
    assert!(rows[0]["data"]["content"].as_str().unwrap().contains("validateToken"));
    assert_eq!(rows[3]["data"]["content"], "import { AuthService } from \"./services/AuthService\";\n");
    assert!(rows[2]["error"].as_str().unwrap().contains("`charLength` is 0; it must be from 1 to 10000"));
}

#[test]
fn the_example_of_related_queries_runs() {
    let mut asking = Asking::over(AUTH);
    let queries = json!([{ "path": "src/services", "pattern": "authenticate" }, { "path": "src/utils.ts", "pattern": "validateToken" }]);
    let rows = asking.rows("localSearchCode", queries);
    assert_eq!(rows[0]["data"]["files"][0]["path"], "src/services/AuthService.ts");
    assert_eq!(rows[1]["data"]["files"][0]["path"], "src/utils.ts");
}

#[test]
fn a_call_takes_as_many_queries_as_its_tool_says() {
    let mut asking = Asking::over(AUTH);
    let goals = Value::Object(goals());
    let at = json!({ "uri": "src/utils.ts", "symbolName": "validateToken", "lineHint": 2 });
    for (tool, most, query) in [
        ("githubSearchCode", 3, with(goals.clone(), json!({ "keywordsToSearch": ["x"] }))),
        ("packageSearch", 3, with(goals, json!({ "name": "x", "ecosystem": "npm" }))),
        ("localSearchCode", 5, json!({ "pattern": "x", "path": "." })),
        ("lspGotoDefinition", 5, at.clone()),
        ("lspFindReferences", 5, at.clone()),
        ("lspCallHierarchy", 3, with(at, json!({ "direction": "incoming" }))),
    ] {
        for count in [0, most + 1] {
            let (answer, failed) = asking.call(tool, json!({ "queries": vec![query.clone(); count] }));
            assert!(failed, "{tool} {count}: {answer:#}");
            assert_eq!(keys(&answer), ["code", "error", "hints", "status"], "{tool}: {answer:#}");
            assert_eq!((&answer["status"], &answer["code"]), (&json!("error"), &json!("VALIDATION_ERROR")));
            let told = format!("`queries` has {count} entries; it must have from 1 to {most}");
            assert_eq!(answer["error"], told, "{tool}");
        }
    }
    let most = vec![json!({ "pattern": "token", "path": "src" }); 5];
    assert_eq!(asking.rows("localSearchCode", json!(most)).len(), 5);
}

#[test]
fn a_call_without_queries_says_what_is_missing() {
    let mut asking = Asking::over(AUTH);
    for (arguments, told) in [
        (json!({}), "`queries` is required"),
        (json!({ "queries": {} }), "`queries` must be"),
        (json!({ "queries": [], "pattern": "x" }), "`pattern` is not an argument"),
    ] {
        let (answer, failed) = asking.call("localSearchCode", arguments);
        assert!(failed && answer["error"].as_str().unwrap().contains(told), "{answer:#}");
    }
    // Where nothing succeeded, the call as a whole failed, and every row says why.
    let (answer, failed) = asking.call("localSearchCode", json!({ "queries": [{ "path": "." }, {}] }));
    assert!(failed, "{answer:#}");
    assert_eq!(answer["results"].as_array().unwrap().len(), 2);
    let (_, failed) = asking
        .call("localSearchCode", json!({ "queries": [{ "path": "." }, { "path": ".", "pattern": "x" }] }));
    assert!(!failed, "one of two succeeded");
}

#[test]
fn one_slow_query_does_not_take_the_others_along() {
    // Nobody answers at this address: the query to it waits, the others are there at once.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let name = silent.local_addr().unwrap().to_string();
    let settings = format!(
        "[mcp]\ntool_timeout_ms = 24000\n[remote]\nask_programs = false\n[[hosts]]\nhost = '{name}'\nprovider = 'forgejo'\n"
    );
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[]);
    let file = json!({ "owner": "o", "repo": "r", "path": "p" });
    let slow = with(with(Value::Object(goals()), file.clone()), json!({ "host": name }));
    let wrong = with(with(Value::Object(goals()), file), json!({ "startLine": 2, "endLine": 1 }));
    let rows = asking.rows("githubGetFileContent", json!([slow, wrong]));
    assert_eq!(
        (&rows[0]["code"], &rows[1]["code"]),
        (&json!("TIMEOUT"), &json!("VALIDATION_ERROR")),
        "{rows:#?}"
    );
    assert!(hints(&rows[0]).contains("Narrow the query"), "{rows:#?}");
}

#[test]
fn queries_of_one_call_run_side_by_side() {
    // Each is held until all three have come: one after the other they would never be answered.
    let barrier = std::sync::Barrier::new(3);
    let stub = Stub::start(move |_| {
        barrier.wait();
        let body = json!({ "total_count": 0, "incomplete_results": false, "items": [] });
        (200, vec![("Content-Type", "application/json".into())], body.to_string())
    });
    let settings =
        format!("{}[mcp]\ntool_timeout_ms = 24000\n", host(&stub.name, "github", Some(&stub.api())));
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[("MINE", "t")]);
    let words = ["one", "two", "three"];
    let queries = words.map(|word| there(&stub.name, json!({ "keywordsToSearch": [word] })));
    let rows = asking.unfollowed("githubSearchRepositories", json!(queries));
    let told: Vec<&Value> = rows.iter().map(|row| &row["status"]).collect();
    assert_eq!(told, ["success", "success", "success"], "{rows:#?}");
}

#[test]
fn agents_that_write_nulls_and_floats_are_understood() {
    let mut asking = Asking::over(AUTH);
    let query = json!({ "pattern": "AuthService", "path": "src", "type": null, "filesPerPage": 2.0, "researchGoal": "x", "mainResearchGoal": "y" });
    let data = asking.get("localSearchCode", query);
    assert_eq!(data["files"].as_array().unwrap().len(), 2, "{data:#}");
}

#[test]
fn secrets_are_hidden_in_every_kind_of_answer() {
    let key: String = std::iter::once("-----BEGIN RSA PRIVATE KEY-----".to_owned())
        .chain((0..20).map(|line| format!("MIIEowIBAAKCAQEA{line:02}x7fbkyVdQ9aWkq1mBqvG4pq7t8u3S2w")))
        .chain(["-----END RSA PRIVATE KEY-----".to_owned()])
        .collect::<Vec<_>>()
        .join("\n");
    let mut asking = Asking::with(tree(&format!("//- /key.txt\n{key}\nend\n")), "", &[]);
    let body = "x7fbkyVdQ9aWkq1mBqvG4pq7t8u3S2w";
    for (tool, query) in [
        ("localGetFileContent", json!({ "path": "key.txt", "fullContent": true })),
        ("localGetFileContent", json!({ "path": "key.txt", "startLine": 5, "endLine": 6 })),
        ("localGetFileContent", json!({ "path": "key.txt", "charOffset": 100, "charLength": 30 })),
        ("localGetFileContent", json!({ "path": "key.txt", "matchString": "MIIEowIBAAKCAQEA07" })),
        ("localSearchCode", json!({ "path": ".", "pattern": "AKCAQEA1", "contextLines": 3 })),
    ] {
        let row = asking.row(tool, query.clone());
        assert_eq!(row["status"], "success", "{row:#}");
        assert!(!row.to_string().contains(body), "{query}: {row:#}");
    }
}
