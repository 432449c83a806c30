//! jedi-language-server and pylsp, which both ask jedi: names and uses, no types.

use std::fmt::Write as _;

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::{PYTHON, PYTHON_VENV, python_environment};
use serde_json::json;

use crate::python::{FLAT, REPORT, TOTAL, TOTAL_AREA, UNICODE, all_but};
use crate::rust_more::commit;
use crate::support::{Live, at, over, over_tree, spots, symbol_rows, uses, warnings, with};

const DISABLED: &str = "ORIENTEER_LSP_DISABLED";
const BOTH: [&str; 2] = ["jedi-language-server", "pylsp"];

/// What both answer alike.
fn finds_its_way(live: &mut Live, id: &str) {
    // They do not count the name in `__all__`.
    let expected: Vec<&str> =
        TOTAL_AREA.iter().copied().filter(|place| *place != "src/shapes/__init__.py:6:56").collect();
    let cold = live.ask("find_references", at(TOTAL, 8, 5));
    assert_eq!(
        (uses(&cold), &cold["server_id"]),
        (expected.iter().map(|s| s.to_string()).collect(), &json!(id))
    );
    assert_eq!(spots(&cold["unconfirmed"]), ["src/shapes/__init__.py:6:56"]);
    assert_eq!(live.ask("find_references", at(UNICODE, 11, 43))["references"], cold["references"]);
    assert_eq!(live.definitions(at(UNICODE, 11, 43)), ["src/shapes/total.py:8:5"]);
    // The package lies below `src`, which they are told.
    assert_eq!(live.definitions(at("tests/test_shapes.py", 10, 12)), ["src/shapes/report.py:7:5"]);
    let pi = live.definitions(json!({ "file_path": "src/shapes/round.py", "line": 13, "symbol_name": "pi" }));
    assert!(pi.len() == 1 && pi[0].contains("/stdlib/math"), "{pi:?}");
    assert!(live.line(&pi[0]).starts_with("pi: "), "{pi:?}");
    let (signature, documentation) = live.hover(at(UNICODE, 11, 43));
    assert!(signature.ends_with("total_area(shapes: Iterable[Shape]) -> float"), "{signature}");
    assert_eq!(documentation, "The sum of all areas.");
    let outline = live.outline(FLAT);
    for member in ["class Square 4:7", "class UnitSquare 14:7"] {
        assert!(outline.contains(&member.to_owned()), "{member}: {outline:?}");
    }
    let signature = live.ask("signature_help", at(REPORT, 8, 31));
    assert!(
        signature["signatures"][0]["label"].as_str().unwrap().contains("total_area(shapes: Iterable[Shape])"),
        "{signature}"
    );
    // What other programs write is seen.
    let late = "src/shapes/late.py";
    live.write(late, "from shapes.total import total_area\n\nlate = total_area([])\n");
    let found = live.references(at(TOTAL, 8, 5));
    assert!(
        ["src/shapes/late.py:1:26", "src/shapes/late.py:3:8"]
            .iter()
            .all(|use_| found.contains(&use_.to_string())),
        "{found:?}"
    );
    live.write(late, "");
    assert_eq!(live.references(at(TOTAL, 8, 5)), expected);
}

/// Clean, broken, fixed.
fn says_what_is_wrong(live: &mut Live, broken: &str, finding: &str) {
    let report = json!({ "file_paths": [REPORT] });
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    live.write(REPORT, broken);
    assert_eq!(live.check(report.clone()), ("issues".to_owned(), vec![finding.to_owned()]));
    live.write(REPORT, "fixed = 1\n");
    assert_eq!(live.check(report), ("clean".to_owned(), Vec::new()));
}

#[test]
fn jedi_finds_its_way() {
    let mut live = over(PYTHON).variable(DISABLED, all_but("jedi-language-server")).start();
    finds_its_way(&mut live, "jedi-language-server");
    // The project has no more files than it looks into.
    assert_eq!(live.symbols(json!({ "query": "größe" })), ["function größe src/shapes/unicode_names.py:7:5"]);
    says_what_is_wrong(&mut live, "x = = 1\n", "src/shapes/report.py:1:5 error -");
    live.end();
}

#[test]
fn pylsp_finds_its_way() {
    let mut live = over(PYTHON).variable(DISABLED, all_but("pylsp")).start();
    finds_its_way(&mut live, "pylsp");
    // Through pyflakes, which is installed with it.
    says_what_is_wrong(&mut live, "print(nobody)\n", "src/shapes/report.py:1:7 error -");
    live.end();
}

