//! The page about the dialect names a test for every promise, and every test it names exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Names of all tests of the dialect.
fn tests() -> BTreeSet<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![here.join("src/dialects/pairofcleats.rs")];
    for folder in ["tests/dialects/pairofcleats", "src/dialects/pairofcleats"] {
        sources(&here.join(folder), &mut files);
    }
    let mut names = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for pair in lines.windows(2).filter(|pair| pair[0] == "#[test]") {
            let name = pair[1].strip_prefix("fn ").and_then(|rest| rest.split('(').next());
            names.extend(name.map(str::to_owned));
        }
    }
    names
}

#[test]
fn every_promise_of_the_page_names_a_test_that_exists() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialects/pairofcleats.md");
    let page = std::fs::read_to_string(page).unwrap();
    let known = tests();
    let mut rows = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let Some(last) = cells.last().filter(|last| **last != "shown by") else { continue };
        let named: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test: {line}");
        for name in named {
            assert!(known.contains(name), "no such test `{name}`: {line}");
        }
        rows += 1;
    }
    assert!(rows >= 30, "{rows} rows");
}
