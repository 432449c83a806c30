//! octocode: 13 tools, several queries in a call, hints that run as given.

mod bulk;
mod docs;
mod errors;
mod forgejo;
mod github;
mod local_content;
mod local_files;
mod local_search;
mod lsp;
mod packages;
mod schema;
mod stub;
mod support;
