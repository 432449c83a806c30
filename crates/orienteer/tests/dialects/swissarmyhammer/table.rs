//! `docs/dialects/swissarmyhammer.md`: every promise has a test, and every test that is named exists.

use std::path::Path;

use orienteer_testkit::promises::promises;

#[test]
fn every_row_names_a_test_that_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = [
        "tests/dialects/swissarmyhammer",
        "tests/dialects/same_answers.rs",
        "src/dialects/swissarmyhammer",
        "../orienteer-engine/src/recent.rs",
        // How many servers there may be, and how much memory, holds for every contract.
        "../orienteer-lsp/tests/it/limits.rs",
    ];
    let page = here.join("../../docs/dialects/swissarmyhammer.md");
    let page = promises(&page, &sources.map(|source| here.join(source)));
    assert!(page.rows >= 55, "{} rows", page.rows);
}
