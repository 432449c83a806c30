//! `format`: a file as its language is usually written.

use orienteer_base::edit::FormatQuery;

use super::{Answered, change};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::project::Project;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    if let Some(written) = change::earlier(args, project).await {
        return written;
    }
    let query = FormatQuery {
        files: vec![project.file.clone().require_file()?],
        lines: None,
        carry: change::carry(args),
        wait: None,
    };
    let answer = project.session().format(query, &project.ctx.cancel).await?;
    change::show(answer, project).await
}
