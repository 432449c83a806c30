//! The tools, one file each.

mod check_types;
mod find_references;
mod get_completions;
mod get_hover;
mod get_signature;
mod go_to_definition;
mod health_check;

pub(super) use check_types::CheckTypes;
pub(super) use find_references::FindReferences;
pub(super) use get_completions::GetCompletions;
pub(super) use get_hover::GetHover;
pub(super) use get_signature::GetSignature;
pub(super) use go_to_definition::GoToDefinition;
pub(super) use health_check::HealthCheck;
