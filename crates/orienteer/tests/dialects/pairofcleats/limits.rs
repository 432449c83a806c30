//! Buffers, the queue, cancelling and time-outs.

use std::io::Read;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use orienteer_testkit::{Server, tree};
use serde_json::{Value, json};

use super::support::{PROJECT, Session, being_built, payload};

/// A session over a repository in which `build_index` waits until somebody else is done.
fn waiting(settings: &str, variables: &[(&str, &str)]) -> (Session, std::fs::File) {
    let (tree, lock) = being_built(PROJECT);
    if !settings.is_empty() {
        tree.write(".pairofcleats.json", settings);
    }
    (Session::start(tree, &[], variables), lock)
}

fn build(server: &mut Server) -> i64 {
    server.begin("tools/call", json!({ "name": "build_index", "arguments": {} }))
}

/// The id of the call that says next that it begins.
fn next_begun(server: &Server) -> Value {
    loop {
        let message = server.receive();
        assert_eq!(message["method"], "notifications/progress", "{message}");
        if message["params"]["phase"] == "start" {
            return message["params"]["id"].clone();
        }
    }
}

/// The next message that is no progress.
fn next_answer(server: &Server) -> Value {
    loop {
        let message = server.receive();
        if message.get("method").is_none() {
            return message;
        }
    }
}

fn overloaded(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32001, "{answer}");
    assert_eq!(answer["error"]["data"]["code"], "QUEUE_OVERLOADED", "{answer}");
}

#[test]
fn sixty_four_calls_may_wait_and_one_more_is_refused() {
    let (mut session, lock) = waiting("", &[]);
    // None of them ends, so one is too many, whichever that is.
    for _ in 0..8 + 64 + 1 {
        build(&mut session.server);
    }
    let answer = next_answer(&session.server);
    overloaded(&answer);
    assert_eq!(answer["error"]["data"]["limit"], 64, "{answer}");
    // What only looks is served meanwhile.
    assert_eq!(session.server.request("ping", json!({}))["result"], json!({}));
    drop(lock);
}

#[test]
fn the_queue_is_as_long_as_the_file_or_the_variable_says() {
    let file = "{ \"mcp\": { \"queueMax\": 2 } }";
    for (settings, variables, most) in
        [(file, &[][..], 2), (file, &[("PAIROFCLEATS_MCP_QUEUE_MAX", "1")][..], 1)]
    {
        let (mut session, lock) = waiting(settings, variables);
        for _ in 0..8 + most + 1 {
            build(&mut session.server);
        }
        let answer = next_answer(&session.server);
        overloaded(&answer);
        assert_eq!(answer["error"]["data"]["limit"], most, "{answer}");
        drop(lock);
    }
}

#[test]
fn running_and_queued_calls_are_cancelled_by_id() {
    let (mut session, lock) = waiting("", &[("ORIENTEER_MCP_MAX_CONCURRENT_CALLS", "1")]);
    let server = &mut session.server;
    let calls = [build(server), build(server)];
    let running = next_begun(server);
    let queued = json!(calls.into_iter().find(|id| running != *id).unwrap());
    for id in [queued, running] {
        server.notify("$/cancelRequest", json!({ "id": id }));
        let answer = next_answer(server);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32800)), "{answer}");
    }
    drop(lock);
    // The one slot is free again, and nobody waits before us.
    let done = payload(&server.call("build_index", json!({})));
    assert_eq!(done["status"], "built", "{done}");
    // Nobody knows this id, and nothing comes of it.
    server.notify("$/cancelRequest", json!({ "id": 9999 }));
    assert_eq!(server.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn a_call_with_id_0_is_cancelled_like_any_other() {
    let (mut session, lock) = waiting("", &[]);
    let server = &mut session.server;
    let call = json!({ "name": "build_index", "arguments": {} });
    server.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": call }));
    assert_eq!(next_begun(server), 0);
    server.notify("$/cancelRequest", json!({ "id": 0 }));
    let answer = next_answer(server);
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(0), &json!(-32800)), "{answer}");
    drop(lock);
}

