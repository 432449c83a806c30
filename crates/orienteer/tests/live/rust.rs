//! rust-analyzer: finding the way.

use orienteer_testkit::workspaces::RUST;
use serde_json::json;

use crate::support::{at, counts, hierarchy, named, over, spots, uses, warnings, with, word};

const LIB: &str = "crates/geometry/src/lib.rs";
const UNICODE: &str = "crates/geometry/src/unicode.rs";
const MAIN: &str = "crates/app/src/main.rs";

const TOTAL_AREA: [&str; 5] = [
    "crates/app/src/main.rs:3:32",
    "crates/app/src/main.rs:9:28",
    "crates/app/src/main.rs:16:15",
    "crates/geometry/src/lib.rs:48:8!",
    "crates/geometry/src/lib.rs:63:20",
];

#[test]
fn definitions_references_and_hovers() {
    let mut live = over(RUST).start();
    // The very first question, of a cold server, about the whole project.
    let cold = live.ask("find_references", at(MAIN, 9, 28));
    assert_eq!(uses(&cold), TOTAL_AREA);
    assert_eq!(counts(&cold), ["crates/app/src/main.rs 3", "crates/geometry/src/lib.rs 2"]);
    assert_eq!(cold["unconfirmed"], json!([]));
    assert_eq!((&cold["server_id"], &cold["source"]), (&json!("rust-analyzer"), &json!("lsp")));
    assert!(cold["references"].as_array().unwrap().iter().all(|row| word(row) == "total_area"), "{cold}");
    assert_eq!(cold["references"][4]["symbol"], "tests/adds_areas");
    assert!(
        live.text.contains("crates/app/src/main.rs:16:15  let sum = total_area(shapes);  [report]"),
        "{}",
        live.text
    );
    let warm = live.ask("find_references", at(MAIN, 9, 28));
    assert_eq!(warm["references"], cold["references"]);
    assert_eq!(live.references(named("total_area")), TOTAL_AREA);
    let uses_only =
        live.ask("find_references", with(named("total_area"), json!({ "include_declaration": false })));
    assert_eq!(
        (uses(&uses_only).len(), &uses_only["unconfirmed"]),
        (4, &json!([])),
        "nor is it told as text"
    );

    // Into another crate, through a generic, behind emoji, into a trait.
    let defined = live.ask("find_definition", at(MAIN, 16, 15));
    assert_eq!(spots(&defined["definitions"]), ["crates/geometry/src/lib.rs:48:8"]);
    assert_eq!(
        (&defined["definitions"][0]["kind"], &defined["definitions"][0]["name"]),
        (&json!("function"), &json!("total_area"))
    );
    assert_eq!(word(&defined["definitions"][0]), "total_area");
    assert!(defined["definitions"][0]["snippet"].as_str().unwrap().contains("/// The sum of all areas."));
    assert_eq!(live.definitions(at(MAIN, 8, 19)), ["crates/geometry/src/lib.rs:53:8"]);
    assert_eq!(live.definitions(at(UNICODE, 21, 38)), ["crates/geometry/src/unicode.rs:14:8"]);
    assert_eq!(live.definitions(at(MAIN, 21, 11)), ["crates/geometry/src/lib.rs:14:8"]);
    assert_eq!(live.relation("declaration", at(MAIN, 21, 11)), ["crates/geometry/src/lib.rs:14:8"]);
    assert_eq!(live.relation("type_definition", at(MAIN, 21, 5)), ["crates/geometry/src/lib.rs:9:11"]);
    let implementations = ["crates/geometry/src/lib.rs:31:16", "crates/geometry/src/lib.rs:37:16"];
    assert_eq!(live.relation("implementation", named("Shape")), implementations);
    let methods = ["crates/geometry/src/lib.rs:32:8", "crates/geometry/src/lib.rs:38:8"];
    assert_eq!(live.relation("implementation", named("Shape::area")), methods);

    // Into the standard library: it can be read from then on, and nothing else around it.
    let map = live.definitions(json!({ "file_path": LIB, "line": 42, "symbol_name": "HashMap" }));
    assert!(map.len() == 1 && map[0].contains("/library/std/src/collections/hash/map.rs:"), "{map:?}");
    assert_eq!(live.line(&map[0]), "pub struct HashMap<");
    let secret = live.tree.beside("elsewhere").join("secret.rs");
    std::fs::write(&secret, "fn secret() {}\n").unwrap();
    let refused = live.refused("read_file", json!({ "file_path": secret }));
    assert_eq!(refused["error"]["kind"], "path_not_allowed");
    let nothing = live.refused("hover", at(LIB, 2, 1));
    assert_eq!(nothing["error"]["kind"], "not_found", "{nothing}");

    let hover = live.ask("hover", named("total_area"));
    assert_eq!(
        hover["contents"],
        json!({
            "type_info": "pub fn total_area(shapes: &[Box<dyn Shape>]) -> f64",
            "documentation": "The sum of all areas.",
            "source_module": "geometry",
        })
    );
    assert_eq!(hover["range"], json!({ "line": 48, "column": 8, "end_line": 48, "end_column": 18 }));
    let behind_emoji = live.ask("hover", at(UNICODE, 21, 40));
    assert_eq!(behind_emoji["contents"]["type_info"], "pub fn emoji_length(text: &str) -> usize");
    assert_eq!(behind_emoji["range"], json!({ "line": 21, "column": 38, "end_line": 21, "end_column": 50 }));
    assert_eq!(live.hover(named("größe")).0, "pub fn größe(länge: usize) -> usize");
    let cyrillic = ["crates/geometry/src/unicode.rs:9:12!", "crates/geometry/src/unicode.rs:20:17"];
    assert_eq!(live.references(named("Ярлык")), cyrillic);

    // A word in a comment is told apart from a use.
    live.edit(
        UNICODE,
        "//! Identifiers and text outside ASCII.",
        "//! Identifiers and text; see total_area.",
    );
    let commented = live.ask("find_references", named("total_area"));
    assert_eq!(uses(&commented), TOTAL_AREA);
    assert_eq!(spots(&commented["unconfirmed"]), ["crates/geometry/src/unicode.rs:1:31"]);
    assert_eq!(
        (&commented["unconfirmed_count"], &commented["unconfirmed"][0]["source"]),
        (&json!(1), &json!("text"))
    );
    live.end();
}

