//! `find_references`: every use of the symbol at a position.

use orienteer_base::Problem;
use orienteer_base::ask::ReferencesQuery;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::shapes::{At, cut_short, first, location, payload, vouched};
use crate::dialect::DialectTool;
use crate::tool::Ctx;

const MOST: usize = 5_000;

pub(crate) struct FindReferences;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    #[serde(flatten)]
    at: At,
    /// Whether the declaration is listed, too.
    #[serde(default = "yes")]
    include_declaration: bool,
}

fn yes() -> bool {
    true
}

impl DialectTool for FindReferences {
    const NAME: &'static str = "find_references";
    const TITLE: &'static str = "Find references";
    const DESCRIPTION: &'static str = "Everywhere the Python symbol at a position is used in its project.";
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let opened = args.at.open(&ctx).await?;
        let query = ReferencesQuery {
            target: args.at.target(&opened),
            include_declaration: args.include_declaration,
            cross_check: false,
            snippet: None,
            window: first(MOST),
            wait: None,
        };
        let (found, mut warnings) = vouched(opened.session.references(query, &ctx.cancel).await?)?;
        warnings.extend(cut_short(found.rows.len(), found.total_count, "references"));
        let rows: Vec<Value> = found.rows.iter().map(|row| location(&opened.session, &row.place)).collect();
        Ok(payload(json!({ "references": rows, "total": found.total_count }), warnings))
    }
}
