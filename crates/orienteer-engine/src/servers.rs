//! The language servers: what is configured and what is true about each of them now.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::Session;

/// The value of a variable: it may be a credential.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Hidden(pub String);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[hidden]")
    }
}

/// One configured language server, with every key of its configuration block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerSpec {
    pub id: String,
    pub kind: Option<String>,
    pub command: String,
    pub args: Vec<String>,
    pub extensions: Vec<String>,
    pub language_id: Option<String>,
    pub root_markers: Vec<String>,
    pub root_dir: Option<String>,
    pub cwd: Option<String>,
    pub env: BTreeMap<String, Hidden>,
    pub workspace_folders: Vec<String>,
    pub adapter: Option<String>,
    pub initialize_timeout_ms: Option<u64>,
    pub request_timeout_ms: Option<u64>,
    pub request_timeout_overrides_ms: BTreeMap<String, u64>,
    pub idle_timeout_seconds: Option<u64>,
    /// As written: JSON text.
    pub initialization_options: Option<String>,
    /// As written: JSON text.
    pub settings: Option<String>,
    pub install_hint: Option<String>,
    pub requires: Vec<String>,
}

/// A configured server and whether its program can be found.
#[derive(Debug, Clone)]
pub struct ListedServer<'e> {
    pub spec: &'e ServerSpec,
    /// The first program that would be started; `None` when it is not installed.
    pub program: Option<PathBuf>,
}

/// What is true of one running server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    pub server_id: String,
}

impl Session {
    pub fn server_specs(&self) -> &[ServerSpec] {
        &self.engine().servers
    }

    /// The configured servers in the order of the configuration.
    pub fn list_servers(&self) -> Vec<ListedServer<'_>> {
        let engine = self.engine();
        engine
            .servers
            .iter()
            .map(|spec| ListedServer {
                program: engine.environment.which(&spec.command, self.roots().workspace()).into_iter().next(),
                spec,
            })
            .collect()
    }

    /// The servers this process has started. Nothing starts one yet, so the truth is that there are none.
    pub fn server_states(&self) -> Vec<ServerState> {
        Vec::new()
    }
}
