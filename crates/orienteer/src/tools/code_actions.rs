//! `code_actions`: what a server offers to do, and what one of its offers would change.

use orienteer_base::answer::Warning;
use orienteer_base::edit::{ActionPlace, ActionRow, Actions, ActionsQuery};
use orienteer_base::{Problem, Target};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::plan;
use super::target::{self, TargetArgs};
use crate::render::text::{count, visible};
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct CodeActions;

/// What the protocol's kinds begin with.
const KINDS: &[&str] = &["quickfix", "refactor", "source"];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    target: TargetArgs,
    /// A part of file_path instead of a symbol.
    #[schemars(range(min = 1))]
    start_line: Option<u32>,
    #[schemars(range(min = 1))]
    start_column: Option<u32>,
    #[schemars(range(min = 1))]
    end_line: Option<u32>,
    #[schemars(range(min = 1))]
    end_column: Option<u32>,
    /// E.g. quickfix, refactor, source.organizeImports, source.fixAll.
    #[serde(default)]
    kinds: Vec<String>,
    /// Plan this one of an earlier list.
    action_id: Option<String>,
    /// false: write at once.
    #[serde(default = "yes")]
    dry_run: bool,
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

fn yes() -> bool {
    true
}

impl Tool for CodeActions {
    const NAME: &'static str = "code_actions";
    const TITLE: &'static str = "Code actions";
    const DESCRIPTION: &'static str = "Fixes and refactorings that the language server offers at a symbol, a range or for a file; with action_id the plan of one, for apply_edits.";
    const TOOLSET: Toolset = Toolset::Edit;
    const EFFECT: Effect = Effect::Write;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("actions", "array"), ("plan", "object"), ("applied", "boolean")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let odd = odd_kinds(&args.kinds);
        let query = ActionsQuery {
            kinds: args.kinds.clone(),
            action_id: args.action_id.clone(),
            carry: plan::carry(args.dry_run),
            wait: ctx.wait(args.wait_ms),
            place: args.place(&ctx)?,
        };
        let answer = ctx.session.code_actions(query, &ctx.cancel).await?;
        let rest = answer.clone().map(|_| ());
        match answer.value {
            Actions::Planned(planned) => plan::reply(&ctx, rest.map(|()| *planned)).await,
            Actions::List(rows) => {
                let mut reply = Reply::of(&rest);
                reply.warnings.extend(odd);
                list(&mut reply, &rows);
                Ok(reply)
            }
        }
    }
}

/// A word that no server knows is answered with nothing, which would look like a finding.
fn odd_kinds(kinds: &[String]) -> Option<Warning> {
    let odd: Vec<String> = kinds
        .iter()
        .filter(|kind| !KINDS.contains(&kind.split('.').next().unwrap_or_default()))
        .map(|kind| format!("`{}`", orienteer_base::error::cut(kind)))
        .collect();
    let message = format!(
        "{} is no kind that the protocol names; kinds begin with {}, and a server may have its own",
        odd.join(", "),
        KINDS.join(", ")
    );
    (!odd.is_empty()).then(|| Warning::new("unknown_kind", message))
}

impl Args {
    /// What is asked about: an earlier offer, a range, a whole file or line, or a symbol.
    fn place(self, ctx: &Ctx) -> Result<ActionPlace, Problem> {
        if self.action_id.is_some() {
            // The offer says itself what it is about.
            return Ok(ActionPlace::Target(Target::default()));
        }
        let alone = self.target.file_alone().map(|(path, line)| (path.to_owned(), line));
        match (self.start_line, alone) {
            (Some(start_line), Some((path, None))) => Ok(ActionPlace::Range {
                file: target::file(ctx, &path)?,
                start_line,
                start_column: self.start_column,
                end_line: self.end_line.unwrap_or(start_line),
                end_column: self.end_column,
            }),
            (Some(_), _) => {
                let message =
                    "`start_line` needs `file_path` beside it, and nothing else that points at code";
                Err(Problem::invalid("start_line", "contradiction", message))
            }
            (None, _) if self.end_line.or(self.start_column).or(self.end_column).is_some() => {
                let message = "a range begins with `start_line`";
                Err(Problem::invalid("start_line", "missing_field", message))
            }
            (None, Some((path, line))) => Ok(ActionPlace::Range {
                file: target::file(ctx, &path)?,
                start_line: line.unwrap_or(1),
                start_column: None,
                end_line: line.unwrap_or(u32::MAX),
                end_column: None,
            }),
            (None, None) => Ok(ActionPlace::Target(self.target.target(ctx)?)),
        }
    }
}

fn list(reply: &mut Reply, rows: &[ActionRow]) {
    reply.head.push(match rows.len() {
        0 => "No actions are offered.".to_owned(),
        number => count(number as u64, "action"),
    });
    reply.total = Some(rows.len() as u64);
    reply.body = Body::Rows { field: "actions", rows: rows.iter().map(row).collect() };
}

fn row(action: &ActionRow) -> Row {
    let kind = action.kind.as_deref().map(|kind| format!("  [{}]", visible(kind))).unwrap_or_default();
    let preferred = if action.preferred { "  preferred" } else { "" };
    let why =
        action.disabled.as_deref().map(|why| format!("  not here: {}", visible(why))).unwrap_or_default();
    let line = format!("{}  {}{kind}{preferred}{why}", action.action_id, visible(&action.title));
    Row::new(json!(action), line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::testing::rendered;

    #[test]
    fn a_kind_that_nobody_knows_is_said_to_be_one() {
        let kinds =
            |kinds: &[&str]| odd_kinds(&kinds.iter().map(|kind| (*kind).to_owned()).collect::<Vec<_>>());
        assert_eq!(kinds(&[]), None);
        assert_eq!(kinds(&["quickfix", "refactor.extract", "source.fixAll.ts"]), None);
        let warning = kinds(&["source", "quick_fix", "organizeImports"]).unwrap();
        assert_eq!(warning.kind, "unknown_kind");
        assert!(warning.message.starts_with("`quick_fix`, `organizeImports` is no kind"), "{warning:?}");
    }

    #[test]
    fn an_action_is_one_line() {
        let mut action = ActionRow {
            action_id: "action-0123456789abcdef".to_owned(),
            title: "Add\nimport".to_owned(),
            kind: Some("quickfix".to_owned()),
            preferred: true,
            disabled: None,
        };
        assert_eq!(row(&action).line, "action-0123456789abcdef  Add\\u{a}import  [quickfix]  preferred");
        (action.kind, action.preferred, action.disabled) =
            (None, false, Some("nothing is selected".to_owned()));
        assert!(row(&action).line.ends_with("  not here: nothing is selected"));
        let mut reply = Reply::default();
        list(&mut reply, &[action]);
        let outcome = rendered(reply, 5_000);
        assert_eq!(outcome.structured["actions"][0]["action_id"], "action-0123456789abcdef");
        assert_eq!(outcome.structured["actions"][0]["preferred"], false);
    }
}
