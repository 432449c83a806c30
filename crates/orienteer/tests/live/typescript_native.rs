//! TypeScript 7, which is a language server itself.

use std::path::Path;

use orienteer_testkit::workspaces::{ODD_FOLDER, TYPESCRIPT, crlf, in_folder};
use orienteer_testkit::{tools, tree};
use serde_json::json;

use crate::rust_more::commit;
use crate::support::{at, over, over_tree};
use crate::typescript::{REPORT, TOTAL, TOTAL_AREA, explores, finds_its_way, knows_the_project};
use crate::typescript_more::{odd_places, says_what_is_wrong};

const ID: &str = "typescript-native";

#[test]
fn finding_the_way() {
    let mut live = over(TYPESCRIPT).path(tools::ts7_path()).start();
    finds_its_way(&mut live, ID);
    knows_the_project(&mut live);
    // It does not count imports as uses.
    explores(&mut live, 3);
    says_what_is_wrong(&mut live);
    assert_eq!(live.status(ID)["version"], "7.0.2");
    live.end();
}

#[test]
fn a_folder_with_blanks_and_windows_line_ends() {
    let mut live = over(&in_folder(ODD_FOLDER, &crlf(TYPESCRIPT))).path(tools::ts7_path()).start();
    odd_places(&mut live);
    live.end();
}

/// Links what is installed beside the project into it, as npm does.
fn link(root: &Path, package: &Path) {
    let modules = root.join("node_modules");
    std::fs::create_dir_all(modules.join(".bin")).unwrap();
    let link = |target: &Path, name: &str| std::os::unix::fs::symlink(target, modules.join(name)).unwrap();
    link(package, "typescript");
    link(&package.join("bin/tsc"), ".bin/tsc");
    let platform = package.with_file_name("@typescript");
    if platform.is_dir() {
        link(&platform, "@typescript");
    }
}

/// The project's own TypeScript decides, where it is installed and not part of what was cloned.
#[test]
fn the_projects_own_compiler_is_preferred() {
    let tree = tree(&format!("{TYPESCRIPT}//- /.gitignore\nnode_modules\n"));
    commit(tree.root());
    link(tree.root(), &tools::typescript_7());
    let mut live = over_tree(tree).start();
    let found = live.ask("find_references", at(TOTAL, 4, 17));
    assert_eq!(found["server_id"], ID, "{:#}", live.raw("list_servers", json!({})));
    assert_eq!(live.references(at(TOTAL, 4, 17)), TOTAL_AREA);
    live.end();
}

#[test]
fn the_projects_older_compiler_keeps_the_older_server() {
    let tree = tree(&format!("{TYPESCRIPT}//- /.gitignore\nnode_modules\n"));
    commit(tree.root());
    link(tree.root(), &tools::typescript());
    let mut live = over_tree(tree).start();
    let defined = live.ask("find_definition", at(REPORT, 5, 15));
    assert_eq!(defined["server_id"], "typescript-language-server");
    let pi = live
        .definitions(json!({ "file_path": "packages/core/src/circle.ts", "line": 8, "symbol_name": "PI" }));
    assert!(pi[0].contains("/node_modules/typescript/lib/lib.es5.d.ts:"), "{pi:?}");
    live.end();
}
