//! ESLint's server: a linter that runs the project's own ESLint, where the project is trusted, beside the server of the file.

use std::path::Path;

use orienteer_testkit::{Tree, tools};
use serde_json::{Value, json};

use crate::edits::{plan_id, planned};
use crate::edits_offered::action;
use crate::missing::bare_path;
use crate::support::{at, findings, name_servers, over_tree, trusted, warnings, with};

const AREA: &str = "src/area.js";

/// A project whose configuration leaves a mark beside it when it is run.
const PROJECT: &str = r#"//- /package.json
{ "name": "shapes", "type": "module" }
//- /jsconfig.json
{ "compilerOptions": { "checkJs": true, "strict": true, "module": "esnext", "moduleResolution": "bundler" }, "include": ["src"] }
//- /eslint.config.js
import { writeFileSync } from "node:fs";
writeFileSync(new URL("../ran", import.meta.url), "");
export default [{ files: ["src/**/*.js"], rules: { eqeqeq: "error", "prefer-const": "warn", "no-var": "error" } }];
//- /src/area.js
/** @param {number} side */
export function area(side) {
  return side * side;
}
"#;

/// One finding of the compiler, at 8:48, and two of the linter, behind an emoji at 7:42 and at 8:12.
const BROKEN: &str = r#"/** @param {number} side */
export function area(side) {
  return side * side;
}

/** @param {unknown} other */
export const same = (other) => "größe 📐" == other;
export let count = /** @type {number} */ (area("2"));
"#;

/// The parts of a project that npm makes: the package and its list of what is installed.
fn install(tree: &Tree) {
    let modules = tree.root().join("node_modules");
    std::fs::create_dir_all(&modules).unwrap();
    std::os::unix::fs::symlink(tools::node_package("eslint"), modules.join("eslint")).unwrap();
    std::fs::write(modules.join(".package-lock.json"), "{}").unwrap();
}

fn ran(root: &Path) -> bool {
    root.parent().unwrap().join("ran").exists()
}

fn area() -> Value {
    json!({ "file_paths": [AREA] })
}

