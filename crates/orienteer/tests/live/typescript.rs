//! typescript-language-server, and what both servers for TypeScript answer alike.

use orienteer_testkit::workspaces::TYPESCRIPT;
use serde_json::{Value, json};

use crate::support::{Live, at, counts, hierarchy, named, over, spots, uses, warnings, with, word};

pub(crate) const TOTAL: &str = "packages/core/src/total.ts";
pub(crate) const CIRCLE: &str = "packages/core/src/circle.ts";
pub(crate) const REPORT: &str = "packages/web/src/report.ts";
pub(crate) const VIEW: &str = "packages/web/src/view.tsx";
pub(crate) const EMOJI: &str = "packages/web/src/emoji.ts";

pub(crate) const TOTAL_AREA: [&str; 8] = [
    "packages/core/src/index.ts:4:10",
    "packages/core/src/total.ts:4:17!",
    "packages/web/src/emoji.ts:1:18",
    "packages/web/src/emoji.ts:6:58",
    "packages/web/src/report.ts:1:10",
    "packages/web/src/report.ts:5:15",
    "packages/web/src/view.tsx:1:26",
    "packages/web/src/view.tsx:9:17",
];

const ID: &str = "typescript-language-server";

/// Definitions, references, hovers: over the packages of a monorepo.
pub(crate) fn finds_its_way(live: &mut Live, id: &str) {
    let cold = live.ask("find_references", at(TOTAL, 4, 17));
    assert_eq!(uses(&cold), TOTAL_AREA);
    assert_eq!(cold["server_id"], id);
    assert_eq!(
        counts(&cold),
        [
            "packages/core/src/index.ts 1",
            "packages/core/src/total.ts 1",
            "packages/web/src/emoji.ts 2",
            "packages/web/src/report.ts 2",
            "packages/web/src/view.tsx 2",
        ]
    );
    assert_eq!(cold["unconfirmed"], json!([]));
    assert!(cold["references"].as_array().unwrap().iter().all(|row| word(row) == "totalArea"), "{cold}");
    // From a use, behind emoji, in the other package, and warm: the same.
    assert_eq!(live.ask("find_references", at(EMOJI, 6, 58))["references"], cold["references"]);
    assert_eq!(live.references(named("totalArea")), TOTAL_AREA);

    let defined = live.ask("find_definition", at(REPORT, 5, 15));
    assert_eq!(spots(&defined["definitions"]), ["packages/core/src/total.ts:4:17"]);
    assert_eq!(
        (&defined["definitions"][0]["kind"], word(&defined["definitions"][0])),
        (&json!("function"), "totalArea".to_owned())
    );
    assert_eq!(live.definitions(at(EMOJI, 6, 58)), ["packages/core/src/total.ts:4:17"]);
    assert_eq!(live.definitions(at(EMOJI, 6, 80)), ["packages/web/src/emoji.ts:3:17"], "größe");
    assert_eq!(live.definitions(at(VIEW, 10, 20)), ["packages/web/src/report.ts:4:17"]);
    assert_eq!(
        live.relation("type_definition", json!({ "file_path": TOTAL, "line": 5, "symbol_name": "shape" })),
        ["packages/core/src/shape.ts:2:18"]
    );
    let classes = ["packages/core/src/circle.ts:4:14", "packages/core/src/square.ts:3:14"];
    assert_eq!(live.relation("implementation", named("Shape")), classes);
    let methods = ["packages/core/src/circle.ts:7:3", "packages/core/src/square.ts:6:3"];
    assert_eq!(live.relation("implementation", named("Shape.area")), methods);
    let declared = live.ask("find_definition", with(at(REPORT, 5, 15), json!({ "relation": "declaration" })));
    assert_eq!(
        (spots(&declared["definitions"]), warnings(&declared)),
        (vec!["packages/core/src/total.ts:4:17".to_owned()], vec!["method_unsupported"])
    );

    // Into the library that comes with the compiler, which can be read from then on.
    let pi = live.definitions(json!({ "file_path": CIRCLE, "line": 8, "symbol_name": "PI" }));
    assert!(pi.len() == 1 && pi[0].contains("/lib/lib.es5.d.ts:"), "{pi:?}");
    assert_eq!(live.line(&pi[0]), "    readonly PI: number;");

    let hover = live.ask("hover", named("totalArea"));
    assert_eq!(hover["contents"]["type_info"], "function totalArea(shapes: readonly Shape[]): number");
    assert_eq!(hover["contents"]["documentation"], "The sum of all areas.");
    assert_eq!(hover["range"], json!({ "line": 4, "column": 17, "end_line": 4, "end_column": 26 }));
    let behind_emoji = live.ask("hover", at(EMOJI, 6, 58));
    assert!(
        behind_emoji["contents"]["type_info"].as_str().unwrap().starts_with("(alias) "),
        "{behind_emoji}"
    );
    assert_eq!(behind_emoji["range"], json!({ "line": 6, "column": 58, "end_line": 6, "end_column": 67 }));
    assert_eq!(live.hover(named("größe")).0, "function größe(länge: number): number");
    assert_eq!(
        live.hover(named("Circle")),
        ("class Circle".to_owned(), "A circle by its radius.".to_owned())
    );
}

