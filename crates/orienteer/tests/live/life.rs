//! Servers live and die: status, stop, restart, crashes, and nothing left behind.

use std::time::{Duration, Instant};

use orienteer_testkit::tools;
use orienteer_testkit::workspaces::{GO, PYTHON, RUST, TYPESCRIPT};
use serde_json::json;

use crate::processes::{children, gone, group, is_alive, signal};
use crate::support::{at, named, over};

const TSLS: &str = "typescript-language-server";
const TOTAL: &str = "packages/core/src/total.ts";

#[test]
fn status_stop_and_restart() {
    let mut live = over(TYPESCRIPT).start();
    let nothing = live.get("get_server_status", json!({}));
    assert_eq!(nothing["servers"], json!([]), "a server starts with the first question");
    assert_eq!(live.references(at(TOTAL, 4, 17)).len(), 8);
    // It loads the other packages for the answer, and counts as ready a moment after that.
    let until = Instant::now() + Duration::from_secs(10);
    while live.status(TSLS)["readiness"]["state"] != "ready" && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let status = live.status(TSLS);
    assert_eq!(
        (&status["state"], &status["readiness"]["state"]),
        (&json!("running"), &json!("ready")),
        "{status:#}"
    );
    assert_eq!(
        (&status["generation"], &status["restarts"], &status["root"]),
        (&json!(1), &json!(0), &json!("."))
    );
    let pid = u32::try_from(status["pid"].as_u64().unwrap()).unwrap();
    assert!(is_alive(pid) && group(pid).contains(&pid), "its own group: {:?}", group(pid));
    assert!(group(pid).len() > 1, "tsserver is in it: {:?}", group(pid));
    assert!(
        status["rss_bytes"].as_u64() > Some(30 << 20) && status["uptime_ms"].as_u64() > Some(100),
        "{status:#}"
    );
    assert!(status["open_documents"].as_u64() >= Some(1));
    assert!(status["latency"]["textDocument/references"]["count"].as_u64() >= Some(1), "{status:#}");
    assert!(status["latency"]["textDocument/references"]["p95_ms"].is_f64());

    let stopped = live.get("stop_server", json!({ "server_id": TSLS }));
    assert_eq!(stopped["servers"][0]["state"], "stopped", "{stopped:#}");
    gone(&[pid]);
    // The next question starts it again.
    assert_eq!(live.references(at(TOTAL, 4, 17)).len(), 8);
    let again = live.status(TSLS);
    assert_eq!((&again["generation"], &again["state"]), (&json!(2), &json!("running")), "{again:#}");
    let restarted = live.get("restart_server", json!({ "server_id": TSLS }));
    assert_eq!(
        (&restarted["servers"][0]["generation"], &restarted["servers"][0]["state"]),
        (&json!(3), &json!("running"))
    );
    gone(&[u32::try_from(again["pid"].as_u64().unwrap()).unwrap()]);
    let fresh = live.ask("find_references", at(TOTAL, 4, 17));
    assert_eq!((&fresh["total_count"], &fresh["freshness"]["generation"]), (&json!(8), &json!(3)));
    for tool in ["stop_server", "restart_server", "get_server_status"] {
        let unknown = live.refused(tool, json!({ "server_id": "typescript-langage-server" }));
        assert_eq!(
            (&unknown["error"]["kind"], &unknown["error"]["data"]["kind"]),
            (&json!("not_found"), &json!("unknown_server"))
        );
    }
    let servers = live.get("list_servers", json!({}));
    let one =
        |id: &str| servers["servers"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    assert_eq!((&one(TSLS)["installed"], &one(TSLS)["live_tested"]), (&json!(true), &json!(true)));
    assert_eq!((&one("jdtls")["installed"], &one("jdtls")["live_tested"]), (&json!(false), &json!(false)));
    assert!(one("jdtls")["install_hint"].as_str().unwrap().contains("jdtls"));
    assert!(one(TSLS)["extensions"].to_string().contains("tsx"));
    live.end();
}

/// The real server is killed while a question waits for it: nobody notices.
#[test]
fn a_server_killed_during_a_question() {
    let mut live = over(RUST).start();
    let call = json!({ "name": "find_references", "arguments": at("crates/app/src/main.rs", 9, 28) });
    let id = live.server.begin("tools/call", call);
    // It is there, and has not loaded the project yet.
    let until = Instant::now() + Duration::from_secs(30);
    let pid = loop {
        let status = live.get("get_server_status", json!({}));
        if let Some(pid) = status["servers"][0]["pid"].as_u64() {
            break u32::try_from(pid).unwrap();
        }
        assert!(Instant::now() < until, "{status}");
        std::thread::sleep(Duration::from_millis(20));
    };
    signal("KILL", pid);
    let answer = live.server.answer(id)["result"]["structuredContent"].clone();
    assert_eq!(
        (&answer["total_count"], &answer["completeness"]["state"]),
        (&json!(5), &json!("complete")),
        "{answer:#}"
    );
    assert_eq!(answer["freshness"]["generation"], 2);
    let status = live.status("rust-analyzer");
    assert_eq!((&status["restarts"], &status["state"]), (&json!(1), &json!("running")), "{status:#}");
    assert!(status["last_error"]["message"].as_str().unwrap().contains("it ended by itself"), "{status:#}");
    // Between two questions, too; what was open before is open again.
    signal("KILL", u32::try_from(status["pid"].as_u64().unwrap()).unwrap());
    assert_eq!(live.definitions(at("crates/app/src/main.rs", 16, 15)), ["crates/geometry/src/lib.rs:48:8"]);
    assert_eq!(live.status("rust-analyzer")["restarts"], 2);
    live.end();
}

#[test]
fn crashes_of_other_servers() {
    for (fixture, file, line, column, id, uses) in
        [(PYTHON, "src/shapes/total.py", 8, 5, "pyright", 9), (GO, "report.go", 8, 18, "gopls", 5)]
    {
        let mut live = over(fixture).start();
        let before = live.references(at(file, line, column));
        assert_eq!(before.len(), uses, "{id}");
        let pid = u32::try_from(live.status(id)["pid"].as_u64().unwrap()).unwrap();
        signal("KILL", pid);
        assert_eq!(live.references(at(file, line, column)), before, "{id}: at once, and whole");
        assert_eq!(live.status(id)["restarts"], 1);
        gone(&[pid]);
        live.end();
    }
}

/// The program ends in every way it can: no server outlives it.
#[test]
fn nothing_is_left_behind() {
    for how in ["EOF", "TERM", "INT", "KILL"] {
        let mut live = over(TYPESCRIPT).start();
        live.ask("hover", named("totalArea"));
        let pids = live.pids();
        let others: Vec<u32> = children(live.server.pid());
        assert!(!pids.is_empty() && others.len() >= pids.len(), "{pids:?} {others:?}");
        match how {
            "EOF" => live.server.close(),
            signal_name => signal(signal_name, live.server.pid()),
        }
        let status =
            live.server.wait(Duration::from_secs(10)).unwrap_or_else(|| panic!("{how}: it still runs"));
        assert_eq!(status.success(), how != "KILL", "{how}: {status}");
        gone(&pids);
        // The reaper, too, has done its work and gone.
        gone(&others);
    }
}

/// A server that is still starting is not left behind either.
#[test]
fn an_end_during_the_start() {
    let mut live = over(RUST).start();
    let call = json!({ "name": "find_references", "arguments": at("crates/app/src/main.rs", 9, 28) });
    live.server.begin("tools/call", call);
    let until = Instant::now() + Duration::from_secs(30);
    while live.pids().is_empty() {
        assert!(Instant::now() < until, "it never starts");
        std::thread::sleep(Duration::from_millis(10));
    }
    let pids = live.pids();
    live.server.close();
    assert!(live.server.wait(Duration::from_secs(15)).expect("it ends").success());
    gone(&pids);
}

#[test]
fn warmed_up() {
    let mut live = over(GO).arg("--warmup").start();
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let status = live.get("get_server_status", json!({}));
        if status["servers"][0]["readiness"]["state"] == "ready" {
            break;
        }
        assert!(Instant::now() < until, "{status}");
        std::thread::sleep(Duration::from_millis(50));
    }
    // Nobody asked anything yet; the first question finds everything ready.
    let first = live.ask("find_references", at("report.go", 8, 18));
    assert_eq!((&first["total_count"], &first["freshness"]["generation"]), (&json!(5), &json!(1)));
    live.end();
}

/// Four first questions at once start one server.
#[test]
fn many_first_questions_start_one_server() {
    let mut live = over(TYPESCRIPT).path(tools::ts7_path()).start();
    let ids: Vec<i64> = (0..4)
        .map(|_| {
            live.server
                .begin("tools/call", json!({ "name": "find_references", "arguments": at(TOTAL, 4, 17) }))
        })
        .collect();
    for _ in &ids {
        let answer = live.server.receive();
        assert!(ids.contains(&answer["id"].as_i64().unwrap()), "{answer}");
        assert_eq!(answer["result"]["structuredContent"]["total_count"], 8, "{answer}");
    }
    let status = live.status("typescript-native");
    assert_eq!((&status["generation"], &status["restarts"]), (&json!(1), &json!(0)));
    assert_eq!(live.pids().len(), 1);
    live.end();
}
