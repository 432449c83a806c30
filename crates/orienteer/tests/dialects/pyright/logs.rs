//! The log: JSON lines on stderr, human lines in files.

use std::path::PathBuf;
use std::time::Duration;

use orienteer_testkit::Tree;
use orienteer_testkit::workspaces::PYTHON;
use serde_json::{Value, json};

use super::support::{Client, over, until};

const TOTAL: &str = "src/shapes/total.py";

fn work(client: &mut Client) {
    client.success("check_types", json!({ "path": client.at(TOTAL) }));
    client.error("get_hover", client.place("nothing.py", 1, 1));
}

/// Ends the client, so that everything is written; what it said and the folder of its files, which goes with the tree.
fn ended(client: Client) -> (String, PathBuf, Tree) {
    let Client { mut server, tree } = client;
    server.close();
    server.wait(Duration::from_secs(15)).expect("it ends");
    let folder = tree.beside("home").join(".pyright-mcp/logs");
    (server.stderr(), folder, tree)
}

fn lines(said: &str) -> Vec<Value> {
    said.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn stderr_has_json_lines_with_request_ids() {
    let begun = std::time::Instant::now();
    let mut client = over(PYTHON).start();
    work(&mut client);
    until("it is written", || client.server.stderr().contains("file_not_found"));
    let (said, folder, _tree) = ended(client);
    let lines = lines(&said);
    for line in &lines {
        for name in ["timestamp", "level", "logger", "message"] {
            assert!(line[name].is_string(), "{name}: {line}");
        }
    }
    let find = |what: &str| {
        lines.iter().find(|line| line["message"] == what).unwrap_or_else(|| panic!("{what}: {said}"))
    };
    assert!(
        find("Logging initialized (mode=stderr, level=INFO)")["timestamp"]
            .as_str()
            .unwrap()
            .ends_with("+00:00")
    );
    let started = find("started");
    assert_eq!((&started["level"], &started["mode"]), (&json!("INFO"), &json!("stderr")), "{started}");
    assert!(started["version"].is_string(), "{started}");
    let called = find("Tool called");
    assert_eq!(
        (&called["level"], &called["request_id"], &called["tool_name"]),
        (&json!("INFO"), &json!("1"), &json!("check_types"))
    );
    assert!(called["parameters"].as_str().unwrap().contains(TOTAL));
    let done = find("Tool completed");
    assert_eq!(done["request_id"], "1");
    assert!(done["duration"].as_f64().unwrap() > 0.0);
    let failed = lines.iter().find(|line| line["level"] == "ERROR").unwrap();
    assert_eq!((&failed["error_type"], &failed["request_id"]), (&json!("file_not_found"), &json!("2")));
    assert!(failed["message"].as_str().unwrap().starts_with("File not found: "), "{failed}");
    let stopped = find("stopped");
    assert_eq!((&stopped["level"], &stopped["total_requests"]), (&json!("INFO"), &json!(2)), "{stopped}");
    // Seconds: no more of them than this test can have taken.
    let uptime = stopped["uptime"].as_f64().unwrap_or_else(|| panic!("{stopped}"));
    assert!(uptime > 0.0 && uptime <= begun.elapsed().as_secs_f64(), "{uptime}");
    assert!(!folder.exists(), "no file unless one is asked for");
}

#[test]
fn debug_tells_the_command_and_where_it_runs() {
    let mut client = over("//- /pyrightconfig.json\n{ broken\n//- /a.py\n")
        .variable("PYRIGHT_MCP_LOG_LEVEL", "DEBUG")
        .start();
    client.error("check_types", json!({ "path": client.at("a.py") }));
    let root = client.at("").trim_end_matches('/').to_owned();
    until("it is written", || client.server.stderr().contains("execution_error"));
    let (said, _, _tree) = ended(client);
    let lines = lines(&said);
    let find = |what: &str| {
        lines.iter().find(|line| line["message"] == what).unwrap_or_else(|| panic!("{what}: {said}"))
    };
    let run = find("checker started");
    assert_eq!(
        (&run["level"], &run["request_id"], &run["cwd"]),
        (&json!("DEBUG"), &json!("1"), &json!(root))
    );
    assert!(run["command"].as_str().unwrap().starts_with("pyright --outputjson"), "{run}");
    let wrote = find("checker wrote errors");
    assert_eq!((&wrote["level"], &wrote["request_id"]), (&json!("DEBUG"), &json!("1")), "{wrote}");
    assert!(wrote["stderr_output"].as_str().unwrap().contains("could not be parsed"), "{wrote}");
}

#[test]
fn warnings_only_when_only_they_are_asked_for() {
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_LOG_LEVEL", "WARNING").start();
    work(&mut client);
    until("it is written", || client.server.stderr().contains("file_not_found"));
    let (said, _, _tree) = ended(client);
    assert!(lines(&said).iter().all(|line| line["level"] == "ERROR" || line["level"] == "WARNING"), "{said}");
}

#[test]
fn file_mode_writes_for_people_and_errors_to_stderr_too() {
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_LOG_MODE", "file").start();
    work(&mut client);
    until("it is written", || client.server.stderr().contains("File not found"));
    let (said, folder, _tree) = ended(client);
    assert!(said.lines().all(|line| line.contains("[ERROR]")), "{said}");
    let names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let stamped = names.iter().find(|name| name.starts_with("pyright-mcp-2") && name.ends_with(".log"));
    // pyright-mcp-20260121-100000.log
    let stamp = stamped.and_then(|name| name.strip_prefix("pyright-mcp-")?.strip_suffix(".log"));
    let stamp = stamp.unwrap_or_else(|| panic!("{names:?}"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    assert!(
        stamp.len() == 15 && stamp[8..9] == *"-" && digits(&stamp[..8]) && digits(&stamp[9..]),
        "{stamp}"
    );
    let current = std::fs::read_link(folder.join("current.log")).unwrap();
    assert_eq!(current.to_str(), stamped.map(String::as_str), "the newest, by a link");
    let text = std::fs::read_to_string(folder.join("current.log")).unwrap();
    let line = text.lines().find(|line| line.contains("Tool called")).unwrap();
    // 2026-01-21 10:00:00.123 [INFO] logger: message
    let (time, rest) = line.split_at("2026-01-21 10:00:00.123".len());
    assert!(time.as_bytes()[10] == b' ' && time.as_bytes()[19] == b'.', "{line}");
    assert!(
        rest.starts_with(" [INFO] ") && rest.contains(": Tool called request_id=1 tool_name=\"check_types\""),
        "{line}"
    );
    assert!(text.contains(": started ") && text.contains("mode=\"file\""), "{text}");
    assert!(
        text.contains("[ERROR]") && text.contains("Logging initialized (mode=file, level=INFO)"),
        "{text}"
    );
}

#[test]
fn both_is_both() {
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_LOG_MODE", "both").start();
    work(&mut client);
    until("it is written", || client.server.stderr().contains("file_not_found"));
    let (said, folder, _tree) = ended(client);
    assert!(lines(&said).iter().any(|line| line["message"] == "Tool completed"));
    let text = std::fs::read_to_string(folder.join("current.log")).unwrap();
    assert!(text.contains("[INFO]") && text.contains("Tool completed"), "{text}");
}
