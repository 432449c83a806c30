//! `definition`: where a symbol is defined.

use orienteer_base::ask::{DefinitionQuery, Relation, Window};
use serde_json::Value;

use super::{Answered, MOST_ROWS};
use crate::dialects::swissarmyhammer::answer::{payload, whole};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::place::Paths;
use crate::dialects::swissarmyhammer::project::Project;
use crate::tools::keys;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    related(args, project, Relation::Definition, "definitions").await
}

/// The same for every relation of a use to what it means.
pub(super) async fn related(args: &Args, project: &Project, relation: Relation, field: &str) -> Answered {
    let query = DefinitionQuery {
        target: args.target(project)?,
        relation,
        snippet: None,
        window: Window { skip: 0, limit: MOST_ROWS },
        wait: None,
    };
    let answer = project.session().definitions(query, &project.ctx.cancel).await?;
    let (mut found, mut warnings) = whole(answer)?;
    let places = found.rows.iter_mut().map(|row| &mut row.place).collect();
    warnings.extend(keys::hide_in_places(&project.ctx, places).await?.map(|warning| warning.message));
    if found.total > found.rows.len() {
        warnings.push(format!("{} of {} places are listed", found.rows.len(), found.total));
    }
    let mut paths = Paths::new(project.session());
    let rows = found.rows.iter().map(|row| Value::Object(paths.place(&row.place))).collect();
    Ok(payload([(field, Value::Array(rows))], warnings))
}
