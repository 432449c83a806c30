//! `signature`: the signatures of the call around a place.

use orienteer_base::ask::SignatureQuery;
use serde_json::json;

use super::Answered;
use crate::dialects::swissarmyhammer::answer::{payload, whole};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::project::Project;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    let (line, column) = args.position()?;
    let query = SignatureQuery { file: project.file.clone(), line, column, wait: None };
    let (found, warnings) = whole(project.session().signatures(query, &project.ctx.cancel).await?)?;
    let fields = [
        ("signatures", json!(found.signatures)),
        ("active_signature", json!(found.active_signature)),
        ("active_parameter", json!(found.active_parameter)),
    ];
    Ok(payload(fields, warnings))
}
