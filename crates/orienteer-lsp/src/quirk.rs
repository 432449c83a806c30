//! What is true of one language server only and cannot be said in `servers.toml`.

pub(crate) mod clangd;
pub(crate) mod eslint;
pub(crate) mod pyright;
pub(crate) mod rust_analyzer;
pub(crate) mod rust_sources;
pub(crate) mod typescript;
