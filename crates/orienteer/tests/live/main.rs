//! The built program with the real language servers, asked as an agent asks it: through MCP over stdio.
//!
//! Everything here is a named fact: this file, this line, this name. A server that is missing is a failure;
//! `cargo xtask install` installs them all.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests may panic and start programs"
)]

mod basedpyright;
mod bash;
mod c;
mod css;
mod dependencies;
mod dockerfile;
mod doctor;
mod edits;
mod edits_offered;
mod edits_refused;
mod eslint;
mod fortran;
mod fresh;
mod go;
mod html;
mod jedi;
mod json;
mod life;
mod lua;
mod many_symbols;
mod many_uses;
mod missing;
mod not_files;
mod orphan;
mod outside;
mod pages;
mod php;
mod pointing;
mod processes;
mod pyrefly;
mod python;
mod python_more;
mod roots;
mod ruff;
mod rust;
mod rust_more;
mod support;
mod svelte;
mod toml;
mod traps;
mod trees;
mod triage;
mod ty;
mod typescript;
mod typescript_more;
mod typescript_native;
mod untrusted;
mod untrusted_rust;
mod vue;
mod without_list;
mod yaml;
mod zuban;

/// The program under test.
const ORIENTEER: &str = env!("CARGO_BIN_EXE_orienteer");
