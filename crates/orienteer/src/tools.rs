//! The one list of tools. `tools/list`, dispatch, toolsets, the command line, `docs/tools.md` and the
//! contract tests all come from it.

mod apply_edits;
mod batch;
mod build_index;
mod call_hierarchy;
mod clean_index;
mod code_actions;
mod compact_index;
mod complete;
mod document_symbols;
mod edit_symbol;
mod explore;
mod find_definition;
mod find_files;
mod find_references;
mod find_symbol;
mod format_code;
mod gc_cache;
mod get_current_config;
mod get_diagnostics;
mod get_server_status;
mod health_check;
mod hierarchy;
mod hover;
pub(crate) mod index_status;
pub(crate) mod keys;
mod list_servers;
mod list_tree;
mod matches;
mod page;
mod part;
mod place;
mod plan;
mod read_file;
pub(crate) mod remote;
mod remote_list_tree;
pub(crate) mod remote_read_file;
mod remote_search_changes;
mod remote_search_code;
mod remote_search_repositories;
mod rename_symbol;
mod report_artifacts;
mod restart_server;
mod search;
mod search_code;
mod search_packages;
mod search_structure;
mod signature_help;
mod status;
mod stop_server;
mod symbols;
pub(crate) mod target;
#[cfg(test)]
pub(crate) mod testing;
mod triage;
mod triage_context_pack;
mod triage_decide;
mod triage_ingest;
mod triage_list;
mod type_hierarchy;
mod undo_edits;
pub(crate) mod work;

use crate::tool::{Entry, entry};

/// In the order they are offered: what an agent needs most comes first.
pub static TOOLS: &[Entry] = &[
    entry::<find_definition::FindDefinition>(),
    entry::<find_references::FindReferences>(),
    entry::<find_symbol::FindSymbol>(),
    entry::<document_symbols::DocumentSymbols>(),
    entry::<hover::Hover>(),
    entry::<call_hierarchy::CallHierarchy>(),
    entry::<type_hierarchy::TypeHierarchy>(),
    entry::<explore::Explore>(),
    entry::<get_diagnostics::GetDiagnostics>(),
    entry::<rename_symbol::RenameSymbol>(),
    entry::<apply_edits::ApplyEdits>(),
    entry::<undo_edits::UndoEdits>(),
    entry::<search::Search>(),
    entry::<search_code::SearchCode>(),
    entry::<read_file::ReadFile>(),
    entry::<signature_help::SignatureHelp>(),
    entry::<complete::Complete>(),
    entry::<code_actions::CodeActions>(),
    entry::<format_code::FormatCode>(),
    entry::<edit_symbol::EditSymbol>(),
    entry::<list_tree::ListTree>(),
    entry::<find_files::FindFiles>(),
    entry::<search_structure::SearchStructure>(),
    entry::<index_status::Status>(),
    entry::<build_index::BuildIndex>(),
    entry::<compact_index::CompactIndex>(),
    entry::<gc_cache::GcCache>(),
    entry::<clean_index::CleanIndex>(),
    entry::<report_artifacts::ReportArtifacts>(),
    entry::<triage_list::TriageList>(),
    entry::<triage_ingest::TriageIngest>(),
    entry::<triage_decide::TriageDecide>(),
    entry::<triage_context_pack::TriageContextPack>(),
    entry::<remote_search_code::RemoteSearchCode>(),
    entry::<remote_read_file::RemoteReadFile>(),
    entry::<remote_list_tree::RemoteListTree>(),
    entry::<remote_search_repositories::RemoteSearchRepositories>(),
    entry::<remote_search_changes::RemoteSearchChanges>(),
    entry::<search_packages::SearchPackages>(),
    entry::<get_current_config::GetCurrentConfig>(),
    entry::<list_servers::ListServers>(),
    entry::<get_server_status::GetServerStatus>(),
    entry::<restart_server::RestartServer>(),
    entry::<stop_server::StopServer>(),
    entry::<health_check::HealthCheck>(),
    entry::<batch::Batch>(),
];
