//! Pages that say of each promise which tests show it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a page promises.
#[derive(Debug, Default)]
pub struct Promises {
    /// Rows of its tables.
    pub rows: usize,
    /// The tests that they name.
    pub tests: BTreeSet<String>,
}

/// How the last column of tables of promises is headed.
const HEADS: [&str; 2] = ["test", "shown by"];

/// Reads a page: in every table whose last column is one of tests, each row names some there, and they are in these sources. Everything else is a failure.
pub fn promises(page: &Path, sources: &[PathBuf]) -> Promises {
    let text = std::fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let known = tests_in(sources);
    let mut promises = Promises::default();
    // Tables about something else have another head.
    let mut counts = false;
    for line in text.lines() {
        if !line.starts_with('|') {
            counts = false;
            continue;
        }
        let last = line.trim_matches('|').rsplit(" | ").next().unwrap_or_default().trim();
        if HEADS.contains(&last) {
            counts = true;
            continue;
        }
        if !counts || line.starts_with("| ---") {
            continue;
        }
        let named: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test: {line}");
        for name in named {
            assert!(known.contains(name), "no such test `{name}`: {line}");
            promises.tests.insert(name.to_owned());
        }
        promises.rows += 1;
    }
    promises
}

/// Names of all tests in files, and in files below folders.
pub fn tests_in(sources: &[PathBuf]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut left = sources.to_vec();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            left.extend(entries.map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path);
            collect(&text.unwrap_or_else(|error| panic!("{}: {error}", path.display())), &mut names);
        }
    }
    names
}

fn collect(text: &str, names: &mut BTreeSet<String>) {
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if is_test && !line.starts_with("#[") && !line.starts_with("//") {
            let name = line.trim_start_matches("async ").strip_prefix("fn ");
            names.extend(name.and_then(|rest| rest.split('(').next()).map(str::to_owned));
            is_test = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_that_are_tests_count() {
        let text = "#[test]\nfn one() {}\nfn two() {}\n#[tokio::test(flavor = \"x\")]\n#[cfg(unix)]\n// Why.\nasync fn three() {}\n\
                    #[test]\nconst X: u8 = 1;\nfn four() {}\n";
        let mut names = BTreeSet::new();
        collect(text, &mut names);
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["one", "three"]);
    }

    #[test]
    fn a_row_without_a_test_or_with_one_that_is_none_is_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let (page, source) = (folder.path().join("page.md"), folder.path().join("a.rs"));
        std::fs::write(&source, "#[test]\nfn it_is_so() {}\n").unwrap();
        let read = |row: &str| {
            let other = "| `key` | meaning |\n| --- | --- |\n| `x` | none |\n\n";
            let text = format!("# Page\n\n{other}| promise | test |\n| --- | --- |\n{row}\n");
            std::fs::write(&page, text).unwrap();
            std::panic::catch_unwind(|| promises(&page, std::slice::from_ref(&source)))
        };
        let read_well = read("| it is so | `it_is_so` |").unwrap();
        assert_eq!((read_well.rows, read_well.tests.len()), (1, 1));
        assert!(read("| it is so | yes |").is_err(), "no test");
        assert!(read("| it is so | `it_is_not` |").is_err(), "no such test");
    }
}
