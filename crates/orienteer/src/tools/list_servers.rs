//! `list_servers`: which language servers are configured, and whether they are installed.

use orienteer_base::Problem;
use orienteer_engine::servers::ListedServer;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::render::text::count;
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct ListServers;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Names of server variables; values stay hidden.
    #[serde(default)]
    include_env: bool,
}

impl Tool for ListServers {
    const NAME: &'static str = "list_servers";
    const TITLE: &'static str = "Language servers";
    const DESCRIPTION: &'static str =
        "Configured language servers: file extensions, command, installed or how to install.";
    const TOOLSET: Toolset = Toolset::Ops;
    const DEFAULT: bool = true;
    const INSTANT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("servers", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        // Commands and arguments of servers may hold credentials, so this goes through redaction like a file.
        let mut reply = Reply::default();
        let root = ctx.session.roots().workspace().display().to_string();
        let servers = ctx.session.list_servers();
        let needs_trust = |listed: &ListedServer| {
            listed.program.as_ref().is_err_and(|problem| problem.detail == Some("not_trusted"))
        };
        let is_installed = |listed: &ListedServer| listed.program.is_ok() || needs_trust(listed);
        let installed = servers.iter().filter(|listed| is_installed(listed)).count();
        reply
            .head
            .push(format!("{} known, {installed} installed", count(servers.len() as u64, "language server")));
        let rows = servers
            .iter()
            .map(|listed| {
                let definition = &listed.definition;
                // The rest of a block is in get_current_config: thirty servers are many words.
                let mut value = json!({
                    "id": definition.id,
                    "kind": definition.kind,
                    "extensions": definition.extensions.keys().collect::<Vec<_>>(),
                    "language_id": definition.extensions.values().next(),
                    "root_dir": definition.root_dir.as_deref().unwrap_or(&root),
                    "command": definition.candidates.first().map(|candidate| &candidate.program),
                    "installed": is_installed(listed),
                    "live_tested": definition.live_tested,
                });
                let hint = definition.install_hint.as_ref().filter(|_| !is_installed(listed));
                if let Value::Object(object) = &mut value {
                    hint.map(|hint| object.insert("install_hint".to_owned(), json!(hint)));
                    listed.origin.map(|origin| object.insert("origin".to_owned(), json!(origin)));
                    needs_trust(listed).then(|| object.insert("needs_trust".to_owned(), json!(true)));
                }
                if args.include_env
                    && let Value::Object(object) = &mut value
                {
                    let names: Map<String, Value> =
                        definition.env.keys().map(|name| (name.clone(), json!("[hidden]"))).collect();
                    object.insert("env".to_owned(), Value::Object(names));
                }
                let state = match (&listed.program, hint) {
                    (Ok(program), _) => {
                        let origin = listed.origin.map(|origin| format!(" ({origin})")).unwrap_or_default();
                        format!("installed: {}{origin}", program.display())
                    }
                    (Err(problem), None) => problem.message.clone(),
                    (Err(problem), Some(hint)) => format!("{}; install with: {hint}", problem.message),
                };
                let extensions: Vec<&str> = definition.extensions.keys().map(String::as_str).collect();
                let line = format!("{} [{}]  {state}", definition.id, extensions.join(" "));
                Row::new(value, line)
            })
            .collect();
        reply.body = Body::Rows { field: "servers", rows };
        Ok(reply)
    }
}
