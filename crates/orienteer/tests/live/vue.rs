//! typescript-language-server with Vue's plugin.

use orienteer_testkit::workspaces::{VUE, VUE_BROKEN, file};
use orienteer_testkit::{tools, tree};
use serde_json::json;

use crate::support::{Start, at, named, over_tree, spots, uses, with};

const COUNTER: &str = "src/Counter.vue";
const APP: &str = "src/App.vue";

/// With Vue among what the project has installed: templates have their types from it.
fn project() -> Start {
    let tree = tree(VUE);
    let installed = tree.root().join("node_modules");
    std::fs::create_dir_all(&installed).unwrap();
    for package in ["vue", "@vue"] {
        std::os::unix::fs::symlink(tools::node_package(package), installed.join(package)).unwrap();
    }
    over_tree(tree)
}

#[test]
fn scripts_and_templates() {
    let mut live = project().start();
    for place in [at(COUNTER, 2, 10), at(COUNTER, 12, 36), at(APP, 5, 15)] {
        assert_eq!(live.definitions(place), ["src/double.ts:2:17"]);
    }
    assert_eq!(live.definitions(at(COUNTER, 12, 19)), ["src/Counter.vue:6:10"]);
    let double = live.ask("find_references", at(COUNTER, 12, 36));
    assert_eq!(
        uses(&double),
        [
            "src/App.vue:3:10",
            "src/App.vue:5:15",
            "src/Counter.vue:2:10",
            "src/Counter.vue:12:36",
            "src/double.ts:2:17!"
        ]
    );
    assert_eq!(double["server_id"], "vue");
    let start = live.references(at(COUNTER, 4, 29));
    assert_eq!(
        start,
        ["src/App.vue:9:13", "src/Counter.vue:4:29!", "src/Counter.vue:7:25", "src/Counter.vue:12:49"]
    );
    let hover = live.hover(at(COUNTER, 12, 36));
    assert!(
        hover.0.contains("double: (value: number) => number") && hover.1 == "Twice a number.",
        "{hover:?}"
    );
    let component = live.definitions(at(APP, 9, 4));
    assert!(component.len() == 1 && component[0].starts_with("src/Counter.vue:1:"), "{component:?}");
    live.end();
}

#[test]
fn outlines_come_from_the_scripts_and_say_so() {
    let mut live = project().start();
    let outline = live.get("document_symbols", json!({ "file_path": COUNTER }));
    assert_eq!(outline["completeness"], json!({ "state": "partial", "reason": "heuristic" }), "{outline:#}");
    let names: Vec<&str> =
        outline["symbols"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["props", "emit", "increment"], "{outline:#}");
    assert_eq!(outline["symbols"][2]["line"], 6);
    assert_eq!(
        live.definitions(with(named("increment"), json!({ "file_path": COUNTER }))),
        ["src/Counter.vue:6:10"]
    );
    live.end();
}

#[test]
fn findings_in_scripts_and_templates() {
    let mut live = project().start();
    let app = json!({ "file_paths": [APP] });
    assert_eq!(live.check(app.clone()), ("clean".to_owned(), Vec::new()));
    live.write(APP, VUE_BROKEN);
    assert_eq!(
        live.check(app.clone()),
        (
            "issues".to_owned(),
            vec!["src/App.vue:5:22 error 2345".to_owned(), "src/App.vue:9:13 error 2322".to_owned()]
        )
    );
    live.write(APP, file(VUE, APP));
    assert_eq!(live.check(app), ("clean".to_owned(), Vec::new()));
    live.edit("src/double.ts", "/** Twice a number. */\n", "/** Twice\n * a number. */\n");
    assert_eq!(live.definitions(at(COUNTER, 12, 36)), ["src/double.ts:3:17"]);
    live.end();
}

#[test]
fn a_rename_goes_through_templates() {
    let mut live = project().start();
    let done = live
        .ask("rename_symbol", with(at(COUNTER, 12, 36), json!({ "new_name": "twice", "dry_run": false })));
    assert_eq!(done["applied"], true, "{done:#}");
    for (spot, line) in [
        ("src/double.ts:2:1", "export function twice(value: number): number {"),
        ("src/Counter.vue:2:1", "import { twice } from \"./double\";"),
        ("src/Counter.vue:12:1", "  <button @click=\"increment(1)\">{{ twice(props.start) }}</button>"),
        ("src/App.vue:5:1", "const first = twice(2);"),
    ] {
        assert_eq!(live.line(spot), line);
    }
    assert_eq!(spots(&live.get("find_references", at(APP, 5, 15))["unconfirmed"]), [""; 0]);
    live.end();
}
