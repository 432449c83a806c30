//! The crate seen from outside, with real programs.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod child;
mod cut_short;
mod reaper;
mod run;
mod stop;
mod support;
