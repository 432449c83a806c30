//! `actions`: fixes and refactorings that the server offers, and what one of them would change.

use orienteer_base::edit::{ActionPlace, Actions, ActionsQuery};
use orienteer_base::{Completeness, Reason};
use serde_json::json;

use super::{Answered, change};
use crate::dialects::swissarmyhammer::answer::{payload, whole};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::project::Project;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    if let Some(written) = change::earlier(args, project).await {
        return written;
    }
    let query = ActionsQuery {
        place: ActionPlace::Range {
            file: project.file.clone().require_file()?,
            start_line: args.line.unwrap_or(1),
            start_column: args.column,
            end_line: args.line.unwrap_or(u32::MAX),
            end_column: args.column,
        },
        kinds: Vec::new(),
        action_id: args.action_id.clone(),
        carry: change::carry(args),
        wait: None,
    };
    let answer = project.session().code_actions(query, &project.ctx.cancel).await?;
    let rest = answer.clone().map(|_| ());
    match answer.value {
        Actions::Planned(planned) => change::show(rest.map(|()| *planned), project).await,
        Actions::List(rows) => {
            let mut rest = rest;
            let unfinished =
                matches!(rest.completeness, Completeness::Partial { reason: Reason::Timeout, .. });
            if unfinished && !rows.is_empty() {
                // What is offered is offered; that there is no fix besides is not known, and the warning says so.
                rest.completeness = Completeness::partial(Reason::NotChecked);
            }
            let ((), warnings) = whole(rest)?;
            Ok(payload([("actions", json!(rows))], warnings))
        }
    }
}
