//! Other systems' contracts, asked as their clients ask: the built program over stdio, with real language servers and real
//! peers. Every table of facts here was written by hand from the other system's document. A server that is missing is a
//! failure; `cargo xtask install` installs them all.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests may panic and start programs"
)]

use orienteer_testkit::emulator;

mod octocode;
mod pairofcleats;
mod pyright;
mod same_answers;
mod swissarmyhammer;

/// The program under test.
const ORIENTEER: &str = env!("CARGO_BIN_EXE_orienteer");
