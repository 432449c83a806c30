//! Real clients of real processes, a hostile language server, and trees of files, for tests.
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

pub mod emulator;
pub mod fake;
pub mod files;
pub mod lsp;
pub mod meaning;
pub mod openapi;
mod process;
pub mod promises;
pub mod proxy;
pub mod server;
pub mod tls;
pub mod tools;
pub mod uri;
pub mod web;
pub mod workspaces;

pub use files::{Tree, tree};
pub use proxy::Proxy;
pub use server::{Framing, Server};
pub use tls::Authority;
pub use web::Web;
