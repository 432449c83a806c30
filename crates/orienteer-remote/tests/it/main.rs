//! Fetching from servers that answer well, badly, and not at all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod data;
mod fetching;
mod server;
mod unpacking;
