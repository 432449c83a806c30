//! `restart_server`: a fresh start for language servers.

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;

use super::status;
use crate::render::text::count;
use crate::render::{Body, Reply};
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct RestartServer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Default: all that run.
    server_id: Option<String>,
}

impl Tool for RestartServer {
    const NAME: &'static str = "restart_server";
    const TITLE: &'static str = "Restart a server";
    const DESCRIPTION: &'static str = "Restart language servers, also one that crashed too often.";
    const TOOLSET: Toolset = Toolset::Ops;
    const EFFECT: Effect = Effect::Control;
    // It must get through when every slot waits for the server it is about.
    const INSTANT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("servers", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let states = ctx.session.restart_server(args.server_id.as_deref(), &ctx.cancel).await?;
        let mut reply = Reply::default();
        reply.head.push(match states.len() {
            0 => "No language server was running.".to_owned(),
            number => format!("{} restarted", count(number as u64, "language server")),
        });
        reply.body = Body::Rows { field: "servers", rows: status::rows(&ctx, &states) };
        reply.server_id = args.server_id;
        Ok(reply)
    }
}
