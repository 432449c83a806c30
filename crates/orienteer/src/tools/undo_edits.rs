//! `undo_edits`: takes changes back.

use orienteer_base::Problem;
use orienteer_base::edit::UndoQuery;
use schemars::JsonSchema;
use serde::Deserialize;

use super::plan;
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct UndoEdits;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Default: the last one.
    journal_id: Option<String>,
    /// The last so many.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100))]
    count: usize,
}

fn one() -> usize {
    1
}

impl Tool for UndoEdits {
    const NAME: &'static str = "undo_edits";
    const TITLE: &'static str = "Undo changes";
    const DESCRIPTION: &'static str =
        "Take back what these tools wrote; refused when a file has changed since.";
    const TOOLSET: Toolset = Toolset::Edit;
    const DEFAULT: bool = true;
    const EFFECT: Effect = Effect::Write;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("applied", "boolean"), ("journal_id", "string"), ("files", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let query = match args.journal_id {
            Some(_) if args.count > 1 => {
                let message =
                    "`count` takes back the last changes and `journal_id` one of them; leave one out";
                return Err(Problem::invalid("count", "contradiction", message));
            }
            Some(id) => UndoQuery::Entry(id),
            None => UndoQuery::Last(args.count),
        };
        let answer = ctx.session.undo(query, &ctx.cancel).await?;
        Ok(plan::applied(&answer))
    }
}
