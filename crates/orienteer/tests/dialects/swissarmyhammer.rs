//! SwissArmyHammer's contract, from its specification of the `lsp` tool.

mod added;
mod changes;
mod config;
mod crashes;
mod documented;
mod missing;
mod projects;
mod schema;
mod support;
mod table;
mod typescript;
