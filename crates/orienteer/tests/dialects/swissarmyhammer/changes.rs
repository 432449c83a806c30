//! Operations that change files: previews until somebody asks for more.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::RUST;
use serde_json::{Value, json};

use super::support::{Hammer, fields, over};

const MAIN: &str = "crates/app/src/main.rs";
const LIB: &str = "crates/geometry/src/lib.rs";
const CHANGE: [&str; 6] = ["applied", "changes", "journal_id", "operations", "plan_id", "title"];

fn rust() -> Hammer {
    over(tree(RUST)).start()
}

fn read(hammer: &Hammer, file: &str) -> String {
    std::fs::read_to_string(hammer.tree.root().join(file)).unwrap()
}

fn rename(name: &str) -> Value {
    json!({ "line": 48, "column": 8, "new_name": name })
}

fn documented(answer: &Value) {
    let names: Vec<&str> = fields(answer).into_iter().filter(|name| *name != "warnings").collect();
    assert_eq!(names, CHANGE, "{answer:#}");
}

#[test]
fn a_rename_is_shown_and_then_written_exactly_as_shown() {
    let mut hammer = rust();
    hammer.tree.write("NOTES.txt", "What total_area adds up.\n");
    let before = (read(&hammer, MAIN), read(&hammer, LIB));
    let shown = hammer.ask("rename", LIB, rename("sum_of_areas"));
    documented(&shown);
    let left = "the old name stays as text in 1 places: comments, strings, documentation";
    assert!(shown["warnings"].as_array().is_some_and(|all| all.contains(&json!(left))), "{shown:#}");
    assert_eq!(
        (&shown["applied"], &shown["title"]),
        (&json!(false), &json!("rename `total_area` to `sum_of_areas`"))
    );
    assert_eq!((read(&hammer, MAIN), read(&hammer, LIB)), before, "a preview writes nothing");
    let changes = shown["changes"].as_array().unwrap();
    let files: Vec<(&str, &Value)> =
        changes.iter().map(|change| (change["file_path"].as_str().unwrap(), &change["edits"])).collect();
    assert_eq!(files, [(hammer.at(MAIN).as_str(), &json!(3)), (hammer.at(LIB).as_str(), &json!(2))]);
    assert!(changes[1]["diff"].as_str().unwrap().contains("+pub fn sum_of_areas("), "{shown:#}");

    let plan = json!({ "plan_id": shown["plan_id"], "apply": true });
    let written = hammer.ask("rename", LIB, plan.clone());
    documented(&written);
    for field in ["title", "changes", "operations", "warnings"] {
        assert_eq!(written[field], shown[field], "what was written is what was shown");
    }
    assert_eq!(written["plan_id"], Value::Null, "it is used up");
    assert_eq!(
        (&written["applied"], written["changes"].as_array().unwrap().len()),
        (&json!(true), 2),
        "{written:#}"
    );
    assert!(written["journal_id"].is_string());
    assert!(read(&hammer, LIB).contains("pub fn sum_of_areas("));
    assert!(!read(&hammer, MAIN).contains("total_area"));
    let again = hammer.refused("rename", LIB, plan);
    assert!(["STALE_PLAN", "NOT_FOUND"].contains(&again["code"].as_str().unwrap()), "{again:#}");
    hammer.end();
}

#[test]
fn a_rename_is_written_at_once_when_asked_to() {
    let mut hammer = rust();
    let mut arguments = rename("sum_of_areas");
    arguments["apply"] = json!(true);
    let written = hammer.ask("rename", LIB, arguments);
    documented(&written);
    assert_eq!((&written["applied"], &written["plan_id"]), (&json!(true), &Value::Null));
    assert!(read(&hammer, MAIN).contains("let sum = sum_of_areas(shapes);"));
    hammer.end();
}

