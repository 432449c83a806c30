//! `lspGotoDefinition`: from a use to what it means.

use orienteer_base::Problem;
use orienteer_base::ask::{DefinitionQuery, Relation, Window};
use orienteer_base::code::Place;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::asked::Asked;
use super::super::bulk::{Found, Query};
use super::super::goals::LocalGoals;
use super::super::pointing::{self, Pointing};
use super::super::recovery::by_text;
use super::super::usual::small;
use crate::tool::Ctx;

/// A symbol with more definitions than that is told by its references.
const MOST: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct LspGotoDefinition {
    #[serde(flatten)]
    _goals: LocalGoals,
    #[serde(flatten)]
    pointing: Pointing,
    /// Context lines
    #[serde(default = "small::<5>")]
    #[schemars(range(min = 0, max = 20))]
    context_lines: u32,
}

impl Query for LspGotoDefinition {
    const TOOL: &'static str = "lspGotoDefinition";
    const TITLE: &'static str = "Go to definition";
    const DESCRIPTION: &'static str = "Navigate to symbol definitions using LSP. lineHint is a line (1-indexed) that has the symbol: find it with localSearchCode first.";

    fn check(&self) -> Result<(), Problem> {
        self.pointing.check()
    }

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let query = DefinitionQuery {
            target: self.pointing.target(&ctx)?,
            relation: Relation::Definition,
            snippet: None,
            window: Window { skip: 0, limit: MOST },
            wait: ctx.wait(None),
        };
        let answer = ctx.session.definitions(query, &ctx.cancel).await?;
        let rows = &answer.value.rows;
        pointing::understood(&answer, rows.is_empty())?;
        let places: Vec<&Place> = rows.iter().map(|row| &row.place).collect();
        let (shown, hidden) = pointing::around(&ctx, &places, self.context_lines).await?;
        let mut hints = pointing::notes(&answer);
        hints.extend(hidden.map(|warning| warning.message));
        if answer.value.total > rows.len() {
            hints.push(format!("{} of {} definitions are shown", rows.len(), answer.value.total));
        }
        match (rows.first(), shown.first()) {
            (Some(row), Some(place)) => {
                let name = row.name.as_deref().or(asked.text("symbolName"));
                let fields = json!({ "uri": place.uri, "symbolName": name, "lineHint": place.line });
                hints.push(asked.other("Who uses it", "lspFindReferences", fields));
            }
            _ => {
                let why = "The language server knows no definition of it; by text";
                hints.push(by_text(&asked, why, asked.text("symbolName").unwrap_or_default()));
            }
        }
        let definitions: Vec<_> = shown.iter().map(pointing::row).collect();
        Ok(Found::new(json!({ "definitions": definitions }), hints))
    }
}
