//! `references`: every use of a symbol.

use orienteer_base::ask::{ReferencesQuery, Window};
use serde_json::{Value, json};

use super::{Answered, MOST_ROWS};
use crate::dialects::swissarmyhammer::answer::{payload, whole};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::place::Paths;
use crate::dialects::swissarmyhammer::project::Project;
use crate::tools::keys;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    let query = ReferencesQuery {
        target: args.target(project)?,
        include_declaration: args.include_declaration,
        cross_check: false,
        snippet: None,
        window: Window { skip: 0, limit: MOST_ROWS },
        wait: None,
    };
    let answer = project.session().references(query, &project.ctx.cancel).await?;
    let (mut found, mut warnings) = whole(answer)?;
    let places = found.rows.iter_mut().map(|row| &mut row.place).collect();
    warnings.extend(keys::hide_in_places(&project.ctx, places).await?.map(|warning| warning.message));
    if found.total_count > found.rows.len() {
        warnings.push(format!("{} of {} references are listed", found.rows.len(), found.total_count));
    }
    let mut paths = Paths::new(project.session());
    let row = |row: &orienteer_base::code::Reference| {
        let mut value = paths.place(&row.place);
        value.insert("is_declaration".to_owned(), json!(row.is_declaration));
        Value::Object(value)
    };
    let rows = found.rows.iter().map(row).collect();
    Ok(payload([("references", Value::Array(rows)), ("total_count", json!(found.total_count))], warnings))
}
