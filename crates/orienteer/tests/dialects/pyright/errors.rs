//! Every error code of the document, provoked.

use std::time::Duration;

use orienteer_testkit::fake::{Death, Record, Script, When};
use orienteer_testkit::tools;
use orienteer_testkit::workspaces::PYTHON;
use serde_json::{Value, json};

use super::support::{Client, Start, children, command_line, over, payload, until};

const TOTAL: &str = "src/shapes/total.py";
const POSITIONED: [&str; 5] =
    ["get_hover", "go_to_definition", "find_references", "get_completions", "get_signature"];

/// A project in the language of the fake server.
const FAKE: &str = "//- /pyproject.toml\n//- /a.py\n# Squares a number.\ndef square n -> Number\n";

#[test]
fn file_not_found() {
    let mut client = over(PYTHON).start();
    let missing = client.at("src/nothing.py");
    let told = client.error("check_types", json!({ "path": missing }));
    assert_eq!(told, ("file_not_found".to_owned(), format!("Path not found: {missing}")));
    for tool in POSITIONED {
        let told = client.error(tool, client.place("src/nothing.py", 1, 1));
        assert_eq!(told, ("file_not_found".to_owned(), format!("File not found: {missing}")), "{tool}");
    }
    client.end();
}

#[test]
fn invalid_path() {
    let mut client = over(&format!("{PYTHON}//- /notes.md\n# Notes\n//- /lib.rs\nfn f() {{}}\n")).start();
    for path in [TOTAL, "./x.py", "", "../x.py"] {
        let (code, message) = client.error("check_types", json!({ "path": path }));
        assert_eq!(code, "invalid_path", "{path}: {message}");
    }
    let (_, message) = client.error("check_types", json!({ "path": TOTAL }));
    assert_eq!(message, format!("Path must be absolute: {TOTAL}"));
    for tool in POSITIONED {
        let relative = json!({ "file": TOTAL, "line": 1, "column": 1 });
        assert_eq!(client.error(tool, relative).0, "invalid_path", "{tool}");
        assert_eq!(client.error(tool, client.place("src", 1, 1)).0, "invalid_path", "{tool}: a folder");
        assert_eq!(client.error(tool, client.place("lib.rs", 1, 4)).0, "invalid_path", "{tool}: no Python");
    }
    for other in ["notes.md", "lib.rs"] {
        let (code, message) = client.error("check_types", json!({ "path": client.at(other) }));
        assert_eq!(code, "invalid_path", "{message}");
        assert!(message.contains("not Python"), "{message}");
    }
    let (code, message) = client.error("check_types", json!({ "path": "/dev/null" }));
    assert_eq!(code, "invalid_path", "{message}");
    client.end();
}

#[test]
fn permission_denied() {
    use std::os::unix::fs::PermissionsExt;
    let start = over(&format!("{PYTHON}//- /closed/a.py\nx = 1\n")).unprivileged();
    let allow = |path: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(start.tree.root().join(path), permissions).unwrap();
    };
    allow(TOTAL, 0o000);
    allow("closed", 0o000);
    let root = start.tree.root().to_path_buf();
    let mut client = start.start();
    let told = |name: &str, path: &str| {
        let message = format!(
            "`{name}`: {} cannot be read: Permission denied (os error 13)",
            root.join(path).display()
        );
        ("invalid_path".to_owned(), message)
    };
    for tool in POSITIONED {
        assert_eq!(client.error(tool, client.place(TOTAL, 8, 5)), told("file", TOTAL), "{tool}");
        let inside = client.place("closed/a.py", 1, 1);
        assert_eq!(client.error(tool, inside), told("file", "closed/a.py"), "{tool}");
    }
    // pyright would call the first a finding, and the second empty.
    for path in [TOTAL, "closed", "closed/a.py"] {
        let asked = json!({ "path": client.at(path) });
        assert_eq!(client.error("check_types", asked), told("path", path));
    }
    // What may be read is.
    let answer = client.success("get_hover", client.place("src/shapes/report.py", 8, 20));
    assert_eq!(answer["symbol"], "total_area", "{answer}");
    std::fs::set_permissions(root.join("closed"), std::fs::Permissions::from_mode(0o755)).unwrap();
    client.end();
}

