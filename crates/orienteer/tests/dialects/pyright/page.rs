//! The page that lists every promise and the test that shows it.

use std::path::Path;

use orienteer_testkit::promises::{promises, tests_in};

#[test]
fn every_promise_names_a_test_that_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = [crates.join("orienteer/tests/dialects/pyright")];
    let mut sources = own.to_vec();
    sources.extend(["orienteer/src", "orienteer-engine/src/check"].map(|folder| crates.join(folder)));
    let page = promises(&crates.join("../docs/dialects/pyright.md"), &sources);
    assert!(page.rows > 60, "{}", page.rows);
    // And every test of this suite stands for a promise.
    let all = tests_in(&own);
    let spare: Vec<&String> = all
        .difference(&page.tests)
        .filter(|name| !name.contains("promise") && !name.contains("installed"))
        .collect();
    assert!(spare.is_empty(), "tests that the page does not name: {spare:?}");
}
