//! The stdio transport: both eras of the protocol, both framings, bad messages, limits, signals.

use std::process::Command;
use std::time::{Duration, Instant};

use orienteer_testkit::{Framing, Server, tree};
use serde_json::{Value, json};

use crate::{ORIENTEER, slow};

const QUIET: &[&str] = &["--log-level", "error"];

fn start() -> Server {
    let tree = tree("//- /src/main.rs\nfn main() {}\n");
    let server = Server::start(ORIENTEER, tree.root(), QUIET);
    // The folder must outlive the server; leaking a few bytes in a test is cheaper than a lifetime.
    std::mem::forget(tree);
    server
}

/// What every request of the newest revision carries.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn every_revision_with_a_handshake_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = start();
        let hello = server.initialize(version);
        assert_eq!(hello["protocolVersion"], version);
        assert_eq!(hello["serverInfo"]["name"], "orienteer");
        assert_eq!(hello["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(hello["instructions"].as_str().unwrap().contains("search_code"));
        let found = server.call("search_code", json!({ "pattern": "fn main" }));
        assert_eq!(found["structuredContent"]["files"][0]["matches"][0]["line"], 1);
        assert_eq!(server.request("ping", json!({}))["result"], json!({}));
    }
    let mut server = start();
    assert_eq!(
        server.initialize("1999-01-01")["protocolVersion"],
        "2025-11-25",
        "an unknown one gets our newest"
    );
}

#[test]
fn the_revision_without_a_handshake_is_spoken() {
    let mut server = start();
    let found = server.request("server/discover", json!({ "_meta": meta() }));
    let versions = found["result"]["supportedVersions"].as_array().unwrap_or_else(|| panic!("{found}"));
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")), "{found}");
    let list = server.request("tools/list", json!({ "_meta": meta() }));
    assert_eq!(list["result"]["tools"][0]["name"], "find_definition", "{list}");
    let call = json!({ "_meta": meta(), "name": "read_file", "arguments": { "file_path": "src/main.rs" } });
    let read = server.request("tools/call", call);
    assert_eq!(read["result"]["structuredContent"]["content"], "fn main() {}\n", "{read}");
    assert_eq!(read["result"]["resultType"], "complete", "{read}");
    for gone in ["initialize", "ping", "logging/setLevel"] {
        let answer = server.request(gone, json!({ "_meta": meta() }));
        assert_eq!(answer["error"]["code"], -32601, "{gone}: {answer}");
    }
    let bare = server.request("tools/list", json!({}));
    assert_eq!(bare["error"]["code"], -32602, "without its metadata a request is refused: {bare}");
}

#[test]
fn bad_messages_are_answered_and_the_session_goes_on() {
    let mut server = start();
    // Before anything else, too.
    server.send_raw(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n",
    );
    server.send_raw(b"{nonsense\n");
    assert_eq!(server.receive()["error"]["code"], -32700);
    server.initialize("2025-11-25");
    let rows: &[(&[u8], i64, Value)] = &[
        (b"}{\n", -32700, Value::Null),
        (b"\xff\xfe\n", -32700, Value::Null),
        (b"[]\n", -32600, Value::Null),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n", -32600, Value::Null),
        (b"42\n", -32600, Value::Null),
        (b"{\"id\":7}\n", -32600, json!(7)),
        (b"{\"jsonrpc\":\"1.0\",\"id\":8,\"method\":\"ping\"}\n", -32600, json!(8)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"no/such\"}\n", -32601, json!(9)),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":\"ten\",\"method\":\"tools/call\",\"params\":{\"name\":5}}\n",
            -32602,
            json!("ten"),
        ),
    ];
    for (bytes, code, id) in rows {
        server.send_raw(bytes);
        let answer = server.receive();
        let shown = String::from_utf8_lossy(bytes);
        assert_eq!(answer["error"]["code"], *code, "{shown}: {answer}");
        assert_eq!(answer["id"], *id, "{shown}: {answer}");
        assert_eq!(server.request("ping", json!({}))["result"], json!({}), "after {shown}");
    }
    assert!(server.garbage().is_empty());
}

#[test]
fn a_first_line_of_words_is_answered_and_a_last_bad_line_too() {
    let mut server = start();
    server.send_raw(b"not json at all\n");
    assert_eq!(server.receive()["error"]["code"], -32700);
    let early = server.request("tools/list", json!({}));
    assert!(early["error"]["message"].as_str().unwrap().contains("send `initialize` first"), "{early}");
    server.initialize("2025-11-25");
    for _ in 0..20 {
        let mut server = start();
        server.send_raw(b"{bad\n");
        server.close();
        assert_eq!(server.receive()["error"]["code"], -32700);
        assert!(server.wait(Duration::from_secs(10)).unwrap().success());
    }
}

