//! One language server per workspace, a few at a time.

use orienteer_testkit::fake::{Death, Record, Rule, Script, When};
use serde_json::{Value, json};

use super::support::{Client, gone, kill, over, payload, until};

fn five() -> String {
    (1..=5)
        .map(|number| format!("//- /w{number}/pyproject.toml\n//- /w{number}/a.py\nx = len(\"{number}\")\n"))
        .collect()
}

fn ask(client: &mut Client, number: u32) {
    let answer = client.success("get_hover", client.place(&format!("w{number}/a.py"), 1, 1));
    assert_eq!(answer["type"], "int", "{number}");
}

fn pool(client: &mut Client) -> (Vec<String>, Value) {
    let pool = client.success("health_check", json!({}))["lsp_pool"].clone();
    let held = pool["workspaces"].as_array().unwrap();
    let names = held.iter().map(|root| client.relative(root.as_str().unwrap())).collect();
    (names, pool)
}

#[test]
fn three_workspaces_live_and_the_least_recently_used_goes() {
    let mut client = over(&five()).start();
    for number in [1, 2, 3] {
        ask(&mut client, number);
    }
    assert_eq!(client.servers().len(), 3, "one server each");
    let first = client.servers();
    ask(&mut client, 1);
    ask(&mut client, 4);
    let (names, state) = pool(&mut client);
    assert_eq!(names, ["w3", "w1", "w4"], "the second was used least recently");
    assert_eq!(
        (&state["active_instances"], &state["max_instances"], &state["eviction_count"]),
        (&json!(3), &json!(3), &json!(1))
    );
    until("the server of the one that went has ended", || client.servers().len() == 3);
    assert!(first.iter().filter(|pid| client.servers().contains(pid)).count() == 2);
    // It comes back when it is asked about.
    ask(&mut client, 2);
    assert_eq!(pool(&mut client).0, ["w1", "w4", "w2"]);
    client.end();
}

#[test]
fn the_size_of_the_pool_is_a_setting() {
    let mut client = over(&five()).variable("PYRIGHT_MCP_LSP_POOL_SIZE", "1").start();
    ask(&mut client, 1);
    let before = client.servers();
    ask(&mut client, 2);
    gone(&before);
    let (names, state) = pool(&mut client);
    assert_eq!((names, &state["max_instances"]), (vec!["w2".to_owned()], &json!(1)));
    client.end();
}

#[test]
fn an_idle_server_is_stopped_and_started_again() {
    let mut client = over(&five()).variable("PYRIGHT_MCP_LSP_TIMEOUT", "12").start();
    assert_eq!(
        client.success("health_check", json!({}))["lsp_status"],
        "not_initialized",
        "nothing was asked yet"
    );
    ask(&mut client, 1);
    assert_eq!(client.success("health_check", json!({}))["lsp_status"], "running");
    until("it was stopped", || client.servers().is_empty());
    assert_eq!(client.success("health_check", json!({}))["lsp_status"], "not_initialized");
    ask(&mut client, 1);
    assert_eq!(client.servers().len(), 1);
    client.end();
}

#[test]
fn a_crashed_server_is_started_again_by_the_next_request() {
    let mut client = over(&five()).start();
    ask(&mut client, 1);
    let before = client.servers();
    kill(before[0]);
    gone(&before);
    until("the crash is seen", || client.success("health_check", json!({}))["lsp_status"] == "crashed");
    ask(&mut client, 1);
    assert_eq!(client.success("health_check", json!({}))["lsp_status"], "running");
    assert!(!client.servers().is_empty() && client.servers() != before);
    client.end();
}

#[test]
fn several_first_questions_start_one_server() {
    let mut client = over(&five()).start();
    let arguments = client.place("w1/a.py", 1, 1);
    let call = json!({ "name": "get_hover", "arguments": arguments });
    let ids: Vec<i64> = (0..4).map(|_| client.server.begin("tools/call", call.clone())).collect();
    for _ in &ids {
        let answer = client.server.receive();
        assert!(ids.contains(&answer["id"].as_i64().unwrap()), "{answer}");
        assert_eq!(payload(&answer["result"])["type"], "int");
    }
    assert_eq!(client.servers().len(), 1);
    client.end();
}

