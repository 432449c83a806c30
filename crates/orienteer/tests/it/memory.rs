//! Memory stays bounded, whatever the client and the servers do.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use orienteer_testkit::fake::{Rule, Script};
use orienteer_testkit::{Server, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;
use crate::support::over_fake;

/// The most memory that a process has had, in MiB.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

/// What a client may cost that asks and never reads, with answers of a megabyte each, in MiB: what the program needs by itself,
/// some answers that are being made, and the four MiB that may wait.
const NOBODY_READS: u64 = 220;

fn ask(server: &mut Server, tool: &str, arguments: Value) -> Value {
    server.call(tool, arguments)["structuredContent"].clone()
}

struct Deaf(Child);

impl Drop for Deaf {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_never_reads_costs_little() {
    let tree = tree("//- /a.txt\nx\n");
    tree.write("large.txt", "a line of some length that is the same as all the others\n".repeat(17_000));
    let mut command = Command::new(ORIENTEER);
    command.args(["mcp", "--log-level", "error"]).current_dir(tree.root()).env_clear();
    command.env("HOME", tree.beside("home")).env("PATH", "/usr/bin:/bin");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut deaf = Deaf(command.spawn().unwrap());
    let mut stdin = deaf.0.stdin.take().unwrap();
    let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "deaf", "version": "1" },
    } });
    writeln!(stdin, "{initialize}").unwrap();
    writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
    // Slowly enough for each to be answered before the next, had anybody read.
    for id in 1..=350 {
        let arguments = json!({ "file_path": "large.txt", "max_total_chars": 1_000_000 });
        let params = json!({ "name": "read_file", "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        writeln!(stdin, "{call}").unwrap();
        std::thread::sleep(Duration::from_millis(12));
    }
    let peak = peak(deaf.0.id());
    assert!(peak < NOBODY_READS, "{peak} MiB");
    // It still serves whoever begins to read.
    let mut stdout = std::io::BufReader::new(deaf.0.stdout.take().unwrap());
    let mut line = String::new();
    for _ in 0..3 {
        line.clear();
        std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
    }
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert!(answer["result"]["content"].is_array(), "{line:.200}");
}

/// What a server may cost that answers more than anybody can read, in MiB: a message of at most 64, once more while it is read,
/// and what is kept of it.
const MUCH_IS_ANSWERED: u64 = 260;

#[cfg(target_os = "linux")]
#[test]
fn answers_of_half_a_million_results_and_more_cost_a_bounded_amount() {
    let place = |file: &str| {
        let (start, end) = (json!({ "line": 1, "character": 4 }), json!({ "line": 1, "character": 10 }));
        json!({ "uri": file, "range": { "start": start, "end": end } })
    };
    let methods = [
        "textDocument/references",
        "workspace/symbol",
        "textDocument/documentSymbol",
        "textDocument/completion",
    ];
    // An unoptimised build takes a while to read what can be read at all.
    let full = std::env::var_os("ORIENTEER_TEST_FULL").is_some();
    for megabytes in if full { vec![60, 200] } else { vec![3, 200] } {
        let script = methods.iter().fold(Script::new(), |script, method| {
            let own = format!("file://{}", env!("CARGO_MANIFEST_DIR").to_owned() + "/Cargo.toml");
            let own = own.as_str();
            let item = json!({ "name": "square", "label": "square", "kind": 12, "uri": own, "range": place(own)["range"],
                "location": place(own), "selectionRange": place(own)["range"] });
            script.rule(Rule::on(method).answer(json!([item])).huge(megabytes << 20))
        });
        let (_tree, mut server) = over_fake(script);
        let at = json!({ "file_path": "a.fake", "line": 2, "column": 6 });
        for (tool, arguments) in [
            ("find_references", at.clone()),
            ("find_symbol", json!({ "query": "square" })),
            ("document_symbols", json!({ "file_path": "a.fake" })),
            ("complete", at.clone()),
        ] {
            let answer = ask(&mut server, tool, arguments);
            let (ok, completeness) = (&answer["ok"], &answer["completeness"]);
            let whole = completeness["state"] == "complete";
            // Places that repeat are one place; of three megabytes nothing is cut.
            assert!(
                !whole || tool == "find_references" || megabytes == 3,
                "{tool} {megabytes}: {completeness}"
            );
            if megabytes == 200 && *ok == json!(false) {
                assert!(
                    answer["message"].as_str().unwrap().contains("longer than anybody reads"),
                    "{answer}"
                );
            }
        }
        let peak = peak(server.pid());
        assert!(peak < MUCH_IS_ANSWERED, "{megabytes}: {peak} MiB");
    }
}

/// What two hundred thousand findings may cost, in MiB.
const MUCH_IS_WRONG: u64 = 200;

#[cfg(target_os = "linux")]
#[test]
fn two_hundred_thousand_findings_are_cut_and_said_to_be() {
    let (_tree, mut server) = over_fake(Script::new().bulk_diagnostics(200_000));
    let answer = ask(&mut server, "get_diagnostics", json!({ "file_paths": ["a.fake"], "wait_ms": 30_000 }));
    assert_eq!(answer["completeness"]["reason"], "capped", "{:.900}", answer.to_string());
    assert_eq!(answer["summary"]["warnings"], 50_000, "{:.900}", answer["summary"]);
    let told = answer["warnings"].as_array().unwrap();
    assert!(
        told.iter().any(|warning| warning["message"].as_str().unwrap().contains("150000 more")),
        "{told:?}"
    );
    let peak = peak(server.pid());
    assert!(peak < MUCH_IS_WRONG, "{peak} MiB");
}
