//! `build_index`: the index made true, now.

use orienteer_base::Problem;
use orienteer_engine::index::BuildQuery;
use schemars::JsonSchema;
use serde::Deserialize;

use super::work;
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct BuildIndex;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Look again only at this file or folder; default: everything that changed.
    path: Option<String>,
    /// Make everything anew.
    #[serde(default)]
    full: bool,
}

impl Tool for BuildIndex {
    const NAME: &'static str = "build_index";
    const TITLE: &'static str = "Build the index";
    const DESCRIPTION: &'static str = "Bring the index up to date now, or make it anew. Rarely needed: search does it by itself. Reports progress; searches go on meanwhile.";
    const TOOLSET: Toolset = Toolset::Index;
    const EFFECT: Effect = Effect::Control;
    const OUTPUT: &'static [(&'static str, &'static str)] = work::OUTPUT;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        if args.path.is_some() && args.full {
            let message = "`full` makes the whole index anew, and `path` names a part; give one of them";
            return Err(Problem::invalid("path", "contradiction", message));
        }
        let path = match &args.path {
            Some(path) => {
                Some(ctx.session.resolve(path).map_err(|error| Problem::from(error).field("path"))?)
            }
            None => None,
        };
        // A build that takes longer goes on, and the caller is told so instead of being cut off.
        let query = BuildQuery { path, full: args.full, wait: ctx.patience() };
        let done = ctx.session.build_index(query, &ctx.cancel).await?;
        Ok(work::reply(&done))
    }
}
