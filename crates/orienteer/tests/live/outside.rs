//! A project can make a server name any file. What one says is shown only inside the roots, toolchains and packages.

use orienteer_testkit::fake::{Rule, Script, fake_lsp_binary};
use orienteer_testkit::{Tree, tree};
use serde_json::{Value, json};

use crate::support::{Live, at, configure, over_tree, with};

const MARK: &str = "vault_marker";

fn place(path: &std::path::Path) -> Value {
    let (start, end) = (json!({ "line": 1, "character": 4 }), json!({ "line": 1, "character": 16 }));
    json!({ "uri": format!("file://{}", path.display()), "range": { "start": start, "end": end } })
}

/// A server that names this file whatever it is asked.
fn naming(tree: Tree, path: &std::path::Path) -> Live {
    let place = place(path);
    let (uri, range) = (&place["uri"], &place["range"]);
    let symbol = json!({ "name": "square", "kind": 12, "location": place });
    let item = json!({ "name": "square", "kind": 12, "uri": uri, "range": range, "selectionRange": range });
    let call = json!([{ "from": item, "fromRanges": [range] }]);
    let script = Script::new()
        .rule(Rule::on("textDocument/definition").answer(place.clone()))
        .rule(Rule::on("textDocument/references").answer(json!([place])))
        .rule(Rule::on("workspace/symbol").answer(json!([symbol])))
        .rule(Rule::on("callHierarchy/incomingCalls").answer(call));
    let script = script.write(&tree.beside("fake"));
    let block = format!(
        "[[servers]]\nid = 'fake'\ncommand = '{}'\nargs = ['{}']\nextensions = ['fake']\nroot_markers = ['.']\n",
        fake_lsp_binary().display(),
        script.display()
    );
    configure(&tree, &block);
    over_tree(tree).start()
}

fn fixture(folder: &str) -> (Tree, std::path::PathBuf) {
    let tree = tree("//- /a.fake\ndef square n\nuse square\n");
    let path = tree.beside(folder).join("named.fake");
    std::fs::write(&path, format!("def square n\nuse {MARK}\n")).unwrap();
    (tree, path)
}

#[test]
fn a_file_that_is_nobodys_business_is_named_and_not_shown() {
    let (tree, path) = fixture("private");
    let mut live = naming(tree, &path);
    let shown = path.display().to_string();
    let here = at("a.fake", 2, 6);
    let snippet = json!({ "include_snippet": true });
    let found = live.get("find_definition", with(here.clone(), snippet.clone()));
    let row = &found["definitions"][0];
    assert_eq!(
        (&row["file_path"], &row["preview"], &row["note"], row.get("snippet")),
        (&json!(shown), &json!(""), &json!("outside_roots"), None),
        "{found:#}"
    );
    assert_eq!(row["line"], 2);
    assert!(live.text.contains("outside_roots: not shown"), "{}", live.text);
    assert_eq!(found["completeness"]["state"], "complete", "where it is, is known: {found:#}");
    let uses = live.get("find_references", with(here.clone(), snippet));
    assert_eq!((&uses["references"][0]["file_path"], &uses["total_count"]), (&json!(shown), &json!(1)));
    for (tool, arguments) in [
        ("call_hierarchy", with(here.clone(), json!({ "direction": "incoming" }))),
        ("find_symbol", json!({ "query": "square", "include_dependencies": true })),
        ("explore", json!({ "targets": [here] })),
        ("hover", here.clone()),
        ("read_file", json!({ "file_path": shown })),
        ("document_symbols", json!({ "file_path": shown })),
        ("search_code", json!({ "pattern": "use", "path": shown })),
        ("find_definition", at(&shown, 2, 6)),
    ] {
        let answer = live.server.call(tool, arguments);
        assert!(!answer.to_string().contains(MARK), "{tool}: {answer:#}");
    }
    let refused = live.refused("read_file", json!({ "file_path": shown }));
    assert_eq!(refused["error"]["data"]["kind"], "outside_roots", "{refused:#}");
    live.end();
}

#[test]
fn a_file_of_a_package_is_shown_and_its_secrets_are_not() {
    let (tree, path) = fixture("node_modules");
    let mut live = naming(tree, &path);
    let found = live.get("find_definition", at("a.fake", 2, 6));
    let row = &found["definitions"][0];
    assert!(row["preview"].as_str().unwrap().contains(MARK) && row.get("note").is_none(), "{found:#}");
    let read = live.get("read_file", json!({ "file_path": path }));
    assert!(read["content"].as_str().unwrap().contains(MARK), "{read:#}");
    live.end();
    let (tree, path) = fixture("node_modules/.ssh");
    let mut live = naming(tree, &path);
    let found = live.get("find_definition", at("a.fake", 2, 6));
    assert_eq!(found["definitions"][0]["note"], "outside_roots", "{found:#}");
    live.end();
}

#[test]
fn clangd_follows_every_include_and_only_headers_of_the_system_are_shown() {
    let outside = tree(&format!("//- /private.h\nint {MARK}(void);\n"));
    let private = outside.root().join("private.h");
    let text = format!(
        "#include \"/etc/passwd\"\n#include \"{}\"\n#include <stdio.h>\nint main(void) {{ return puts(\"\") + {MARK}(); }}\n",
        private.display()
    );
    let workspace = tree("//- /compile_flags.txt\n-xc\n");
    workspace.write("main.c", text);
    let mut live = over_tree(workspace).start();
    for (line, named) in [(1, "/etc/passwd"), (2, private.to_str().unwrap())] {
        let arguments = with(at("main.c", line, 14), json!({ "include_snippet": true }));
        let found = live.get("find_definition", arguments);
        let row = &found["definitions"][0];
        assert_eq!((&row["file_path"], &row["note"]), (&json!(named), &json!("outside_roots")), "{found:#}");
        assert_eq!(row["preview"], "", "{found:#}");
        let refused = live.refused("read_file", json!({ "file_path": named }));
        assert_eq!(refused["error"]["kind"], "path_not_allowed", "{refused:#}");
    }
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
    let words = ["variable root", "root:", passwd.lines().nth(1).unwrap()];
    for (tool, arguments) in [
        ("hover", at("main.c", 1, 14)),
        ("find_references", at("main.c", 1, 14)),
        ("explore", json!({ "targets": [at("main.c", 1, 14)] })),
        ("get_diagnostics", json!({ "file_paths": ["main.c"] })),
        ("document_symbols", json!({ "file_path": "main.c" })),
        ("find_symbol", json!({ "query": "root", "include_dependencies": true })),
    ] {
        let answer = live.server.call(tool, arguments).to_string();
        eprintln!("{tool}: {answer}");
        assert!(!words.iter().any(|line| answer.contains(line)), "{tool}: {answer}");
    }
    let standard = live.get("find_definition", at("main.c", 4, 26));
    let row = &standard["definitions"][0];
    assert!(row["file_path"].as_str().unwrap().ends_with("/stdio.h"), "{standard:#}");
    assert!(row["preview"].as_str().unwrap().contains("puts"), "{standard:#}");
    live.end();
}