#[test]
fn validation_error() {
    let mut client = over(PYTHON).start();
    for tool in POSITIONED {
        for (line, column) in [(0, 1), (1, 0)] {
            let (code, message) = client.error(tool, client.place(TOTAL, line, column));
            assert_eq!(code, "validation_error", "{tool}: {message}");
            assert!(message.contains("must be from 1"), "{tool}: {message}");
        }
        for (line, column, word) in [(999, 1, "no line 999"), (1, 99, "no column 99")] {
            let (code, message) = client.error(tool, client.place(TOTAL, line, column));
            assert_eq!(code, "validation_error", "{tool}: {message}");
            assert!(message.contains(word), "{tool}: {message}");
        }
        let (code, message) = client.error(tool, json!({ "file": client.at(TOTAL), "line": 1 }));
        assert_eq!(code, "validation_error");
        assert!(message.contains("`column` is required"), "{message}");
    }
    for version in ["3", "3.11.2", "three", "3.x", " 3.11"] {
        let asked = json!({ "path": client.at(TOTAL), "python_version": version });
        let (code, message) = client.error("check_types", asked);
        assert_eq!(code, "validation_error");
        assert!(
            message.contains(version) && message.contains("Expected format: '3.10', '3.11'"),
            "{message}"
        );
    }
    let (code, message) =
        client.error("check_types", json!({ "path": client.at(TOTAL), "pythonversion": "3.9" }));
    assert_eq!(code, "validation_error");
    assert!(message.contains("did you mean `python_version`?"), "{message}");
    client.end();
}

#[test]
fn allowed_roots_of_the_configuration_count_as_well() {
    let start = over(&format!("{PYTHON}//- /secret/a.py\nx = 1\n"));
    let folder = |name: &str| start.tree.root().join(name).display().to_string();
    let (root, allowed) = (folder("src"), folder("tests"));
    let start = start.variable("ORIENTEER_WORKSPACE_ROOT", root);
    let mut client = start.variable("ORIENTEER_WORKSPACE_ALLOWED_ROOTS", allowed).start();
    for path in ["secret/a.py", "secret/nothing.py"] {
        let (code, message) = client.error("check_types", json!({ "path": client.at(path) }));
        assert_eq!(code, "path_not_allowed", "whether or not it is there: {message}");
    }
    assert_eq!(client.success("check_types", json!({ "path": client.at("src") }))["status"], "success");
    client.end();
}

#[test]
fn path_not_allowed() {
    let start = over(&format!("{PYTHON}//- /secret/a.py\nx = 1\n"));
    let allowed =
        std::env::join_paths([start.tree.root().join("src"), start.tree.root().join("tests")]).unwrap();
    let mut client = start.variable("PYRIGHT_MCP_ALLOWED_PATHS", allowed.to_str().unwrap()).start();
    let outside = ["secret/a.py", "secret/nothing.py", "src/../secret/a.py"];
    for path in outside {
        let written = format!("{}/{path}", client.tree.root().display());
        let (code, message) = client.error("check_types", json!({ "path": written }));
        assert_eq!(code, "path_not_allowed", "whether or not it is there: {message}");
        assert!(
            message.starts_with(&format!("Path not in allowed workspace: {written}\nAllowed paths: ")),
            "{message}"
        );
    }
    for tool in POSITIONED {
        assert_eq!(client.error(tool, client.place("secret/a.py", 1, 1)).0, "path_not_allowed", "{tool}");
    }
    assert_eq!(client.success("check_types", json!({ "path": client.at("src") }))["status"], "success");
    client.success("get_hover", client.place("tests/test_shapes.py", 6, 12));
    client.end();
}

#[test]
fn not_found() {
    let start = over(PYTHON);
    let bin = start.programs(&[], &[]);
    let mut client = start.path(bin).start();
    let (code, message) = client.error("check_types", json!({ "path": client.at("src") }));
    assert_eq!(code, "not_found");
    assert!(
        message.contains("`pyright` was not found") && message.contains("pip install pyright"),
        "{message}"
    );
    for tool in POSITIONED {
        let (code, message) = client.error(tool, client.place(TOTAL, 8, 5));
        assert_eq!(code, "not_found", "{tool}: {message}");
        assert!(message.contains("install"), "{tool}: {message}");
    }
    client.end();
}

