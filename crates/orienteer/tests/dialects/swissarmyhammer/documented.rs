//! The document's example of every operation, on a Rust project with the real rust-analyzer.

use orienteer_testkit::fake::{Diagnostics, Rule, Script};
use orienteer_testkit::tree;
use orienteer_testkit::workspaces::{RUST, RUST_BROKEN};
use serde_json::{Value, json};

use super::crashes::fake;
use super::support::{Hammer, fields, over, place, trusted};

const MAIN: &str = "crates/app/src/main.rs";
const LIB: &str = "crates/geometry/src/lib.rs";

fn rust() -> Hammer {
    over(trusted(tree(RUST))).start()
}

#[test]
fn a_definition_has_its_path_line_column_and_preview() {
    let mut hammer = rust();
    let answer = hammer.ask("definition", MAIN, place(16, 15));
    assert_eq!(fields(&answer), ["definitions"], "{answer:#}");
    let row = json!({
        "file_path": hammer.at(LIB),
        "line": 48,
        "column": 8,
        "preview": "pub fn total_area(shapes: &[Box<dyn Shape>]) -> f64 {",
    });
    assert_eq!(answer["definitions"], json!([row]));
    // In a dependency: the standard library, read from where it is installed.
    let answer = hammer.ask("definition", LIB, place(42, 20));
    let path = answer["definitions"][0]["file_path"].as_str().unwrap();
    assert!(path.starts_with('/') && path.ends_with("map.rs"), "{answer:#}");
    assert!(answer["definitions"][0]["preview"].as_str().unwrap().contains("struct HashMap"), "{answer:#}");
    hammer.end();
}

#[test]
fn references_have_previews_as_they_stand_and_a_total() {
    let mut hammer = rust();
    let answer =
        hammer.ask("references", LIB, json!({ "line": 48, "column": 8, "include_declaration": true }));
    assert_eq!(fields(&answer), ["references", "total_count"], "{answer:#}");
    assert_eq!(
        hammer.spots(&answer["references"]),
        [
            "crates/app/src/main.rs:3:32",
            "crates/app/src/main.rs:9:28",
            "crates/app/src/main.rs:16:15",
            "crates/geometry/src/lib.rs:48:8",
            "crates/geometry/src/lib.rs:63:20",
        ]
    );
    assert_eq!(answer["total_count"], 5);
    let call = &answer["references"][2];
    assert_eq!(fields(call), ["column", "file_path", "is_declaration", "line", "preview"]);
    assert_eq!(call["preview"], "    let sum = total_area(shapes);", "untrimmed");
    let declared: Vec<&Value> =
        answer["references"].as_array().unwrap().iter().map(|row| &row["is_declaration"]).collect();
    assert_eq!(json!(declared), json!([false, false, false, true, false]));

    let without =
        hammer.ask("references", LIB, json!({ "line": 48, "column": 8, "include_declaration": false }));
    assert_eq!(without["total_count"], 4);
    assert!(!hammer.spots(&without["references"]).contains(&"crates/geometry/src/lib.rs:48:8".to_owned()));
    let usual = hammer.ask("references", LIB, place(48, 8));
    assert_eq!(usual["total_count"], 5, "the declaration is included unless somebody says otherwise");
    hammer.end();
}

