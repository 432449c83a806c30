//! `get_current_config`: what is in force, and who said so.

use orienteer_base::Problem;
use orienteer_engine::servers::Definition;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::config::keys::KEYS;
use crate::render::text::count;
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct GetCurrentConfig;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Names of server variables; values stay hidden.
    #[serde(default)]
    include_env: bool,
}

impl Tool for GetCurrentConfig {
    const NAME: &'static str = "get_current_config";
    const TITLE: &'static str = "Current configuration";
    const DESCRIPTION: &'static str =
        "Roots, read-only, caps, tools, servers, and where each setting came from.";
    const TOOLSET: Toolset = Toolset::Ops;
    const DEFAULT: bool = true;
    const INSTANT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[
        ("workspace_root", "string"),
        ("allowed_roots", "array"),
        ("read_only", "boolean"),
        ("mcp", "object"),
        ("server_count", "integer"),
        ("servers", "array"),
        ("origins", "object"),
    ];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let config = ctx.config();
        // Commands and arguments of servers may hold credentials, so this goes through redaction like a file.
        let mut reply = Reply::default();
        let roots = ctx.session.roots();
        let root = roots.workspace().display().to_string();
        let allowed: Vec<String> = roots.all().map(|root| root.display().to_string()).collect();
        let known = ctx.session.list_servers();
        // What could answer: the rest of the catalog is in list_servers.
        let specs: Vec<_> =
            known.iter().filter(|listed| listed.program.is_ok() || listed.definition.from_user).collect();
        let offered: Vec<&str> = ctx.router.offered().map(|(entry, _)| entry.name).collect();
        let mut text =
            vec![format!("Workspace root {root} ({} configured).", count(specs.len() as u64, "server"))];
        let more: Vec<&str> = allowed.iter().skip(1).map(String::as_str).collect();
        if !more.is_empty() {
            text.push(format!("Also readable: {}", more.join(", ")));
        }
        text.push(format!(
            "Read-only: {}. Answers up to {} characters.",
            config.read_only, config.budget.max_total_chars
        ));
        text.push(format!("Tools: {}", offered.join(", ")));
        let mut settings = Map::new();
        let mut origins = Map::new();
        for (key, value, origin) in config.layers.shown() {
            settings.insert(key.name.to_owned(), json!(value));
            origins.insert(key.name.to_owned(), json!(origin.to_string()));
            if config.layers.explicit(key.name) {
                text.push(format!("{} = {} ({origin})", key.name, json!(value)));
            }
        }
        for (spec, origin) in &config.layers.servers {
            origins.insert(format!("servers.{}", spec.id), json!(origin.to_string()));
        }
        if !config.layers.withheld.is_empty() {
            let withheld = config.layers.withheld.join(", ");
            reply.warnings.push(orienteer_base::answer::Warning::new(
                "untrusted_project",
                format!(
                    "the project's configuration sets {withheld}, which counts only after `orienteer trust`"
                ),
            ));
        }
        // The project's file, or another system's.
        reply.warnings.extend(config.warnings.iter().cloned());
        reply.head = text;
        reply
            .field("workspace_root", root.clone())
            .field("allowed_roots", allowed)
            .field("read_only", config.read_only);
        reply.field(
            "mcp",
            json!({
                "max_total_chars": config.budget.max_total_chars,
                "toolsets": config.toolsets,
                "tools": offered,
                "queue_max": config.queue_max,
                "max_concurrent_calls": config.max_concurrent_calls,
                "max_buffer_bytes": config.max_buffer_bytes,
                "tool_timeout_ms": u64::try_from(config.timeout("").as_millis()).unwrap_or(u64::MAX),
                "redact_secrets": config.redact_secrets,
                "settings": settings,
                "known_settings": KEYS.len(),
            }),
        );
        reply.field("server_count", specs.len()).field("origins", Value::Object(origins));
        let rows = specs
            .iter()
            .map(|listed| Row::new(server(&listed.definition, &root, args.include_env), String::new()))
            .collect();
        reply.body = Body::Rows { field: "servers", rows };
        Ok(reply)
    }
}

/// The fields of a server block. Values of variables are credentials and stay hidden.
fn server(definition: &Definition, root: &str, include_env: bool) -> Value {
    let env: Map<String, Value> =
        definition.env.keys().map(|name| (name.clone(), json!("[hidden]"))).collect();
    let first = definition.candidates.first();
    let millis = |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let overrides: Map<String, Value> = definition
        .request_timeouts
        .iter()
        .map(|(method, timeout)| (method.clone(), json!(millis(*timeout))))
        .collect();
    let mut languages: Vec<&String> = definition.extensions.values().collect();
    languages.dedup();
    json!({
        "id": definition.id,
        "kind": definition.kind,
        "extensions": definition.extensions.keys().collect::<Vec<_>>(),
        "language_id": languages.first(),
        "command": first.map(|candidate| &candidate.program),
        "args": first.map(|candidate| &candidate.args),
        "root_dir": definition.root_dir.as_deref().unwrap_or(root),
        "root_markers": definition.root_markers,
        "cwd": definition.cwd.as_deref().unwrap_or(root),
        "env": if include_env { Value::Object(env) } else { Value::Null },
        "workspace_folders": definition.workspace_folders,
        "adapter": definition.adapter,
        "initialize_timeout_ms": millis(definition.initialize_timeout),
        "request_timeout_ms": millis(definition.request_timeout),
        "request_timeout_overrides_ms": overrides,
        "idle_timeout_seconds": definition.idle_timeout.map(|timeout| timeout.as_secs()),
        "requires": definition.requires.iter().map(|(program, _)| program).collect::<Vec<_>>(),
    })
}