#[test]
fn timeout() {
    let start = over(PYTHON);
    let bin = start.programs(&[], &[("pyright", "sleep 60")]);
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let mut client = start.path(path).variable("PYRIGHT_MCP_CLI_TIMEOUT", "0.3").start();
    let (code, message) = client.error("check_types", json!({ "path": client.at("src") }));
    assert_eq!(code, "timeout");
    assert!(message.contains("did not finish within 0.3 s"), "{message}");
    assert!(message.contains("; raise PYRIGHT_MCP_CLI_TIMEOUT"), "what to do: {message}");
    let sleeping = |client: &Client| {
        children(client.server.pid()).into_iter().any(|pid| command_line(pid).contains("sleep"))
    };
    until("what it started has ended", || !sleeping(&client));
    client.end();
    // The real one, which cannot be that quick.
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_CLI_TIMEOUT", "0.01").start();
    assert_eq!(client.error("check_types", json!({ "path": client.at("src") })).0, "timeout");
    client.end();
}

fn with_pyright(text: &str) -> Client {
    let start = over(PYTHON);
    let bin = start.programs(&[], &[("pyright", text)]);
    start.path(format!("{}:/usr/bin:/bin", bin.display())).start()
}

#[test]
fn parse_error() {
    for text in ["echo 'no json at all'", "echo '{\"generalDiagnostics\": ['", "true", "echo '{}'"] {
        let mut client = with_pyright(text);
        let (code, message) = client.error("check_types", json!({ "path": client.at("src") }));
        assert_eq!(code, "parse_error", "{text}: {message}");
        assert!(message.contains("`pyright --outputjson"), "which command: {message}");
        assert!(message.contains("by hand") && message.contains("PYRIGHT_MCP_LOG_LEVEL=DEBUG"), "{message}");
        client.end();
    }
}

#[test]
fn execution_error() {
    let mut client =
        over("//- /pyrightconfig.json\n{ \"pythonVersion\": \n//- /a.py\nx = 1\n//- /empty/b.txt\n").start();
    let (code, message) = client.error("check_types", json!({ "path": client.at("a.py") }));
    assert_eq!(code, "execution_error");
    assert!(message.contains("could not be parsed") && message.contains("exit code 3"), "{message}");
    assert!(message.contains("by hand") && message.contains("PYRIGHT_MCP_LOG_LEVEL=DEBUG"), "{message}");
    client.tree.write("pyrightconfig.json", "{}");
    let (code, message) = client.error("check_types", json!({ "path": client.at("empty") }));
    assert_eq!(code, "execution_error", "nothing checked is not nothing found");
    assert!(message.contains("no Python files"), "{message}");
    client.end();
    let mut client = with_pyright("echo 'node is too old' >&2; exit 7");
    let (code, message) = client.error("check_types", json!({ "path": client.at("src") }));
    assert_eq!(code, "execution_error");
    assert!(message.contains("node is too old") && message.contains("exit code 7"), "{message}");
    client.end();
}

fn hover(start: Start) -> (String, String) {
    let mut client = start.start();
    let told = client.error("get_hover", client.place("a.py", 2, 5));
    client.end();
    told
}

#[test]
fn lsp_crash() {
    let script = Script::new().crash("textDocument/hover", When::Before, Death::Exit(3));
    let (code, message) = hover(over(FAKE).fake(&script));
    assert_eq!(code, "lsp_crash");
    assert!(message.contains("crashed"), "{message}");
    // One crash is nobody's business: the server is started again.
    let script = Script::new().crash_once("textDocument/hover", When::Before, Death::Exit(3));
    let mut client = over(FAKE).fake(&script).start();
    let answer = client.success("get_hover", client.place("a.py", 2, 5));
    assert_eq!(answer["symbol"], "square", "{answer}");
    client.end();
}

#[test]
fn lsp_error() {
    let script = Script::new().fail("textDocument/hover", -32603, "the checker is confused");
    let (code, message) = hover(over(FAKE).fake(&script));
    assert_eq!(code, "lsp_error");
    assert!(message.contains("the checker is confused"), "{message}");
    let (code, message) = hover(over(FAKE).fake(&Script::new().exit_at_start(4, "no licence")));
    assert_eq!(code, "lsp_error", "it did not start: {message}");
    let script = Script::new().without(&["textDocument/hover"]);
    assert_eq!(hover(over(FAKE).fake(&script)).0, "lsp_error", "it has no such feature");
}

