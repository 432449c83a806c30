//! Renaming with real servers: shown first, done as shown, seen at once, agreed to by the project's own compiler, and
//! taken back byte for byte.

use orienteer_testkit::workspaces::{C, PYTHON, RUST, TYPESCRIPT};
use orienteer_testkit::{tools, tree};
use serde_json::{Value, json};

use crate::c::program;
use crate::support::{Live, at, over, over_tree, spot};
use crate::trees::{Compiler, State};

/// Files of a plan as `path edits`.
pub(crate) fn planned(answer: &Value) -> Vec<String> {
    let files = answer["plan"]["files"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    files.iter().map(|file| format!("{} {}", file["file_path"].as_str().unwrap(), file["edits"])).collect()
}

pub(crate) fn plan_id(answer: &Value) -> String {
    answer["plan"]["plan_id"].as_str().unwrap_or_else(|| panic!("{answer:#}")).to_owned()
}

/// What stays behind as text.
fn unconfirmed(answer: &Value) -> Vec<String> {
    answer["plan"]["unconfirmed"].as_array().unwrap().iter().map(spot).collect()
}

/// Shows a rename, does it, asks about the new name, takes it back; the compiler agrees each time.
fn there_and_back(
    live: &mut Live,
    target: Value,
    new_name: &str,
    files: &[&str],
    compiler: &Compiler,
) -> Value {
    let root = live.tree.root().to_path_buf();
    compiler.agrees(&root);
    let before = State::of(&root);
    let mut arguments = target;
    arguments["new_name"] = json!(new_name);
    let shown = live.ask("rename_symbol", arguments);
    assert_eq!(planned(&shown), files, "{shown:#}");
    assert_eq!(shown["applied"], false);
    assert_eq!(State::of(&root), before, "a preview writes nothing");
    for file in shown["plan"]["files"].as_array().unwrap() {
        let path = file["file_path"].as_str().unwrap();
        assert_eq!(file["before_sha256"], json!(before.sha256(path)), "{path}");
        let diff = file["diff"].as_str().unwrap();
        assert!(diff.starts_with(&format!("--- a/{path}\n")), "{diff}");
    }
    assert!(live.text.contains(new_name) && live.text.contains("apply_edits plan-"), "{}", live.text);

    let applied = live.get("apply_edits", json!({ "plan_id": plan_id(&shown) }));
    assert_eq!(applied["applied"], true);
    let after = State::of(&root);
    assert_ne!(after, before);
    compiler.agrees(&root);
    let id = applied["journal_id"].as_str().unwrap();

    let undone = live.get("undo_edits", json!({ "journal_id": id }));
    assert_eq!((&undone["applied"], &undone["undone"]), (&json!(true), &json!([id])));
    assert_eq!(State::of(&root), before, "byte for byte");
    compiler.agrees(&root);
    let again = live.refused("undo_edits", json!({ "journal_id": id }));
    assert_eq!(again["error"]["data"]["kind"], "already_undone", "{again:#}");
    shown
}

#[test]
fn rust_across_crates() {
    let tree = tree(RUST);
    tree.write("docs/notes.md", "`total_area` adds.\n");
    let mut live = over_tree(tree).start();
    let files = ["crates/app/src/main.rs 3", "crates/geometry/src/lib.rs 2"];
    let shown = there_and_back(
        &mut live,
        json!({ "symbol_name": "total_area" }),
        "sum_of_areas",
        &files,
        &Compiler::Cargo,
    );
    assert_eq!(shown["server_id"], "rust-analyzer");
    assert_eq!(unconfirmed(&shown), ["docs/notes.md:1:2"]);
    assert_eq!(shown["plan"]["unconfirmed_count"], 1);
    // The servers have seen it when the call returns.
    let done = live.ask(
        "rename_symbol",
        json!({ "symbol_name": "total_area", "new_name": "sum_of_areas", "dry_run": false }),
    );
    assert_eq!((&done["applied"], &done["plan"]["plan_id"]), (&json!(true), &Value::Null));
    let uses = live.references(at("crates/app/src/main.rs", 16, 15));
    assert_eq!(
        uses,
        [
            "crates/app/src/main.rs:3:32",
            "crates/app/src/main.rs:9:28",
            "crates/app/src/main.rs:16:15",
            "crates/geometry/src/lib.rs:48:8!",
            "crates/geometry/src/lib.rs:63:20",
        ]
    );
    live.get("undo_edits", json!({}));
    assert_eq!(live.references(at("crates/app/src/main.rs", 16, 15)).len(), 5);
    live.end();
}

#[test]
fn a_rust_module_takes_its_file_along() {
    let mut live = over(RUST).start();
    let before = State::of(live.tree.root());
    let mut arguments = at("crates/geometry/src/lib.rs", 5, 9);
    arguments["new_name"] = json!("letters");
    let shown = live.ask("rename_symbol", arguments.clone());
    let (old, new) = ("crates/geometry/src/unicode.rs", "crates/geometry/src/letters.rs");
    assert_eq!(shown["plan"]["operations"], json!([{ "kind": "rename", "file_path": old, "new_path": new }]));
    assert_eq!(
        planned(&shown),
        ["crates/app/src/main.rs 1", "crates/geometry/src/lib.rs 1", &format!("{old} 0")]
    );
    live.get("apply_edits", json!({ "plan_id": plan_id(&shown) }));
    let root = live.tree.root().to_path_buf();
    assert!(!root.join(old).exists() && root.join(new).exists());
    Compiler::Cargo.agrees(&root);
    assert_eq!(live.definitions(at("crates/app/src/main.rs", 10, 39)), [format!("{new}:19:8")]);
    live.get("undo_edits", json!({}));
    assert_eq!(State::of(&root), before);
    Compiler::Cargo.agrees(&root);
    // There and back without a question between: a file that is there again is not waited for to be forgotten.
    let again = live.ask("rename_symbol", arguments.clone());
    live.get("apply_edits", json!({ "plan_id": plan_id(&again) }));
    live.get("undo_edits", json!({}));
    assert_eq!(planned(&live.ask("rename_symbol", arguments)), planned(&shown));
    live.end();
}

#[test]
fn typescript_across_packages() {
    let tree = tree(TYPESCRIPT);
    tree.write(
        "packages/web/src/one.ts",
        "import { Square } from \"@shapes/core\";\nexport const one = new Square(1).area();\n",
    );
    let mut live = over_tree(tree).start();
    let files = [
        "packages/core/src/circle.ts 1",
        "packages/core/src/shape.ts 1",
        "packages/core/src/square.ts 1",
        "packages/core/src/total.ts 1",
        "packages/web/src/one.ts 1",
    ];
    let shown = there_and_back(
        &mut live,
        at("packages/core/src/shape.ts", 4, 3),
        "surface",
        &files,
        &Compiler::TypeScript,
    );
    // The word in the comments.
    assert_eq!(unconfirmed(&shown), ["packages/core/src/shape.ts:1:23", "packages/core/src/shape.ts:3:11"]);
    live.end();
}

#[test]
fn typescript_through_an_export_to_every_use() {
    let mut live = over(TYPESCRIPT).start();
    let files = [
        "packages/core/src/index.ts 1",
        "packages/core/src/total.ts 1",
        "packages/web/src/emoji.ts 2",
        "packages/web/src/report.ts 2",
        "packages/web/src/view.tsx 2",
    ];
    let shown = there_and_back(
        &mut live,
        at("packages/core/src/total.ts", 4, 17),
        "sumOf",
        &files,
        &Compiler::TypeScript,
    );
    assert_eq!(unconfirmed(&shown), [""; 0], "the old name is left nowhere");
    live.end();
}

#[test]
fn python_across_files() {
    let mut live = over(PYTHON).start();
    let files = [
        "src/shapes/__init__.py 2",
        "src/shapes/report.py 2",
        "src/shapes/total.py 1",
        "src/shapes/unicode_names.py 2",
        "tests/test_shapes.py 2",
    ];
    there_and_back(&mut live, at("src/shapes/total.py", 8, 5), "sum_of_areas", &files, &Compiler::Pyright);
    live.end();
}

#[test]
fn c_with_its_header() {
    let mut live = over_tree(program(C)).start();
    let files = ["include/stack.h 1", "src/main.c 2", "src/stack.c 1"];
    there_and_back(&mut live, at("src/main.c", 7, 5), "stack_put", &files, &Compiler::C);
    live.end();
}

#[test]
fn line_ends_marks_modes_and_links_stay_as_they_are() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let tree = program(&orienteer_testkit::workspaces::crlf(C));
    let root = tree.root().to_path_buf();
    let main = root.join("src/main.c");
    let text = std::fs::read_to_string(&main).unwrap();
    std::fs::write(&main, format!("\u{feff}{text}")).unwrap();
    std::fs::set_permissions(&main, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Reached through a link, which stays one.
    symlink("main.c", root.join("src/alias.c")).unwrap();
    let before = State::of(&root);
    let mut live = over_tree(tree).start();
    let mut arguments = at("src/alias.c", 7, 5);
    arguments["new_name"] = json!("stack_put");
    let shown = live.ask("rename_symbol", arguments);
    assert_eq!(planned(&shown), ["include/stack.h 1", "src/main.c 2", "src/stack.c 1"]);
    live.get("apply_edits", json!({ "plan_id": plan_id(&shown) }));
    let expected = |text: &str| text.replace("stack_push", "stack_put");
    assert_eq!(std::fs::read_to_string(&main).unwrap(), format!("\u{feff}{}", expected(&text)));
    assert_eq!(main.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert!(root.join("src/alias.c").is_symlink());
    let header = std::fs::read_to_string(root.join("include/stack.h")).unwrap();
    assert!(header.contains("void stack_put(Stack *stack, int item);\r\n"), "{header:?}");
    assert_eq!(header.matches('\n').count(), header.matches("\r\n").count());
    Compiler::C.agrees(&root);
    live.get("undo_edits", json!({}));
    assert_eq!(State::of(&root), before);
    live.end();
}

#[test]
fn a_language_without_a_server_is_not_renamed_by_text() {
    let tree = tree("//- /a.lua\nlocal function old() end\nold()\n");
    let mut live =
        over_tree(tree).path(std::env::split_paths(&tools::server_path()).next().unwrap().into()).start();
    let refused = live.refused(
        "rename_symbol",
        json!({ "file_path": "a.lua", "line": 1, "column": 16, "new_name": "new" }),
    );
    let kind = refused["error"]["kind"].as_str().unwrap();
    assert!(["invalid_params", "server_unavailable"].contains(&kind), "{refused:#}");
    assert!(!refused["next_steps"].as_array().unwrap().is_empty());
    live.end();
}