#[test]
fn messages_are_refused_from_eight_megabytes_on() {
    let mut session = super::support::over(PROJECT);
    let server = &mut session.server;
    let (limit, over) = (8 << 20, (8 << 20) + 1);
    for (length, refused) in [(limit, false), (over, true)] {
        let empty =
            json!({ "jsonrpc": "2.0", "id": "big", "method": "ping", "params": { "x": "" } }).to_string();
        let filler = "x".repeat(length - empty.len());
        let body = empty.replace("\"x\":\"\"", &format!("\"x\":\"{filler}\""));
        assert_eq!(body.len(), length);
        server.send_raw(format!("Content-Length: {length}\r\n\r\n{body}").as_bytes());
        let answer = server.receive();
        if refused {
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &Value::Null), "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains("8388608"), "{answer}");
        } else {
            assert_eq!((&answer["id"], &answer["result"]), (&json!("big"), &json!({})), "{answer}");
        }
    }
    assert_eq!(server.request("ping", json!({}))["result"], json!({}), "the session goes on");
}

#[test]
fn the_buffer_is_as_large_as_the_file_or_the_variable_says() {
    let file = "//- /.pairofcleats.json\n{ \"mcp\": { \"maxBufferBytes\": 20000 } }\n";
    for (variables, limit) in
        [(&[][..], 20_000), (&[("PAIROFCLEATS_MCP_MAX_BUFFER_BYTES", "30000")][..], 30_000)]
    {
        let mut session = Session::start(tree(&format!("{PROJECT}{file}")), &[], variables);
        let server = &mut session.server;
        server.send(
            &json!({ "jsonrpc": "2.0", "id": 9, "method": "ping", "params": { "x": "x".repeat(limit) } }),
        );
        let answer = server.receive();
        assert!(answer["error"]["message"].as_str().unwrap().contains(&limit.to_string()), "{answer}");
        server.send(&json!({ "jsonrpc": "2.0", "id": 9, "method": "ping", "params": { "x": "x".repeat(limit - 200) } }));
        assert_eq!(server.receive()["id"], 9);
    }
}

/// Takes connections and never says anything.
fn silent() -> (SocketAddr, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        if let Ok((mut stream, _)) = listener.accept() {
            let mut all = Vec::new();
            let _ = stream.read_to_end(&mut all);
        }
    });
    (address, thread)
}

#[test]
fn a_call_that_takes_too_long_is_stopped_and_says_its_limit() {
    let sum = "9f9f90dbe3e5ee1218c86b8839db1995a4d2d2a6e1dd3c5f4b1b2d9f1f0d4a55";
    let named = "{ \"mcp\": { \"toolTimeouts\": { \"download_dictionaries\": 300 } } }";
    let general = "{ \"mcp\": { \"toolTimeoutMs\": 400 } }";
    for (settings, variables, limit) in [
        (named, &[][..], 300),
        (general, &[][..], 400),
        (general, &[("PAIROFCLEATS_MCP_TOOL_TIMEOUT_MS", "500")][..], 500),
        (named, &[("PAIROFCLEATS_MCP_TOOL_TIMEOUT_MS", "60000")][..], 300),
    ] {
        let (address, thread) = silent();
        let url = format!("http://{address}/en.txt");
        let fixture = format!("{PROJECT}//- /.pairofcleats.json\n{settings}\n");
        let mut session = Session::start(tree(&fixture), &[], variables);
        let begun = Instant::now();
        let refused =
            session.refused("download_dictionaries", json!({ "lang": "en", "url": url, "sha256": sum }));
        assert_eq!(
            (&refused["code"], &refused["timeoutMs"]),
            (&json!("TOOL_TIMEOUT"), &json!(limit)),
            "{refused}"
        );
        assert!(
            refused["hint"].as_str().unwrap().contains("mcp.toolTimeouts.download_dictionaries"),
            "{refused}"
        );
        assert!(begun.elapsed() >= Duration::from_millis(limit), "{:?}", begun.elapsed());
        // A loaded machine may not have got as far as to connect; otherwise nobody listens any more.
        let _ = TcpStream::connect(address);
        // The connection was closed, so the other side ends: nothing goes on in secret.
        thread.join().unwrap();
    }
}

