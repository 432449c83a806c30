//! What becomes of real trees, whatever happens meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, reason = "the tests start themselves again, to be killed")]

mod applied;
mod faults;
mod killed;
mod model;
mod planned;
mod support;
mod together;
mod undone;