#[test]
fn lsp_not_ready() {
    let script = Script::new().never_answer_initialize();
    let start = over(FAKE).fake(&script).variable("ORIENTEER_LSP_WAIT_MS", "300");
    let mut client = start.start();
    for tool in POSITIONED {
        let (code, message) = client.error(tool, client.place("a.py", 2, 5));
        assert_eq!(code, "lsp_not_ready", "{tool}: never an empty list: {message}");
    }
    client.end();
}

#[test]
fn lsp_requests_time_out() {
    // The client's own limit of a call, since the document has none for the server's.
    let script = Script::new().hang("textDocument/hover");
    let start = over(FAKE).fake(&script).variable("ORIENTEER_MCP_TOOL_TIMEOUT_MS", "3000");
    let record = Record::of(&start.tree.beside("fake").join("fake.json"));
    let mut client = start.start();
    assert_eq!(client.error("get_hover", client.place("a.py", 2, 5)).0, "timeout");
    // The session and the server go on.
    let answer = client.success("go_to_definition", client.place("a.py", 2, 5));
    assert_eq!(client.spots(&answer["definitions"]), ["a.py:2:5"]);
    assert_eq!(record.starts(), 1, "the same process answers");
    until("it is written", || client.server.stderr().contains("\"error_type\":\"timeout\""));
    let said = client.server.stderr();
    let line = said.lines().find(|line| line.contains("\"error_type\":\"timeout\"")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!((&line["level"], &line["request_id"]), (&json!("ERROR"), &json!("1")), "{line}");
    client.end();
}

fn cancel(client: &mut Client, id: i64, method: &str) {
    let params = match method {
        "$/cancelRequest" => json!({ "id": id }),
        _ => json!({ "requestId": id, "reason": "the user changed their mind" }),
    };
    client.server.notify(method, params);
}

fn cancelled(answer: &Value) {
    let told = payload(&answer["result"]);
    assert_eq!(told["error_code"], "cancelled", "{answer}");
}

#[test]
fn cancelled_check() {
    for method in ["notifications/cancelled", "$/cancelRequest"] {
        let start = over(PYTHON);
        let bin = start.programs(&[], &[("pyright", "exec sleep 60")]);
        let mut client = start.path(format!("{}:/usr/bin:/bin", bin.display())).start();
        let arguments = json!({ "path": client.at("src") });
        let id = client.server.begin("tools/call", json!({ "name": "check_types", "arguments": arguments }));
        let running = |client: &Client| {
            children(client.server.pid()).into_iter().find(|pid| command_line(*pid).contains("sleep"))
        };
        until("the command line runs", || running(&client).is_some());
        cancel(&mut client, id, method);
        cancelled(&client.server.answer(id));
        until("it was killed", || running(&client).is_none());
        // The session goes on.
        assert_eq!(client.success("health_check", json!({}))["pyright_available"], false);
        client.end();
    }
}

#[test]
fn cancelled_hover() {
    let script = Script::new().hang("textDocument/hover");
    let start = over(FAKE).fake(&script);
    let record = Record::of(&start.tree.beside("fake").join("fake.json"));
    let mut client = start.start();
    let arguments = client.place("a.py", 2, 5);
    let id = client.server.begin("tools/call", json!({ "name": "get_hover", "arguments": arguments }));
    until("the server was asked", || !record.received("textDocument/hover").is_empty());
    cancel(&mut client, id, "notifications/cancelled");
    cancelled(&client.server.answer(id));
    until("the server was told", || !record.received("$/cancelRequest").is_empty());
    let (asked, told) = (record.received("textDocument/hover"), record.received("$/cancelRequest"));
    assert_eq!(told[0]["params"]["id"], asked[0]["id"], "which question: {told:?}");
    assert_eq!((asked.len(), told.len(), asked[0]["id"].is_null()), (1, 1, false), "{asked:?} {told:?}");
    assert!(client.server.receive_within(Duration::from_millis(200)).is_none(), "answered once");
    client.end();
}

#[test]
fn the_real_server_is_waited_for_and_never_answers_with_nothing() {
    // So little patience that it cannot have started.
    let mut client = over(PYTHON).variable("ORIENTEER_LSP_WAIT_MS", "1").start();
    let told = client.call("find_references", client.place(TOTAL, 8, 5));
    assert_eq!((&told["status"], &told["error_code"]), (&json!("error"), &json!("lsp_not_ready")), "{told}");
    client.end();
    assert!(tools::require("pyright-langserver").exists());
}
