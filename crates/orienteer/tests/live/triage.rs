//! Evidence about findings with the real language servers: which line uses what is affected, and which only looks so.

use orienteer_testkit::tools;
use serde_json::{Value, json};

use crate::support::{Live, over};

/// Takes one finding in and asks what the repository says about it.
fn pack(live: &mut Live, finding: Value) -> Value {
    live.write("finding.json", &finding.to_string());
    let done = live.get("triage_ingest", json!({ "input_path": "finding.json" }));
    assert_eq!(done["written"], 1, "{done:#}");
    live.get("triage_context_pack", json!({ "finding": done["ids"][0], "wait_ms": 120_000 }))
}

/// `kind path:line provenance` of each piece of evidence.
fn evidence(pack: &Value) -> Vec<String> {
    let told = |one: &Value| {
        let test = if one["in_test"] == true { " test" } else { "" };
        let at = format!("{}:{}", one["file_path"].as_str().unwrap(), one["line"]);
        format!("{} {at} {}{test}", one["kind"].as_str().unwrap(), one["provenance"].as_str().unwrap())
    };
    pack["evidence"].as_array().unwrap().iter().map(told).collect()
}

const RUST: &str = r#"//- /Cargo.toml
[package]
name = "app"
version = "0.1.0"
edition = "2021"

[dependencies]
old-clock = { path = "clock" }
//- /src/lib.rs
use old_clock::at;

pub fn noon() -> u64 {
    at(12)
}

pub fn midnight() -> u64 {
    old_clock::at(0)
}

pub mod own {
    pub fn at(hour: u64) -> u64 {
        hour
    }

    pub fn dawn() -> u64 {
        at(6)
    }
}
//- /tests/noon.rs
#[test]
fn noon_is_noon() {
    assert_eq!(app::noon(), 12);
}
//- /clock/Cargo.toml
[package]
name = "old-clock"
version = "0.1.0"
edition = "2021"
//- /clock/src/lib.rs
pub fn at(hour: u64) -> u64 {
    hour
}
"#;

#[test]
fn rust_uses_are_told_from_namesakes() {
    let mut live = over(RUST).start();
    let finding = json!({ "key": "R-1", "title": "Clock segfaults", "severity": "high",
        "package": { "ecosystem": "cargo", "name": "old-clock", "symbols": ["old_clock::at"] } });
    let pack = pack(&mut live, finding);
    assert_eq!(pack["verdict"], "called", "{pack:#}");
    let found = evidence(&pack);
    for line in [
        "call src/lib.rs:4 lsp",
        "call src/lib.rs:8 lsp",
        "import src/lib.rs:1 text",
        "manifest Cargo.toml:7 text",
    ] {
        assert!(found.contains(&line.to_owned()), "{line}: {found:#?}");
    }
    let calls: Vec<&String> = found.iter().filter(|one| one.starts_with("call src/")).collect();
    assert_eq!(calls.len(), 2, "`own::at` is another one: {calls:?}");
    assert!(found.contains(&"test tests/noon.rs:3 lsp test".to_owned()), "{found:#?}");
    let call = pack["evidence"].as_array().unwrap().iter().find(|one| one["line"] == 4).unwrap();
    assert_eq!(
        (&call["symbol"], &call["affected"], &call["snippet"]),
        (&json!("noon"), &json!("old_clock::at"), &json!("    at(12)"))
    );
}

const TYPESCRIPT: &str = r#"//- /package.json
{ "name": "app", "type": "module", "dependencies": { "friendly": "^1.0.0" } }
//- /tsconfig.json
{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }
//- /package-lock.json
{
  "name": "app",
  "lockfileVersion": 3,
  "packages": {
    "node_modules/friendly": {
      "version": "1.0.0"
    }
  }
}
//- /src/app.ts
import { greet, wave } from "friendly";

export const greeting: string = greet("you");
export const waving: string = wave("you");
//- /src/own.ts
function greet(name: string): string {
  return name;
}

export const other = greet("me");
//- /src/app.test.ts
import { greeting } from "./app.js";

console.assert(greeting !== "");
//- /node_modules/friendly/package.json
{ "name": "friendly", "version": "1.0.0", "types": "index.d.ts" }
//- /node_modules/friendly/index.d.ts
export declare function greet(name: string): string;
export declare function wave(name: string): string;
"#;

#[test]
fn typescript_uses_are_told_from_namesakes() {
    let mut live = over(TYPESCRIPT).path(tools::ts7_path()).start();
    let finding = json!({ "key": "T-1", "title": "Greets too much", "severity": "high",
        "package": { "ecosystem": "npm", "name": "friendly", "symbols": ["friendly.greet"] } });
    let pack = pack(&mut live, finding);
    assert_eq!(pack["verdict"], "called", "{pack:#}");
    let found = evidence(&pack);
    for line in [
        "call src/app.ts:3 lsp",
        "import src/app.ts:1 text",
        "manifest package.json:1 text",
        "lock package-lock.json:5 text",
    ] {
        assert!(found.contains(&line.to_owned()), "{line}: {found:#?}");
    }
    assert!(!found.iter().any(|one| one.contains("own.ts") || one.contains("node_modules")), "{found:#?}");
    let lock = pack["evidence"].as_array().unwrap().iter().find(|one| one["kind"] == "lock").unwrap();
    assert_eq!(lock["version"], "1.0.0");
    let wave = json!({ "key": "T-2", "title": "Nothing uses it", "severity": "low",
        "package": { "ecosystem": "npm", "name": "friendly", "symbols": ["friendly.bow"] } });
    let pack = self::pack(&mut live, wave);
    assert_eq!((&pack["verdict"], &pack["missing"]), (&json!("imported"), &json!([])), "{pack:#}");
}

const PYTHON: &str = r#"//- /pyrightconfig.json
{ "venvPath": ".", "venv": ".venv" }
//- /requirements.txt
PyYAML==5.3
//- /app/__init__.py
//- /app/config.py
import yaml
from yaml import load as read_any


def read(text):
    return yaml.load(text)


def read_again(text):
    return read_any(text)
//- /app/own.py
def load(text):
    return text


VALUE = load("x")
//- /tests/test_config.py
from app.config import read


def test_read():
    assert read("a") == "a"
//- /.venv/pyvenv.cfg
home = /usr/bin
//- /.venv/lib/python3.11/site-packages/yaml/__init__.py
def load(stream, Loader=None):
    return stream
"#;

#[test]
fn python_uses_are_told_from_namesakes() {
    let mut live = over(PYTHON).start();
    let finding = json!({ "key": "P-1", "title": "Unsafe load", "severity": "critical",
        "package": { "ecosystem": "pypi", "name": "PyYAML", "symbols": ["yaml.load"] } });
    let pack = pack(&mut live, finding);
    assert_eq!(pack["verdict"], "called", "{pack:#}");
    let found = evidence(&pack);
    for line in [
        "call app/config.py:6 lsp",
        "call app/config.py:10 lsp",
        "import app/config.py:1 text",
        "import app/config.py:2 text",
        "manifest requirements.txt:1 text",
        "test tests/test_config.py:5 lsp test",
    ] {
        assert!(found.contains(&line.to_owned()), "{line}: {found:#?}");
    }
    assert!(!found.iter().any(|one| one.contains("own.py") || one.contains(".venv")), "{found:#?}");
}
