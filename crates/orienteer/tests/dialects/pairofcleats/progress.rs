//! `notifications/progress` of tools that take long.

use orienteer_testkit::{Framing, Server, Tree};
use serde_json::{Value, json};

use super::support::{ARGS, PROJECT, Session, over, payload};
use crate::ORIENTEER;

/// Everything up to the answer of a call: progress, then the answer.
fn call(server: &mut Server, id: &Value, tool: &str, arguments: Value) -> (Vec<Value>, Value) {
    let params = json!({ "name": tool, "arguments": arguments });
    server.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    let mut progress = Vec::new();
    loop {
        let message = server.receive();
        if message.get("method").is_none() {
            assert_eq!(&message["id"], id, "{message}");
            return (progress, payload(&message["result"]));
        }
        assert_eq!(message["method"], "notifications/progress", "{message}");
        progress.push(message["params"].clone());
    }
}

fn phases(progress: &[Value]) -> Vec<&str> {
    progress.iter().map(|one| one["phase"].as_str().unwrap()).collect()
}

/// Milliseconds since 1970 of a time as JavaScript writes it: `2026-01-31T12:00:00.250Z`.
fn millis(ts: &Value) -> i64 {
    let ts = ts.as_str().unwrap();
    let shape: String = ts.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{ts}");
    let field = |from: usize, to: usize| ts[from..to].parse::<i64>().unwrap();
    let (year, month, day) = (field(0, 4), field(5, 7), field(8, 10));
    // Years begin in March here, so that the day that some of them have more is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    (((days * 24 + field(11, 13)) * 60 + field(14, 16)) * 60 + field(17, 19)) * 1000 + field(20, 23)
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

#[test]
fn a_build_says_that_it_begins_and_ends_with_the_documented_fields() {
    let mut session = over(PROJECT);
    let begun = now();
    let (progress, answer) = call(&mut session.server, &json!(0), "build_index", json!({}));
    let ended = now();
    assert_eq!(answer["status"], "built", "{answer}");
    assert_eq!((phases(&progress)[0], *phases(&progress).last().unwrap()), ("start", "done"), "{progress:?}");
    for one in &progress {
        let names: Vec<&str> = one.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["id", "tool", "message", "stream", "phase", "ts"], "{one}");
        assert_eq!(
            (&one["id"], &one["tool"], &one["stream"]),
            (&json!(0), &json!("build_index"), &json!("info"))
        );
        assert!(!one["message"].as_str().unwrap().is_empty(), "{one}");
        assert!(["start", "progress", "done"].contains(&one["phase"].as_str().unwrap()), "{one}");
        assert!((begun..=ended).contains(&millis(&one["ts"])), "not when it was said: {one}");
    }
    let times: Vec<i64> = progress.iter().map(|one| millis(&one["ts"])).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(progress[0]["message"], "build_index started", "{progress:?}");
    assert_eq!(progress.last().unwrap()["message"], "build_index finished", "{progress:?}");
    let (progress, _) = call(&mut session.server, &json!("a word"), "bootstrap", json!({}));
    assert!(progress.iter().all(|one| one["id"] == "a word" && one["tool"] == "bootstrap"), "{progress:?}");
}

/// Files with sixty functions each: enough to read for longer than one report takes.
fn much() -> Tree {
    let tree = Tree::empty();
    for number in 0..400 {
        let line = |at: usize| {
            format!("pub fn gather_{number}_{at}(value: u32) -> u32 {{ other_{at}(value) + {at} }}\n")
        };
        tree.write(&format!("src/part_{number}.rs"), (0..60).map(line).collect::<String>());
    }
    tree
}

