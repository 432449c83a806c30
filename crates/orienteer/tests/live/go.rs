//! gopls.

use orienteer_testkit::workspaces::{GO, GO_BROKEN, ODD_FOLDER, crlf, file, in_folder};
use serde_json::json;

use crate::support::{at, counts, findings, hierarchy, named, over, spots, uses, warnings, with, word};

const GEOMETRY: &str = "geometry/geometry.go";

pub(crate) const TOTAL_AREA: [&str; 5] = [
    "geometry/geometry.go:29:6!",
    "geometry/geometry_test.go:6:12",
    "main.go:11:20",
    "main.go:16:63",
    "report.go:8:18",
];

#[test]
fn finding_the_way() {
    let mut live = over(GO).start();
    let cold = live.ask("find_references", at("main.go", 11, 20));
    assert_eq!((uses(&cold), &cold["server_id"]), (TOTAL_AREA.map(str::to_owned).to_vec(), &json!("gopls")));
    assert_eq!(
        counts(&cold),
        ["geometry/geometry.go 1", "geometry/geometry_test.go 1", "main.go 2", "report.go 1"]
    );
    // The comment above it begins with its name.
    assert_eq!(spots(&cold["unconfirmed"]), ["geometry/geometry.go:28:4"]);
    assert!(cold["references"].as_array().unwrap().iter().all(|row| word(row) == "TotalArea"), "{cold}");
    assert_eq!(live.ask("find_references", at("main.go", 16, 63))["references"], cold["references"]);
    assert_eq!(live.references(named("TotalArea")), TOTAL_AREA);

    assert_eq!(live.definitions(at("main.go", 16, 63)), ["geometry/geometry.go:29:6"]);
    assert_eq!(live.definitions(at("main.go", 16, 48)), ["geometry/unicode.go:4:6"], "Größe");
    let declared =
        live.ask("find_definition", with(at("main.go", 11, 20), json!({ "relation": "declaration" })));
    assert_eq!(
        (spots(&declared["definitions"]), warnings(&declared)),
        (vec!["geometry/geometry.go:29:6".to_owned()], vec!["method_unsupported"])
    );
    assert_eq!(
        live.relation("implementation", named("Shape")),
        ["geometry/geometry.go:13:6", "geometry/geometry.go:21:6"]
    );
    assert_eq!(
        live.relation("implementation", named("Shape.Area")),
        ["geometry/geometry.go:18:22", "geometry/geometry.go:26:22"]
    );
    assert_eq!(live.relation("type_definition", at("main.go", 10, 2)), ["geometry/geometry.go:7:6"]);
    // Where there is none, it answers with an error; that is an empty answer with its words.
    let none =
        live.ask("find_definition", with(at("main.go", 11, 20), json!({ "relation": "implementation" })));
    assert_eq!((&none["definitions"], warnings(&none)), (&json!([]), vec!["method_unsupported"]));
    let sprintf = live.definitions(json!({ "file_path": "report.go", "line": 9, "symbol_name": "Sprintf" }));
    assert!(sprintf.len() == 1 && sprintf[0].contains("/src/fmt/print.go:"), "{sprintf:?}");
    assert!(live.line(&sprintf[0]).starts_with("func Sprintf(format string, a ...any) string {"));

    let hover = live.ask("hover", at("main.go", 16, 63));
    assert_eq!(hover["contents"]["type_info"], "func geometry.TotalArea(shapes []geometry.Shape) float64");
    assert!(
        hover["contents"]["documentation"]
            .as_str()
            .unwrap()
            .starts_with("TotalArea is the sum of all areas."),
        "{hover}"
    );
    assert_eq!(hover["range"], json!({ "line": 16, "column": 63, "end_line": 16, "end_column": 72 }));
    let outline = [
        "interface Shape 7:6",
        "  method Shape/Area 9:2",
        "struct Circle 13:6",
        "  field Circle/Radius 14:2",
        "method Circle/Area 18:22",
        "struct Square 21:6",
        "  field Square/Side 22:2",
        "method Square/Area 26:22",
        "function TotalArea 29:6",
    ];
    assert_eq!(live.outline(GEOMETRY), outline);
    assert_eq!(live.references(json!({ "symbol_id": "geometry/geometry.go#TotalArea" })), TOTAL_AREA);
    let total = ["function TotalArea geometry/geometry.go:29:6"];
    assert_eq!(live.symbols(json!({ "query": "TotalArea", "match": "exact" })), total);
    assert_eq!(live.symbols(json!({ "query": "tot", "match": "prefix" })), total);
    assert_eq!(live.symbols(json!({ "query": "ttlarea" }))[0], total[0]);
    assert_eq!(
        live.symbols(json!({ "query": "Circle.Area", "match": "exact" })),
        ["method Circle/Area geometry/geometry.go:18:22"]
    );
    assert_eq!(live.symbols(json!({ "query": "Größe" })), ["function Größe geometry/unicode.go:4:6"]);

    assert_eq!(
        live.calls(with(named("TotalArea"), json!({ "depth": 2 }))),
        [
            "1 TestTotalArea geometry/geometry_test.go:5:6 <- 6:12",
            "1 main main.go:9:6 <- 11:20",
            "1 emoji main.go:15:6 <- 16:63",
            "2 main main.go:9:6* <- 12:37",
            "1 Report report.go:7:6 <- 8:18",
            "2 main main.go:9:6* <- 12:14",
        ]
    );
    let outgoing = live.calls(with(named("Report"), json!({ "direction": "outgoing", "depth": 2 })));
    assert_eq!(
        outgoing[..2],
        ["1 TotalArea geometry/geometry.go:29:6 <- 8:18", "2 Shape/Area geometry/geometry.go:9:2 <- 32:16"]
    );
    let types = live.get("type_hierarchy", named("Shape"));
    assert_eq!(
        hierarchy(&types),
        ["1 Circle geometry/geometry.go:13:6", "1 Square geometry/geometry.go:21:6"]
    );
    assert_eq!(
        (&types["completeness"]["state"], warnings(&types)),
        (&json!("partial"), vec!["method_unsupported"])
    );
    let signature = live.ask("signature_help", at("report.go", 8, 28));
    assert_eq!(signature["signatures"][0]["label"], "TotalArea(shapes []geometry.Shape) float64");
    let members = live.get("complete", with(at("report.go", 8, 18), json!({ "trigger_character": "." })));
    let labels: Vec<&str> =
        members["items"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"TotalArea") && labels.contains(&"Größe"), "{labels:?}");
    live.end();
}

