//! TypeScript, as the document has it: by typescript-language-server, in a monorepo of packages.

use orienteer_testkit::workspaces::{TYPESCRIPT, TYPESCRIPT_BROKEN};
use orienteer_testkit::{tools, tree};
use serde_json::json;

use super::support::{bare_path, over, place, user_settings};

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
    assert_eq!(contents["source_module"], "packages/core/src/total.ts", "where it is defined");
    hammer.tree.write(REPORT, TYPESCRIPT_BROKEN);
    let broken = hammer.ask("diagnostics", REPORT, json!({}));
    let row = &broken["diagnostics"][0];
    assert_eq!((hammer.spot(row).as_str(), &row["code"]), ("packages/web/src/report.ts:5:9", &json!("2322")));
    assert_eq!((&row["severity"], &row["source"]), (&json!("error"), &json!("typescript")));
    assert_eq!(broken["summary"]["errors"], 1);
    hammer.end();
}

#[test]
fn the_module_of_a_hover_is_the_file_where_the_server_names_none() {
    let fixture = "//- /pyproject.toml\n[project]\nname = \"p\"\n//- /shapes/area.py\ndef area() -> int:\n    return 1\n\
                   //- /main.py\nfrom shapes.area import area\n\nprint(area())\n";
    let mut hammer = over(tree(fixture)).start();
    let hover = hammer.ask("hover", "main.py", place(3, 8));
    let contents = &hover["contents"];
    assert!(contents["type_info"].as_str().unwrap().contains("def area() -> int"), "{hover:#}");
    assert_eq!(contents["source_module"], "shapes/area.py", "{hover:#}");
    hammer.end();
}

#[test]
fn the_native_compiler_serves_where_the_settings_choose_it() {
    let tree = tree(TYPESCRIPT);
    let path = bare_path(&tree, &["node"]);
    std::os::unix::fs::symlink(
        tools::tools().join("ts7/node_modules/.bin/tsc"),
        tree.beside("bin").join("tsc"),
    )
    .unwrap();
    user_settings(
        &tree,
        "lsp:\n  languages: { typescript: { command: \"tsc\", args: [\"--lsp\", \"--stdio\"] } }\n",
    );
    let mut hammer = over(tree).path(path).start();
    let defined = hammer.ask("definition", REPORT, place(5, 15));
    assert_eq!(hammer.spots(&defined["definitions"]), ["packages/core/src/total.ts:4:17"]);
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
