//! `rename`: another name for a symbol, everywhere it is meant.

use std::collections::BTreeMap;

use orienteer_base::Problem;
use orienteer_base::edit::RenameQuery;

use super::{Answered, change};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::project::Project;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    if let Some(written) = change::earlier(args, project).await {
        return written;
    }
    let Some(new_name) = args.new_name.clone() else {
        let message = "`new_name` is required for rename: the name that the symbol shall have";
        return Err(Problem::invalid("new_name", "missing_field", message));
    };
    let query = RenameQuery {
        target: args.target(project)?,
        new_name,
        carry: change::carry(args),
        expected: BTreeMap::new(),
        wait: None,
    };
    let answer = project.session().rename(query, &project.ctx.cancel).await?;
    change::show(answer, project).await
}
