//! Records from what tools write, on a real disk: one binary, so that it links once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests may panic and start programs"
)]

mod broken;
mod decided;
mod durable;
mod ids;
mod keys;
mod killed;
mod many;
mod schemas;
mod shapes;
mod shapes_aws;
mod shapes_code;
mod shapes_dependabot;
mod support;
mod together;
mod tools;
mod whole;
