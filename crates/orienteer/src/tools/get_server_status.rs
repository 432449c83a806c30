//! `get_server_status`: the truth about running language servers.

use orienteer_base::{ErrorKind, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct GetServerStatus;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    server_id: Option<String>,
}

impl Tool for GetServerStatus {
    const NAME: &'static str = "get_server_status";
    const TITLE: &'static str = "Server status";
    const DESCRIPTION: &'static str = "Running language servers: state, readiness, memory, last error.";
    const TOOLSET: Toolset = Toolset::Ops;
    const DEFAULT: bool = true;
    const INSTANT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("servers", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let configured: Vec<String> = ctx.session.server_specs().iter().map(|spec| spec.id.clone()).collect();
        if let Some(id) = &args.server_id
            && !configured.contains(id)
        {
            let known = if configured.is_empty() { "none".to_owned() } else { configured.join(", ") };
            let id: String = id.chars().take(80).collect();
            let message = format!("no language server `{id}` is configured; configured are: {known}");
            return Err(Problem::new(ErrorKind::NotFound, message)
                .field("server_id")
                .detail("unknown_server")
                .candidates(configured));
        }
        let mut reply = Reply::about_ourselves();
        let running: Vec<_> = ctx
            .session
            .server_states()
            .into_iter()
            .filter(|state| args.server_id.as_ref().is_none_or(|id| *id == state.server_id))
            .collect();
        reply.head.push(if running.is_empty() {
            format!("No language server is running ({} configured).", configured.len())
        } else {
            format!("{} running", running.len())
        });
        let rows = running
            .iter()
            .map(|state| Row::new(json!({ "server_id": state.server_id }), state.server_id.clone()));
        reply.body = Body::Rows { field: "servers", rows: rows.collect() };
        reply.server_id = args.server_id;
        Ok(reply)
    }
}
