//! `get_server_status`: the truth about running language servers.

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;

use super::status;
use crate::render::text::count;
use crate::render::{Body, Reply};
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
        ctx.session.check_server(args.server_id.as_deref())?;
        // The last words of a server may hold anything, so this goes through redaction like a file.
        let mut reply = Reply::default();
        let known: Vec<_> = ctx
            .session
            .server_states()
            .into_iter()
            .filter(|state| args.server_id.as_ref().is_none_or(|id| *id == state.server_id))
            .collect();
        reply.head.push(if known.is_empty() {
            format!(
                "No language server is running ({} configured); the first question about a file starts its server.",
                ctx.session.server_ids().len()
            )
        } else {
            count(known.len() as u64, "language server")
        });
        reply.body = Body::Rows { field: "servers", rows: status::rows(&ctx, &known) };
        reply.server_id = args.server_id;
        Ok(reply)
    }
}
