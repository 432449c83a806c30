//! pyright, and what all servers for Python answer alike.

use orienteer_testkit::workspaces::{PYTHON, PYTHON_BROKEN, file};
use serde_json::{Value, json};

use crate::support::{Live, at, counts, findings, named, over, spots, uses, with, word};

pub(crate) const BASE: &str = "src/shapes/base.py";
pub(crate) const FLAT: &str = "src/shapes/flat.py";
pub(crate) const TOTAL: &str = "src/shapes/total.py";
pub(crate) const REPORT: &str = "src/shapes/report.py";
pub(crate) const UNICODE: &str = "src/shapes/unicode_names.py";

/// Every server for Python, to leave them out.
pub(crate) const ALL: &str = "pyright,basedpyright,ty,pyrefly,zuban,jedi-language-server,pylsp";

/// What leaves out all of them but one.
pub(crate) fn all_but(id: &str) -> String {
    ALL.split(',').filter(|other| *other != id).collect::<Vec<_>>().join(",")
}

/// All references of `total_area`; the second stands in a string of `__all__`.
pub(crate) const TOTAL_AREA: [&str; 9] = [
    "src/shapes/__init__.py:4:26",
    "src/shapes/__init__.py:6:56",
    "src/shapes/report.py:4:26",
    "src/shapes/report.py:8:20",
    "src/shapes/total.py:8:5!",
    "src/shapes/unicode_names.py:4:26",
    "src/shapes/unicode_names.py:11:43",
    "tests/test_shapes.py:1:48",
    "tests/test_shapes.py:6:12",
];

/// Definitions, references, hovers.
pub(crate) fn finds_its_way(live: &mut Live, id: &str, expected: &[&str]) {
    let cold = live.ask("find_references", at(TOTAL, 8, 5));
    assert_eq!(uses(&cold), expected);
    assert_eq!(cold["server_id"], id);
    assert!(cold["references"].as_array().unwrap().iter().all(|row| word(row) == "total_area"), "{cold}");
    assert_eq!(live.ask("find_references", at(UNICODE, 11, 43))["references"], cold["references"]);
    assert_eq!(live.references(named("total_area")), expected);

    let defined = live.ask("find_definition", at(REPORT, 8, 20));
    assert_eq!(spots(&defined["definitions"]), ["src/shapes/total.py:8:5"]);
    assert_eq!(
        (&defined["definitions"][0]["kind"], word(&defined["definitions"][0])),
        (&json!("function"), "total_area".to_owned())
    );
    assert_eq!(live.definitions(at(UNICODE, 11, 43)), ["src/shapes/total.py:8:5"]);
    assert_eq!(live.definitions(at("tests/test_shapes.py", 10, 12)), ["src/shapes/report.py:7:5"]);
    // Into the standard library's types, which can be read from then on.
    let pi = live.definitions(json!({ "file_path": "src/shapes/round.py", "line": 13, "symbol_name": "pi" }));
    assert!(pi.len() == 1 && pi[0].contains("/stdlib/math"), "{pi:?}");
    assert!(live.line(&pi[0]).starts_with("pi: Final[float]"), "{pi:?}");

    let hover = live.ask("hover", at(UNICODE, 11, 43));
    assert!(
        hover["contents"]["type_info"]
            .as_str()
            .unwrap()
            .ends_with("def total_area(shapes: Iterable[Shape]) -> float"),
        "{hover}"
    );
    assert_eq!(hover["contents"]["documentation"], "The sum of all areas.");
    assert_eq!(hover["range"], json!({ "line": 11, "column": 43, "end_line": 11, "end_column": 53 }));
    assert!(live.hover(named("größe")).0.ends_with("def größe(länge: float) -> float"));
}

