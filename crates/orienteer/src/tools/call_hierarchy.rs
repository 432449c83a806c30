//! `call_hierarchy`: who calls a function, or what it calls.

use orienteer_base::Problem;
use orienteer_base::ask::{CallDirection, CallsQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::SnippetArgs;
use super::target::TargetArgs;
use super::{hierarchy, page};
use crate::render::Reply;
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct CallHierarchy;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(default)]
    direction: Direction,
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 3))]
    depth: u32,
    #[serde(default = "two_hundred")]
    #[schemars(range(min = 1, max = 2000))]
    max_results: usize,
    #[serde(default)]
    include_snippet: bool,
    #[serde(flatten)]
    snippet: SnippetArgs,
    /// For a server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

fn one() -> u32 {
    1
}

fn two_hundred() -> usize {
    200
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Direction {
    #[default]
    Incoming,
    Outgoing,
}

impl Tool for CallHierarchy {
    const NAME: &'static str = "call_hierarchy";
    const TITLE: &'static str = "Callers and callees";
    const DESCRIPTION: &'static str =
        "Who calls a function (incoming) or what it calls (outgoing), with call sites.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("root", "object"), ("items", "array"), ("total_count", "integer")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let (direction, noun) = match args.direction {
            Direction::Incoming => (CallDirection::Incoming, "caller"),
            Direction::Outgoing => (CallDirection::Outgoing, "callee"),
        };
        let window = page::window(&ctx, args.max_results)?;
        let query = CallsQuery {
            target: args.target.target(&ctx)?,
            direction,
            depth: args.depth,
            snippet: args.snippet.spec(args.include_snippet),
            window,
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.call_hierarchy(query, &ctx.cancel).await?;
        hierarchy::reply(&ctx, answer, noun, window).await
    }
}
