//! The page about the dialect names a test for every promise, and every test it names exists.

use std::path::Path;

use orienteer_testkit::promises::promises;

#[test]
fn every_promise_of_the_page_names_a_test_that_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources =
        ["tests/dialects/pairofcleats", "src/dialects/pairofcleats", "src/dialects/pairofcleats.rs"];
    let page = here.join("../../docs/dialects/pairofcleats.md");
    let page = promises(&page, &sources.map(|source| here.join(source)));
    assert!(page.rows >= 30, "{} rows", page.rows);
}