#[test]
fn who_searches_only_some_files_says_so() {
    let mut fixture =
        "//- /pyproject.toml\n//- /util.py\ndef ok(): ...\n\n\ndef common(): ...\n\n\ndef rare(): ...\n"
            .to_owned();
    for number in 0..40 {
        write!(fixture, "//- /use_{number:02}.py\nimport util\n\nutil.ok()\nutil.common()\n").unwrap();
    }
    fixture += "//- /one.py\nimport util\n\nutil.rare()\n\nx = 1\nprint(x)\n";
    for id in BOTH {
        let mut live = over(&fixture).variable(DISABLED, all_but(id)).start();
        let not_checked = json!({ "state": "partial", "reason": "not_checked" });
        for (line, why) in
            [(1, "fewer than 3 letters"), (4, "reads 30 other files with a name, and more have this one")]
        {
            let found = live.get("find_references", at("util.py", line, 5));
            assert_eq!(
                (&found["completeness"], warnings(&found)),
                (&not_checked, vec!["files_not_searched"]),
                "{id}"
            );
            let message = found["warnings"][0]["message"].as_str().unwrap();
            assert!(message.starts_with(id) && message.contains(why), "{message}");
            let renamed =
                live.refused("rename_symbol", with(at("util.py", line, 5), json!({ "new_name": "changed" })));
            assert_eq!(renamed["error"]["data"]["kind"], "files_not_searched", "{id}: {renamed:#}");
            let place =
                json!({ "file_path": "util.py", "symbol_name": if line == 1 { "ok" } else { "common" } });
            let deleted = live.refused("edit_symbol", with(place, json!({ "operation": "delete" })));
            assert_eq!(deleted["error"]["data"]["kind"], "uses_unknown", "{id}: {deleted:#}");
        }
        // Nobody else has this short one.
        let only = live.ask("find_references", at("one.py", 5, 1));
        assert_eq!(uses(&only), ["one.py:5:1!", "one.py:6:7"], "{id}");
        let rare = live.ask("find_references", at("util.py", 7, 5));
        assert_eq!(uses(&rare), ["one.py:3:6", "util.py:7:5!"], "{id}");
        let found =
            live.get("find_symbol", json!({ "query": "o", "match": "prefix", "kinds": ["function"] }));
        assert_eq!(symbol_rows(&found), ["function ok util.py:1:5"], "{id}");
        live.end();
    }
}

/// Each of these was found to be left out by both.
#[test]
fn who_passes_files_by_says_so() {
    let fixture = "//- /pyproject.toml\n//- /.gitignore\nsecret/\n!other/secret\n//- /util.py
def common(width, other):
    i = width
    return i, other


def shared(): ...
//- /by_name.py\nimport util\n\nutil.common(width=1, other=2)\ni = 3\n//- /venv/inside.py\nimport util\n\nutil.shared()\n";
    for id in BOTH {
        let mut live = over(fixture).variable(DISABLED, all_but(id)).start();
        let given = live.get("find_references", at("util.py", 1, 12));
        assert_eq!(warnings(&given), ["files_not_searched"], "{id}");
        let message = given["warnings"][0]["message"].as_str().unwrap();
        assert!(message.ends_with("by_name.py may give this one by name"), "{message}");
        assert_eq!(uses(&given), ["util.py:1:12!", "util.py:2:9"], "{id}: they are not found");
        // Nobody reaches what is bound in a function, however short its name.
        let local = live.ask("find_references", at("util.py", 2, 5));
        assert_eq!(uses(&local), ["util.py:2:5!", "util.py:3:12"], "{id}");
        let passed = live.get("find_references", at("util.py", 6, 5));
        assert_eq!(uses(&passed), ["util.py:6:5!"], "{id}");
        let message = passed["warnings"][0]["message"].as_str().unwrap();
        assert!(message.contains("does not look into venv/inside.py"), "{message}");
        live.end();
    }
}

/// Its interpreter is run, because nobody can have put it into what was cloned.
#[test]
fn the_projects_environment_is_found() {
    for id in BOTH {
        let tree = tree(&format!("{PYTHON_VENV}//- /.gitignore\n.venv\n"));
        commit(tree.root());
        let library = python_environment(tree.root(), ".venv");
        let shown = library.strip_prefix(tree.root()).unwrap().display().to_string();
        let mut live = over_tree(tree).variable(DISABLED, all_but(id)).start();
        assert_eq!(live.definitions(at("app.py", 3, 11)), [format!("{shown}:1:5")], "{id}");
        live.end();
    }
}
