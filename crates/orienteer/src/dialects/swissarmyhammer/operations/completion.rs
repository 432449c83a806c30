//! `completion`: what could be written at a place.

use orienteer_base::ask::{CompletionQuery, Window};
use serde_json::json;

use super::Answered;
use crate::dialects::swissarmyhammer::answer::{payload, whole};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::project::Project;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    let (line, column) = args.position()?;
    let query = CompletionQuery {
        file: project.file.clone(),
        line,
        column,
        trigger_character: None,
        resolve: false,
        window: Window { skip: 0, limit: args.limit() },
        wait: None,
    };
    let (found, mut warnings) = whole(project.session().complete(query, &project.ctx.cancel).await?)?;
    let cut = found.items.len() < found.total;
    if cut {
        let message =
            format!("{} of {} completions are listed; `limit` lists more", found.items.len(), found.total);
        warnings.push(message);
    }
    let fields = [
        ("completions", json!(found.items)),
        ("total_count", json!(found.total)),
        ("is_incomplete", json!(found.is_incomplete || cut)),
    ];
    Ok(payload(fields, warnings))
}
