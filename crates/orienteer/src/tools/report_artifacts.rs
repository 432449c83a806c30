//! `report_artifacts`: what this program keeps on disk, and where.

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;

use super::work;
use crate::render::Reply;
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct ReportArtifacts;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {}

impl Tool for ReportArtifacts {
    const NAME: &'static str = "report_artifacts";
    const TITLE: &'static str = "Report artifacts";
    const DESCRIPTION: &'static str =
        "Files that indexes, models and other fetched data take on disk: kind, path, size, age.";
    const TOOLSET: Toolset = Toolset::Index;
    const OUTPUT: &'static [(&'static str, &'static str)] = work::OUTPUT;
    type Args = Args;

    async fn run(_: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let done = ctx.session.report_artifacts(&ctx.cancel).await?;
        Ok(work::reply(&done))
    }
}