#[test]
fn diagnostics_have_every_documented_field_and_a_summary() {
    let mut hammer = rust();
    hammer.tree.write(MAIN, RUST_BROKEN);
    let answer = hammer.ask("diagnostics", MAIN, json!({ "severity_filter": "error" }));
    let rows = answer["diagnostics"].as_array().unwrap();
    let row = rows.iter().find(|row| row["code"] == "E0308").unwrap_or_else(|| panic!("{answer:#}"));
    assert_eq!(hammer.spot(row), "crates/app/src/main.rs:5:23");
    assert_eq!(
        (&row["end_line"], &row["end_column"], &row["severity"]),
        (&json!(5), &json!(29), &json!("error"))
    );
    assert!(row["message"].as_str().unwrap().contains("expected"), "{row:#}");
    assert_eq!(row["source"], "rustc", "{row:#}");
    let names = [
        "code",
        "column",
        "end_column",
        "end_line",
        "file_path",
        "line",
        "message",
        "related",
        "severity",
        "source",
    ];
    assert_eq!(fields(row), names);
    for related in rows.iter().flat_map(|row| row["related"].as_array().unwrap()) {
        assert_eq!(fields(related), ["file_path", "line", "message"], "{related}");
    }
    let related: Vec<&Value> = rows.iter().flat_map(|row| row["related"].as_array().unwrap()).collect();
    assert_eq!(
        related.first().copied(),
        Some(&json!({ "file_path": hammer.at(MAIN), "line": 5, "message": "expected due to this" })),
        "{answer:#}"
    );
    assert_eq!(fields(&answer["summary"]), ["errors", "hints", "info", "warnings"]);
    assert_eq!(answer["summary"]["errors"].as_u64().unwrap() as usize, rows.len(), "{answer:#}");
    hammer.end();
}

