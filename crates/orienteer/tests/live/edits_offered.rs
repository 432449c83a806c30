//! What servers offer to do, and what checkers say of a change before and after it is made.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::{PYTHON, RUST, TYPESCRIPT};
use serde_json::{Value, json};

use crate::edits::{plan_id, planned};
use crate::support::{Live, at, findings, over, over_tree, trusted, with};
use crate::trees::{Compiler, State};

const VIEW: &str = "packages/web/src/view.tsx";
const TOTAL: &str = "packages/core/src/total.ts";
const EMOJI: &str = "packages/web/src/emoji.ts";

/// The id of the action with a title.
pub(crate) fn action(answer: &Value, title: &str) -> String {
    let actions = answer["actions"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    let found = actions.iter().find(|action| action["title"].as_str().unwrap().contains(title));
    found.unwrap_or_else(|| panic!("no {title}: {answer:#}"))["action_id"].as_str().unwrap().to_owned()
}

fn kinds(answer: &Value) -> Vec<&str> {
    answer["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|action| action["kind"].as_str().unwrap_or("-"))
        .collect()
}

#[test]
fn a_missing_import_is_added() {
    let mut live = over(TYPESCRIPT).start();
    let root = live.tree.root().to_path_buf();
    let good = State::of(&root);
    live.edit(EMOJI, "import { Square, totalArea }", "import { totalArea }");
    let before = State::of(&root);
    let asked = json!({ "file_path": EMOJI, "line": 6, "symbol_name": "Square", "kinds": ["quickfix"] });
    let offered = live.get("code_actions", asked.clone());
    assert!(kinds(&offered).iter().all(|kind| kind.starts_with("quickfix")), "{offered:#}");
    let id = action(&offered, "import");
    assert_eq!(
        live.get("code_actions", asked)["actions"],
        offered["actions"],
        "the same text has the same offers"
    );
    let shown = live.ask("code_actions", json!({ "action_id": id }));
    assert_eq!(planned(&shown), [format!("{EMOJI} 1")], "{shown:#}");
    assert_eq!(State::of(&root), before, "a preview writes nothing");
    let applied = live.get("apply_edits", json!({ "plan_id": plan_id(&shown), "diagnostics": true }));
    let delta = &applied["diagnostics_delta"];
    assert_eq!(applied["completeness"], json!({ "state": "complete" }), "{applied:#}");
    assert_eq!(findings(&delta["fixed"]), [format!("{EMOJI}:6:73 error 2304")], "{applied:#}");
    assert_eq!((&delta["new"], &delta["pending_files"]), (&json!([]), &json!([])));
    assert_ne!(State::of(&root), before);
    Compiler::TypeScript.agrees(&root);
    // Its text is another one now.
    let stale = live.refused("code_actions", json!({ "action_id": id }));
    assert_eq!(
        (&stale["error"]["kind"], &stale["error"]["data"]["kind"]),
        (&json!("stale_plan"), &json!("stale_action"))
    );
    live.get("undo_edits", json!({}));
    assert_eq!(State::of(&root), before);
    assert_ne!(before, good);
    live.end();
}

#[test]
fn imports_are_organised() {
    let mut live = over(TYPESCRIPT).start();
    let root = live.tree.root().to_path_buf();
    live.edit(VIEW, "import { Circle, Square, totalArea }", "import { totalArea, Square, Shape, Circle }");
    let before = State::of(&root);
    let asked = json!({ "file_path": VIEW, "kinds": ["source.organizeImports"] });
    let offered = live.get("code_actions", asked);
    assert_eq!(kinds(&offered), ["source.organizeImports.ts"], "kinds below it count: {offered:#}");
    let id = action(&offered, "");
    let done = live.ask("code_actions", json!({ "action_id": id, "dry_run": false }));
    assert_eq!(done["applied"], true, "{done:#}");
    let text = std::fs::read_to_string(root.join(VIEW)).unwrap();
    assert!(
        text.starts_with("import { Circle, Shape, Square, totalArea } from \"@shapes/core\";\n"),
        "{text}"
    );
    live.get("undo_edits", json!({}));
    assert_eq!(State::of(&root), before);
    live.end();
}

#[test]
fn a_compilers_own_fix() {
    let mut live = over_tree(trusted(RUST)).start();
    let root = live.tree.root().to_path_buf();
    let before = State::of(&root);
    let asked = json!({ "file_path": "crates/noise/src/lib.rs", "start_line": 3, "kinds": ["quickfix"], "wait_ms": 60_000 });
    let offered = live.get("code_actions", asked);
    let id = action(&offered, "underscore");
    let shown = live.get("code_actions", json!({ "action_id": id, "wait_ms": 60_000 }));
    let diff = shown["plan"]["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+    let _unused_number = 1;\n"), "{diff}");
    live.get("apply_edits", json!({ "plan_id": plan_id(&shown) }));
    Compiler::Cargo.agrees(&root);
    live.get("undo_edits", json!({}));
    assert_eq!(State::of(&root), before);
    live.end();
}

#[test]
fn offers_are_about_a_place() {
    let mut live = over(TYPESCRIPT).start();
    for (arguments, kind, detail) in [
        (json!({ "action_id": "action-0" }), "not_found", "no_such_action"),
        (json!({ "file_path": VIEW, "start_line": 400 }), "invalid_params", "no_such_line"),
        (json!({ "file_path": VIEW, "start_line": 3, "end_line": 2 }), "invalid_params", "contradiction"),
        (
            json!({ "file_path": VIEW, "start_line": 2, "start_column": 900 }),
            "invalid_params",
            "no_such_column",
        ),
        (json!({ "file_path": VIEW, "end_line": 2 }), "invalid_params", "missing_field"),
        (json!({ "start_line": 2 }), "invalid_params", "contradiction"),
        (json!({}), "invalid_params", "incomplete_target"),
    ] {
        let refused = live.refused("code_actions", arguments.clone());
        let error = &refused["error"];
        assert_eq!(
            (&error["kind"], &error["data"]["kind"]),
            (&json!(kind), &json!(detail)),
            "{arguments}: {refused:#}"
        );
    }
    let whole = live.get("code_actions", json!({ "file_path": VIEW, "line": 9 }));
    assert!(kinds(&whole).iter().any(|kind| kind.starts_with("refactor")), "{whole:#}");
    live.end();
}

/// A rename that collides: the server does it, and the checker finds it.
fn collision(live: &mut Live) -> String {
    let target = at(TOTAL, 5, 25);
    let shown = live.ask("rename_symbol", with(target, json!({ "new_name": "shape" })));
    plan_id(&shown)
}

#[test]
fn a_trial_shows_what_would_get_worse_and_writes_nothing() {
    let mut live = over(TYPESCRIPT).start();
    let root = live.tree.root().to_path_buf();
    let before = State::of(&root);
    let id = collision(&mut live);
    let tried = live.get("apply_edits", json!({ "plan_id": id, "simulate": true }));
    assert_eq!((&tried["applied"], tried.get("journal_id")), (&json!(false), None));
    let new = findings(&tried["diagnostics_delta"]["new"]);
    assert!(new.contains(&format!("{TOTAL}:5:25 error 2300")), "{tried:#}");
    assert_eq!(State::of(&root), before, "nothing is written");
    assert!(live.text.starts_with("Nothing is written."), "{}", live.text);
    // The servers are as they were.
    let check = json!({ "file_paths": [TOTAL, "packages/core/src/index.ts"] });
    assert_eq!(live.check(check).0, "clean");
    // What the trial said is what happens.
    let applied = live.get("apply_edits", json!({ "plan_id": id, "diagnostics": true }));
    assert_eq!(findings(&applied["diagnostics_delta"]["new"]), new, "{applied:#}");
    live.get("undo_edits", json!({}));
    assert_eq!(State::of(&root), before);
    live.end();
}

#[test]
fn what_reads_the_disk_is_not_covered_by_a_trial() {
    let mut live = over(RUST).start();
    let shown = live.ask("rename_symbol", json!({ "symbol_name": "total_area", "new_name": "sum_of" }));
    let arguments = json!({ "plan_id": plan_id(&shown), "simulate": true, "wait_ms": 60_000 });
    let tried = live.get("apply_edits", arguments);
    let not_covered = tried["diagnostics_delta"]["not_covered"].as_array().unwrap();
    assert!(not_covered.iter().any(|what| what.as_str().unwrap().contains("cargo check")), "{tried:#}");
    assert_eq!(tried["completeness"]["state"], "partial", "{tried:#}");
    live.end();
}

#[test]
fn a_change_of_what_nobody_checks_is_not_clean() {
    let tree = tree(PYTHON);
    let mut live = over_tree(tree).start();
    let target = at("src/shapes/total.py", 8, 5);
    let shown = live.ask("rename_symbol", with(target, json!({ "new_name": "sum_of" })));
    let applied = live.get("apply_edits", json!({ "plan_id": plan_id(&shown), "diagnostics": true }));
    let delta = &applied["diagnostics_delta"];
    assert_eq!((&delta["new"], &delta["fixed"]), (&json!([]), &json!([])), "{applied:#}");
    assert_eq!((&delta["pending_files"], &delta["not_covered"]), (&json!([]), &json!([])), "{applied:#}");
    live.end();
}
