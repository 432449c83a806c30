//! `edit_symbol`: a definition replaced, given a neighbour or deleted.

use orienteer_base::Problem;
use orienteer_base::edit::{EditSymbolQuery, SymbolOperation};
use schemars::JsonSchema;
use serde::Deserialize;

use super::plan;
use super::target::TargetArgs;
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct EditSymbol;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    target: TargetArgs,
    operation: Operation,
    /// New code; indented to fit when written from the left margin.
    content: Option<String>,
    /// Delete although it is used, or nobody can tell.
    #[serde(default)]
    force: bool,
    /// false: write at once.
    #[serde(default = "yes")]
    dry_run: bool,
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Replace,
    ReplaceBody,
    InsertBefore,
    InsertAfter,
    Delete,
}

fn yes() -> bool {
    true
}

impl From<Operation> for SymbolOperation {
    fn from(operation: Operation) -> Self {
        match operation {
            Operation::Replace => Self::Replace,
            Operation::ReplaceBody => Self::ReplaceBody,
            Operation::InsertBefore => Self::InsertBefore,
            Operation::InsertAfter => Self::InsertAfter,
            Operation::Delete => Self::Delete,
        }
    }
}

impl Tool for EditSymbol {
    const NAME: &'static str = "edit_symbol";
    const TITLE: &'static str = "Edit a definition";
    const DESCRIPTION: &'static str = "Edit one definition by name path. replace: the whole definition; the doc comment and the decorators or attributes above it each stay unless content brings its own. replace_body: what is inside; a docstring stays unless content begins with one. insert_before/insert_after: a neighbour. delete: with comments and decorators, refused while used. Syntax errors are refused. Returns a plan with diffs for apply_edits.";
    const TOOLSET: Toolset = Toolset::Edit;
    const EFFECT: Effect = Effect::Write;
    const OUTPUT: &'static [(&'static str, &'static str)] = plan::OUTPUT;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        if ctx.router.hider().is_some()
            && args.content.as_ref().is_some_and(|content| content.contains("[REDACTED:"))
        {
            let message = "`content` has `[REDACTED:…]` in it, which stands for a value that was hidden in an answer; writing it \
                           would lose the value. Edit around it, or let a person start with `--no-redact`";
            return Err(Problem::invalid("content", "redacted_content", message));
        }
        let query = EditSymbolQuery {
            target: args.target.target(&ctx)?,
            operation: args.operation.into(),
            content: args.content,
            force: args.force,
            carry: plan::carry(args.dry_run),
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.edit_symbol(query, &ctx.cancel).await?;
        plan::reply(&ctx, answer).await
    }
}
