//! Fetching from servers that answer well, badly, and not at all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, reason = "the tests start forges and git")]

mod api;
mod api_faults;
mod asking;
mod data;
mod emulator;
mod fetching;
#[cfg(target_os = "linux")]
mod forge_server;
#[cfg(target_os = "linux")]
mod forgejo;
mod github;
mod github_faults;
mod gitlab;
mod kept;
mod openapi;
mod packages;
mod proxies;
mod recorded;
mod recorded_matches;
mod recorder;
mod server;
mod stub;
mod unpacking;
