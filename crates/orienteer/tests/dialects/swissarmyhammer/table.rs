//! `docs/dialects/swissarmyhammer.md`: every promise has a test, and every test that is named exists.

use crate::promises;

#[test]
fn every_row_names_a_test_that_exists() {
    let places = [
        "tests/dialects/swissarmyhammer",
        "tests/dialects/same_answers.rs",
        "src/dialects/swissarmyhammer",
        "../orienteer-engine/src/recent.rs",
        // How many servers there may be, and how much memory, holds for every contract.
        "../orienteer-lsp/tests/it/limits.rs",
    ];
    let rows = promises::checked("swissarmyhammer.md", &places);
    assert!(rows >= 55, "{rows} rows");
}
