//! The page that lists every promise and the test that shows it.

use std::collections::BTreeSet;
use std::path::Path;

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names of functions below folders of sources.
fn functions(folder: &Path, into: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            functions(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            for (at, line) in lines.iter().enumerate().skip(1) {
                let name = line.strip_prefix("fn ").or_else(|| line.strip_prefix("async fn "));
                let attributed = lines[..at]
                    .iter()
                    .rev()
                    .take(3)
                    .any(|above| above.starts_with("#[test]") || above.starts_with("#[tokio::test]"));
                if let Some((name, _)) = name.and_then(|name| name.split_once('(')).filter(|_| attributed) {
                    into.insert(name.to_owned());
                }
            }
        }
    }
}

#[test]
fn every_promise_names_a_test_that_exists() {
    let page = text("../../docs/dialects/pyright.md");
    let mut tests = BTreeSet::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in ["orienteer/tests/dialects/pyright", "orienteer/src", "orienteer-engine/src/check"] {
        functions(&crates.join(folder), &mut tests);
    }
    let rows: Vec<&str> =
        page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")).collect();
    let mut promises = 0;
    let mut named = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let last = cells[cells.len() - 1];
        if last == "test" {
            continue;
        }
        promises += 1;
        let shown: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!shown.is_empty(), "no test: {row}");
        for test in shown {
            assert!(tests.contains(test), "`{test}` is no test: {row}");
            named.insert(test.to_owned());
        }
    }
    assert!(promises > 60, "{promises}");
    // And every test of this suite stands for a promise.
    let mut own = BTreeSet::new();
    functions(&crates.join("orienteer/tests/dialects/pyright"), &mut own);
    let spare: Vec<&String> = own
        .difference(&named)
        .filter(|name| !name.contains("promise") && !name.contains("installed"))
        .collect();
    assert!(spare.is_empty(), "tests that the page does not name: {spare:?}");
}
