//! Does a page name, for every promise, tests that exist?

use std::collections::BTreeSet;
use std::path::Path;

fn here(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Checks every table of a page whose first column is called `promise`: each row ends with the names of tests that are in
/// one of these files or folders. Gives the number of rows.
pub(crate) fn checked(page: &str, places: &[&str]) -> usize {
    let text = std::fs::read_to_string(here("../../docs/dialects").join(page)).unwrap();
    let tests: BTreeSet<String> = places.iter().flat_map(|place| tests_in(&here(place))).collect();
    let (mut rows, mut is_inside) = (0, false);
    for line in text.lines() {
        if !line.starts_with('|') {
            is_inside = false;
            continue;
        }
        if line.starts_with("| promise |") {
            is_inside = true;
            continue;
        }
        if !is_inside || line.starts_with("| ---") {
            continue;
        }
        let last = line.trim_end().trim_end_matches('|').rsplit(" | ").next().unwrap();
        let named: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "a promise without a test: {line}");
        for name in named {
            assert!(tests.contains(name), "there is no test `{name}`: {line}");
        }
        rows += 1;
    }
    rows
}

/// The names of all functions that run as tests.
fn tests_in(place: &Path) -> Vec<String> {
    if place.is_dir() {
        let entries = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
        return entries.flat_map(|entry| tests_in(&entry)).collect();
    }
    if place.extension().is_none_or(|extension| extension != "rs") {
        return Vec::new();
    }
    let text = std::fs::read_to_string(place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    let (mut names, mut is_test) = (Vec::new(), false);
    for line in text.lines().map(str::trim) {
        let is_mark = line == "#[test]" || line.starts_with("#[tokio::test");
        is_test |= is_mark;
        let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        if let Some(function) = function.filter(|_| is_test) {
            names.extend(function.split_once('(').map(|(name, _)| name.to_owned()));
        }
        // Between the mark and its function there are other marks and comments, and nothing else.
        is_test &= is_mark || line.starts_with("#[") || line.starts_with("//");
    }
    names
}

#[test]
fn a_function_counts_only_where_it_runs_as_a_test() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#[test]\nfn one() {\n    let x = 1;\n}\n\n/// Not one.\nfn helper() {}\n\n    #[tokio::test(flavor = \"x\")]\n    \
                #[cfg(unix)]\n    // Why.\n    async fn two() {}\n#[test]\nconst X: u8 = 1;\nfn three() {}\n";
    std::fs::create_dir(folder.path().join("below")).unwrap();
    std::fs::write(folder.path().join("below/a.rs"), text).unwrap();
    std::fs::write(folder.path().join("b.txt"), text).unwrap();
    assert_eq!(tests_in(folder.path()), ["one", "two"]);
}
