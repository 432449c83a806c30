//! Orienteer: finds its way in code for coding agents. MCP server and command line over one engine.
//!
//! This crate is the only one that knows MCP, JSON on the wire, English for agents, files of configuration
//! and the environment. A call flows through [`transport`] → [`server`] → [`router`] → `tools/<name>.rs` →
//! the engine → [`render`].

pub mod cli;
pub mod config;
pub mod dialect;
pub mod dialects;
pub mod docs;
pub mod elsewhere;
pub mod error;
pub mod logging;
mod memory;
pub mod render;
pub mod router;
pub mod schema;
pub mod server;
pub mod tool;
pub mod tools;
pub mod transport;
