//! Recall and false positives on the labelled set.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/shared.rs"]
mod support;

use support::score::{Score, score};
use support::{HELD_OUT_SEED, SEED, held_out_set, main_set};

fn check(score: &Score, recall: f64, exact: f64, false_positives: f64) {
    let figures = format!(
        "{} of {} hidden ({} exactly), {} of {} negatives touched\n{}",
        score.hidden,
        score.positives,
        score.exact,
        score.false_positives,
        score.negatives,
        score.remarks.join("\n")
    );
    assert!(score.recall() >= recall, "recall is too low: {figures}");
    assert!(score.exact as f64 / score.positives.max(1) as f64 >= exact, "too much is touched: {figures}");
    assert!(score.false_positive_rate() <= false_positives, "too many false positives: {figures}");
}

#[test]
fn the_set_is_large_enough() {
    let cases = main_set(SEED);
    let positives = cases.iter().filter(|case| !case.secrets.is_empty()).count();
    assert!(positives >= 120, "{positives}");
    assert!(cases.len() - positives >= 200, "{}", cases.len() - positives);
}

#[test]
fn committed_seed() {
    check(&score(&main_set(SEED)), 0.97, 0.95, 0.02);
}

#[test]
fn other_seed() {
    check(&score(&main_set(HELD_OUT_SEED)), 0.97, 0.95, 0.02);
}

#[test]
fn held_out_cases() {
    check(&score(&held_out_set(HELD_OUT_SEED)), 0.80, 0.80, 0.10);
}

#[test]
fn redacting_twice_changes_nothing() {
    let redactor = orienteer_redact::Redactor::default();
    for case in main_set(SEED).iter().chain(&held_out_set(SEED)) {
        let once = redactor.redact(&case.text);
        let twice = redactor.redact(&once.text);
        assert_eq!(once.text, twice.text, "{}", case.id);
        assert!(twice.findings.is_empty(), "{}", case.id);
        assert_eq!(once.text.matches('\n').count(), case.text.matches('\n').count(), "{}", case.id);
    }
}