#[test]
fn a_build_that_takes_too_long_says_so_and_goes_on() {
    let settings = "{ \"mcp\": { \"toolTimeouts\": { \"build_index\": 12000 } } }";
    let (mut session, lock) = waiting(settings, &[]);
    let refused = session.refused("build_index", json!({}));
    assert_eq!(
        (&refused["code"], &refused["timeoutMs"]),
        (&json!("TOOL_TIMEOUT"), &json!(12_000)),
        "{refused}"
    );
    assert!(refused["message"].as_str().unwrap().contains("goes on"), "{refused}");
    drop(lock);
    reaches(&mut session, "ready");
}

/// Waits until the index is in this state.
fn reaches(session: &mut Session, state: &str) {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let status = session.ask("index_status", json!({}));
        if status["state"] == state {
            return;
        }
        assert!(Instant::now() < until, "it never was {state}: {status}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_is_said_about_a_build_after_its_time_is_true_however_short_that_was() {
    for (tool, limit) in [
        ("build_index", 3),
        ("build_index", 25),
        ("build_sqlite_index", 60),
        ("bootstrap", 100),
        ("build_index", 900),
    ] {
        let settings = json!({ "mcp": { "toolTimeouts": { tool: limit } } }).to_string();
        let (mut session, lock) = waiting(&settings, &[]);
        let refused = session.refused(tool, json!({}));
        assert_eq!(
            (&refused["code"], &refused["timeoutMs"]),
            (&json!("TOOL_TIMEOUT"), &json!(limit)),
            "{refused}"
        );
        let message = refused["message"].as_str().unwrap();
        match (message.contains("the build goes on"), message.contains("was stopped")) {
            // It waits for the other one, and is done when that is.
            (true, false) => {
                assert_eq!(
                    session.ask("index_status", json!({}))["state"],
                    "building",
                    "{tool} {limit}: {message}"
                );
                drop(lock);
                reaches(&mut session, "ready");
            }
            // There was no time to begin, or what was begun has ended: nobody builds.
            (false, true) => {
                reaches(&mut session, "none");
                drop(lock);
                assert_eq!(
                    session.ask("index_status", json!({}))["state"],
                    "none",
                    "{tool} {limit}: {message}"
                );
            }
            _ => panic!("{tool} {limit}: {message}"),
        }
    }
}

#[test]
fn findings_are_taken_in_though_the_index_is_not_built_in_time() {
    let settings = "{ \"mcp\": { \"toolTimeouts\": { \"triage_ingest\": 6000 } } }";
    let (mut session, lock) = waiting(settings, &[]);
    session.tree.write("report.json", r#"[{ "id": "V-1", "title": "Bad", "package": { "name": "x" } }]"#);
    let arguments = json!({ "source": "generic", "inputPath": "report.json", "buildIndex": true });
    let done = session.ask("triage_ingest", arguments);
    assert_eq!((&done["written"], &done["index"]["status"]), (&json!(1), &json!("building")), "{done}");
    assert_eq!(done["warnings"][0]["kind"], "index_not_built", "{done}");
    assert!(done["index"]["message"].as_str().unwrap().contains("goes on"), "{done}");
    drop(lock);
    reaches(&mut session, "ready");
}

#[test]
fn tools_that_build_and_fetch_have_more_time() {
    let mut session = super::support::over(PROJECT);
    let times = session.ask("config_status", json!({}))["mcp"]["toolTimeouts"].clone();
    for (tool, millis) in times.as_object().unwrap() {
        let long = ["build", "compact", "download", "bootstrap", "triage_ingest", "triage_context"]
            .iter()
            .any(|word| tool.starts_with(word));
        assert_eq!(millis, &json!(if long { 600_000 } else { 120_000 }), "{tool}");
    }
}