/// Symbols, hierarchies, typing.
pub(crate) fn knows_the_project(live: &mut Live) {
    let outline = live.outline(CIRCLE);
    let members = [
        "class Circle 4:14",
        "  constructor Circle/constructor 5:3",
        "  property Circle/radius 5:24",
        "  method Circle/area 7:3",
    ];
    for member in members {
        assert!(outline.contains(&member.to_owned()), "{member}: {outline:?}");
    }
    for file in [CIRCLE, VIEW] {
        let symbols =
            live.ask("document_symbols", json!({ "file_path": file, "depth": 1 }))["symbols"].clone();
        for symbol in symbols.as_array().unwrap() {
            assert!(!live.hover(json!({ "symbol_id": symbol["symbol_id"] })).0.is_empty(), "{symbol}");
        }
    }
    let total = "function totalArea packages/core/src/total.ts:4:17".to_owned();
    for query in [
        json!({ "query": "totalArea", "match": "exact" }),
        json!({ "query": "tot", "match": "prefix" }),
        json!({ "query": "ttlarea" }),
    ] {
        assert!(live.symbols(query.clone()).contains(&total), "{query}");
    }
    assert_eq!(
        live.symbols(json!({ "query": "area", "match": "exact", "kinds": ["method"] })),
        [
            "method Circle/area packages/core/src/circle.ts:7:3",
            "method Shape/area packages/core/src/shape.ts:4:3",
            "method Square/area packages/core/src/square.ts:6:3",
        ]
    );
    assert_eq!(
        live.symbols(json!({ "query": "Circle.area", "match": "exact" })),
        ["method Circle/area packages/core/src/circle.ts:7:3"]
    );
    assert_eq!(
        live.symbols(
            json!({ "query": "repo", "match": "prefix", "path": "packages/web", "kinds": ["function"] })
        ),
        ["function report packages/web/src/report.ts:4:17"]
    );
    assert_eq!(live.symbols(json!({ "query": "repo", "match": "prefix", "path": "packages/core" })), [""; 0]);
    assert_eq!(live.symbols(json!({ "query": "größe" })), ["function größe packages/web/src/emoji.ts:3:17"]);

    // Callers in the other package too; what was followed before is not followed again.
    assert_eq!(
        live.calls(with(named("totalArea"), json!({ "depth": 2 }))),
        [
            "1 packages/web/src/emoji.ts packages/web/src/emoji.ts:1:1 <- 6:58",
            "1 report packages/web/src/report.ts:4:17 <- 5:15",
            "2 View packages/web/src/view.tsx:8:17* <- 10:20",
            "1 View packages/web/src/view.tsx:8:17 <- 9:17",
        ]
    );
    let outgoing = live.calls(with(
        json!({ "file_path": REPORT, "symbol_name": "report" }),
        json!({ "direction": "outgoing", "depth": 2 }),
    ));
    assert_eq!(
        outgoing[..2],
        [
            "1 totalArea packages/core/src/total.ts:4:17 <- 5:15",
            "2 Shape/area packages/core/src/shape.ts:4:3 <- 5:46"
        ]
    );
    let types = live.get("type_hierarchy", named("Shape"));
    assert_eq!(
        hierarchy(&types),
        ["1 Circle packages/core/src/circle.ts:4:14", "1 Square packages/core/src/square.ts:3:14"]
    );
    assert_eq!(
        (&types["completeness"]["state"], warnings(&types)),
        (&json!("partial"), vec!["method_unsupported"])
    );

    let signature = live.ask("signature_help", at(REPORT, 5, 25));
    assert_eq!(signature["signatures"][0]["label"], "totalArea(shapes: readonly Shape[]): number");
    assert_eq!(signature["signatures"][0]["parameters"][0]["label"], "shapes: readonly Shape[]");
    assert_eq!(signature["active_parameter"], 0);
    let dot = with(at(REPORT, 6, 21), json!({ "trigger_character": "." }));
    let proposals = live.proposals(dot.clone());
    assert!(proposals.contains(&"toFixed".to_owned()), "{proposals:?}");
    let resolved = live.get("complete", with(dot, json!({ "resolve": true })));
    let item =
        resolved["items"].as_array().unwrap().iter().find(|item| item["label"] == "toFixed").unwrap().clone();
    assert_eq!(
        (&item["kind"], &item["detail"]),
        (&json!("method"), &json!("(method) Number.toFixed(fractionDigits?: number): string"))
    );
    assert!(item["documentation"].as_str().unwrap().contains("fixed-point notation"), "{item}");
}

