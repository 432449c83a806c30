//! The contract of octocode: 13 tools for code on forges, on disk and behind language servers, several queries in a call.

mod asked;
mod base64;
mod bulk;
mod content;
mod envelope;
mod errors;
mod excerpts;
mod forge;
mod goals;
mod paging;
mod pointing;
mod recovery;
mod settings;
mod tools;
mod usual;

use crate::dialect::{Dialect, entry};
use crate::tool::Entry;
use bulk::Bulk;

pub static OCTOCODE: Dialect = Dialect {
    name: "octocode",
    tools: TOOLS,
    envelope: &envelope::Octocode,
    instructions: Some(INSTRUCTIONS),
    settings: settings::read,
};

const INSTRUCTIONS: &str = "Research tools for code: github* and packageSearch ask forges and registries, local* the files of \
    this workspace, lsp* language servers. Every call takes `queries` (1-3 for github*, packageSearch and lspCallHierarchy, \
    otherwise 1-5); each row of `results` succeeds or fails alone. Follow `hints`: where one names a tool and arguments, it \
    runs as given. Search before reading, and find a line with localSearchCode before asking lsp*, which need it as lineHint.";

static TOOLS: &[Entry] = &[
    entry::<Bulk<tools::github_search_code::GithubSearchCode>>(),
    entry::<Bulk<tools::github_get_file_content::GithubGetFileContent>>(),
    entry::<Bulk<tools::github_view_repo_structure::GithubViewRepoStructure>>(),
    entry::<Bulk<tools::github_search_repositories::GithubSearchRepositories>>(),
    entry::<Bulk<tools::github_search_pull_requests::GithubSearchPullRequests>>(),
    entry::<Bulk<tools::package_search::PackageSearch>>(),
    entry::<Bulk<tools::local_search_code::LocalSearchCode>>(),
    entry::<Bulk<tools::local_get_file_content::LocalGetFileContent>>(),
    entry::<Bulk<tools::local_view_structure::LocalViewStructure>>(),
    entry::<Bulk<tools::local_find_files::LocalFindFiles>>(),
    entry::<Bulk<tools::lsp_goto_definition::LspGotoDefinition>>(),
    entry::<Bulk<tools::lsp_find_references::LspFindReferences>>(),
    entry::<Bulk<tools::lsp_call_hierarchy::LspCallHierarchy>>(),
];
