//! One file per tool: what a query of it takes, and the shape of its answer.

pub(super) mod github_get_file_content;
pub(super) mod github_search_code;
pub(super) mod github_search_pull_requests;
pub(super) mod github_search_repositories;
pub(super) mod github_view_repo_structure;
pub(super) mod local_find_files;
pub(super) mod local_get_file_content;
pub(super) mod local_search_code;
pub(super) mod local_view_structure;
pub(super) mod lsp_call_hierarchy;
pub(super) mod lsp_find_references;
pub(super) mod lsp_goto_definition;
pub(super) mod package_search;
