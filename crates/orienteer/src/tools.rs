//! The one list of tools. `tools/list`, dispatch, toolsets, the command line, `docs/tools.md` and the
//! contract tests all come from it.

mod batch;
mod find_files;
mod get_current_config;
mod get_server_status;
mod health_check;
mod keys;
mod list_servers;
mod list_tree;
mod matches;
mod read_file;
mod search_code;
mod search_structure;

use crate::tool::{Entry, entry};

/// In the order they are offered: what an agent needs most comes first.
pub static TOOLS: &[Entry] = &[
    entry::<search_code::SearchCode>(),
    entry::<read_file::ReadFile>(),
    entry::<list_tree::ListTree>(),
    entry::<find_files::FindFiles>(),
    entry::<search_structure::SearchStructure>(),
    entry::<get_current_config::GetCurrentConfig>(),
    entry::<list_servers::ListServers>(),
    entry::<get_server_status::GetServerStatus>(),
    entry::<health_check::HealthCheck>(),
    entry::<batch::Batch>(),
];
