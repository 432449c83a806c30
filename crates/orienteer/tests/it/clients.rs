//! Official clients against the built program. The scripts in `tests/clients` say what they check.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use orienteer_testkit::{Server, Tree, tree};

use crate::{ORIENTEER, installed};

const PATIENCE: Duration = Duration::from_secs(240);

/// A line to find in `src`, and gigabytes to search in vain in `big`: what is cancelled must not be over
/// before.
fn workspace() -> Tree {
    let tree = tree(
        "\
//- /src/greeting.rs
//! Greets.

pub fn greet(name: &str) -> String {
    format!(\"hello {name}\")
}
",
    );
    let line = |at: usize| format!("lorem{:03} ipsum dolor sit amet {at}\n", at % 1000);
    let text: String = (0..120_000).map(line).collect();
    tree.write("big/0", text);
    // Links to one file take no room and are searched like files of their own.
    for at in 1..5000 {
        std::fs::hard_link(tree.root().join("big/0"), tree.root().join(format!("big/{at}"))).unwrap();
    }
    tree
}

/// The address of a server that was started with `--http`.
fn address(server: &Server) -> String {
    let until = Instant::now() + Duration::from_secs(30);
    while Instant::now() < until {
        let log = server.stderr();
        if let Some((_, rest)) = log.split_once("listening on ")
            && let Some((url, _)) = rest.split_once('\n')
        {
            return url.to_owned();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no address; stderr: {}", server.stderr());
}

/// Runs a script on the program and asserts that it made so many checks at least.
fn run(mut command: Command, script: &str, tree: &Tree, url: &str, least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    command.arg(folder.join(script)).arg(ORIENTEER).arg(tree.root()).arg(url);
    command.env("HOME", tree.beside("home")).env("PYTHONDONTWRITEBYTECODE", "1");
    let run = installed::finish(command, PATIENCE);
    assert!(run.status.success(), "{script}\n{}\n{}", run.stdout, run.stderr);
    let last = run.stdout.lines().last().unwrap_or_default();
    let checks = last.strip_suffix(" checks passed").and_then(|count| count.parse::<usize>().ok());
    assert!(checks.is_some_and(|checks| checks >= least), "{script}\n{}\n{}", run.stdout, run.stderr);
}

/// Every call that a client gave up was stopped, and not only no longer waited for: left alone, they would
/// run for much longer than this waits. `surely` were under way when they were given up; of the others some
/// may not have reached the program.
fn assert_cancelled(server: &Server, surely: usize) {
    let running = || {
        let log = server.stderr();
        let lines: Vec<&str> = log.lines().filter(|line| line.contains("\"orienteer::router\"")).collect();
        let count = |message: &str| {
            let message = format!("\"message\":\"{message}\"");
            lines.iter().filter(|line| line.contains(&message)).count()
        };
        count("started") - count("completed") - count("failed") - count("refused")
    };
    let until = Instant::now() + Duration::from_secs(10);
    while running() > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(running(), 0, "{}", server.stderr());
    let cancelled = server.stderr().matches("\"kind\":\"cancelled\"").count();
    assert!(cancelled >= surely, "only {cancelled}: {}", server.stderr());
}

#[test]
fn typescript_sdk() {
    let tree = workspace();
    let http = Server::start(ORIENTEER, tree.root(), &["--http", "127.0.0.1:0"]);
    run(installed::node(), "typescript.mjs", &tree, &address(&http), 43);
    assert_cancelled(&http, 1);
}

#[test]
fn python_sdk() {
    let tree = workspace();
    let http = Server::start(ORIENTEER, tree.root(), &["--http", "127.0.0.1:0"]);
    run(installed::python(), "python_client.py", &tree, &address(&http), 98);
    // Three sessions: one with a handshake, two in the revision without.
    assert_cancelled(&http, 3);
}

#[test]
fn content_length_framing() {
    let tree = workspace();
    run(installed::node(), "content_length.mjs", &tree, "", 16);
}
