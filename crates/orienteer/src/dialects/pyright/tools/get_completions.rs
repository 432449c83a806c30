//! `get_completions`: what could be written at a position.

use orienteer_base::Problem;
use orienteer_base::ask::CompletionQuery;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::shapes::{At, cut_short, first, payload, vouched};
use crate::dialect::DialectTool;
use crate::tool::Ctx;

/// Each is asked about for its documentation.
const MOST: usize = 200;

pub(crate) struct GetCompletions;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    #[serde(flatten)]
    at: At,
    /// The character that was typed last, such as "." or "(".
    #[schemars(length(max = 1))]
    trigger_character: Option<String>,
}

impl DialectTool for GetCompletions {
    const NAME: &'static str = "get_completions";
    const TITLE: &'static str = "Completions";
    const DESCRIPTION: &'static str =
        "What could be written at a position of a Python file, with kinds, types and documentation.";
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let opened = args.at.open(&ctx).await?;
        let query = CompletionQuery {
            file: opened.path.clone(),
            line: args.at.line,
            column: args.at.column,
            trigger_character: args.trigger_character.filter(|character| !character.is_empty()),
            resolve: true,
            window: first(MOST),
            wait: None,
        };
        let (found, mut warnings) = vouched(opened.session.complete(query, &ctx.cancel).await?)?;
        let cut = cut_short(found.items.len(), found.total, "completions");
        let is_incomplete = found.is_incomplete || cut.is_some();
        warnings.extend(cut);
        Ok(payload(json!({ "completions": found.items, "is_incomplete": is_incomplete }), warnings))
    }
}
