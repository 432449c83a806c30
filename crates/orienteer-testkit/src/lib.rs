//! Real clients of real processes, and trees of files, for tests.
//!
//! A dev-dependency only. Everything has a deadline and panics with what it saw: a test that hangs says
//! nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests may panic and start programs"
)]

pub mod files;
pub mod server;

pub use files::{Tree, tree};
pub use server::{Framing, Server};
