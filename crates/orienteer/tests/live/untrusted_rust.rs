//! Rust without trust: nothing that the project names runs, and answers say where that can matter.

use std::path::Path;

use orienteer_testkit::{Tree, tree};
use serde_json::{Value, json};

use crate::support::{Live, named, over_tree, tell_tale, trust, uses};

const LIB: &str = "app/src/lib.rs";

/// A workspace that names a program of its own wherever Rust's tools let it.
fn hostile() -> Tree {
    let tree = tree(
        "//- /Cargo.toml\n[workspace]\nresolver = \"2\"\nmembers = [\"app\", \"mac\"]\n\
         //- /mac/Cargo.toml\n[package]\nname = \"mac\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n\
         //- /app/Cargo.toml\n[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
         [dependencies]\nmac = { path = \"../mac\" }\n\
         //- /app/src/lib.rs\npub fn plain() -> u8 { 1 }\npub fn hidden() -> u8 { 2 }\n\
         pub fn user() -> u8 { plain() }\npub fn other() -> u8 { mac::pass!(hidden()) }\n",
    );
    let mark = |name: &str| marks(&tree).join(name);
    let writes = |name: &str| format!("std::fs::write({:?}, \"\").unwrap();", mark(name));
    let script = format!("fn main() {{ {} }}\n", writes("build-script"));
    tree.write("app/build.rs", script);
    let lib = format!(
        "extern crate proc_macro;\nuse proc_macro::TokenStream;\n\
         #[proc_macro]\npub fn pass(input: TokenStream) -> TokenStream {{ {} input }}\n",
        writes("macro")
    );
    tree.write("mac/src/lib.rs", lib);
    let program = |name: &str| {
        let program = tree.root().join("evil").join(name);
        tell_tale(&program, &mark(name));
        program.display().to_string()
    };
    let (rustc, wrapper, workspace_wrapper) =
        (program("rustc"), program("wrapper"), program("workspace-wrapper"));
    let (linker, runner, credentials) = (program("linker"), program("runner"), program("credentials"));
    tree.write(
        ".cargo/config.toml",
        format!(
            "[build]\nrustc = '{rustc}'\nrustc-wrapper = '{wrapper}'\nrustc-workspace-wrapper = '{workspace_wrapper}'\n\
             rustflags = [\"-Clinker={linker}\"]\n[target.'cfg(all())']\nlinker = '{linker}'\nrunner = '{runner}'\n\
             [registry]\nglobal-credential-providers = ['{credentials}']\n"
        ),
    );
    for name in ["cargo", "rustc", "rustfmt", "rust-analyzer", "rustdoc"] {
        tell_tale(&tree.root().join("toolchain/bin").join(name), &mark("toolchain"));
    }
    let toolchain = tree.root().join("toolchain");
    tree.write("rust-toolchain.toml", format!("[toolchain]\npath = '{}'\n", toolchain.display()));
    tree
}

fn marks(tree: &Tree) -> std::path::PathBuf {
    tree.beside("marks")
}

fn ran(folder: &Path) -> Vec<String> {
    let mut ran: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    ran.sort();
    ran
}

fn warning<'v>(answer: &'v Value, kind: &str) -> Option<&'v str> {
    let warnings = answer["warnings"].as_array()?;
    warnings.iter().find(|warning| warning["kind"] == kind)?["message"].as_str()
}

fn started(tree: Tree) -> Live {
    over_tree(tree).start()
}