#[test]
fn documents_are_opened_once_and_kept_in_step() {
    let start =
        over("//- /pyproject.toml\n//- /a.py\n# Squares.\ndef square n -> Number\n").fake(&Script::new());
    let record = Record::of(&start.tree.beside("fake").join("fake.json"));
    let mut client = start.start();
    assert_eq!(client.success("get_hover", client.place("a.py", 2, 5))["documentation"], "Squares.");
    client.success("get_hover", client.place("a.py", 2, 5));
    let greeting = &record.received("initialize")[0]["params"];
    assert!(greeting["processId"].is_u64() && greeting["capabilities"].is_object(), "{greeting}");
    let root = greeting["rootUri"].as_str().unwrap();
    assert!(root.starts_with("file://") && root.ends_with("/work"), "{root}");
    assert_eq!(record.received("initialized").len(), 1);
    let opened = record.received("textDocument/didOpen");
    assert_eq!(opened.len(), 1, "once, however often it is asked about");
    assert_eq!(opened[0]["params"]["textDocument"]["languageId"], "python");
    client.tree.write("a.py", "# Doubles.\ndef square n -> Number\n");
    let answer = client.success("get_hover", client.place("a.py", 2, 5));
    assert_eq!(answer["documentation"], "Doubles.", "what is on disk counts");
    client.end();
}

/// Two workspaces in the language of the fake server.
const FAKE: &str = "//- /w1/pyproject.toml\n//- /w1/a.py\ndef square n -> Number\n\
                    //- /w2/pyproject.toml\n//- /w2/a.py\ndef cube n -> Number\n";

fn hover(client: &mut Client, workspace: &str) -> Value {
    client.success("get_hover", client.place(&format!("{workspace}/a.py"), 1, 5))["symbol"].clone()
}

/// What a process was told of documents and of its end, in order.
fn told(record: &Record, pid: u64) -> Vec<String> {
    let matters = ["textDocument/didOpen", "textDocument/didClose", "shutdown", "exit"];
    let events = record.events();
    let ours = events.iter().filter(|event| event["event"] == "received" && event["pid"] == pid);
    let methods = ours.filter_map(|event| event["method"].as_str());
    methods.filter(|method| matters.contains(method)).map(str::to_owned).collect()
}

const WHOLE_LIFE: [&str; 4] = ["textDocument/didOpen", "textDocument/didClose", "shutdown", "exit"];

#[test]
fn a_server_that_goes_is_told_to_end() {
    let start = over(FAKE).fake(&Script::new()).variable("PYRIGHT_MCP_LSP_POOL_SIZE", "1");
    let record = Record::of(&start.tree.beside("fake").join("fake.json"));
    let mut client = start.start();
    assert_eq!(hover(&mut client, "w1"), "square");
    assert_eq!(hover(&mut client, "w2"), "cube");
    until("the first was told", || record.count("exit") == 1);
    let pids = record.pids();
    assert_eq!((pids.len(), record.count("shutdown")), (2, 1));
    assert_eq!(told(&record, pids[0]), WHOLE_LIFE, "and its documents were closed before");
    assert_eq!(told(&record, pids[1]), WHOLE_LIFE[..1], "the other one lives");
    client.end();
}

#[test]
fn documents_are_closed_when_an_idle_server_is_stopped() {
    let start = over(FAKE).fake(&Script::new()).variable("PYRIGHT_MCP_LSP_TIMEOUT", "1");
    let record = Record::of(&start.tree.beside("fake").join("fake.json"));
    let mut client = start.start();
    assert_eq!(hover(&mut client, "w1"), "square");
    until("it was stopped", || record.count("exit") == 1);
    assert_eq!(told(&record, record.pids()[0]), WHOLE_LIFE);
    assert_eq!(hover(&mut client, "w1"), "square");
    assert_eq!(told(&record, record.pids()[1])[..1], WHOLE_LIFE[..1], "opened again");
    client.end();
}

#[test]
fn after_a_crash_documents_are_opened_again() {
    let second = Rule::on("textDocument/hover").from(2).crash(When::Before, Death::Exit(3)).once();
    let start = over(FAKE).fake(&Script::new().rule(second));
    let record = Record::of(&start.tree.beside("fake").join("fake.json"));
    let mut client = start.start();
    assert_eq!(hover(&mut client, "w1"), "square");
    assert_eq!(hover(&mut client, "w1"), "square", "answered by the next process");
    let pids = record.pids();
    assert_eq!(pids.len(), 2);
    assert_eq!(told(&record, pids[0]), WHOLE_LIFE[..1], "nobody is there any more to be told of an end");
    assert_eq!(told(&record, pids[1]), WHOLE_LIFE[..1]);
    client.end();
}
