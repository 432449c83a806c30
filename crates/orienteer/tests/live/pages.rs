//! Whoever turns the pages of references does not wait for all of them again, unless a file has changed.

use std::time::Duration;

use orienteer_testkit::tools;
use orienteer_testkit::workspaces::{PYTHON, RUST, TYPESCRIPT};
use serde_json::{Value, json};

use crate::support::{Live, over, uses, with};

/// How often the server was asked for references.
fn asked(live: &mut Live, id: &str) -> u64 {
    live.status(id)["latency"]["textDocument/references"]["count"].as_u64().unwrap_or_default()
}

/// All references, one on a page.
fn turned(live: &mut Live, target: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut page = with(target.clone(), json!({ "max_results": 1 }));
    loop {
        let answer = live.get("find_references", page.clone());
        all.extend(uses(&answer));
        let Some(cursor) = answer["cursor"].as_str() else { return all };
        assert_eq!(uses(&answer).len(), 1, "{answer}");
        page["cursor"] = json!(cursor);
    }
}

/// `file` has the text `from`, in which the symbol is used once; with `to` it is used once more.
fn pages(live: &mut Live, id: &str, target: &Value, [file, from, to]: [&str; 3]) {
    let all = live.references(target.clone());
    assert!(all.len() > 3, "{all:?}");
    // Nothing is recalled of what a server said while it was still loading: it may have known less.
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(live.references(target.clone()), all);
    let before = asked(live, id);
    assert_eq!(turned(live, target), all);
    assert_eq!(live.references(target.clone()), all);
    assert_eq!(asked(live, id), before, "the pages are those of one answer");

    live.edit(file, from, to);
    let more = live.references(target.clone());
    assert_eq!(more.len(), all.len() + 1, "{more:?}");
    assert!(asked(live, id) > before);
    assert_eq!(turned(live, target), more);
    live.edit(file, to, from);
    assert_eq!(turned(live, target), all);
}

#[test]
fn of_rust_analyzer() {
    let mut live = over(RUST).start();
    let more = ["crates/app/src/main.rs", "total_area(&shapes)", "total_area(&shapes) + total_area(&[])"];
    let target = json!({ "symbol_name": "total_area", "file_path": "crates/geometry/src/lib.rs" });
    pages(&mut live, "rust-analyzer", &target, more);
    live.end();
}

#[test]
fn of_typescript() {
    let mut live = over(TYPESCRIPT).path(tools::ts7_path()).start();
    let more = ["packages/web/src/report.ts", "totalArea(", "totalArea([]) + totalArea("];
    let target = json!({ "symbol_name": "totalArea", "file_path": "packages/core/src/total.ts" });
    pages(&mut live, "typescript-native", &target, more);
    live.end();
}

#[test]
fn of_pyright() {
    let mut live = over(PYTHON).start();
    let target = json!({ "symbol_name": "total_area" });
    pages(
        &mut live,
        "pyright",
        &target,
        ["tests/test_shapes.py", "total_area([S", "total_area([]) + total_area([S"],
    );
    live.end();
}

/// It wants diagnostics to be asked for again whenever it was given a document.
#[test]
fn another_document_tells_pyright_nothing_about_uses_and_a_new_one_does() {
    let based =
        || over(PYTHON).path(tools::basedpyright_path()).variable("ORIENTEER_LSP_DISABLED", "pyright");
    for (id, begun) in [("pyright", over(PYTHON)), ("basedpyright", based())] {
        let mut live = begun.start();
        let target = json!({ "symbol_name": "total_area" });
        let all = live.references(target.clone());
        std::thread::sleep(Duration::from_secs(3));
        assert_eq!(live.references(target.clone()), all);
        let before = asked(&mut live, id);
        live.outline("src/shapes/round.py");
        std::thread::sleep(Duration::from_secs(2));
        assert_eq!(live.references(target.clone()), all);
        assert_eq!(asked(&mut live, id), before, "{id}");

        live.write("src/shapes/later.py", "from .total import total_area\n");
        assert_eq!(live.references(target.clone()).len(), all.len() + 1, "{id}");
        assert!(asked(&mut live, id) > before);
        live.end();
    }
}

/// The servers of TypeScript know a project as a whole when one of its files is open, and nothing of a file that no
/// configuration names until it is.
#[test]
fn another_document_of_a_project_tells_typescript_nothing_and_one_of_none_does() {
    let native = || over(TYPESCRIPT).path(tools::ts7_path());
    for (id, begun) in [("typescript-native", native()), ("typescript-language-server", over(TYPESCRIPT))] {
        let mut live = begun.start();
        let extra = "import { totalArea } from \"../src/total\";\nexport const none = totalArea([]);\n";
        live.write("packages/core/test/extra.ts", extra);
        let target = json!({ "symbol_name": "totalArea", "file_path": "packages/core/src/total.ts" });
        let all = live.references(target.clone());
        std::thread::sleep(Duration::from_secs(3));
        assert_eq!(live.references(target.clone()), all);
        let before = asked(&mut live, id);
        for file in
            ["packages/core/src/square.ts", "packages/core/src/circle.ts", "packages/web/src/emoji.ts"]
        {
            live.outline(file);
            assert_eq!(live.references(target.clone()), all, "{id}: {file}");
        }
        assert_eq!(asked(&mut live, id), before, "{id}");

        live.outline("packages/core/test/extra.ts");
        let more = live.references(target.clone());
        assert_eq!(more.len(), all.len() + 2, "{id}: {more:?}");
        assert!(asked(&mut live, id) > before, "{id}");
        live.end();
    }
}
