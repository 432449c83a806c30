//! Everything a user can see, tested on the built program: one binary, so that it links once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests may panic and start programs"
)]

mod bad_input;
mod caps;
mod cli;
mod clients;
mod conformance;
mod contract;
mod data;
mod docs;
mod edit_symbol;
mod edits;
mod faults;
mod folded_keys;
mod format_code;
mod format_settings;
mod fuzz;
mod guide;
mod hostile;
mod http;
mod index;
mod index_added;
mod index_answers;
mod index_life;
mod index_truth;
mod installed;
mod invisible;
mod memory;
mod narrowed;
mod pages;
mod private;
mod remote;
mod remote_bad_input;
mod remote_batch;
mod remote_memory;
mod remote_network;
mod remote_programs;
mod secrets;
mod slow;
mod stdio;
mod support;
#[cfg(target_os = "linux")]
mod swapped;
mod triage;
mod unreadable;

/// The program under test.
const ORIENTEER: &str = env!("CARGO_BIN_EXE_orienteer");
