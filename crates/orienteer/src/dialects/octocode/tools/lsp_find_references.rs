//! `lspFindReferences`: every use of a symbol.

use orienteer_base::Problem;
use orienteer_base::ask::{ReferencesQuery, Window};
use orienteer_base::code::Place;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::asked::Asked;
use super::super::bulk::{Found, Query};
use super::super::goals::LocalGoals;
use super::super::paging::Paging;
use super::super::pointing::{self, Pointing};
use super::super::recovery::by_text;
use super::super::usual::{number, small, yes};
use crate::tool::Ctx;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct LspFindReferences {
    #[serde(flatten)]
    _goals: LocalGoals,
    #[serde(flatten)]
    pointing: Pointing,
    /// Include declaration
    #[serde(default = "yes")]
    include_declaration: bool,
    /// Context lines
    #[serde(default = "small::<2>")]
    #[schemars(range(min = 0, max = 10))]
    context_lines: u32,
    /// References per page
    #[serde(default = "number::<20>")]
    #[schemars(range(min = 1, max = 50))]
    references_per_page: usize,
    /// Page number
    #[serde(default = "number::<1>")]
    #[schemars(range(min = 1))]
    page: usize,
}

impl Query for LspFindReferences {
    const TOOL: &'static str = "lspFindReferences";
    const TITLE: &'static str = "Find references";
    const DESCRIPTION: &'static str = "Find all references to a symbol using LSP. lineHint is a line (1-indexed) that has the symbol: find it with localSearchCode first.";

    fn check(&self) -> Result<(), Problem> {
        self.pointing.check()
    }

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let (page, per_page) = (self.page, self.references_per_page);
        let query = ReferencesQuery {
            target: self.pointing.target(&ctx)?,
            include_declaration: self.include_declaration,
            cross_check: true,
            snippet: None,
            window: Window { skip: Paging::skip(page, per_page), limit: per_page },
            wait: ctx.wait(None),
        };
        let answer = ctx.session.references(query, &ctx.cancel).await?;
        let found = &answer.value;
        pointing::understood(&answer, found.total_count == 0)?;
        let places: Vec<&Place> = found.rows.iter().map(|row| &row.place).collect();
        let (shown, hidden) = pointing::around(&ctx, &places, self.context_lines).await?;
        let paging = Paging { page, per_page, total: found.total_count };
        let mut hints = pointing::notes(&answer);
        hints.extend(hidden.map(|warning| warning.message));
        hints.extend(paging.hint(&asked, "page"));
        if let (Some(total @ 1..), Some(first)) = (found.unconfirmed_total, found.unconfirmed.first()) {
            let why = format!(
                "The word also stands as text in {total} places that no reference explains, such as {}:{}",
                first.file_path, first.range.start.line
            );
            hints.push(by_text(&asked, &why, asked.text("symbolName").unwrap_or_default()));
        }
        hints.push(leads_on(found.total_count, &asked));
        let references: Vec<_> = shown.iter().map(pointing::row).collect();
        let data = json!({
            "references": references,
            "totalReferences": found.total_count,
            "pagination": paging.to_json(),
        });
        Ok(Found::new(data, hints))
    }
}

/// What to ask after the uses are known, or where none is.
fn leads_on(total: usize, asked: &Asked) -> String {
    let name = asked.text("symbolName");
    if total == 0 {
        return by_text(asked, "The language server knows no use of it; by text", name.unwrap_or_default());
    }
    let order = asked.row.get("orderHint");
    let fields = json!({ "uri": asked.text("uri"), "symbolName": name, "lineHint": asked.row.get("lineHint"),
        "orderHint": order, "direction": "incoming" });
    asked.other("If it is a function, who calls it", "lspCallHierarchy", fields)
}