/// Relations, symbols, calls, signatures.
pub(crate) fn knows_the_project(live: &mut Live, module: &str) {
    assert_eq!(
        live.relation("type_definition", json!({ "file_path": TOTAL, "line": 10, "symbol_name": "shape" })),
        ["src/shapes/base.py:6:7"]
    );
    assert_eq!(live.relation("declaration", at(REPORT, 8, 20)), ["src/shapes/total.py:8:5"]);
    let outline = live.outline(FLAT);
    for member in ["class Square 4:7", "  method Square/area 10:9", "class UnitSquare 14:7"] {
        assert!(outline.contains(&member.to_owned()), "{member}: {outline:?}");
    }
    let symbols = live.ask("document_symbols", json!({ "file_path": FLAT }))["symbols"].clone();
    let inner = symbols[0]["children"].as_array().unwrap();
    for symbol in symbols.as_array().unwrap().iter().chain(inner) {
        assert!(!live.hover(json!({ "symbol_id": symbol["symbol_id"] })).0.is_empty(), "{symbol}");
    }
    let total = "function total_area src/shapes/total.py:8:5".to_owned();
    assert_eq!(live.symbols(json!({ "query": "total_area", "match": "exact" })), [total.as_str()]);
    for query in [json!({ "query": "Tot", "match": "prefix" }), json!({ "query": "ttlarea" })] {
        assert!(live.symbols(query.clone()).contains(&total), "{query}");
    }
    assert_eq!(
        live.symbols(json!({ "query": "area", "match": "exact", "kinds": ["method"] })),
        [
            "method Shape/area src/shapes/base.py:10:9",
            "method Square/area src/shapes/flat.py:10:9",
            "method Circle/area src/shapes/round.py:12:9"
        ]
    );
    assert_eq!(
        live.symbols(json!({ "query": "Circle.area", "match": "exact" })),
        ["method Circle/area src/shapes/round.py:12:9"]
    );
    assert_eq!(
        live.symbols(json!({ "query": "test_", "match": "prefix", "path": "tests" })),
        ["function test_total tests/test_shapes.py:5:5", "function test_report tests/test_shapes.py:9:5"]
    );
    assert_eq!(live.symbols(json!({ "query": "größe" })), ["function größe src/shapes/unicode_names.py:7:5"]);
    assert_eq!(
        live.calls(with(named("total_area"), json!({ "depth": 2 }))),
        [
            "1 report src/shapes/report.py:7:5 <- 8:20".to_owned(),
            "2 test_report tests/test_shapes.py:9:5 <- 10:12".to_owned(),
            format!("1 {module} src/shapes/unicode_names.py:1:1 <- 11:43"),
            "1 test_total tests/test_shapes.py:5:5 <- 6:12".to_owned(),
        ]
    );
    let outgoing = live.calls(with(
        json!({ "file_path": REPORT, "symbol_name": "report" }),
        json!({ "direction": "outgoing", "depth": 2 }),
    ));
    for callee in [
        "1 Shape/describe src/shapes/base.py:13:9 <- 9:20",
        "2 Shape/area src/shapes/base.py:10:9 <- 14:29",
        "1 total_area src/shapes/total.py:8:5 <- 8:20",
        "2 Shape/area src/shapes/base.py:10:9* <- 10:22",
    ] {
        assert!(outgoing.contains(&callee.to_owned()), "{callee}: {outgoing:#?}");
    }
    let signature = live.ask("signature_help", at(REPORT, 8, 31));
    assert_eq!(signature["signatures"][0]["label"], "(shapes: Iterable[Shape]) -> float");
    assert_eq!(signature["signatures"][0]["parameters"][0]["label"], "shapes: Iterable[Shape]");
    assert_eq!(signature["active_parameter"], 0);
}

/// Clean, broken, fixed.
pub(crate) fn says_what_is_wrong(live: &mut Live, code: &str) {
    let report = json!({ "file_paths": [REPORT] });
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    live.ask("get_diagnostics", json!({ "file_paths": ["src"], "save_baseline": "before" }));
    live.write(REPORT, PYTHON_BROKEN);
    let error = format!("src/shapes/report.py:8:18 error {code}");
    let broken = live.ask("get_diagnostics", report.clone());
    assert_eq!(
        (&broken["state"], findings(&broken["diagnostics"])),
        (&json!("issues"), vec![error.clone()]),
        "{broken:#}"
    );
    let since = live.ask("get_diagnostics", json!({ "file_paths": ["src"], "baseline": "before" }));
    assert_eq!(
        (findings(&since["new"]), &since["fixed"], &since["unchanged_count"]),
        (vec![error.clone()], &json!([]), &json!(0))
    );
    live.write(REPORT, file(PYTHON, REPORT));
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    // An error that comes from another file.
    live.edit(TOTAL, "-> float:", "-> str:");
    let found = live.check(report.clone()).1;
    assert_eq!(found, [error.replace(":18", ":20")], "another file decides");
    live.edit(TOTAL, "-> str:", "-> float:");
    assert_eq!(live.check(report), ("clean".to_owned(), Vec::new()));
}