#[test]
fn diagnostics() {
    let mut live = over(GO).start();
    let report = json!({ "file_paths": ["report.go"] });
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    live.ask("get_diagnostics", json!({ "scope": "workspace", "save_baseline": "before" }));
    live.write("report.go", GO_BROKEN);
    let error = "report.go:9:9 error IncompatibleAssign".to_owned();
    assert_eq!(live.check(report.clone()), ("issues".to_owned(), vec![error.clone()]));
    let since = live.ask("get_diagnostics", json!({ "scope": "workspace", "baseline": "before" }));
    assert_eq!((findings(&since["new"]), &since["unchanged_count"]), (vec![error], &json!(0)));
    live.write("report.go", file(GO, "report.go"));
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    // An error that comes from another file of another package.
    live.edit(
        GEOMETRY,
        "func TotalArea(shapes []Shape) float64 {",
        "func TotalArea(shapes []Shape, more int) float64 {",
    );
    let found = live.check(report.clone()).1;
    assert!(found.len() == 1 && found[0].starts_with("report.go:8:"), "{found:?}");
    live.edit(
        GEOMETRY,
        "func TotalArea(shapes []Shape, more int) float64 {",
        "func TotalArea(shapes []Shape) float64 {",
    );
    assert_eq!(live.check(report), ("clean".to_owned(), Vec::new()));
    live.end();
}

#[test]
fn a_folder_with_blanks_and_windows_line_ends() {
    let mut live = over(&in_folder(ODD_FOLDER, &crlf(GO))).start();
    let odd = |place: &str| format!("{ODD_FOLDER}/{place}");
    let expected: Vec<String> = TOTAL_AREA.iter().map(|place| odd(place)).collect();
    assert_eq!(live.references(at(&odd("main.go"), 16, 63)), expected);
    assert_eq!(live.check(json!({ "file_paths": [odd("report.go")] })), ("clean".to_owned(), Vec::new()));
    live.end();
}
