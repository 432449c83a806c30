//! Does the page of this dialect name tests that exist, one for every promise?

use std::path::Path;

/// Everything of this suite, and of the modules that the dialect is made of.
fn sources() -> String {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "tests/dialects/octocode",
        "src/dialects/octocode",
        "src/dialects/octocode/tools",
        // How long answers are kept and what limits mean holds for every contract.
        "../orienteer-remote/tests/it",
    ];
    let mut text = String::new();
    for folder in folders {
        for entry in std::fs::read_dir(crates.join(folder)).unwrap().flatten() {
            if entry.path().extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    text
}

#[test]
fn every_promise_of_the_page_has_a_test_that_exists() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialects/octocode.md");
    let page = std::fs::read_to_string(page).unwrap();
    let sources = sources();
    let mut rows = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        let last = line.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let names: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {line}");
        for name in names {
            let kinds = [
                "#[test]\nfn",
                "#[test]\n    fn",
                "#[tokio::test]\nasync fn",
                "#[tokio::test]\n    async fn",
            ];
            let exists = kinds.iter().any(|kind| sources.contains(&format!("{kind} {name}(")));
            assert!(exists, "{name}: {line}");
        }
        rows += 1;
    }
    assert!(rows > 40, "{rows}");
}
