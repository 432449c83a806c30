//! `docs/dialects/swissarmyhammer.md`: every promise has a test, and every test that is named exists.

use std::path::Path;

/// All files that tests of this contract are in.
fn sources() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "tests/dialects/swissarmyhammer",
        "tests/dialects",
        "src/dialects/swissarmyhammer",
        "../orienteer-engine/src",
    ];
    let mut text = String::new();
    for folder in folders {
        for entry in std::fs::read_dir(here.join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(entry).unwrap());
            }
        }
    }
    text
}

#[test]
fn every_row_names_a_test_that_exists() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialects/swissarmyhammer.md");
    let page = std::fs::read_to_string(page).unwrap();
    let sources = sources();
    let mut rows = 0;
    let tables = page.lines().skip_while(|line| !line.starts_with("| promise"));
    for line in tables
        .filter(|line| line.starts_with("| ") && !line.starts_with("| promise") && !line.starts_with("| ---"))
    {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let tests: Vec<&str> = cells.last().unwrap().split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "a promise without a test: {line}");
        for test in tests {
            assert!(sources.contains(&format!("fn {test}()")), "no test `{test}`: {line}");
        }
        rows += 1;
    }
    assert!(rows >= 40, "{rows} rows");
}