#[test]
fn a_client_that_reads_nothing_and_leaves_does_not_keep_us() {
    let tree = tree("//- /a.txt\nx\n");
    let script = "yes nonsense | head -20000; sleep 1";
    let status = Command::new("sh")
        .args(["-c", &format!("({script}) | {ORIENTEER} mcp --log-level error | true")])
        .current_dir(tree.root())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn a_message_that_is_too_long_is_refused_and_the_next_is_read() {
    let tree = tree("//- /a.txt\nx\n");
    let limit = [("ORIENTEER_MCP_MAX_BUFFER_BYTES", "10000")];
    for framing in [Framing::Lines, Framing::ContentLength] {
        let mut server = Server::start_with(ORIENTEER, tree.root(), QUIET, &limit, framing);
        server.initialize("2025-11-25");
        server.send(
            &json!({ "jsonrpc": "2.0", "id": 5, "method": "ping", "params": { "x": "y".repeat(20_000) } }),
        );
        let answer = server.receive();
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("more than 10000 bytes") && message.contains("mcp.max_buffer_bytes"),
            "{message}"
        );
        assert_eq!(server.request("ping", json!({}))["result"], json!({}));
    }
}

#[test]
fn content_length_is_detected_and_answered_in_kind() {
    let tree = tree("//- /src/main.rs\nfn main() {}\n");
    let mut server = Server::start_with(ORIENTEER, tree.root(), QUIET, &[], Framing::ContentLength);
    assert_eq!(server.initialize("2024-11-05")["protocolVersion"], "2024-11-05");
    let found = server.call("search_code", json!({ "pattern": "main" }));
    assert_eq!(found["structuredContent"]["stats"]["total_matches"], 1);
    server.send_raw(b"Content-Length: what\r\n\r\n{}");
    assert_eq!(server.receive()["error"]["code"], -32700);
    assert_eq!(server.request("ping", json!({}))["result"], json!({}));
    assert!(server.garbage().is_empty());
}

#[test]
fn long_work_is_cancelled_while_everything_else_answers() {
    let tree = slow::tree();
    let variables = [("ORIENTEER_MCP_MAX_CONCURRENT_CALLS", "1"), ("ORIENTEER_MCP_QUEUE_MAX", "1")];
    let mut server = Server::start_with(ORIENTEER, tree.root(), QUIET, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    let call = |arguments: Value| json!({ "name": "search_code", "arguments": arguments, "_meta": { "progressToken": "t1" } });
    let running = server.begin("tools/call", call(slow::search()));
    let progress = loop {
        let message = server.receive();
        if message["method"] == "notifications/progress" {
            break message;
        }
        assert_ne!(message["id"], running, "the search was not slow: {message}");
    };
    assert_eq!(progress["params"]["progressToken"], "t1", "{progress}");
    let waiting = server.begin("tools/call", call(json!({ "pattern": "fn main", "path": "src" })));
    // Instant tools, lists and pings do not queue behind the search.
    for (method, params) in [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "get_server_status", "arguments": {} })),
        ("tools/call", json!({ "name": "get_current_config", "arguments": {} })),
    ] {
        let begun = Instant::now();
        let answer = server.request(method, params);
        assert!(answer.get("result").is_some(), "{answer}");
        assert!(begun.elapsed() < Duration::from_secs(2), "{method} took {:?}", begun.elapsed());
    }
    let refused = server.request("tools/call", call(json!({ "pattern": "x" })));
    assert_eq!(refused["error"]["code"], -32001, "{refused}");
    assert_eq!(refused["error"]["data"]["code"], "QUEUE_OVERLOADED");
    // The one in the queue goes on as soon as the running one is cancelled, which gets no answer any more.
    server.notify("notifications/cancelled", json!({ "requestId": running, "reason": "enough" }));
    let begun = Instant::now();
    let next = server.answer(waiting);
    assert_eq!(next["result"]["structuredContent"]["stats"]["files_matched"], 1, "{next}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(
        server.receive_within(Duration::from_millis(300)).is_none(),
        "a cancelled request is not answered"
    );
}