#[test]
fn a_plan_is_not_written_over_what_somebody_else_wrote() {
    let mut hammer = rust();
    let shown = hammer.ask("rename", LIB, rename("sum_of_areas"));
    hammer.tree.write(MAIN, "fn main() {}\n");
    let refused = hammer.refused("rename", LIB, json!({ "plan_id": shown["plan_id"], "apply": true }));
    assert_eq!(refused["code"], "STALE_PLAN", "{refused:#}");
    assert!(read(&hammer, LIB).contains("pub fn total_area("), "all or nothing");
    let wrong = hammer.refused("rename", LIB, json!({ "line": 48, "column": 8 }));
    assert_eq!((&wrong["code"], &wrong["details"]["field"]), (&json!("INVALID_PARAMS"), &json!("new_name")));
    hammer.end();
}

#[test]
fn formatting_is_shown_and_written() {
    let mut hammer = rust();
    let crooked = "fn  main( ){\nlet a=1 ;\n    println!(\"{}\",a);}\n";
    hammer.tree.write(MAIN, crooked);
    let shown = hammer.ask("format", MAIN, json!({}));
    documented(&shown);
    assert_eq!(
        (&shown["applied"], &shown["changes"][0]["file_path"]),
        (&json!(false), &json!(hammer.at(MAIN)))
    );
    assert_eq!(read(&hammer, MAIN), crooked);
    let written = hammer.ask("format", MAIN, json!({ "apply": true }));
    documented(&written);
    assert_eq!(written["applied"], true);
    assert_eq!(read(&hammer, MAIN), "fn main() {\n    let a = 1;\n    println!(\"{}\", a);\n}\n");
    hammer.end();
}

#[test]
fn actions_are_offered_shown_and_written() {
    let mut hammer = rust();
    hammer.tree.write(MAIN, "fn main() {\n    let shape: Circle;\n}\n");
    // Until everything that is wrong with the file is known, a fix may be missing, and the answer says so.
    let arguments = json!({ "operation": "actions", "file_path": hammer.at(MAIN), "line": 2, "column": 16 });
    let import = (0..100).find_map(|_| {
        let (offered, is_error) = hammer.raw(arguments.clone());
        if is_error {
            assert_eq!(offered["error"]["code"], "LSP_FILE_NOT_INDEXED", "{offered:#}");
            return None;
        }
        let actions = offered["actions"].as_array().unwrap();
        let is_import =
            |action: &&Value| action["title"].as_str().unwrap().contains("mport `geometry::Circle`");
        let import = actions.iter().find(is_import).cloned();
        assert!(import.is_some() || offered["warnings"].is_array(), "{offered:#}");
        import
    });
    let import = import.expect("the import is offered");
    assert!(import["action_id"].is_string() && import["kind"].is_string(), "{import}");
    let chosen = json!({ "line": 2, "column": 16, "action_id": import["action_id"] });
    let shown = hammer.ask("actions", MAIN, chosen.clone());
    documented(&shown);
    assert!(shown["changes"][0]["diff"].as_str().unwrap().contains("+use geometry::Circle;"), "{shown:#}");
    assert!(!read(&hammer, MAIN).contains("geometry"));
    let written = hammer.ask("actions", MAIN, json!({ "plan_id": shown["plan_id"], "apply": true }));
    documented(&written);
    assert_eq!(written["changes"], shown["changes"], "{written:#}");
    assert_eq!(written["applied"], true);
    assert!(read(&hammer, MAIN).contains("use geometry::Circle;"));
    hammer.end();
}

#[test]
fn nothing_is_changed_in_a_read_only_session() {
    let mut hammer = over(tree(RUST)).arg("--read-only").start();
    let mut renamed = rename("sum_of_areas");
    for apply in [false, true] {
        renamed["apply"] = json!(apply);
        for (operation, more) in [
            ("rename", renamed.clone()),
            ("format", json!({ "apply": apply })),
            ("actions", json!({ "apply": apply })),
        ] {
            let refused = hammer.refused(operation, LIB, more);
            assert_eq!(refused["code"], "READ_ONLY", "{operation}: {refused:#}");
        }
    }
    let defined = hammer.ask("definition", MAIN, json!({ "line": 16, "column": 15 }));
    assert_eq!(hammer.spots(&defined["definitions"]), ["crates/geometry/src/lib.rs:48:8"], "reading goes on");
    hammer.end();
}
