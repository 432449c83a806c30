//! Findings, decisions and evidence through the built program: by MCP, by `orienteer call`, by `orienteer triage`.

use std::fs;
use std::path::PathBuf;

use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;
use crate::support::{Finished, run_in};

const FIXTURE: &str = r#"//- /requirements.txt
flask==2.0
PyYAML==5.3
//- /app/config.py
import yaml


def read(text):
    return yaml.load(text)
//- /app/other.py
def load(x):
    return x
//- /tests/test_config.py
import yaml
from app.config import read


def test_read():
    assert read(yaml.dump({})) == {}
//- /findings.json
[
  {"key": "Y-1", "title": "Unsafe loading of documents", "severity": "critical", "ids": ["CVE-2020-14343"],
   "description": "Loading runs constructors.", "service": "web",
   "package": {"ecosystem": "pypi", "name": "PyYAML", "installed": "5.3", "fixed": "5.4", "symbols": ["yaml.load"]}},
  {"key": "N-1", "title": "Something that is not here", "severity": "low", "ids": ["CVE-2031-7"],
   "package": {"ecosystem": "npm", "name": "left-pad", "symbols": ["leftPad"]}},
  {"key": "G-1", "title": "A guess", "severity": "medium",
   "package": {"ecosystem": "pypi", "name": "some-odd-thing"}},
  42
]
"#;

fn place() -> (Tree, Server) {
    let tree = tree(FIXTURE);
    let server = start(&tree, &[]);
    (tree, server)
}

fn variables(tree: &Tree) -> Vec<(String, String)> {
    ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "HOME"]
        .iter()
        .map(|name| ((*name).to_owned(), tree.beside(&name.to_lowercase()).display().to_string()))
        .collect()
}

fn start(tree: &Tree, more: &[&str]) -> Server {
    let variables = variables(tree);
    // No language server: the machine's programs only.
    let mut given: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    given.push(("PATH", "/usr/bin:/bin"));
    let mut args = vec!["--toolsets", "all", "--log-level", "warn"];
    args.extend(more);
    let mut server = Server::start_with(ORIENTEER, tree.root(), &args, &given, Framing::Lines);
    server.initialize("2025-11-25");
    server
}

fn command(tree: &Tree, arguments: &[&str]) -> Finished {
    let variables = variables(tree);
    let given: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    run_in(ORIENTEER, arguments, tree.root(), &given)
}

fn ask(server: &mut Server, tool: &str, arguments: Value) -> Value {
    let answer = server.call(tool, arguments)["structuredContent"].clone();
    assert_eq!(answer["ok"], true, "{tool}: {answer:#}");
    answer
}

fn refused(server: &mut Server, tool: &str, arguments: Value) -> Value {
    let answer = server.call(tool, arguments)["structuredContent"].clone();
    assert_eq!(answer["ok"], false, "{tool}: {answer:#}");
    answer
}

