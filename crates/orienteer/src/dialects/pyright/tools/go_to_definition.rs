//! `go_to_definition`: where the symbol at a position is defined.

use orienteer_base::Problem;
use orienteer_base::ask::{DefinitionQuery, Relation};
use serde_json::{Map, Value, json};

use super::super::shapes::{At, cut_short, first, location, payload, vouched};
use crate::dialect::DialectTool;
use crate::tool::Ctx;

const MOST: usize = 500;

pub(crate) struct GoToDefinition;

impl DialectTool for GoToDefinition {
    const NAME: &'static str = "go_to_definition";
    const TITLE: &'static str = "Go to definition";
    const DESCRIPTION: &'static str =
        "Where the Python symbol at a position is defined: files, lines and columns.";
    type Args = At;

    async fn run(at: At, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let opened = at.open(&ctx).await?;
        let query = DefinitionQuery {
            target: at.target(&opened),
            relation: Relation::Definition,
            snippet: None,
            window: first(MOST),
            wait: None,
        };
        let (found, mut warnings) = vouched(opened.session.definitions(query, &ctx.cancel).await?)?;
        warnings.extend(cut_short(found.rows.len(), found.total, "definitions"));
        let rows = found.rows.iter().map(|row| location(&opened.session, &row.place));
        Ok(payload(json!({ "definitions": rows.collect::<Vec<_>>() }), warnings))
    }
}