#[test]
fn symbols_hierarchies_and_typing() {
    let mut live = over(RUST).start();
    let outline = live.outline(LIB);
    let expected = [
        "module unicode 5:9",
        "trait Shape 9:11",
        "  method Shape/area 11:8",
        "  method Shape/describe 14:8",
        "struct Circle 21:12",
        "  field Circle/radius 22:9",
        "struct Square 27:12",
        "  field Square/side 28:9",
        "namespace impl Shape for Circle 31:16",
        "  method Circle/area 32:8",
        "namespace impl Shape for Square 37:16",
        "  method Square/area 38:8",
        "  method Square/describe 41:8",
        "function total_area 48:8",
        "function largest 53:8",
        "module tests 58:5",
        "  function tests/adds_areas 61:8",
    ];
    assert_eq!(outline, expected);
    // Every id of an outline points at its symbol.
    let symbols = live.ask("document_symbols", json!({ "file_path": LIB }))["symbols"].clone();
    for symbol in symbols.as_array().unwrap() {
        let id = json!({ "symbol_id": symbol["symbol_id"] });
        assert!(!live.hover(id).0.is_empty(), "{symbol}");
    }
    let impl_id = json!({ "symbol_id": symbols[4]["symbol_id"] });
    assert_eq!(live.definitions(impl_id), ["crates/geometry/src/lib.rs:21:12"]);
    assert_eq!(live.references(json!({ "symbol_id": symbols[6]["symbol_id"] })), TOTAL_AREA);
    let functions = live.ask("document_symbols", json!({ "file_path": LIB, "kinds": ["function"] }));
    let names: Vec<&str> =
        functions["symbols"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["total_area", "largest", "adds_areas"]);

    let total = ["function total_area crates/geometry/src/lib.rs:48:8"];
    assert_eq!(live.symbols(json!({ "query": "total_area", "match": "exact" })), total);
    assert_eq!(live.symbols(json!({ "query": "Tot", "match": "prefix" })), total);
    assert_eq!(live.symbols(json!({ "query": "ttlarea" })), total);
    assert_eq!(
        live.symbols(json!({ "query": "area", "match": "exact", "kinds": ["method"] })),
        [
            "method Shape/area crates/geometry/src/lib.rs:11:8",
            "method Circle/area crates/geometry/src/lib.rs:32:8",
            "method Square/area crates/geometry/src/lib.rs:38:8",
        ]
    );
    let circle = ["method Circle/area crates/geometry/src/lib.rs:32:8"];
    assert_eq!(live.symbols(json!({ "query": "Circle::area", "match": "exact" })), circle);
    // Functions too, although types fit the letter as well.
    assert_eq!(
        live.symbols(json!({ "query": "re", "match": "prefix", "path": "crates/app" })),
        ["function report crates/app/src/main.rs:14:4", "function render crates/app/src/main.rs:20:4"]
    );
    assert_eq!(
        live.symbols(json!({ "query": "größe" })),
        ["function größe crates/geometry/src/unicode.rs:4:8"]
    );
    assert_eq!(live.symbols(json!({ "query": "no_such_symbol" })), [""; 0]);

    let incoming = live.ask("call_hierarchy", with(named("render"), json!({ "depth": 3 })));
    assert_eq!(
        hierarchy(&incoming),
        ["1 report crates/app/src/main.rs:14:4 <- 15:56", "2 main crates/app/src/main.rs:5:4 <- 9:58"]
    );
    assert_eq!(
        (&incoming["root"]["name"], &incoming["root"]["kind"]),
        (&json!("render"), &json!("function"))
    );
    let callers = live.calls(with(named("total_area"), json!({ "depth": 2 })));
    assert_eq!(
        callers,
        [
            "1 main crates/app/src/main.rs:5:4 <- 9:28",
            "1 report crates/app/src/main.rs:14:4 <- 16:15",
            "2 main crates/app/src/main.rs:5:4* <- 9:58",
            "1 tests/adds_areas crates/geometry/src/lib.rs:61:8 <- 63:20",
        ]
    );
    let outgoing = live.calls(with(named("report"), json!({ "direction": "outgoing", "depth": 2 })));
    for callee in [
        "1 render crates/app/src/main.rs:20:4 <- 15:56",
        "2 Shape/describe crates/geometry/src/lib.rs:14:8 <- 21:11",
        "1 total_area crates/geometry/src/lib.rs:48:8 <- 16:15",
        "2 Shape/area crates/geometry/src/lib.rs:11:8 <- 49:37",
    ] {
        assert!(outgoing.contains(&callee.to_owned()), "{callee}: {outgoing:#?}");
    }
    live.edit(MAIN, "    shape.describe()\n", "    if false { return report(&[]); }\n    shape.describe()\n");
    let cycle = live.calls(with(named("render"), json!({ "depth": 3 })));
    let expected = [
        "1 report crates/app/src/main.rs:14:4 <- 15:56",
        "2 main crates/app/src/main.rs:5:4 <- 9:58",
        "2 render crates/app/src/main.rs:20:4* <- 21:23",
    ];
    assert_eq!(cycle, expected);

    // rust-analyzer has no type hierarchies: implementations are shown, and that they are not all is said.
    let types = live.get("type_hierarchy", named("Shape"));
    assert_eq!(types["completeness"], json!({ "state": "partial", "reason": "heuristic" }));
    assert_eq!(warnings(&types), ["method_unsupported"]);
    assert_eq!(hierarchy(&types).len(), 2, "{types:#}");
    let names: Vec<&str> =
        types["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    assert_eq!((names, &types["items"][0]["kind"]), (vec!["Circle", "Square"], &json!("struct")));
    let refused = live.refused("type_hierarchy", with(named("Shape"), json!({ "direction": "supertypes" })));
    assert_eq!(refused["error"]["kind"], "unsupported", "{refused}");

    let signature = live.ask("signature_help", at(MAIN, 16, 26));
    assert!(
        signature["signatures"][0]["label"]
            .as_str()
            .unwrap()
            .starts_with("fn total_area(shapes: &[Box<dyn Shape"),
        "{signature}"
    );
    assert_eq!((&signature["active_signature"], &signature["active_parameter"]), (&json!(0), &json!(0)));
    assert_eq!(signature["signatures"][0]["documentation"], "The sum of all areas.");
    let dot = with(at(MAIN, 22, 11), json!({ "trigger_character": ".", "resolve": true }));
    let proposed = live.get("complete", dot);
    let item = &proposed["items"][0];
    assert_eq!((&item["insert_text"], &item["kind"]), (&json!("describe"), &json!("method")), "{proposed}");
    assert_eq!(
        (&item["documentation"], &item["detail"]),
        (&json!("One line for a person."), &json!("fn(&self) -> String"))
    );
    live.end();
}

#[test]
fn everything_about_a_symbol() {
    let mut live = over(RUST).start();
    let targets = json!({
        "targets": [named("total_area"), named("Shape"), named("nowhere_at_all")],
        "max_total_chars": 60_000,
    });
    let explored = live.ask("explore", targets);
    let total = &explored["symbols"][0];
    assert_eq!(spots(&json!([total["definition"]])), ["crates/geometry/src/lib.rs:48:8"]);
    assert_eq!(total["definition"]["symbol_id"], "crates/geometry/src/lib.rs#total_area");
    let body = "pub fn total_area(shapes: &[Box<dyn Shape>]) -> f64 {\n    shapes.iter().map(|shape| shape.area()).sum()\n}";
    assert_eq!(total["body"], body);
    assert_eq!(total["hover"]["documentation"], "The sum of all areas.");
    let files = json!([{ "file_path": MAIN, "count": 3 }, { "file_path": LIB, "count": 1 }]);
    assert_eq!(total["references_summary"], json!({ "total_count": 4, "file_count": 2, "files": files }));
    let names = |list: &serde_json::Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&total["callers"]), ["main", "report", "adds_areas"]);
    assert!(names(&total["callees"]).contains(&"area".to_owned()), "{total:#}");
    assert_eq!(total["implementations"], json!([]));
    assert_eq!(spots(&total["tests"]), ["crates/geometry/src/lib.rs:63:20"]);
    assert!(total.get("missing").is_none(), "{total:#}");
    let shape = &explored["symbols"][1];
    assert_eq!(
        spots(&shape["implementations"]),
        ["crates/geometry/src/lib.rs:31:16", "crates/geometry/src/lib.rs:37:16"]
    );
    // A trait is not called: said, not left out.
    let missing: Vec<&str> =
        shape["missing"].as_array().unwrap().iter().map(|row| row["section"].as_str().unwrap()).collect();
    assert_eq!((missing, &shape["callers"]), (vec!["callers", "callees"], &json!(null)));
    assert_eq!(explored["symbols"][2]["error"]["kind"], "not_found");
    live.end();
}
