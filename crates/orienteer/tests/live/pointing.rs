//! Pointing at code: one match is used, several are told, nothing is guessed.

use orienteer_testkit::tools;
use orienteer_testkit::workspaces::TYPESCRIPT;
use serde_json::{Value, json};

use crate::support::{Live, at, named, over, spots, warnings, with};
use crate::typescript::{CIRCLE, EMOJI, REPORT, TOTAL, TOTAL_AREA, VIEW};

const AREA: &str = "packages/core/src/circle.ts:7:3";

/// Every step that names a tool runs as it is given.
pub(crate) fn steps_run(live: &mut Live, refused: &Value) -> usize {
    let steps = refused["next_steps"].as_array().unwrap_or_else(|| panic!("no steps: {refused:#}")).clone();
    assert!(!steps.is_empty(), "{refused:#}");
    let mut ran = 0;
    for step in steps.iter().filter(|step| step["kind"] == "tool") {
        live.get(step["tool"].as_str().unwrap(), step["arguments"].clone());
        ran += 1;
    }
    ran
}

#[test]
fn names_lines_and_occurrences() {
    let mut live = over(TYPESCRIPT).path(tools::ts7_path()).start();
    // A name alone, and name paths in three spellings.
    assert_eq!(live.definitions(named("totalArea")), ["packages/core/src/total.ts:4:17"]);
    for path in ["Circle::area", "Circle.area", "Circle/area"] {
        assert_eq!(live.definitions(named(path)), [AREA], "{path}");
    }
    // A file and a name: what it defines, else what it uses.
    assert_eq!(live.definitions(json!({ "file_path": CIRCLE, "symbol_name": "area" })), [AREA]);
    let used = live.ask("find_definition", json!({ "file_path": REPORT, "symbol_name": "totalArea" }));
    assert_eq!(spots(&used["definitions"]), ["packages/core/src/total.ts:4:17"]);
    assert_eq!(warnings(&used), ["use_taken"]);
    // A line and a name; the second of two on one line; the nearest line that has it.
    assert_eq!(
        live.references(json!({ "file_path": EMOJI, "line": 6, "symbol_name": "totalArea" })),
        TOTAL_AREA
    );
    let second =
        live.ask("hover", json!({ "file_path": TOTAL, "line": 5, "symbol_name": "sum", "occurrence": 2 }));
    assert_eq!(second["range"]["column"], 40);
    let moved = live.ask("find_definition", json!({ "file_path": REPORT, "line": 3, "symbol_name": "sum" }));
    assert_eq!(
        (spots(&moved["definitions"]), warnings(&moved)),
        (vec!["packages/web/src/report.ts:5:9".to_owned()], vec!["position_moved"])
    );
    // A place right behind a word belongs to it.
    assert_eq!(live.definitions(at(REPORT, 5, 24)), ["packages/core/src/total.ts:4:17"]);
    let kind = json!({ "symbol_name": "Shape", "symbol_kind": "interface" });
    assert_eq!(live.definitions(kind), ["packages/core/src/shape.ts:2:18"]);
    live.end();
}

#[test]
fn what_cannot_be_meant() {
    let mut live = over(TYPESCRIPT).path(tools::ts7_path()).start();
    // Several: told with ids that then work.
    let several = live.refused("find_definition", named("area"));
    assert_eq!(several["error"]["kind"], "ambiguous");
    let ids = json!([
        "packages/core/src/circle.ts#Circle/area",
        "packages/core/src/shape.ts#Shape/area",
        "packages/core/src/square.ts#Square/area"
    ]);
    assert_eq!(several["error"]["data"]["candidates"], ids);
    assert_eq!(steps_run(&mut live, &several), 3);
    assert_eq!(live.definitions(json!({ "symbol_id": ids[0] })), [AREA]);
    // In text, too, the ids are readable.
    live.refused("hover", named("area"));
    assert!(live.text.contains("packages/core/src/square.ts#Square/area"), "{}", live.text);

    let missing = live.refused("find_references", named("totalAria"));
    assert_eq!(
        (&missing["error"]["kind"], &missing["error"]["data"]["kind"]),
        (&json!("not_found"), &json!("unknown_symbol"))
    );
    assert!(steps_run(&mut live, &missing) >= 1);
    let gone = live.refused("hover", json!({ "symbol_id": "packages/core/src/circle.ts#Circle/girth" }));
    assert_eq!(
        (&gone["error"]["kind"], &gone["error"]["data"]["kind"]),
        (&json!("not_found"), &json!("unknown_symbol_id"))
    );
    for (arguments, kind) in [
        (at(REPORT, 500, 1), "no_such_line"),
        (at(REPORT, 5, 300), "no_such_column"),
        (
            json!({ "file_path": TOTAL, "line": 5, "symbol_name": "sum", "occurrence": 9 }),
            "no_such_occurrence",
        ),
        (json!({ "file_path": REPORT, "line": 5 }), "incomplete_target"),
        (json!({ "file_path": REPORT }), "incomplete_target"),
        (json!({}), "incomplete_target"),
    ] {
        let refused = live.refused("find_definition", arguments.clone());
        assert_eq!(
            (&refused["error"]["kind"], &refused["error"]["data"]["kind"]),
            (&json!("invalid_params"), &json!(kind)),
            "{arguments}"
        );
        steps_run(&mut live, &refused);
    }
    // As near above as below: nobody can say which.
    let between = live.refused("hover", json!({ "file_path": VIEW, "line": 5, "symbol_name": "totalArea" }));
    let error = &between["error"];
    assert_eq!((&error["kind"], &error["data"]["kind"]), (&json!("ambiguous"), &json!("ambiguous_line")));
    let far = live.refused("hover", json!({ "file_path": EMOJI, "line": 1, "symbol_name": "both" }));
    assert_eq!(far["error"]["kind"], "not_found", "{far}");
    let empty = live.refused("hover", at(REPORT, 2, 1));
    assert_eq!(
        (&empty["error"]["kind"], &empty["error"]["data"]["kind"]),
        (&json!("not_found"), &json!("no_symbol_here"))
    );
    // A hierarchy of something that is no function.
    let shape = live.refused("call_hierarchy", with(named("Shape"), json!({ "symbol_kind": "interface" })));
    assert_eq!(shape["error"]["kind"], "not_found", "{shape}");
    live.end();
}
