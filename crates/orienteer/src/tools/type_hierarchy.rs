//! `type_hierarchy`: what a type is made from, and what is made from it.

use orienteer_base::Problem;
use orienteer_base::ask::{TypeDirection, TypesQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::target::TargetArgs;
use super::{hierarchy, page};
use crate::render::Reply;
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct TypeHierarchy;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(default)]
    direction: Direction,
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 5))]
    depth: u32,
    #[serde(default = "two_hundred")]
    #[schemars(range(min = 1, max = 2000))]
    max_results: usize,
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
    Supertypes,
    Subtypes,
    #[default]
    Both,
}

impl Tool for TypeHierarchy {
    const NAME: &'static str = "type_hierarchy";
    const TITLE: &'static str = "Supertypes and subtypes";
    const DESCRIPTION: &'static str = "Supertypes and subtypes of a class, trait or interface.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("root", "object"), ("items", "array"), ("total_count", "integer")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let (direction, noun) = match args.direction {
            Direction::Supertypes => (TypeDirection::Supertypes, "supertype"),
            Direction::Subtypes => (TypeDirection::Subtypes, "subtype"),
            Direction::Both => (TypeDirection::Both, "related type"),
        };
        let window = page::window(&ctx, args.max_results)?;
        let query = TypesQuery {
            target: args.target.target(&ctx)?,
            direction,
            depth: args.depth,
            window,
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.type_hierarchy(query, &ctx.cancel).await?;
        hierarchy::reply(&ctx, answer, noun, window).await
    }
}
