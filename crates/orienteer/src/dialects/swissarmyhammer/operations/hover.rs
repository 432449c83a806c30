//! `hover`: type, documentation and origin of a symbol.

use std::time::Duration;

use orienteer_base::ask::{DefinitionQuery, HoverQuery, Relation, Window};
use serde_json::json;

use super::Answered;
use crate::dialects::swissarmyhammer::answer::{payload, whole};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::project::Project;

/// What is asked beside a hover must not hold it up.
const LONGEST: Duration = Duration::from_secs(2);

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    let query = HoverQuery { target: args.target(project)?, wait: None };
    let (hover, warnings) = whole(project.session().hover(query, &project.ctx.cancel).await?)?;
    let source_module = match hover.source_module {
        Some(module) => Some(module),
        None => tokio::time::timeout(LONGEST, defined_in(args, project)).await.ok().flatten(),
    };
    let contents = json!({
        "type_info": hover.type_info,
        "documentation": hover.documentation,
        "source_module": source_module,
    });
    Ok(payload([("contents", contents)], warnings))
}

/// Most servers name no module in what they show. Where the definition is in one place, that file is the module; nobody
/// loses a hover because that cannot be found out.
async fn defined_in(args: &Args, project: &Project) -> Option<String> {
    let query = DefinitionQuery {
        target: args.target(project).ok()?,
        relation: Relation::Definition,
        snippet: None,
        window: Window { skip: 0, limit: 100 },
        wait: None,
    };
    let answer = project.session().definitions(query, &project.ctx.cancel).await.ok()?;
    let (found, _) = whole(answer).ok()?;
    let (first, others) = found.rows.split_first()?;
    let file = &first.place.file_path;
    others.iter().all(|row| row.place.file_path == *file).then(|| file.clone())
}
