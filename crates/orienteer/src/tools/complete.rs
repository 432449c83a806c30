//! `complete`: what could be written at a place.

use orienteer_base::Problem;
use orienteer_base::ask::CompletionQuery;
use orienteer_base::code::CompletionItem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{page, target};
use crate::render::text::{count, visible};
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct Complete;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    file_path: String,
    #[schemars(range(min = 1))]
    line: u32,
    #[schemars(range(min = 1))]
    column: u32,
    trigger_character: Option<String>,
    /// Fetch detail and documentation too.
    #[serde(default)]
    resolve: bool,
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 500))]
    max_results: usize,
    /// For a server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

fn fifty() -> usize {
    50
}

impl Tool for Complete {
    const NAME: &'static str = "complete";
    const TITLE: &'static str = "Completions";
    const DESCRIPTION: &'static str = "What could be written at a place: members, names, imports.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("items", "array"), ("is_incomplete", "boolean")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let window = page::window(&ctx, args.max_results)?;
        let query = CompletionQuery {
            file: target::file(&ctx, &args.file_path)?,
            line: args.line,
            column: args.column,
            trigger_character: args.trigger_character,
            resolve: args.resolve,
            window,
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.complete(query, &ctx.cancel).await?;
        let mut reply = Reply::of(&answer);
        let found = &answer.value;
        reply.head.push(match found.total {
            0 => "Nothing to propose here.".to_owned(),
            total => count(total as u64, "proposal"),
        });
        reply.field("is_incomplete", found.is_incomplete);
        let rows = found.items.iter().map(|item| Row::new(json!(item), text(item))).collect();
        reply.body = Body::Rows { field: "items", rows };
        page::resume(&mut reply, window, found.items.len(), Some(found.total));
        Ok(reply)
    }
}

/// `label  kind  detail`, and the first line of the documentation.
fn text(item: &CompletionItem) -> String {
    let doc = item.documentation.as_deref().and_then(|doc| doc.trim().lines().next());
    let parts = [Some(item.label.as_str()), item.kind, item.detail.as_deref(), doc];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    visible(&parts.collect::<Vec<_>>().join("  ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_is_one_line() {
        let item = CompletionItem {
            label: "push".to_owned(),
            kind: Some("method"),
            detail: None,
            documentation: Some("Appends.\n\nMore.".to_owned()),
            insert_text: "push".to_owned(),
        };
        assert_eq!(text(&item), "push  method  Appends.");
    }
}