/// Every section of `explore`.
pub(crate) fn explores(live: &mut Live, references: u64) -> Value {
    let explored = live.ask("explore", json!({ "targets": [named("total_area"), named("Shape")] }));
    let total = explored["symbols"][0].clone();
    assert_eq!(spots(&json!([total["definition"]])), ["src/shapes/total.py:8:5"]);
    assert!(
        total["body"].as_str().unwrap().ends_with("return sum(shape.area() for shape in shapes)"),
        "{total:#}"
    );
    assert_eq!(total["hover"]["documentation"], "The sum of all areas.");
    assert_eq!(total["references_summary"]["total_count"], references, "{total:#}");
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    let callers = names(&total["callers"]);
    assert_eq!(
        (callers.len(), &callers[0], &callers[2]),
        (3, &"report".to_owned(), &"test_total".to_owned())
    );
    assert!(names(&total["callees"]).contains(&"area".to_owned()), "{total:#}");
    let tests = spots(&total["tests"]);
    assert!(
        tests.contains(&"tests/test_shapes.py:6:12".to_owned())
            && tests.iter().all(|test| test.starts_with("tests/")),
        "{tests:?}"
    );
    explored["symbols"][1].clone()
}

#[test]
fn finding_the_way() {
    let mut live = over(PYTHON).start();
    finds_its_way(&mut live, "pyright", &TOTAL_AREA);
    let counted = live.ask("find_references", named("total_area"));
    assert_eq!(
        counts(&counted),
        [
            "src/shapes/__init__.py 2",
            "src/shapes/report.py 2",
            "src/shapes/total.py 1",
            "src/shapes/unicode_names.py 2",
            "tests/test_shapes.py 2",
        ]
    );
    assert_eq!(counted["unconfirmed"], json!([]));
    knows_the_project(&mut live, "(module) unicode_names.py");
    let shape = explores(&mut live, 8);
    // pyright has neither implementations nor type hierarchies: unsupported, not empty.
    let missing: Vec<&str> =
        shape["missing"].as_array().unwrap().iter().map(|row| row["section"].as_str().unwrap()).collect();
    assert!(missing.contains(&"implementations") && shape["implementations"].is_null(), "{shape:#}");
    let refused =
        live.refused("find_definition", with(named("Shape"), json!({ "relation": "implementation" })));
    assert_eq!(
        (&refused["error"]["kind"], &refused["error"]["data"]["method"]),
        (&json!("unsupported"), &json!("textDocument/implementation"))
    );
    let refused = live.refused("type_hierarchy", named("Shape"));
    assert_eq!(
        (&refused["error"]["kind"], &refused["error"]["data"]["method"]),
        (&json!("unsupported"), &json!("textDocument/prepareTypeHierarchy"))
    );
    let dot = with(at(REPORT, 9, 20), json!({ "trigger_character": ".", "resolve": true, "max_results": 2 }));
    let proposed = live.get("complete", dot);
    assert_eq!(
        (&proposed["items"][0]["label"], &proposed["items"][1]["label"]),
        (&json!("area"), &json!("describe"))
    );
    assert!(
        proposed["items"][0]["documentation"].as_str().unwrap().contains("The area in square metres."),
        "{proposed}"
    );
    // A word in a comment is not a use.
    live.edit(BASE, "\"\"\"What every shape can do.\"\"\"", "# see total_area");
    let commented = live.ask("find_references", named("total_area"));
    assert_eq!(
        (uses(&commented).len(), spots(&commented["unconfirmed"])),
        (9, vec!["src/shapes/base.py:1:7".to_owned()])
    );
    live.end();
}