#[test]
fn cancel_request_answers_running_and_queued_calls() {
    let tree = slow::tree();
    let variables = [("ORIENTEER_MCP_MAX_CONCURRENT_CALLS", "1")];
    let mut server = Server::start_with(ORIENTEER, tree.root(), QUIET, &variables, Framing::ContentLength);
    server.initialize("2025-11-25");
    let call = json!({ "name": "search_code", "arguments": slow::search() });
    let running = server.begin("tools/call", call.clone());
    let queued = server.begin("tools/call", call);
    for id in [queued, running] {
        server.notify("$/cancelRequest", json!({ "id": id }));
        let answer = server.answer(id);
        assert_eq!(answer["error"]["code"], -32800, "{answer}");
    }
    let begun = Instant::now();
    server.call("search_code", json!({ "pattern": "fn main", "path": "src" }));
    assert!(begun.elapsed() < Duration::from_secs(5), "the slot is free again after {:?}", begun.elapsed());
}

#[test]
fn time_outs_come_from_the_configuration() {
    let tree = slow::tree();
    let variables = [("ORIENTEER_MCP_TOOL_TIMEOUTS", "search_code=200")];
    let mut server = Server::start_with(ORIENTEER, tree.root(), QUIET, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    let result = server.call("search_code", slow::search());
    assert_eq!(result["structuredContent"]["error"]["kind"], "timeout", "{result}");
    assert_eq!(result["structuredContent"]["error"]["retryable"], true);
}

#[test]
fn ends_cleanly_on_eof_and_signals_also_during_work() {
    for (signal, busy) in
        [(None, false), (Some("TERM"), false), (Some("INT"), false), (None, true), (Some("TERM"), true)]
    {
        let tree = if busy { slow::tree() } else { tree("//- /a.txt\nx\n") };
        let mut server = Server::start(ORIENTEER, tree.root(), &[]);
        server.initialize("2025-11-25");
        if busy {
            server.begin("tools/call", json!({ "name": "search_code", "arguments": slow::search() }));
            server.request("ping", json!({}));
        }
        match signal {
            None => server.close(),
            Some(signal) => {
                let pid = server.pid().to_string();
                assert!(Command::new("kill").args([&format!("-{signal}"), &pid]).status().unwrap().success());
            }
        }
        let status = server
            .wait(Duration::from_secs(10))
            .unwrap_or_else(|| panic!("{signal:?} {busy}: still running"));
        assert!(status.success(), "{signal:?} {busy}: {status}");
        let log = server.stderr();
        assert!(log.lines().any(|line| line.contains("\"stopped\"")), "{signal:?} {busy}: {log}");
    }
}

#[test]
fn stdout_is_pure_and_the_log_tells_the_story() {
    let tree = tree("//- /src/main.rs\nfn main() {}\n");
    let variables = [("RUST_LOG", "trace")];
    let mut server = Server::start_with(ORIENTEER, tree.root(), &[], &variables, Framing::Lines);
    server.initialize("2025-11-25");
    server.call("search_code", json!({ "pattern": "main" }));
    server.call("read_file", json!({ "file_path": "nowhere" }));
    server.close();
    assert!(server.wait(Duration::from_secs(10)).unwrap().success());
    assert!(server.garbage().is_empty(), "{:?}", String::from_utf8_lossy(&server.garbage()));
    let log = server.stderr();
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    let ours = |message: &str, tool: &str| {
        lines
            .iter()
            .find(|line| line["message"] == message && (tool.is_empty() || line["span"]["tool"] == tool))
    };
    assert_eq!(ours("started", "").unwrap()["version"], env!("CARGO_PKG_VERSION"));
    let completed = ours("completed", "search_code").unwrap();
    assert_eq!(completed["span"]["request"], 1, "{completed}");
    assert!(completed["took_ms"].is_u64() && completed["span"]["client_id"].is_string(), "{completed}");
    assert_eq!(ours("failed", "read_file").unwrap()["kind"], "not_found");
    let stopped = ours("stopped", "").unwrap();
    assert_eq!((&stopped["requests"], &stopped["errors"]), (&json!(2), &json!(1)), "{stopped}");
}

#[test]
fn file_logs_are_human_linked_and_leave_stderr_to_errors() {
    let tree = tree("//- /src/main.rs\nfn main() {}\n");
    let mut server = Server::start(ORIENTEER, tree.root(), &["--log-mode", "file"]);
    server.initialize("2025-11-25");
    server.call("search_code", json!({ "pattern": "main" }));
    server.close();
    assert!(server.wait(Duration::from_secs(10)).unwrap().success());
    assert_eq!(server.stderr(), "");
    let folder = tree.root().with_file_name("home").join(".local/state/orienteer/logs");
    let log = std::fs::read_to_string(folder.join("current.log")).unwrap();
    assert!(
        log.contains(" INFO ") && log.contains("completed") && log.contains("tool=\"search_code\""),
        "{log}"
    );
    assert!(std::fs::symlink_metadata(folder.join("current.log")).unwrap().file_type().is_symlink());
}
