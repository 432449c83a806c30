//! The one tool: what it takes, and which operation is asked for.

use orienteer_base::{Problem, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::operations;
use super::project::Project;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct Lsp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Operation {
    Definition,
    References,
    Diagnostics,
    Hover,
    Rename,
    Completion,
    Signature,
    Symbols,
    Format,
    Actions,
    Implementation,
    CallHierarchy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SeverityFilter {
    Error,
    Warning,
    Info,
    Hint,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Direction {
    Incoming,
    Outgoing,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The LSP operation to perform
    pub(super) operation: Operation,
    /// Absolute path to the file
    pub(super) file_path: String,
    /// Line number (1-based). Required for definition, references, hover.
    #[schemars(range(min = 1))]
    pub(super) line: Option<u32>,
    /// Column number (1-based). Required for definition, references, hover.
    #[schemars(range(min = 1))]
    pub(super) column: Option<u32>,
    /// Include the declaration in results (references only)
    #[serde(default = "yes")]
    pub(super) include_declaration: bool,
    /// Filter by minimum severity (diagnostics only)
    #[serde(default = "all")]
    pub(super) severity_filter: SeverityFilter,
    /// Maximum number of results to return (diagnostics only)
    #[serde(default = "hundred")]
    pub(super) limit: u32,
    /// The new name (rename only)
    pub(super) new_name: Option<String>,
    /// Search the project for this name instead of outlining the file (symbols only)
    pub(super) query: Option<String>,
    /// Who calls it, or what it calls (call_hierarchy only)
    #[serde(default = "incoming")]
    pub(super) direction: Direction,
    /// Preview this one of an earlier list (actions only)
    pub(super) action_id: Option<String>,
    /// Write the changes instead of previewing them (rename, format, actions)
    #[serde(default)]
    pub(super) apply: bool,
    /// Write exactly this earlier preview; needs apply (rename, format, actions)
    pub(super) plan_id: Option<String>,
}

fn yes() -> bool {
    true
}

fn all() -> SeverityFilter {
    SeverityFilter::All
}

fn hundred() -> u32 {
    100
}

fn incoming() -> Direction {
    Direction::Incoming
}

impl DialectTool for Lsp {
    const NAME: &'static str = "lsp";
    const TITLE: &'static str = "Language server";
    const DESCRIPTION: &'static str = "Ask the language server of a file: definition, references, hover, implementation, call_hierarchy, signature and completion at line and column; diagnostics and symbols of the file; rename, format and actions as previews until apply.";
    const EFFECT: Effect = Effect::Asked;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        args.check()?;
        let project = Project::of(ctx, &args.file_path).await?;
        let answered = match args.operation {
            Operation::Definition => operations::definition::run(&args, &project).await,
            Operation::References => operations::references::run(&args, &project).await,
            Operation::Diagnostics => operations::diagnostics::run(&args, &project).await,
            Operation::Hover => operations::hover::run(&args, &project).await,
            Operation::Rename => operations::rename::run(&args, &project).await,
            Operation::Completion => operations::completion::run(&args, &project).await,
            Operation::Signature => operations::signature::run(&args, &project).await,
            Operation::Symbols => operations::symbols::run(&args, &project).await,
            Operation::Format => operations::format::run(&args, &project).await,
            Operation::Actions => operations::actions::run(&args, &project).await,
            Operation::Implementation => operations::implementation::run(&args, &project).await,
            Operation::CallHierarchy => operations::call_hierarchy::run(&args, &project).await,
        };
        let mut answer = answered.map_err(|problem| project.explain(problem))?;
        for told in project.passed_over() {
            if let Value::Array(warnings) = answer.entry("warnings").or_insert_with(|| json!([])) {
                warnings.push(json!(told));
            }
        }
        Ok(answer)
    }
}

impl Args {
    /// What the schema cannot say, before anything is looked at.
    fn check(&self) -> Result<(), Problem> {
        let placed = !matches!(
            self.operation,
            Operation::Diagnostics | Operation::Symbols | Operation::Format | Operation::Actions
        );
        // A preview is carried out as it is: nothing else has to be said again.
        if placed && self.plan_id.is_none() {
            self.position()?;
        }
        if self.plan_id.is_some() && !self.apply {
            let message = "`plan_id` is written with `apply: true`; nothing was done";
            return Err(Problem::invalid("plan_id", "missing_field", message));
        }
        Ok(())
    }

    /// Line and column, where both are needed.
    pub(super) fn position(&self) -> Result<(u32, u32), Problem> {
        let missing = |field: &'static str| {
            let message = format!("`{field}` is required for this operation: a whole number from 1");
            Problem::invalid(field, "missing_field", message)
        };
        Ok((self.line.ok_or_else(|| missing("line"))?, self.column.ok_or_else(|| missing("column"))?))
    }

    /// The place in the file as a target of the engine.
    pub(super) fn target(&self, project: &Project) -> Result<Target, Problem> {
        let (line, column) = self.position()?;
        let file = Some(project.file.clone());
        Ok(Target { file, line: Some(line), column: Some(column), ..Target::default() })
    }

    pub(super) fn limit(&self) -> usize {
        usize::try_from(self.limit).unwrap_or(usize::MAX)
    }
}
