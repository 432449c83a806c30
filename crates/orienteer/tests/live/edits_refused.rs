//! What is not changed: targets that are no names, names that are none, plans that are old.

use orienteer_testkit::workspaces::{C, PYTHON, RUST, TYPESCRIPT};
use orienteer_testkit::{Framing, Server, tools, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;
use crate::c::program;
use crate::edits::{plan_id, planned};
use crate::support::{Live, at, over, over_tree, with};
use crate::trees::State;

const LIB: &str = "crates/geometry/src/lib.rs";

/// `kind` and `data.kind` of a refusal that changed nothing and says what to do.
fn refused(live: &mut Live, tool: &str, arguments: Value) -> (String, String) {
    let before = State::of(live.tree.root());
    let answer = live.refused(tool, arguments.clone());
    assert_eq!(State::of(live.tree.root()), before, "{arguments}");
    assert!(!answer["next_steps"].as_array().unwrap().is_empty(), "{arguments}: {answer:#}");
    let error = &answer["error"];
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    (text(&error["kind"]), text(&error["data"]["kind"]))
}

fn rename(target: Value, new_name: &str) -> Value {
    with(target, json!({ "new_name": new_name, "dry_run": false }))
}

fn both(kind: &str, detail: &str) -> (String, String) {
    (kind.to_owned(), detail.to_owned())
}

#[test]
fn places_that_are_no_names() {
    let mut live = over(RUST).start();
    for (what, line, column, expected) in [
        ("a comment", 10, 13, both("not_found", "no_symbol_here")),
        ("a string", 15, 18, both("not_found", "no_symbol_here")),
        ("a keyword", 14, 5, both("not_found", "no_symbol_here")),
        ("a blank", 14, 1, both("not_found", "no_symbol_here")),
        ("right behind a name", 14, 16, both("not_found", "no_symbol_here")),
        ("an empty line", 2, 1, both("not_found", "no_symbol_here")),
        ("a line that is not there", 999, 1, both("invalid_params", "no_such_line")),
        ("a column that is not there", 14, 400, both("invalid_params", "no_such_column")),
    ] {
        assert_eq!(
            refused(&mut live, "rename_symbol", rename(at(LIB, line, column), "other")),
            expected,
            "{what}"
        );
    }
    for (what, target, expected) in [
        ("several", json!({ "symbol_name": "area" }), both("ambiguous", "-")),
        (
            "nearby",
            json!({ "file_path": LIB, "line": 50, "symbol_name": "total_area" }),
            both("not_found", "inexact_target"),
        ),
        (
            "a use",
            json!({ "file_path": "crates/app/src/main.rs", "symbol_name": "total_area" }),
            both("not_found", "inexact_target"),
        ),
        (
            "another word at the place",
            json!({ "file_path": LIB, "line": 48, "column": 8, "symbol_name": "largest" }),
            both("not_found", "inexact_target"),
        ),
        ("nothing of that name", json!({ "symbol_name": "nowhere" }), both("not_found", "unknown_symbol")),
        ("what the language has", at(LIB, 11, 23), both("not_found", "not_renameable")),
    ] {
        assert_eq!(refused(&mut live, "rename_symbol", rename(target, "other")), expected, "{what}");
    }
    live.end();
}

#[test]
fn names_that_are_none() {
    let mut live = over(RUST).start();
    let illegal = both("invalid_params", "illegal_name");
    for name in ["", " ", "a b", "a\nb", "1st", "a-b", "a.b", "a::b", "x()", &"x".repeat(300)] {
        assert_eq!(refused(&mut live, "rename_symbol", rename(at(LIB, 48, 8), name)), illegal, "{name:?}");
    }
    let same = both("invalid_params", "same_name");
    assert_eq!(refused(&mut live, "rename_symbol", rename(at(LIB, 48, 8), "total_area")), same);
    live.end();
}

#[test]
fn a_server_that_does_not_know_all_of_the_project_yet() {
    let mut live = over(RUST).start();
    let arguments = with(rename(at(LIB, 48, 8), "sum_of"), json!({ "wait_ms": 0 }));
    let before = State::of(live.tree.root());
    let answer = live.refused("rename_symbol", arguments);
    assert_eq!(answer["error"]["kind"], "not_ready", "{answer:#}");
    assert!(answer["error"]["retry_after_ms"].as_u64() > Some(0), "{answer:#}");
    let step = &answer["next_steps"][0];
    assert_eq!(
        (&step["tool"], &step["arguments"]["dry_run"]),
        (&json!("rename_symbol"), &json!(true)),
        "a step is safe"
    );
    assert_eq!(State::of(live.tree.root()), before);
    let shown = live.ask("rename_symbol", step["arguments"].clone());
    assert_eq!(planned(&shown), ["crates/app/src/main.rs 3", "crates/geometry/src/lib.rs 2"]);
    live.end();
}

#[test]
fn a_server_that_cannot_see_all_of_the_project() {
    let tree = orienteer_testkit::tree(RUST);
    tree.write("crates/noise/Cargo.toml", "[package\n");
    let mut live = over_tree(tree).start();
    let (kind, detail) = refused(&mut live, "rename_symbol", rename(at(LIB, 48, 8), "sum_of"));
    assert_eq!((kind.as_str(), detail.as_str()), ("not_ready", "server_degraded"));
    live.end();
}

#[test]
fn a_keyword_that_the_server_would_take() {
    let mut live = over(PYTHON).start();
    let target = at("src/shapes/total.py", 8, 5);
    let illegal = both("invalid_params", "illegal_name");
    assert_eq!(refused(&mut live, "rename_symbol", rename(target, "class")), illegal);
    live.end();
}

#[test]
fn plans_that_are_old() {
    let mut live = over(TYPESCRIPT).start();
    let total = at("packages/core/src/total.ts", 4, 17);
    let show =
        |live: &mut Live| live.ask("rename_symbol", with(total.clone(), json!({ "new_name": "sumOf" })));
    // A file of the plan changed meanwhile.
    let shown = show(&mut live);
    live.edit("packages/core/src/index.ts", "export type", "export  type");
    let apply = json!({ "plan_id": plan_id(&shown) });
    let before = State::of(live.tree.root());
    let stale = live.refused("apply_edits", apply.clone());
    assert_eq!(stale["error"]["kind"], "stale_plan", "{stale:#}");
    assert_eq!(stale["error"]["data"]["files"], json!(["packages/core/src/index.ts"]));
    assert_eq!(State::of(live.tree.root()), before);
    assert_eq!(
        refused(&mut live, "apply_edits", with(apply.clone(), json!({ "diagnostics": true }))).0,
        "stale_plan"
    );
    assert_eq!(refused(&mut live, "apply_edits", with(apply, json!({ "simulate": true }))).0, "stale_plan");
    // Applied twice.
    let shown = show(&mut live);
    let apply = json!({ "plan_id": plan_id(&shown) });
    let applied = live.get("apply_edits", apply.clone());
    let again = live.refused("apply_edits", apply.clone());
    assert_eq!(again["error"]["data"]["kind"], "already_applied", "{again:#}");
    assert_eq!(again["error"]["data"]["journal_id"], applied["journal_id"]);
    live.get("undo_edits", json!({ "count": 1 }));
    assert_eq!(State::of(live.tree.root()), before);
    assert_eq!(refused(&mut live, "apply_edits", apply), both("stale_plan", "already_applied"));
    // Never made.
    let unknown = json!({ "plan_id": "plan-0000000000000000" });
    assert_eq!(refused(&mut live, "apply_edits", unknown), both("not_found", "no_such_plan"));
    // Undone only when nothing has happened since.
    let shown = show(&mut live);
    live.get("apply_edits", json!({ "plan_id": plan_id(&shown) }));
    live.edit("packages/core/src/total.ts", "The sum", "A sum");
    assert_eq!(refused(&mut live, "undo_edits", json!({})).0, "stale_plan");
    live.end();
}

#[test]
fn what_the_caller_saw_is_what_is_changed() {
    let mut live = over_tree(program(C)).start();
    let push = at("src/main.c", 7, 5);
    let shown = live.ask("rename_symbol", with(push.clone(), json!({ "new_name": "stack_put" })));
    let files = shown["plan"]["files"].as_array().unwrap();
    let mut seen: serde_json::Map<String, Value> = files
        .iter()
        .map(|file| (file["file_path"].as_str().unwrap().to_owned(), file["before_sha256"].clone()))
        .collect();
    let ask = |live: &mut Live, seen: &serde_json::Map<String, Value>| {
        let more = json!({ "expected_before_sha256": seen });
        live.raw("rename_symbol", with(rename(push.clone(), "stack_put"), more))
    };
    let header = seen.remove("include/stack.h").unwrap();
    let refused = ask(&mut live, &seen);
    assert_eq!(refused["error"]["data"]["kind"], "unlisted_files", "{refused:#}");
    assert_eq!(refused["error"]["data"]["files"], json!(["include/stack.h"]));
    seen.insert("include/stack.h".to_owned(), json!("0".repeat(64)));
    let refused = ask(&mut live, &seen);
    assert_eq!(refused["error"]["kind"], "stale_plan", "{refused:#}");
    assert_eq!(refused["error"]["data"]["files"], json!(["include/stack.h"]));
    seen.insert("include/stack.h".to_owned(), json!("abc"));
    assert_eq!(ask(&mut live, &seen)["error"]["data"]["field"], "expected_before_sha256");
    seen.insert("include/stack.h".to_owned(), header);
    let done = ask(&mut live, &seen);
    assert_eq!((&done["ok"], &done["applied"]), (&json!(true), &json!(true)), "{done:#}");
    live.end();
}

#[test]
fn of_two_clients_one_wins() {
    let mut first = over_tree(program(C)).start();
    let root = first.tree.root().to_path_buf();
    let path = tools::server_path();
    let variables = [("PATH", path.to_str().unwrap())];
    let args = ["--toolsets", "all", "--log-level", "warn"];
    let mut second = Server::start_with(ORIENTEER, &root, &args, &variables, Framing::Lines);
    second.initialize("2025-11-25");
    let push = at("src/main.c", 7, 5);
    let ask = |name: &str| with(push.clone(), json!({ "new_name": name }));
    let one = first.ask("rename_symbol", ask("stack_put"));
    let other = second.call("rename_symbol", ask("stack_add"))["structuredContent"].clone();
    assert_eq!(planned(&one), planned(&other));
    let begin = |server: &mut Server, answer: &Value| {
        let arguments = json!({ "plan_id": plan_id(answer) });
        server.begin("tools/call", json!({ "name": "apply_edits", "arguments": arguments }))
    };
    let ids = (begin(&mut first.server, &one), begin(&mut second, &other));
    let answers = [first.server.answer(ids.0), second.answer(ids.1)];
    let answers = answers.map(|answer| answer["result"]["structuredContent"].clone());
    let won: Vec<bool> = answers.iter().map(|answer| answer["ok"] == json!(true)).collect();
    assert_eq!(won.iter().filter(|won| **won).count(), 1, "{answers:#?}");
    let (winner, loser) = if won[0] { ("stack_put", 1) } else { ("stack_add", 0) };
    assert_eq!(answers[loser]["error"]["kind"], "stale_plan", "{:#}", answers[loser]);
    for file in ["include/stack.h", "src/main.c", "src/stack.c"] {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        assert!(text.contains(winner) && !text.contains("stack_push"), "{file}: {text}");
        assert_eq!(text.contains("stack_put"), won[0], "{file}: a mixture");
    }
    first.end();
}

#[test]
fn a_name_that_goes_by_another_elsewhere() {
    let files = "//- /package.json\n{ \"name\": \"names\" }\n//- /tsconfig.json\n{ \"include\": [\"src\"] }\n\
                 //- /src/a.ts\nconst hid = 1;\nconst seen = 2;\nexport { hid as pub, seen };\n\
                 //- /src/b.ts\nimport { pub } from \"./a\";\nconsole.log(pub);\n";
    let mut live = over_tree(tree(files)).start();
    let before = State::of(live.tree.root());
    // The server would write the new name in the place of the other one.
    let found = refused(&mut live, "rename_symbol", rename(at("src/a.ts", 1, 7), "zzz"));
    assert_eq!(found, both("unsupported", "renames_others"));
    // One that is there already is told.
    let mut arguments = at("src/a.ts", 2, 7);
    arguments["new_name"] = json!("hid");
    let taken = live.ask("rename_symbol", arguments);
    assert!(taken["warnings"].to_string().contains("name_taken"), "{taken:#}");
    assert_eq!(State::of(live.tree.root()), before);
    live.end();
}
