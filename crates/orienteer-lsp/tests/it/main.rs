//! The fleet against a hostile server: what every fault looks like from outside, and that the answer is always
//! about the files as they are on disk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]
#![allow(clippy::disallowed_methods, reason = "the tests start git, and kill servers from outside")]
#![allow(clippy::print_stderr, reason = "the random tests print their seeds")]
#![allow(unreachable_pub, reason = "one binary")]

mod acting;
mod asked;
mod cancelling;
mod crashing;
mod diagnostics;
mod disk;
mod hanging;
mod lifecycle;
mod limits;
mod outlines;
mod random;
mod readiness;
mod renaming;
mod shapes;
mod simulating;
mod sought;
mod starting;
mod support;
mod unreadable;
mod uses;
mod wire;
