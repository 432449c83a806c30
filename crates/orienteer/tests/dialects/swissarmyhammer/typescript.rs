//! TypeScript, as the document has it: by typescript-language-server, in a monorepo of packages.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::{TYPESCRIPT, TYPESCRIPT_BROKEN};
use serde_json::json;

use super::support::{over, place};

const REPORT: &str = "packages/web/src/report.ts";

#[test]
fn typescript_is_answered_over_all_packages() {
    let mut hammer = over(tree(TYPESCRIPT)).start();
    let defined = hammer.ask("definition", REPORT, place(5, 15));
    assert_eq!(hammer.spots(&defined["definitions"]), ["packages/core/src/total.ts:4:17"]);
    assert_eq!(
        defined["definitions"][0]["preview"],
        "export function totalArea(shapes: readonly Shape[]): number {"
    );
    let found = hammer.ask("references", "packages/core/src/total.ts", place(4, 17));
    let spots = hammer.spots(&found["references"]);
    for spot in [
        "packages/web/src/report.ts:5:15",
        "packages/web/src/view.tsx:9:17",
        "packages/web/src/emoji.ts:6:58",
    ] {
        assert!(spots.contains(&spot.to_owned()), "{spots:#?}");
    }
    assert_eq!(found["total_count"], spots.len());
    let hover = hammer.ask("hover", REPORT, place(5, 15));
    let contents = &hover["contents"];
    assert!(
        contents["type_info"].as_str().unwrap().contains("totalArea(shapes: readonly Shape[]): number"),
        "{hover:#}"
    );
    assert_eq!(contents["documentation"], "The sum of all areas.");
    hammer.tree.write(REPORT, TYPESCRIPT_BROKEN);
    let broken = hammer.ask("diagnostics", REPORT, json!({}));
    let row = &broken["diagnostics"][0];
    assert_eq!((hammer.spot(row).as_str(), &row["code"]), ("packages/web/src/report.ts:5:9", &json!("2322")));
    assert_eq!((&row["severity"], &row["source"]), (&json!("error"), &json!("typescript")));
    assert_eq!(broken["summary"]["errors"], 1);
    hammer.end();
}

#[test]
fn javascript_and_its_configuration_are_one_of_its_projects() {
    let fixture = "//- /jsconfig.json\n{ \"compilerOptions\": { \"checkJs\": true } }\n//- /src/a.js\n\
                   /** Adds. */\nexport function add(a, b) {\n  return a + b;\n}\n\
                   //- /src/b.jsx\nimport { add } from \"./a\";\nexport const sum = add(1, 2);\n";
    let mut hammer = over(tree(fixture)).start();
    let defined = hammer.ask("definition", "src/b.jsx", place(2, 20));
    assert_eq!(hammer.spots(&defined["definitions"]), ["src/a.js:2:17"]);
    hammer.end();
}
