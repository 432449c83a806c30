//! What real language servers propose to change: renames, actions, formatting, and what they say about changes that are
//! only tried out. Nothing is written here; what is written is tested with the program.
//!
//! A server that is missing is a failure; `cargo xtask install` installs them all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]
#![allow(clippy::disallowed_methods, reason = "the servers get the environment of the test")]

mod c;
mod go;
mod python;
mod rust;
mod support;
mod typescript;
