//! The official conformance suite against our router and HTTP transport, served by `examples/conformance`.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::ORIENTEER;
use crate::installed::{self, Finished};

const PATIENCE: Duration = Duration::from_secs(120);

/// Revisions the suite has server scenarios for, how many, and how many checks they make. Fewer would mean
/// that something no longer runs, which must not look like success.
const REVISIONS: &[(&str, usize, usize)] = &[("2025-06-18", 26, 26), ("2025-11-25", 32, 46)];

/// The example server. Ends with the pipe to its standard input.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    fn start() -> Self {
        let name = format!("conformance{}", std::env::consts::EXE_SUFFIX);
        let example = Path::new(ORIENTEER).with_file_name("examples").join(name);
        let mut child = Command::new(&example)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{}: {error}; `cargo build --examples` makes it", example.display())
            });
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Self { child, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn suite(arguments: &[&str]) -> Finished {
    let mut command = installed::node();
    let script = "node/node_modules/@modelcontextprotocol/conformance/dist/index.js";
    command.arg(installed::tools().join(script)).args(arguments);
    installed::finish(command, PATIENCE)
}

/// Names of the server scenarios, each with the revisions it belongs to.
fn scenarios() -> Vec<(String, BTreeSet<String>)> {
    let list = suite(&["list", "--server"]);
    assert!(list.status.success(), "{}", list.stderr);
    let entries = list.stdout.lines().filter_map(|line| line.trim().strip_prefix("- "));
    entries
        .map(|entry| {
            let (name, revisions) = entry.split_once(" [").unwrap_or_else(|| panic!("{entry:?}"));
            let revisions = revisions.trim_end_matches(']').split(',').map(str::to_owned).collect();
            (name.to_owned(), revisions)
        })
        .collect()
}

#[test]
fn every_revision_of_the_suite_is_run() {
    let offered: BTreeSet<String> = scenarios().into_iter().flat_map(|(_, revisions)| revisions).collect();
    let run: BTreeSet<String> = REVISIONS.iter().map(|(revision, ..)| (*revision).to_owned()).collect();
    assert_eq!(offered, run);
}

#[test]
fn every_scenario_passes() {
    let scenarios = scenarios();
    let served = Served::start();
    for (revision, least_scenarios, least_checks) in REVISIONS {
        let names: Vec<&str> = scenarios
            .iter()
            .filter(|(_, revisions)| revisions.contains(*revision))
            .map(|(name, _)| name.as_str())
            .collect();
        assert!(names.len() >= *least_scenarios, "{revision} has only {names:?}");
        let checks = passed(&served.url, revision, &names);
        assert!(checks >= *least_checks, "only {checks} checks of {revision} were made");
    }
}

/// Runs the suite in one revision; the number of checks that passed, when all did.
fn passed(url: &str, revision: &str, names: &[&str]) -> usize {
    let results = tempfile::tempdir().unwrap();
    let folder = results.path().to_str().unwrap();
    let run = suite(&["server", "--url", url, "--suite", "all", "--spec-version", revision, "-o", folder]);
    assert!(run.status.success(), "{revision}\n{}\n{}", run.stdout, run.stderr);
    for name in names {
        assert!(run.stdout.contains(&format!("✓ {name}: ")), "{name} of {revision}\n{}", run.stdout);
    }
    // The summary does not tell warnings, nor a scenario that checked nothing.
    let mut total = 0;
    let folders: Vec<_> = results.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(folders.len(), names.len(), "{folders:?}");
    for folder in folders {
        let text = std::fs::read_to_string(folder.join("checks.json")).unwrap();
        let checks: Vec<Value> = serde_json::from_str(&text).unwrap();
        let count = |status: &str| checks.iter().filter(|check| check["status"] == status).count();
        assert_eq!(count("FAILURE") + count("WARNING"), 0, "{text}");
        assert!(count("SUCCESS") > 0, "{} checked nothing", folder.display());
        total += count("SUCCESS");
    }
    total
}
