//! Does the page of this dialect name tests that exist, one for every promise?

use std::path::Path;

use orienteer_testkit::promises::promises;

#[test]
fn every_promise_of_the_page_has_a_test_that_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = [
        "tests/dialects/octocode",
        "src/dialects/octocode",
        // How long answers are kept and what limits mean holds for every contract.
        "../orienteer-remote/tests/it",
        "../orienteer-remote/src/api",
    ];
    let page = here.join("../../docs/dialects/octocode.md");
    let page = promises(&page, &sources.map(|source| here.join(source)));
    assert!(page.rows >= 60, "{} rows", page.rows);
}