/// Every section of `explore`.
pub(crate) fn explores(live: &mut Live, references: u64) {
    let explored = live.ask("explore", json!({ "targets": [named("totalArea"), named("Shape")] }));
    let total = &explored["symbols"][0];
    assert_eq!(spots(&json!([total["definition"]])), ["packages/core/src/total.ts:4:17"]);
    assert!(total["body"].as_str().unwrap().ends_with("shape.area(), 0);\n}"), "{total:#}");
    assert_eq!(total["hover"]["type_info"], "function totalArea(shapes: readonly Shape[]): number");
    assert_eq!(total["references_summary"]["total_count"], references, "{total:#}");
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&total["callers"]), ["packages/web/src/emoji.ts", "report", "View"]);
    assert_eq!(names(&total["callees"]), ["area", "reduce"]);
    assert_eq!((&total["implementations"], &total["tests"]), (&json!([]), &json!([])));
    let shape = &explored["symbols"][1];
    assert_eq!(
        spots(&shape["implementations"]),
        ["packages/core/src/circle.ts:4:14", "packages/core/src/square.ts:3:14"]
    );
}

#[test]
fn finding_the_way() {
    let mut live = over(TYPESCRIPT).start();
    finds_its_way(&mut live, ID);
    let test = "import { totalArea } from \"@shapes/core\";\nexport const checked = () => totalArea([]);\n";
    knows_the_project(&mut live);
    explores(&mut live, 7);
    // A test is found by where it stands.
    live.write("packages/web/src/total.test.ts", test);
    let explored = live.ask("explore", json!({ "targets": [named("totalArea")], "sections": ["tests"] }));
    assert_eq!(
        spots(&explored["symbols"][0]["tests"]),
        ["packages/web/src/total.test.ts:1:10", "packages/web/src/total.test.ts:2:30"]
    );
    live.end();
}