#[test]
fn nothing_that_a_project_names_runs() {
    let tree = hostile();
    let folder = marks(&tree);
    let mut live = started(tree);
    let plain = live.get("find_references", named("plain"));
    assert_eq!(uses(&plain), ["app/src/lib.rs:1:8!", "app/src/lib.rs:3:23"]);
    assert_eq!(plain["completeness"]["state"], "complete", "no macro has to do with it: {plain:#}");
    let told = warning(&plain, "restricted").unwrap_or_else(|| panic!("{plain:#}"));
    assert!(told.contains("build scripts") && told.contains("`orienteer trust "), "{told}");
    let again = live.get("find_references", named("plain"));
    assert_eq!(warning(&again, "restricted"), None, "once is enough");

    // The only use stands in a call that was not expanded.
    for tool in ["find_references", "call_hierarchy"] {
        let hidden = live.get(tool, named("hidden"));
        assert_eq!(
            hidden["completeness"],
            json!({ "state": "partial", "reason": "needs_trust" }),
            "{tool}: {hidden:#}"
        );
        let told = warning(&hidden, "needs_trust").unwrap_or_else(|| panic!("{hidden:#}"));
        assert!(told.contains("app/src/lib.rs:4") && told.contains("`orienteer trust "), "{told}");
    }

    let nothing = live.get("find_symbol", json!({ "query": "made_by_a_macro", "match": "exact" }));
    assert_eq!(nothing["completeness"]["reason"], "needs_trust", "{nothing:#}");
    let renamed = live.get("rename_symbol", json!({ "symbol_name": "hidden", "new_name": "shown" }));
    assert_eq!(renamed["completeness"]["reason"], "needs_trust", "{renamed:#}");

    let checked = live.get("get_diagnostics", json!({ "file_paths": [LIB], "wait_ms": 60_000 }));
    assert_eq!(checked["state"], "pending", "{checked:#}");
    assert_eq!(checked["completeness"]["reason"], "needs_trust", "{checked:#}");
    let whole = live.get("get_diagnostics", json!({ "scope": "workspace", "wait_ms": 60_000 }));
    assert_ne!(whole["state"], "clean", "{whole:#}");
    let refused = live.refused("get_diagnostics", json!({ "scope": "workspace", "mode": "compiler" }));
    assert_eq!(refused["error"]["data"]["kind"], "needs_trust", "{refused:#}");
    assert!(refused["next_steps"][0]["message"].as_str().unwrap().contains("orienteer trust"), "{refused:#}");

    live.raw("hover", json!({ "file_path": LIB, "line": 3, "column": 23 }));
    live.raw("explore", named("plain"));
    live.get("document_symbols", json!({ "file_path": LIB }));
    live.raw("code_actions", json!({ "file_path": LIB, "start_line": 4 }));
    live.get("rename_symbol", json!({ "symbol_name": "plain", "new_name": "simple" }));
    live.get("format_code", json!({ "file_paths": [LIB] }));
    assert_eq!(ran(&folder), [""; 0]);
}

/// The trap is one: where the user trusts the project, what it names does run.
#[test]
fn in_a_trusted_project_it_runs_as_in_an_editor() {
    let tree = hostile();
    std::fs::remove_file(tree.root().join("rust-toolchain.toml")).unwrap();
    std::fs::remove_dir_all(tree.root().join(".cargo")).unwrap();
    trust(&tree);
    let folder = marks(&tree);
    let mut live = started(tree);
    let hidden = live.get("find_references", named("hidden"));
    assert_eq!(uses(&hidden), ["app/src/lib.rs:2:8!", "app/src/lib.rs:4:35"], "{hidden:#}");
    assert_eq!(hidden["completeness"]["state"], "complete", "{hidden:#}");
    assert_eq!(warning(&hidden, "restricted"), None);
    assert_eq!(ran(&folder), ["build-script", "macro"]);
}

/// What tells rust-analyzer itself what to run is not read around: it is not started.
#[test]
fn a_project_that_tells_the_server_what_to_run_needs_trust() {
    let tree = hostile();
    let folder = marks(&tree);
    let program = tree.root().join("evil/sysroot/bin/rustc");
    tell_tale(&program, &folder.join("sysroot"));
    let sysroot = tree.root().join("evil/sysroot");
    let project =
        json!({ "sysroot": sysroot, "crates": [{ "root_module": LIB, "edition": "2021", "deps": [] }] });
    tree.write("rust-project.json", project.to_string());
    let mut live = started(tree);
    let found = live.get("find_references", named("plain"));
    assert_eq!(found["completeness"]["state"], "partial", "{found:#}");
    assert!(found["warnings"].to_string().contains("rust-project.json"), "{found:#}");
    assert_eq!(ran(&folder), [""; 0]);
}
