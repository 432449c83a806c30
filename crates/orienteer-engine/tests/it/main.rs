//! Facts about the engine with real programs behind it: one binary, so that it links once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests may panic and read the environment"
)]

mod compiler;
mod data;
mod edit;
