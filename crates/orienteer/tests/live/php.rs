//! intelephense.

use orienteer_testkit::workspaces::{PHP, PHP_BROKEN, file};
use serde_json::json;

use crate::support::{at, named, over, uses, with};

#[test]
fn functions_classes_and_namespaces() {
    let mut live = over(PHP).start();
    let total_area =
        ["src/report.php:9:14", "src/total.php:10:10!", "tests/check.php:4:14", "tests/check.php:6:22"];
    let cold = live.ask("find_references", at("src/total.php", 10, 10));
    assert_eq!(
        (uses(&cold), &cold["server_id"]),
        (total_area.map(str::to_owned).to_vec(), &json!("intelephense"))
    );
    assert_eq!(live.definitions(at("tests/check.php", 6, 22)), ["src/total.php:10:10"], "behind an emoji");
    let hover = live.ask("hover", at("src/report.php", 9, 14));
    assert_eq!(hover["contents"]["type_info"], "function total_area(array $shapes): float { }");
    assert_eq!(hover["contents"]["source_module"], "Shapes");
    assert!(
        hover["contents"]["documentation"].as_str().unwrap().starts_with("The sum of all areas."),
        "{hover}"
    );
    let outline = live.outline("src/Circle.php");
    for symbol in ["namespace Shapes 3:11", "class Circle 5:7", "  method Circle/area 11:21"] {
        assert!(outline.contains(&symbol.to_owned()), "{symbol}: {outline:?}");
    }
    assert_eq!(live.symbols(json!({ "query": "total_area" })), ["function total_area src/total.php:10:10"]);
    let stub =
        live.definitions(json!({ "file_path": "src/total.php", "line": 12, "symbol_name": "array_sum" }));
    assert!(stub.len() == 1 && stub[0].contains("/intelephense/lib/stub/standard/"), "{stub:?}");
    assert!(live.line(&stub[0]).starts_with("function array_sum("));
    // What is paid for is unsupported, not empty.
    let refused =
        live.refused("find_definition", with(named("Shape"), json!({ "relation": "implementation" })));
    assert_eq!(refused["error"]["kind"], "unsupported");
    let report = json!({ "file_paths": ["src/report.php"] });
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    live.write("src/report.php", PHP_BROKEN);
    assert_eq!(
        live.check(report.clone()),
        ("issues".to_owned(), vec!["src/report.php:7:12 error P1010".to_owned()])
    );
    live.write("src/report.php", file(PHP, "src/report.php"));
    assert_eq!(live.check(report), ("clean".to_owned(), Vec::new()));
    // Nothing was written into the workspace.
    let mut entries: Vec<_> =
        std::fs::read_dir(live.tree.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    entries.sort();
    assert_eq!(entries, ["composer.json", "src", "tests"]);
    live.end();
}
