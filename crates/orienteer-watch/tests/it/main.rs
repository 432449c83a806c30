//! What is told of real files, changed by real programs, without a pause between a change and the question.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, reason = "the tests start git")]
#![allow(clippy::print_stderr, reason = "the measurements print their figures")]

mod burst;
mod cursors;
mod floor;
mod git;
mod ignoring;
mod measure;
mod model;
mod operations;
mod random;
mod root;
mod support;
