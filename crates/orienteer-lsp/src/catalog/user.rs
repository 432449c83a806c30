//! How does a user describe a server?

use std::collections::BTreeMap;

use crate::definition::Hidden;

/// One configured language server, with every key of its configuration block.
///
/// What is empty or `None` was not given: over a built-in server it changes nothing.
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
