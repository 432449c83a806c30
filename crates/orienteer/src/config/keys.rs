//! The one table of configuration keys. A new key is a new row here and nothing else: files, environment
//! variables, documentation, `get_current_config` and `doctor` all read this table.

/// What a key may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Bool,
    /// A whole number inside the bounds.
    Int {
        min: u64,
        max: u64,
    },
    Text,
    Path,
    Choice(&'static [&'static str]),
    List,
    PathList,
    /// A table of tool name to milliseconds.
    Millis,
    /// A table of names to paths.
    Paths,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// As it would be written in TOML; empty when the key is unset by default.
    pub default: &'static str,
    pub doc: &'static str,
    /// Never shown.
    pub secret: bool,
    /// A project may set it only when the user trusts the project: it widens what may be read, written,
    /// run or revealed.
    pub needs_trust: bool,
}

const fn key(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Key {
    Key { name, kind, default, doc, secret: false, needs_trust: false }
}

const fn guarded(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Key {
    Key { needs_trust: true, ..key(name, kind, default, doc) }
}

/// Always text: an error about its type then says nothing about its value.
const fn secret(name: &'static str, doc: &'static str) -> Key {
    Key { secret: true, ..guarded(name, Kind::Text, "", doc) }
}

/// In the order they are documented.
pub static KEYS: &[Key] = &[
    guarded(
        "workspace.root",
        Kind::Path,
        "",
        "The folder that relative paths start from. Default: the current folder.",
    ),
    guarded("workspace.allowed_roots", Kind::PathList, "[]", "More folders that may be read."),
    guarded(
        "mcp.toolsets",
        Kind::List,
        "[]",
        "Toolsets to offer instead of the default set; `all` for every tool.",
    ),
    guarded(
        "mcp.read_only",
        Kind::Bool,
        "",
        "Hide and refuse every tool that writes or controls. Default: from the context.",
    ),
    guarded(
        "mcp.context",
        Kind::Choice(&["codex", "navigation", "full"]),
        "",
        "Defaults for a kind of client.",
    ),
    guarded(
        "mcp.mode",
        Kind::Choice(&["navigation", "refactor"]),
        "",
        "Shorthand for a context and toolsets.",
    ),
    key(
        "mcp.max_total_chars",
        Kind::Int { min: 2_000, max: 2_000_000 },
        "",
        "Characters of an answer when the call does not say. Default: from the context, else 120000.",
    ),
    key(
        "mcp.queue_max",
        Kind::Int { min: 1, max: 10_000 },
        "64",
        "Calls that may wait; more are refused with QUEUE_OVERLOADED.",
    ),
    key("mcp.max_concurrent_calls", Kind::Int { min: 1, max: 256 }, "8", "Calls that run at the same time."),
    key(
        "mcp.max_buffer_bytes",
        Kind::Int { min: 4_096, max: 1_073_741_824 },
        "8388608",
        "Longest message accepted, in bytes.",
    ),
    key(
        "mcp.tool_timeout_ms",
        Kind::Int { min: 10, max: 86_400_000 },
        "120000",
        "Longest time one call may take.",
    ),
    key("mcp.tool_timeouts", Kind::Millis, "{}", "The same for single tools: `tool = milliseconds`."),
    guarded("tools.allow", Kind::List, "[]", "Offer exactly these tools."),
    guarded("tools.exclude", Kind::List, "[]", "Never offer these tools; wins over everything else."),
    secret("http.token", "Bearer token for `--http`; required when the address is not loopback."),
    guarded("http.allowed_hosts", Kind::List, "[]", "More values of the Host header to accept."),
    guarded(
        "http.allowed_origins",
        Kind::List,
        "[]",
        "Browser origins to accept, such as `https://app.example`: without a port the usual one is meant, with `:*` any.",
    ),
    key(
        "lsp.wait_ms",
        Kind::Int { min: 0, max: 600_000 },
        "30000",
        "How long a question waits for a language server that is not ready, when the call does not say.",
    ),
    key(
        "lsp.idle_timeout_seconds",
        Kind::Int { min: 1, max: 86_400 },
        "300",
        "A language server that nobody asked for so long is stopped; the next question starts it again.",
    ),
    key(
        "lsp.max_servers",
        Kind::Int { min: 1, max: 64 },
        "8",
        "Language servers that live at the same time; the least recently used is stopped for a new one.",
    ),
    key(
        "lsp.memory_budget_mb",
        Kind::Int { min: 64, max: 1_048_576 },
        "8192",
        "Memory of all language servers together; above it the least recently used are stopped.",
    ),
    key("lsp.disabled", Kind::List, "[]", "Language servers never to start: ids or languages."),
    guarded(
        "lsp.server_paths",
        Kind::Paths,
        "{}",
        "Where the program of a language server is: `id = \"/path/to/program\"`.",
    ),
    key(
        "lsp.warmup",
        Kind::Bool,
        "false",
        "Start the language servers of the workspace's languages at once.",
    ),
    key("index.enabled", Kind::Bool, "true", "Build an index of the workspace when `search` is first used."),
    guarded(
        "index.folder",
        Kind::Path,
        "",
        "Folder that holds the indexes of all workspaces. Default: `orienteer/index` in the platform's cache folder.",
    ),
    guarded(
        "index.model",
        Kind::Path,
        "",
        "Folder of a static embedding model: `search` then also compares meanings. Default: words alone.",
    ),
    guarded("index.rules", Kind::Path, "", "File of risk rules (TOML) that is laid over the built-in ones."),
    key(
        "index.threads",
        Kind::Int { min: 1, max: 64 },
        "2",
        "Threads that read files while an index is built.",
    ),
    key(
        "remote.enabled",
        Kind::Bool,
        "true",
        "Ask forges and package registries when a tool is called that does.",
    ),
    guarded(
        "remote.default_host",
        Kind::Text,
        "",
        "The forge that is asked when a question names none. Default: github.com.",
    ),
    guarded(
        "remote.ask_programs",
        Kind::Bool,
        "true",
        "Ask `gh` and `glab` for tokens where no other is known.",
    ),
    guarded("packages.npm_registry", Kind::Text, "", "Address of the npm registry. Default: what npm says."),
    guarded("packages.python_index", Kind::Text, "", "Address of the Python index. Default: what pip says."),
    guarded(
        "packages.cargo_index",
        Kind::Text,
        "",
        "Address of Cargo's sparse index. Default: what Cargo says.",
    ),
    guarded("output.redact_secrets", Kind::Bool, "true", "Hide the values of secrets in answers."),
    guarded("log.mode", Kind::Choice(&["stderr", "file", "both"]), "\"stderr\"", "Where logs go."),
    key(
        "log.level",
        Kind::Choice(&["error", "warn", "info", "debug", "trace"]),
        "\"info\"",
        "How much is logged; `RUST_LOG` overrides.",
    ),
    guarded("log.folder", Kind::Path, "", "Folder for log files. Default: the platform's log folder."),
];

/// The row of a key, by its full name.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

impl Key {
    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("ORIENTEER_{}", self.name.to_ascii_uppercase().replace('.', "_"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_variables_are_unique() {
        let names: HashSet<_> = KEYS.iter().map(|key| key.name).collect();
        let variables: HashSet<_> = KEYS.iter().map(Key::variable).collect();
        assert_eq!((names.len(), variables.len()), (KEYS.len(), KEYS.len()));
    }

    #[test]
    fn defaults_are_legal() {
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            let table: toml::Table = format!("v = {}", key.default).parse().unwrap();
            crate::config::value::Value::from_toml(key, &table["v"]).unwrap();
        }
    }
}
