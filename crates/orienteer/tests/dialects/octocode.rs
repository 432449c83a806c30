//! octocode: 13 tools, several queries in a call, hints that run as given.

mod bulk;
mod docs;
mod emulated;
mod errors;
mod forge_changes;
mod forge_choice;
mod forge_files;
mod forge_search;
mod forge_trees;
mod forgejo;
mod large;
mod local_content;
mod local_files;
mod local_search;
mod lsp;
mod packages;
mod schema;
mod stub;
mod support;