fn ingest(server: &mut Server) -> Vec<String> {
    let done = ask(server, "triage_ingest", json!({ "input_path": "findings.json" }));
    assert_eq!(
        (&done["total"], &done["written"], &done["errors"]),
        (&json!(4), &json!(3), &json!(1)),
        "{done:#}"
    );
    assert_eq!(done["details"][0]["index"], 3, "{done:#}");
    assert_eq!(done["sources"], json!({ "generic": 3 }));
    done["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// `kind path:line provenance` of each piece of evidence.
fn evidence(pack: &Value) -> Vec<String> {
    let told = |one: &Value| {
        let test = if one["in_test"] == true { " test" } else { "" };
        format!(
            "{} {}:{} {}{test}",
            one["kind"].as_str().unwrap(),
            one["file_path"].as_str().unwrap(),
            one["line"],
            one["provenance"].as_str().unwrap()
        )
    };
    pack["evidence"].as_array().unwrap().iter().map(told).collect()
}

#[test]
fn findings_are_taken_in_decided_about_listed_and_found_by_a_search() {
    let (_tree, mut server) = place();
    let empty = ask(&mut server, "triage_list", json!({}));
    assert_eq!((&empty["stored"], &empty["completeness"]["state"]), (&json!(0), &json!("complete")));
    let ids = ingest(&mut server);
    let listed = ask(&mut server, "triage_list", json!({}));
    let order: Vec<&str> =
        listed["findings"].as_array().unwrap().iter().map(|row| row["severity"].as_str().unwrap()).collect();
    assert_eq!(order, ["critical", "medium", "low"]);
    assert_eq!(listed["counts"], json!({ "open": 3, "expired": 0, "decided": 0, "closed": 0 }));
    // Searched right after, without an index being built for it.
    let found =
        ask(&mut server, "search", json!({ "query": "unsafe loading of documents", "modes": ["records"] }));
    assert_eq!(found["results"][0]["name"], json!(ids[0]), "{found:#}");
    assert_eq!(
        (&found["results"][0]["mode"], &found["results"][0]["kind"]),
        (&json!("records"), &json!("record"))
    );
    let record = found["results"][0]["file_path"].as_str().unwrap();
    let read = ask(&mut server, "read_file", json!({ "file_path": record }));
    assert!(
        read["content"].as_str().unwrap().contains("Loading runs constructors."),
        "what is named may be read"
    );
    let by_meta = |server: &mut Server, query: &str| -> Vec<String> {
        let found = ask(server, "search", json!({ "query": query, "modes": ["records"] }));
        found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(by_meta(&mut server, "meta:severity=critical"), [ids[0].clone()]);
    assert_eq!(by_meta(&mut server, "+meta:service=web +meta:status=open"), [ids[0].clone()]);
    assert!(by_meta(&mut server, "meta:status=decided").is_empty());
    let code = ask(&mut server, "search", json!({ "query": "unsafe loading" }));
    let modes: Vec<&Value> = code["results"].as_array().unwrap().iter().map(|row| &row["mode"]).collect();
    assert!(!modes.contains(&&json!("records")), "records are told to who asks for them: {code:#}");
    let decided = ask(
        &mut server,
        "triage_decide",
        json!({ "finding": "CVE-2031-7", "status": "not_affected", "codes": ["component_not_present"], "justification": "no such package", "reviewer": "ada" }),
    );
    assert_eq!(decided["decision"]["decision_id"], Value::Null);
    assert_eq!(decided["decision"]["id"], json!(format!("{}.d1", ids[1])));
    assert_eq!(decided["finding"]["standing"], "decided");
    assert_eq!(by_meta(&mut server, "meta:status=decided"), [ids[1].clone()], "known at once");
    assert_eq!(by_meta(&mut server, "+meta:kind=decision +meta:reviewer=ada"), [format!("{}.d1", ids[1])]);
    let open = ask(&mut server, "triage_list", json!({}));
    assert_eq!(open["counts"], json!({ "open": 2, "expired": 0, "decided": 1, "closed": 0 }));
    let one = ask(&mut server, "triage_list", json!({ "finding": ids[1] }));
    assert_eq!(one["decisions"][0]["justification"], "no such package");
    assert_eq!(one["findings"][0]["record"]["vulnerability"]["ids"], json!(["CVE-2031-7"]));
    // The same file again changes nothing and keeps the decision.
    let again = ask(&mut server, "triage_ingest", json!({ "input_path": "findings.json" }));
    assert_eq!(
        (&again["unchanged"], &again["written"], &again["updated"]),
        (&json!(3), &json!(0), &json!(0))
    );
    assert_eq!(ask(&mut server, "triage_list", json!({}))["counts"]["decided"], 1);
}

#[test]
fn a_pack_without_a_language_server_says_what_it_rests_on() {
    let (tree, mut server) = place();
    let ids = ingest(&mut server);
    let pack = ask(&mut server, "triage_context_pack", json!({ "finding": ids[0] }));
    assert_eq!(pack["verdict"], "called", "{pack:#}");
    let found = evidence(&pack);
    let call = found
        .iter()
        .find(|one| one.starts_with("call app/config.py:5 "))
        .unwrap_or_else(|| panic!("{pack:#}"));
    assert!(call.ends_with("index") || call.ends_with("text"), "nobody confirmed it: {call}");
    assert!(!found.iter().any(|one| one.contains("app/other.py")), "it imports nothing: {found:?}");
    for line in [
        "import app/config.py:1 text",
        "import tests/test_config.py:1 text test",
        "manifest requirements.txt:2 text",
    ] {
        assert!(found.contains(&line.to_owned()), "{line}: {found:?}");
    }
    assert_eq!(pack["completeness"]["state"], "partial");
    assert!(!pack["missing"].as_array().unwrap().is_empty(), "{pack:#}");
    // Every search was complete, and nothing is there.
    let nothing = ask(&mut server, "triage_context_pack", json!({ "finding": ids[1] }));
    assert_eq!((&nothing["verdict"], &nothing["missing"]), (&json!("not_found"), &json!([])), "{nothing:#}");
    assert_eq!(nothing["completeness"]["state"], "complete");
    let searches: Vec<&str> =
        nothing["searches"].as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect();
    assert_eq!(searches, ["manifests", "imports", "calls"]);
    // A module whose name is a guess: that nothing was found means little.
    let guess = ask(&mut server, "triage_context_pack", json!({ "finding": ids[2] }));
    assert_eq!(guess["verdict"], "unknown", "{guess:#}");
    assert!(guess["missing"][0].as_str().unwrap().contains("guessed"), "{guess:#}");
    // Written beside the records, and into the workspace.
    let written = ask(&mut server, "triage_context_pack", json!({ "finding": ids[0], "write": true }));
    for path in written["written"].as_array().unwrap() {
        assert!(PathBuf::from(path.as_str().unwrap()).is_file(), "{path}");
    }
    let pack = ask(
        &mut server,
        "triage_context_pack",
        json!({ "finding": ids[0], "output_path": "packs/yaml.json" }),
    );
    assert_eq!(pack["written"], json!(["packs/yaml.json", "packs/yaml.md"]));
    let json: Value =
        serde_json::from_str(&fs::read_to_string(tree.root().join("packs/yaml.json")).unwrap()).unwrap();
    assert_eq!((&json["verdict"], &json["finding"]["id"]), (&json!("called"), &json!(ids[0])));
    let text = fs::read_to_string(tree.root().join("packs/yaml.md")).unwrap();
    assert!(text.contains("app/config.py:5") && text.contains("verdict: called"), "{text}");
    let outside =
        refused(&mut server, "triage_context_pack", json!({ "finding": ids[0], "output_path": "../x.json" }));
    assert_eq!(outside["error"]["kind"], "path_not_allowed", "{outside:#}");
}

#[test]
fn what_is_refused_says_what_to_do_and_its_steps_run() {
    let (_tree, mut server) = place();
    let ids = ingest(&mut server);
    let wrong = refused(&mut server, "triage_decide", json!({ "finding": ids[0], "status": "not_affected" }));
    assert_eq!(
        (&wrong["error"]["kind"], &wrong["error"]["data"]["kind"]),
        (&json!("invalid_params"), &json!("missing_code"))
    );
    let wrong = refused(
        &mut server,
        "triage_decide",
        json!({ "finding": ids[0], "status": "accept", "expires": "2001-01-01" }),
    );
    assert_eq!(wrong["error"]["data"]["kind"], "date_in_the_past");
    let wrong =
        refused(&mut server, "triage_ingest", json!({ "input_path": "findings.json", "source": "snyk" }));
    assert!(wrong["message"].as_str().unwrap().contains("dependabot"), "{wrong:#}");
    let wrong = refused(&mut server, "triage_ingest", json!({ "input_path": "app/config.py" }));
    assert_eq!(wrong["error"]["kind"], "invalid_params", "{wrong:#}");
    let missing = refused(&mut server, "triage_context_pack", json!({ "finding": "gen-0000000000000000" }));
    assert_eq!(missing["error"]["kind"], "not_found");
    for step in missing["next_steps"].as_array().unwrap().iter().filter(|step| step["kind"] == "tool") {
        ask(&mut server, step["tool"].as_str().unwrap(), step["arguments"].clone());
    }
}

#[test]
fn a_read_only_session_lists_and_gathers_and_writes_nothing() {
    let (tree, mut writer) = place();
    let ids = ingest(&mut writer);
    drop(writer);
    let mut server = start(&tree, &["--read-only"]);
    let offered: Vec<String> = server.request("tools/list", json!({}))["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .filter(|name| name.starts_with("triage_"))
        .collect();
    assert_eq!(offered, ["triage_list", "triage_context_pack"]);
    for (tool, arguments) in [
        ("triage_ingest", json!({ "input_path": "findings.json" })),
        ("triage_decide", json!({ "finding": ids[0], "status": "fix" })),
        ("triage_context_pack", json!({ "finding": ids[0], "write": true })),
        ("triage_context_pack", json!({ "finding": ids[0], "output_path": "x.json" })),
    ] {
        assert_eq!(refused(&mut server, tool, arguments)["error"]["kind"], "read_only", "{tool}");
    }
    assert_eq!(ask(&mut server, "triage_list", json!({}))["stored"], 3);
    assert_eq!(ask(&mut server, "triage_context_pack", json!({ "finding": ids[1] }))["verdict"], "not_found");
}

#[test]
fn decisions_survive_every_clean_up() {
    let (tree, mut server) = place();
    let ids = ingest(&mut server);
    ask(
        &mut server,
        "triage_decide",
        json!({ "finding": ids[0], "status": "accept", "expires": "2999-01-01" }),
    );
    ask(&mut server, "build_index", json!({}));
    ask(&mut server, "clean_index", json!({}));
    ask(&mut server, "gc_cache", json!({ "dry_run": false, "max_bytes": 0, "max_age_days": 0 }));
    drop(server);
    // Whatever may be deleted at any time is deleted.
    for folder in ["xdg_cache_home", "xdg_state_home"] {
        fs::remove_dir_all(tree.beside(folder)).ok();
    }
    let mut server = start(&tree, &[]);
    let listed = ask(&mut server, "triage_list", json!({ "state": "decided" }));
    assert_eq!(listed["findings"][0]["finding_id"], json!(ids[0]), "{listed:#}");
    assert_eq!(listed["findings"][0]["decision"]["expires"], "2999-01-01");
}

#[test]
fn a_decision_that_ran_out_counts_nowhere() {
    let (tree, mut server) = place();
    let ids = ingest(&mut server);
    let arguments = json!({ "finding": ids[0], "status": "accept", "expires": "2999-01-01" });
    let decided = ask(&mut server, "triage_decide", arguments);
    let found = |server: &mut Server, query: &str| -> Vec<Value> {
        let found = ask(server, "search", json!({ "query": query, "modes": ["records"] }));
        found["results"].as_array().unwrap().iter().map(|row| row["name"].clone()).collect()
    };
    let standing = |server: &mut Server| {
        let pack = ask(server, "triage_context_pack", json!({ "finding": ids[0] }));
        pack["finding"]["standing"].clone()
    };
    assert_eq!(found(&mut server, "+meta:status=decided +meta:kind=finding"), [json!(ids[0])]);
    assert_eq!(standing(&mut server), "decided");
    // As if its day had come, to the program that runs already.
    let path = decided["path"].as_str().unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains("2999-01-01"), "{text}");
    fs::write(path, text.replace("2999-01-01", "2020-01-01")).unwrap();
    let listed = ask(&mut server, "triage_list", json!({ "state": "expired" }));
    assert_eq!(listed["findings"][0]["finding_id"], json!(ids[0]), "{listed:#}");
    assert_eq!(listed["counts"], json!({ "open": 2, "expired": 1, "decided": 0, "closed": 0 }));
    let open = ask(&mut server, "triage_list", json!({}));
    assert_eq!(open["findings"].as_array().unwrap().len(), 3, "it is open again: {open:#}");
    let one = ask(&mut server, "triage_list", json!({ "finding": ids[0] }));
    assert_eq!(one["findings"][0]["standing"], "expired");
    assert!(found(&mut server, "+meta:status=decided +meta:kind=finding").is_empty());
    assert!(found(&mut server, "+meta:status=open +meta:kind=finding").contains(&json!(ids[0])));
    assert_eq!(standing(&mut server), "expired");
    let again = ask(&mut server, "triage_ingest", json!({ "input_path": "findings.json" }));
    assert_eq!(again["unchanged"], 3);
    assert_eq!(ask(&mut server, "triage_list", json!({}))["counts"]["expired"], 1);
    drop(server);
    let shown = command(&tree, &["triage", "show", &ids[0]]);
    assert!(shown.stdout.contains("[open again: accept until 2020-01-01 has run out]"), "{}", shown.stdout);
}

#[test]
fn a_call_that_no_language_server_confirms_is_known_to_the_index() {
    let (_tree, mut server) = place();
    let ids = ingest(&mut server);
    ask(&mut server, "build_index", json!({}));
    let pack = ask(&mut server, "triage_context_pack", json!({ "finding": ids[0] }));
    let call = pack["evidence"].as_array().unwrap().iter().find(|one| one["kind"] == "call").unwrap();
    assert_eq!(
        (&call["file_path"], &call["line"], &call["provenance"], &call["symbol"], &call["affected"]),
        (&json!("app/config.py"), &json!(5), &json!("index"), &json!("read"), &json!("yaml.load")),
        "{pack:#}"
    );
    assert_eq!(call["snippet"], "    return yaml.load(text)");
    assert!(pack["rests_on"].as_str().unwrap().contains("1 known to the index by the grammar"), "{pack:#}");
    let tests: Vec<String> = evidence(&pack).into_iter().filter(|one| one.starts_with("test ")).collect();
    let lines = ["test tests/test_config.py:2 text test", "test tests/test_config.py:6 text test"];
    assert_eq!(tests, lines, "it imports what uses the symbol, and calls it: {pack:#}");
}

#[test]
fn people_do_the_same_on_the_command_line() {
    let tree = tree(FIXTURE);
    let done = command(&tree, &["triage", "ingest", "findings.json", "--meta", "environment=prod"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.starts_with("4 items, 3 written, 1 not taken in\n"), "{}", done.stdout);
    let listed = command(&tree, &["triage", "list", "--severity", "critical,high", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(
        (&listed["findings"][0]["environment"], &listed["total_estimate"]),
        (&json!("prod"), &json!(1))
    );
    let id = listed["findings"][0]["finding_id"].as_str().unwrap().to_owned();
    let decided = command(
        &tree,
        &[
            "triage",
            "decide",
            &id,
            "defer",
            "--expires",
            "2999-12-31",
            "--reviewer",
            "ada",
            "--justification",
            "next sprint",
        ],
    );
    assert_eq!(decided.code, Some(0), "{}{}", decided.stdout, decided.stderr);
    let shown = command(&tree, &["triage", "show", &id]);
    assert!(
        shown.stdout.contains("[defer until 2999-12-31]") && shown.stdout.contains("by ada"),
        "{}",
        shown.stdout
    );
    let pack = command(&tree, &["triage", "pack", "CVE-2031-7"]);
    assert!(
        pack.stdout.starts_with("not_found: 3 searches, all complete, found nothing\n"),
        "{}",
        pack.stdout
    );
    let refused = command(&tree, &["triage", "decide", &id, "not_affected"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    let call = command(&tree, &["call", "triage_list", r#"{"state":"decided"}"#, "--toolsets", "triage"]);
    assert!(call.stdout.contains(&id), "{}{}", call.stdout, call.stderr);
}