#[test]
fn every_severity_is_the_least_that_is_told() {
    let row = |line: u64, severity: u64| {
        let at = |character: u64| json!({ "line": line, "character": character });
        json!({ "range": { "start": at(0), "end": at(3) }, "severity": severity, "code": "c", "message": "m" })
    };
    let items = json!([row(0, 4), row(1, 1), row(1, 3), row(2, 2)]);
    let pulled = Rule::on("textDocument/diagnostic").answer(json!({ "kind": "full", "items": items }));
    let (tree, _) = fake(&Script::new().diagnostics(Diagnostics::Pull).rule(pulled), "");
    let mut hammer = over(tree).start();
    for (filter, told) in [
        ("error", &["error"][..]),
        ("warning", &["error", "warning"]),
        ("info", &["error", "info", "warning"]),
        ("hint", &["error", "hint", "info", "warning"]),
        ("all", &["error", "hint", "info", "warning"]),
    ] {
        let answer = hammer.ask("diagnostics", "a.fake", json!({ "severity_filter": filter }));
        let mut severities: Vec<&str> = answer["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["severity"].as_str().unwrap())
            .collect();
        severities.sort_unstable();
        assert_eq!(severities, told, "{filter}: {answer:#}");
        assert_eq!(
            answer["summary"],
            json!({ "errors": 1, "warnings": 1, "info": 1, "hints": 1 }),
            "{filter}: everything is counted"
        );
    }
    hammer.end();
}

#[test]
fn the_severity_filter_is_a_minimum_and_the_summary_counts_everything() {
    let mut hammer = rust();
    let noise = "crates/noise/src/lib.rs";
    let all = hammer.ask("diagnostics", noise, json!({}));
    let codes: Vec<&Value> =
        all["diagnostics"].as_array().unwrap().iter().map(|row| &row["severity"]).collect();
    assert!(codes.contains(&&json!("warning")), "{all:#}");
    assert_eq!(hammer.ask("diagnostics", noise, json!({ "severity_filter": "all" })), all, "the default");
    let errors = hammer.ask("diagnostics", noise, json!({ "severity_filter": "error" }));
    assert_eq!((&errors["diagnostics"], &errors["summary"]), (&json!([]), &all["summary"]));
    let warnings = hammer.ask("diagnostics", noise, json!({ "severity_filter": "warning" }));
    let only: Vec<&str> = warnings["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["severity"].as_str().unwrap())
        .collect();
    assert!(!only.is_empty() && only.iter().all(|severity| *severity == "warning"), "{warnings:#}");
    hammer.end();
}

#[test]
fn the_limit_cuts_and_says_so() {
    let mut hammer = rust();
    let calls: String = (0..120).map(|number| format!("    let _: u32 = \"{number}\";\n")).collect();
    hammer.tree.write(MAIN, format!("fn main() {{\n{calls}}}\n"));
    let usual = hammer.ask("diagnostics", MAIN, json!({ "severity_filter": "error" }));
    assert_eq!(usual["diagnostics"].as_array().unwrap().len(), 100, "{:#}", usual["summary"]);
    assert!(usual["summary"]["errors"].as_u64() >= Some(120), "{:#}", usual["summary"]);
    assert!(usual["warnings"][0].as_str().unwrap().contains("100 of "), "{:#}", usual["warnings"]);
    let few = hammer.ask("diagnostics", MAIN, json!({ "severity_filter": "error", "limit": 3 }));
    assert_eq!(few["diagnostics"].as_array().unwrap().len(), 3);
    assert_eq!(few["summary"], usual["summary"]);
    hammer.end();
}

#[test]
fn a_clean_file_has_none_and_a_folder_has_those_of_its_files() {
    let mut hammer = rust();
    let clean = hammer.ask("diagnostics", LIB, json!({ "severity_filter": "warning" }));
    assert_eq!(
        (&clean["diagnostics"], fields(&clean)),
        (&json!([]), vec!["diagnostics", "summary"]),
        "{clean:#}"
    );
    assert_eq!((&clean["summary"]["errors"], &clean["summary"]["warnings"]), (&json!(0), &json!(0)));
    let project = hammer.ask("diagnostics", "crates", json!({ "severity_filter": "warning" }));
    assert!(
        hammer.spots(&project["diagnostics"]).contains(&"crates/noise/src/lib.rs:3:9".to_owned()),
        "{project:#}"
    );
    hammer.end();
}

#[test]
fn a_hover_has_type_documentation_and_module() {
    let mut hammer = rust();
    let answer = hammer.ask("hover", MAIN, place(16, 15));
    assert_eq!(fields(&answer), ["contents"], "{answer:#}");
    assert_eq!(
        answer["contents"],
        json!({
            "type_info": "pub fn total_area(shapes: &[Box<dyn Shape>]) -> f64",
            "documentation": "The sum of all areas.",
            "source_module": "geometry",
        })
    );
    let nothing = hammer.refused("hover", LIB, place(2, 1));
    assert_eq!(
        (&nothing["code"], &nothing["details"]["reason"]),
        (&json!("NOT_FOUND"), &json!("no_symbol_here"))
    );
    let outside = hammer.refused("hover", LIB, place(5_000, 1));
    assert_eq!((&outside["code"], &outside["details"]["field"]), (&json!("INVALID_PARAMS"), &json!("line")));
    hammer.end();
}

#[test]
fn columns_count_characters() {
    let mut hammer = rust();
    let answer = hammer.ask("definition", "crates/geometry/src/unicode.rs", place(21, 38));
    assert_eq!(hammer.spots(&answer["definitions"]), ["crates/geometry/src/unicode.rs:14:8"]);
    hammer.end();
}

#[test]
fn a_changed_file_is_seen_by_the_next_question() {
    let mut hammer = rust();
    assert_eq!(hammer.ask("references", LIB, place(48, 8))["total_count"], 5);
    let text = std::fs::read_to_string(hammer.tree.root().join(MAIN)).unwrap();
    hammer.tree.write(
        MAIN,
        text.replace("let sum = total_area(shapes);", "let sum = total_area(shapes) + total_area(&[]);"),
    );
    assert_eq!(hammer.ask("references", LIB, place(48, 8))["total_count"], 6);
    let clean = hammer.ask("diagnostics", MAIN, json!({ "severity_filter": "error" }));
    assert_eq!(clean["diagnostics"], json!([]));
    hammer.tree.write(MAIN, RUST_BROKEN);
    let broken = hammer.ask("diagnostics", MAIN, json!({ "severity_filter": "error" }));
    assert!(broken["summary"]["errors"].as_u64() >= Some(1), "what was kept is forgotten: {broken:#}");
    hammer.end();
}