#[test]
fn findings_and_fixes_of_both() {
    let tree = trusted(PROJECT);
    name_servers(&tree, &["eslint"]);
    install(&tree);
    let mut live = over_tree(tree).start();
    assert_eq!(live.check(area()), ("clean".to_owned(), Vec::new()));
    live.write(AREA, BROKEN);
    let both = live.ask("get_diagnostics", area());
    let expected = [
        format!("{AREA}:7:42 error eqeqeq"),
        format!("{AREA}:8:12 warning prefer-const"),
        format!("{AREA}:8:48 error 2345"),
    ];
    assert_eq!(findings(&both["diagnostics"]), expected, "{both:#}");
    assert_eq!(both["diagnostics"][0]["source"], "eslint");
    // A file written by another program is seen by both, and so is a fix.
    live.write("src/late.js", "var late = 1;\nexport { late };\n");
    let folder = live.ask("get_diagnostics", json!({ "file_paths": ["src"] }));
    assert!(
        findings(&folder["diagnostics"]).contains(&"src/late.js:1:1 error no-var".to_owned()),
        "{folder:#}"
    );
    // What the linter offers can be taken up like everything else.
    let here = json!({ "file_path": AREA, "line": 7, "column": 42, "kinds": ["quickfix"] });
    let offered = live.ask("code_actions", here);
    let id = action(&offered, "Disable eqeqeq for this line");
    let shown = live.ask("code_actions", json!({ "action_id": id }));
    assert_eq!(planned(&shown), [format!("{AREA} 1")], "{shown:#}");
    let applied = live.get("apply_edits", json!({ "plan_id": plan_id(&shown), "diagnostics": true }));
    let delta = &applied["diagnostics_delta"];
    assert_eq!(findings(&delta["fixed"]), [format!("{AREA}:7:42 error eqeqeq")], "{applied:#}");
    assert_eq!(delta["new"], json!([]), "{applied:#}");
    let line = format!("{AREA}:7:1");
    assert_eq!(live.line(&line), "// eslint-disable-next-line eqeqeq");
    // The configuration decides what is wrong; nobody says that it was written.
    live.edit("eslint.config.js", "\"prefer-const\": \"warn\", ", "");
    assert_eq!(live.check(area()).1, [format!("{AREA}:9:48 error 2345")]);
    live.write(AREA, "export const one = 1;\n");
    assert_eq!(live.check(area()), ("clean".to_owned(), Vec::new()));
    // So does a module of the project that it loads.
    live.write("tools/rules.js", "export default { \"no-undef\": \"off\" };\n");
    live.write(
        "eslint.config.js",
        "import rules from \"./tools/rules.js\";\nexport default [{ files: [\"src/**/*.js\"], rules }];\n",
    );
    assert_eq!(live.check(area()), ("clean".to_owned(), Vec::new()));
    live.write(
        "tools/rules.js",
        "export default { \"no-restricted-exports\": [\"error\", { restrictedNamedExports: [\"one\"] }] };\n",
    );
    assert_eq!(live.check(area()).1, [format!("{AREA}:1:14 error no-restricted-exports")]);
    // And a package of the same repository that is linked to, named by a configuration in a folder.
    live.write("packages/rules/index.js", "export default { \"no-var\": \"off\" };\n");
    let scope = live.tree.root().join("node_modules/@acme");
    std::fs::create_dir_all(&scope).unwrap();
    std::os::unix::fs::symlink("../../packages/rules", scope.join("rules")).unwrap();
    live.write("packages/rules/package.json", "{ \"type\": \"module\", \"exports\": \"./index.js\" }\n");
    live.write("src/eslint.config.js", "import rules from \"@acme/rules\";\nexport default [{ rules }];\n");
    let late = json!({ "file_paths": ["src/late.js"] });
    assert_eq!(live.check(late.clone()), ("clean".to_owned(), Vec::new()));
    live.write("packages/rules/index.js", "export default { \"no-var\": \"error\" };\n");
    assert_eq!(live.check(late).1, ["src/late.js:1:1 error no-var"]);
    // Other questions are the first server's alone.
    let hover = live.ask("hover", at(AREA, 1, 14));
    assert_eq!(hover["server_id"], "typescript-language-server");
    live.end();
}

/// Its server answers an empty list for all of these.
#[test]
fn a_file_that_it_did_not_look_at_is_not_clean() {
    let tree = trusted(PROJECT);
    name_servers(&tree, &["eslint"]);
    let mut live = over_tree(tree).start();
    let missing = live.get("get_diagnostics", area());
    let message = missing["warnings"].to_string();
    assert_eq!(
        (&missing["state"], &missing["completeness"]["state"]),
        (&json!("pending"), &json!("partial"))
    );
    assert!(message.contains("eslint: the project has no ESLint"), "{missing:#}");
    install(&live.tree);
    assert_eq!(live.check(area()), ("clean".to_owned(), Vec::new()));
    let config = std::fs::read_to_string(live.tree.root().join("eslint.config.js")).unwrap();
    live.write("eslint.config.js", "export default [{ rules: { eqeqeq: }]\n");
    let broken = live.get("get_diagnostics", area());
    assert_eq!(
        (&broken["state"], warnings(&broken)),
        (&json!("pending"), vec!["server_degraded"]),
        "{broken:#}"
    );
    assert!(broken["warnings"].to_string().contains("Unexpected token '}'"), "{broken:#}");
    // A configuration that ends the process counts as an empty one to its server.
    live.write("eslint.config.js", "process.exit(0);\n");
    let ended = live.get("get_diagnostics", area());
    assert_eq!(
        (&ended["state"], warnings(&ended)),
        (&json!("pending"), vec!["server_degraded"]),
        "{ended:#}"
    );
    assert!(ended["warnings"].to_string().contains("calls `process.exit`"), "{ended:#}");
    live.write("eslint.config.js", &config);
    assert_eq!(live.check(area()), ("clean".to_owned(), Vec::new()));
    // What the configuration does not speak of is left out, and that is said.
    live.write("src/typed.ts", "export const one: number = 1;\n");
    let typed = live.ask("get_diagnostics", json!({ "file_paths": ["src/typed.ts"] }));
    assert_eq!((&typed["state"], warnings(&typed)), (&json!("clean"), vec!["left_out"]), "{typed:#}");
    let note =
        "eslint did not check src/typed.ts: File ignored because no matching configuration was supplied";
    assert_eq!(typed["warnings"][0]["message"], note);
    live.end();
}

