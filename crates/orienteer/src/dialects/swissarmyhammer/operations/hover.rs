//! `hover`: type, documentation and origin of a symbol.

use orienteer_base::ask::HoverQuery;
use serde_json::json;

use super::Answered;
use crate::dialects::swissarmyhammer::answer::{payload, whole};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::project::Project;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    let query = HoverQuery { target: args.target(project)?, wait: None };
    let (hover, warnings) = whole(project.session().hover(query, &project.ctx.cancel).await?)?;
    let contents = json!({
        "type_info": hover.type_info,
        "documentation": hover.documentation,
        "source_module": hover.source_module,
    });
    Ok(payload([("contents", contents)], warnings))
}
