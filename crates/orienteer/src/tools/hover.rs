//! `hover`: the type and documentation of a symbol.

use orienteer_base::Problem;
use orienteer_base::ask::HoverQuery;
use orienteer_base::code::Hover as Answered;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::place;
use super::target::TargetArgs;
use crate::render::Reply;
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct Hover;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    target: TargetArgs,
    /// For a server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

impl Tool for Hover {
    const NAME: &'static str = "hover";
    const TITLE: &'static str = "Type and documentation";
    const DESCRIPTION: &'static str = "Type, signature and documentation of a symbol.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const DEFAULT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("contents", "object"), ("range", "object")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let query = HoverQuery { target: args.target.target(&ctx)?, wait: ctx.wait(args.wait_ms) };
        let answer = ctx.session.hover(query, &ctx.cancel).await?;
        let mut reply = Reply::of(&answer);
        fill(&mut reply, &answer.value);
        Ok(reply)
    }
}

fn fill(reply: &mut Reply, hover: &Answered) {
    if let Some(range) = hover.range {
        reply.head.push(place::point(&hover.file_path, range));
    }
    reply.head.push(match text(hover) {
        text if text.is_empty() => "Nothing is known about this place.".to_owned(),
        text => place::quoted(&text),
    });
    reply.field("file_path", hover.file_path.clone()).field("contents", value(hover));
    if let Some(range) = hover.range {
        reply.field("range", Value::Object(place::range(range)));
    }
}

/// The contents on the wire.
pub(super) fn value(hover: &Answered) -> Value {
    json!({
        "type_info": hover.type_info,
        "documentation": hover.documentation,
        "source_module": hover.source_module,
    })
}

/// The contents as text.
pub(super) fn text(hover: &Answered) -> String {
    let module = hover.source_module.as_ref().map(|module| format!("in {module}"));
    let parts = [hover.type_info.as_deref(), module.as_deref(), hover.documentation.as_deref()];
    parts.into_iter().flatten().map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::place::tests::at;
    use super::*;
    use crate::tools::testing::rendered;

    #[test]
    fn hovers_are_text() {
        let hover = Answered {
            type_info: Some("fn f(x: u32) -> u32\n".to_owned()),
            documentation: Some("Doubles.".to_owned()),
            source_module: Some("demo".to_owned()),
            range: Some(at(3, 4, 1)),
            word: Some("f".to_owned()),
            file_path: "src/a.rs".to_owned(),
        };
        let mut reply = Reply::default();
        fill(&mut reply, &hover);
        let outcome = rendered(reply, 5_000);
        assert_eq!(outcome.text, "src/a.rs:3:4\n    | fn f(x: u32) -> u32\n    | in demo\n    | Doubles.");
        assert_eq!(outcome.structured["contents"]["documentation"], "Doubles.");
        assert_eq!(outcome.structured["range"]["end_column"], 5);
    }

    #[test]
    fn a_book_is_cut_and_says_so() {
        let hover = Answered { documentation: Some("word ".repeat(20_000)), ..Answered::default() };
        let mut reply = Reply::default();
        fill(&mut reply, &hover);
        let outcome = rendered(reply, 4_000);
        assert!(outcome.chars() <= 4_000);
        assert_eq!(outcome.structured["truncated"], true);
        assert!(outcome.text.len() > 300, "{}", outcome.text);
    }
}
