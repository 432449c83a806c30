//! Does the page of this dialect name tests that exist, one for every promise?

use crate::promises;

#[test]
fn every_promise_of_the_page_has_a_test_that_exists() {
    let places = [
        "tests/dialects/octocode",
        "src/dialects/octocode",
        // How long answers are kept and what limits mean holds for every contract.
        "../orienteer-remote/tests/it",
        "../orienteer-remote/src/api",
    ];
    let rows = promises::checked("octocode.md", &places);
    assert!(rows > 60, "{rows}");
}