#[test]
fn every_tool_that_takes_long_says_that_it_begins_and_ends() {
    let mut session = over(PROJECT);
    session.tree.write("report.json", r#"[{ "id": "VULN-1", "title": "Leak", "severity": "low" }]"#);
    let ingest = json!({ "source": "generic", "inputPath": "report.json" });
    let id = session.ask("triage_ingest", ingest.clone())["recordIds"][0].clone();
    let calls = [
        ("build_index", json!({})),
        ("build_sqlite_index", json!({})),
        ("compact_sqlite_index", json!({})),
        ("triage_ingest", ingest),
        ("triage_context_pack", json!({ "recordId": id })),
        ("download_models", json!({})),
        ("download_dictionaries", json!({})),
        ("download_extensions", json!({})),
        ("bootstrap", json!({})),
    ];
    for (tool, arguments) in calls {
        let (progress, answer) = call(&mut session.server, &json!(tool), tool, arguments);
        assert!(answer["repoPath"].is_string(), "{tool}: {answer}");
        let phases = phases(&progress);
        assert_eq!((phases[0], phases[phases.len() - 1]), ("start", "done"), "{tool}: {progress:?}");
        assert!(phases[1..phases.len() - 1].iter().all(|phase| *phase == "progress"), "{tool}: {progress:?}");
        assert!(progress.iter().all(|one| one["id"] == tool && one["tool"] == tool), "{progress:?}");
    }
}

#[test]
fn a_search_that_has_to_wait_for_the_index_says_how_far_it_is() {
    let mut session = Session::start(much(), &[], &[]);
    let asked = json!({ "query": "gather_399_59", "mode": "code" });
    let (progress, answer) = call(&mut session.server, &json!(3), "search", asked);
    assert_eq!(answer["code"][0]["name"], "gather_399_59", "{answer}");
    assert!(
        !progress.is_empty() && phases(&progress).iter().all(|phase| *phase == "progress"),
        "{progress:?}"
    );
}

#[test]
fn what_is_quick_says_nothing() {
    let mut session = over(PROJECT);
    session.ask("build_index", json!({}));
    for tool in ["index_status", "config_status", "report_artifacts", "verify_extensions"] {
        let (progress, _) = call(&mut session.server, &json!(7), tool, json!({}));
        assert_eq!(progress, [Value::Null; 0], "{tool}");
    }
}

#[test]
fn a_call_that_fails_does_not_say_that_it_is_done() {
    let mut session = over(PROJECT);
    let (progress, answer) =
        call(&mut session.server, &json!(1000), "build_sqlite_index", json!({ "out": "x" }));
    assert_eq!((phases(&progress), &answer["code"]), (vec!["start"], &json!("UNSUPPORTED")), "{progress:?}");
    let (progress, answer) =
        call(&mut session.server, &json!(1001), "build_sqlite_index", json!({ "mode": 7 }));
    assert_eq!((phases(&progress).len(), &answer["code"]), (0, &json!("INVALID_REQUEST")), "it never began");
}

#[test]
fn progress_comes_at_most_four_times_a_second() {
    let mut session = Session::start(much(), &[], &[]);
    let (progress, answer) = call(&mut session.server, &json!(5), "build_index", json!({}));
    assert_eq!(answer["status"], "built", "{answer}");
    let under_way: Vec<i64> =
        progress.iter().filter(|one| one["phase"] == "progress").map(|one| millis(&one["ts"])).collect();
    assert!(!under_way.is_empty(), "{progress:?}");
    let took = answer["elapsedMs"].as_i64().unwrap();
    assert!(i64::try_from(under_way.len()).unwrap() <= took / 250 + 2, "{} in {took} ms", under_way.len());
}

#[test]
fn a_request_without_an_id_gets_no_progress() {
    let tree = orienteer_testkit::tree(PROJECT);
    let home = tree.beside("home").display().to_string();
    let mut server =
        Server::start_with(ORIENTEER, tree.root(), ARGS, &[("HOME", &home)], Framing::ContentLength);
    server.initialize("2025-11-25");
    let call = json!({ "name": "build_index", "arguments": {} });
    server.send(&json!({ "jsonrpc": "2.0", "id": null, "method": "tools/call", "params": call }));
    let answer = server.receive();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &Value::Null), "{answer}");
    assert_eq!(server.request("ping", json!({}))["result"], json!({}), "nothing else came");
}