#[test]
fn nothing_of_a_stranger_s_project_is_run() {
    let tree = orienteer_testkit::tree(PROJECT);
    name_servers(&tree, &["eslint"]);
    install(&tree);
    let mut live = over_tree(tree).start();
    let found = live.get("get_diagnostics", area());
    assert_eq!(found["state"], "pending", "{found:#}");
    assert_eq!(found["completeness"], json!({ "state": "partial", "reason": "not_checked" }), "{found:#}");
    assert_eq!(found["pending_files"], json!([AREA]));
    assert!(found["warnings"].to_string().contains("not done without trust"), "{found:#}");
    live.write(AREA, BROKEN);
    let found = live.get("get_diagnostics", area());
    assert_eq!(findings(&found["diagnostics"]), [format!("{AREA}:8:48 error 2345")]);
    assert_eq!(found["completeness"]["state"], "partial");
    let listed = live.get("list_servers", json!({}));
    let eslint = listed["servers"].as_array().unwrap().iter().find(|row| row["id"] == "eslint").unwrap();
    assert_eq!((&eslint["installed"], &eslint["needs_trust"]), (&json!(true), &json!(true)), "{eslint:#}");
    assert!(!ran(live.tree.root()), "the project's configuration was run");
    live.end();
}

#[test]
fn a_project_without_a_configuration_does_not_use_it() {
    let tree = trusted("//- /jsconfig.json\n{}\n//- /src/area.js\nexport const one = 1;\n");
    name_servers(&tree, &["eslint"]);
    let mut live = over_tree(tree).start();
    let clean = live.ask("get_diagnostics", area());
    assert_eq!(
        (&clean["state"], &clean["server_id"]),
        (&json!("clean"), &json!("typescript-language-server"))
    );
    live.end();
}

/// It takes nobody's place.
#[test]
fn where_the_server_of_the_file_is_missing_that_is_told() {
    let tree = trusted(PROJECT);
    name_servers(&tree, &["eslint"]);
    install(&tree);
    let path = bare_path(&tree, &["node", "vscode-eslint-language-server"]);
    let mut live = over_tree(tree).path(path).start();
    let found = live.get("get_diagnostics", area());
    assert_eq!((&found["state"], &found["pending_files"]), (&json!("pending"), &json!([AREA])), "{found:#}");
    assert_eq!(found["completeness"], json!({ "state": "partial", "reason": "not_checked" }), "{found:#}");
    assert!(found["warnings"].to_string().contains("`typescript-native` is not installed"), "{found:#}");
    live.get("get_diagnostics", with(area(), json!({ "save_baseline": "before" })));
    live.write(AREA, BROKEN);
    let found = live.get("get_diagnostics", area());
    assert_eq!(findings(&found["diagnostics"]).len(), 2, "{found:#}");
    // Nothing is known of what the other one would find, and that takes nothing away from what this one does.
    let since = live.get("get_diagnostics", with(area(), json!({ "baseline": "before" })));
    let new = [format!("{AREA}:7:42 error eqeqeq"), format!("{AREA}:8:12 warning prefer-const")];
    assert_eq!((findings(&since["new"]), &since["fixed"]), (new.to_vec(), &json!([])), "{since:#}");
    assert_eq!(since["pending_files"], json!([AREA]));
    let hover = live.get("hover", at(AREA, 2, 17));
    assert_eq!(
        hover["completeness"],
        json!({ "state": "partial", "reason": "server_unavailable" }),
        "{hover:#}"
    );
    live.end();
}
