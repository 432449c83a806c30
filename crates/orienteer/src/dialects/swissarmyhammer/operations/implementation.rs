//! `implementation`: what implements an interface, a trait or a method of one.

use orienteer_base::ask::Relation;

use super::{Answered, definition};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::project::Project;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    definition::related(args, project, Relation::Implementation, "implementations").await
}
