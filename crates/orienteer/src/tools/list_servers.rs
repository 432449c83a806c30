//! `list_servers`: which language servers are configured, and whether they are installed.

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::get_current_config::server;
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
        reply.head.push(match servers.len() {
            0 => {
                "No language servers are configured; add [[servers]] blocks to the configuration.".to_owned()
            }
            number => format!("{} configured", count(number as u64, "language server")),
        });
        let rows = servers
            .iter()
            .map(|listed| {
                let installed = listed.program.is_some();
                let mut value = server(listed.spec, &root, args.include_env);
                if let Value::Object(object) = &mut value {
                    object.insert("installed".to_owned(), json!(installed));
                    object.insert("install_hint".to_owned(), json!(listed.spec.install_hint));
                    object.insert("live_tested".to_owned(), json!(false));
                }
                let state = match (&listed.program, &listed.spec.install_hint) {
                    (Some(program), _) => format!("installed: {}", program.display()),
                    (None, Some(hint)) => {
                        format!("`{}` not found; install with: {hint}", listed.spec.command)
                    }
                    (None, None) => format!("`{}` not found in PATH", listed.spec.command),
                };
                let line = format!("{} [{}]  {state}", listed.spec.id, listed.spec.extensions.join(" "));
                Row::new(value, line)
            })
            .collect();
        reply.body = Body::Rows { field: "servers", rows };
        Ok(reply)
    }
}
