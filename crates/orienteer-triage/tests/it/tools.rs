//! Real tools, without the network: what they write is taken in as it is.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use orienteer_base::triage::{Format, Severity};
use orienteer_testkit::tools;
use serde_json::{Value, json};

use crate::support::Place;

type Answer = dyn Fn(&str) -> Value + Send + Sync;

/// Answers every request with what `answer` makes of its path.
fn serve(answer: Arc<Answer>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    // Ends with the test process.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || drop(respond(stream, &*answer)));
        }
    });
    address
}

fn respond(mut stream: TcpStream, answer: &Answer) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let path = first.split_whitespace().nth(1).unwrap_or("/").to_owned();
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let text = answer(&path).to_string();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        )?;
        stream.flush()?;
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn npm_itself_writes_a_report_that_is_taken_in() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    write(folder, "package.json", r#"{"name":"app","version":"1.0.0","dependencies":{"mkdirp":"0.5.1"}}"#);
    let lock = json!({
        "name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
        "packages": {
            "": { "name": "app", "version": "1.0.0", "dependencies": { "mkdirp": "0.5.1" } },
            "node_modules/minimist": { "version": "0.0.8" },
            "node_modules/mkdirp": { "version": "0.5.1", "dependencies": { "minimist": "0.0.8" } }
        }
    });
    write(folder, "package-lock.json", &lock.to_string());
    let registry = serve(Arc::new(|path: &str| {
        let versions = |name: &str, versions: &[(&str, Value)]| {
            let all: serde_json::Map<String, Value> = versions
                .iter()
                .map(|(version, needs)| {
                    (
                        (*version).to_owned(),
                        json!({ "name": name, "version": version, "dependencies": needs, "dist": {} }),
                    )
                })
                .collect();
            json!({ "name": name, "dist-tags": { "latest": versions.last().unwrap().0 }, "versions": all })
        };
        match path {
            "/-/npm/v1/security/advisories/bulk" => json!({ "minimist": [{
                "id": 1096466, "url": "https://github.com/advisories/GHSA-xvch-5gv4-984h", "title": "Prototype Pollution in minimist",
                "severity": "critical", "vulnerable_versions": "<0.2.4", "cwe": ["CWE-1321"],
                "cvss": { "score": 9.8, "vectorString": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }
            }]}),
            "/minimist" => versions("minimist", &[("0.0.8", json!({})), ("0.2.4", json!({}))]),
            "/mkdirp" => versions(
                "mkdirp",
                &[("0.5.1", json!({ "minimist": "0.0.8" })), ("0.5.6", json!({ "minimist": "^0.2.4" }))],
            ),
            _ => json!({}),
        }
    }));
    let output = Command::new("npm")
        .args(["audit", "--json", "--package-lock-only", "--registry", &registry, "--cache"])
        .arg(folder.join("cache"))
        .env("PATH", tools::server_path())
        .current_dir(folder)
        .output()
        .expect("npm is installed");
    let report = String::from_utf8(output.stdout).unwrap();
    let place = Place::new();
    let done = place.take(&report);
    assert_eq!((done.written, done.errors), (1, 0), "{report}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(done.formats, [(Format::NpmAudit, 1)]);
    let snapshot = place.snapshot();
    let finding = &snapshot.findings[&done.ids[0]].finding;
    assert_eq!(finding.vulnerability.ids, ["GHSA-xvch-5gv4-984h"]);
    assert_eq!(
        (finding.vulnerability.severity, finding.packages[0].name.as_str()),
        (Severity::Critical, "minimist")
    );
    assert!(done.notes.iter().any(|note| note.contains("depend on others")), "mkdirp: {:?}", done.notes);
}

/// An advisory as RustSec's database has them.
fn advisory(id: &str, package: &str, more: &str, versions: &str, title: &str) -> String {
    format!(
        "```toml\n[advisory]\nid = \"{id}\"\npackage = \"{package}\"\ndate = \"2031-02-03\"\n{more}\n[versions]\n{versions}\n```\n\n# {title}\n\nMore about it.\n"
    )
}

const CARGO_LOCK: &str = r#"version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = ["old-clock", "quiet-dirs", "sound-thing"]

[[package]]
name = "old-clock"
version = "0.1.43"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "ca8a50ef2360fbd1eeb0ecd46795a87a19024eb4b53c5dc916ca1fd95fe62438"

[[package]]
name = "quiet-dirs"
version = "1.0.5"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "3fd78930633bd1c6e35c4b42b1df7b0cbc6bc191146e512bb3bedf243fcc3901"

[[package]]
name = "sound-thing"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "1f3ccbac311fea05f86f61904b462b55fb3df8837a366dfc601a0161d0532f20"
"#;

#[test]
fn cargo_audit_itself_writes_a_report_that_is_taken_in() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    write(folder, "Cargo.lock", CARGO_LOCK);
    let clock = advisory(
        "RUSTSEC-2031-0001",
        "old-clock",
        "url = \"https://example.org/clock\"\nreferences = [\"https://example.org/more\"]\naliases = [\"CVE-2031-0007\"]\n\
         categories = [\"memory-corruption\"]\ncvss = \"CVSS:3.1/AV:L/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H\"\n\n\
         [affected.functions]\n\"old_clock::at\" = [\"< 0.2.23\"]\n",
        "patched = [\">= 0.2.23\"]\nunaffected = [\"= 0.2.0\"]",
        "Clock segfaults",
    );
    write(folder, "db/crates/old-clock/RUSTSEC-2031-0001.md", &clock);
    let dirs = advisory(
        "RUSTSEC-2031-0002",
        "quiet-dirs",
        "informational = \"unmaintained\"\n",
        "patched = []",
        "quiet-dirs is unmaintained",
    );
    write(folder, "db/crates/quiet-dirs/RUSTSEC-2031-0002.md", &dirs);
    let fixed =
        advisory("RUSTSEC-2031-0003", "sound-thing", "", "patched = [\">= 1.5.0\"]", "It was broken once");
    write(folder, "db/crates/sound-thing/RUSTSEC-2031-0003.md", &fixed);
    let program = tools::tools().join("cargo/bin/cargo-audit");
    let output = Command::new(&program)
        .args(["audit", "--json", "--no-fetch", "--stale", "--db", "db", "--file", "Cargo.lock"])
        .env("CARGO_HOME", folder.join("cargo"))
        .env("HOME", folder)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask install`", program.display()));
    let report = String::from_utf8(output.stdout).unwrap();
    let place = Place::new();
    let done = place.take(&report);
    assert_eq!((done.written, done.errors), (2, 0), "{report}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(done.formats, [(Format::CargoAudit, 2)]);
    assert_eq!((done.partial, done.with_warnings), (false, 0), "{:?}", done.notes);
    let snapshot = place.snapshot();
    let finding = &snapshot.findings[&done.ids[0]].finding;
    let known = &finding.vulnerability;
    assert_eq!(
        (known.ids.as_slice(), known.title.as_str()),
        (&["RUSTSEC-2031-0001".to_owned()][..], "Clock segfaults")
    );
    assert_eq!(known.aliases, ["CVE-2031-0007"]);
    assert_eq!(known.description, "More about it.");
    assert_eq!((known.severity, known.cvss[0].score), (Severity::Medium, Some(6.2)));
    assert_eq!(known.references, ["https://example.org/clock", "https://example.org/more"]);
    assert_eq!(known.published.as_deref(), Some("2031-02-03"));
    let package = &finding.packages[0];
    assert_eq!((package.ecosystem.as_str(), package.name.as_str()), ("cargo", "old-clock"));
    assert_eq!(package.installed.as_deref(), Some("0.1.43"));
    assert_eq!(package.affected.as_deref(), Some("not >=0.2.23, not =0.2.0"));
    assert_eq!(package.fixed.as_deref(), Some("0.2.23"));
    assert_eq!(package.manifest_path.as_deref(), Some("Cargo.lock"));
    assert_eq!(package.purl.as_deref(), Some("pkg:cargo/old-clock@0.1.43"));
    assert_eq!(package.symbols, ["old_clock::at"]);
    let warning = &snapshot.findings[&done.ids[1]].finding;
    assert_eq!(warning.vulnerability.ids, ["RUSTSEC-2031-0002"]);
    assert_eq!(
        (warning.meta["kind"].as_str(), warning.vulnerability.severity),
        ("unmaintained", Severity::Info)
    );
    assert_eq!(
        (warning.packages[0].name.as_str(), warning.packages[0].fixed.as_deref()),
        ("quiet-dirs", None)
    );
}

#[test]
fn pip_audit_itself_writes_a_report_that_is_taken_in() {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "requirements.txt", "flask==0.5\n");
    let service = serve(Arc::new(|_: &str| {
        json!({ "vulns": [{
            "id": "PYSEC-2019-179", "modified": "2023-01-01T00:00:00Z", "published": "2019-07-17T14:15:00Z", "aliases": ["CVE-2019-1010083"],
            "summary": "Denial of service", "details": "Unexpected memory usage",
            "affected": [{ "package": { "ecosystem": "PyPI", "name": "flask" }, "ranges": [{ "type": "ECOSYSTEM", "events": [{ "introduced": "0" }, { "fixed": "1.0" }] }], "versions": ["0.5"] }]
        }]})
    }));
    let output = Command::new(tools::tools().join("python/bin/python"))
        .args([
            "-m",
            "pip_audit",
            "-f",
            "json",
            "--no-deps",
            "--disable-pip",
            "--progress-spinner",
            "off",
            "-s",
            "osv",
            "--osv-url",
        ])
        .arg(format!("{service}/v1/query"))
        .args(["--aliases", "on", "--desc", "on", "-r", "requirements.txt", "--cache-dir"])
        .arg(temp.path().join("cache"))
        .env("PYTHONPATH", tools::tools().join("pip-audit"))
        .current_dir(temp.path())
        .output()
        .expect("python is installed");
    let report = String::from_utf8(output.stdout).unwrap();
    let place = Place::new();
    let done = place.take(&report);
    assert_eq!((done.written, done.errors), (1, 0), "{report}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(done.formats, [(Format::PipAudit, 1)]);
    let finding = place.snapshot().findings[&done.ids[0]].finding.clone();
    assert_eq!(finding.vulnerability.ids, ["PYSEC-2019-179"]);
    assert_eq!(finding.vulnerability.aliases, ["CVE-2019-1010083"]);
    assert_eq!(
        (finding.packages[0].installed.as_deref(), finding.packages[0].fixed.as_deref()),
        (Some("0.5"), Some("1.0"))
    );
}
