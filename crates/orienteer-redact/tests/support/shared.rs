//! Shared by the tests and the comparison example.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod labelled;
pub mod score;
pub mod template;

use std::path::PathBuf;

use labelled::{Case, load};

/// The seed of the committed set, and one that was never used for tuning.
pub const SEED: u64 = 1;
pub const HELD_OUT_SEED: u64 = 7_340_033;

/// The hand-designed set with values from `seed`.
pub fn main_set(seed: u64) -> Vec<Case> {
    let mut cases = load(&folder("positive"), seed);
    cases.extend(load(&folder("negative"), seed));
    cases
}

/// Cases that were written before any result was seen.
pub fn held_out_set(seed: u64) -> Vec<Case> {
    load(&folder("heldout"), seed)
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/labelled").join(name)
}
