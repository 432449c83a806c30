//! `signature_help`: how the call around a place may be written.

use orienteer_base::Problem;
use orienteer_base::ask::SignatureQuery;
use orienteer_base::code::{Signature, Signatures};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::target;
use crate::render::text::visible;
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct SignatureHelp;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    file_path: String,
    #[schemars(range(min = 1))]
    line: u32,
    /// Between the parentheses of the call.
    #[schemars(range(min = 1))]
    column: u32,
    /// For a server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

impl Tool for SignatureHelp {
    const NAME: &'static str = "signature_help";
    const TITLE: &'static str = "Signatures of a call";
    const DESCRIPTION: &'static str = "Signatures and parameters of the call around a place.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("signatures", "array"), ("active_signature", "integer"), ("active_parameter", "integer")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let query = SignatureQuery {
            file: target::file(&ctx, &args.file_path)?,
            line: args.line,
            column: args.column,
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.signatures(query, &ctx.cancel).await?;
        let mut reply = Reply::of(&answer);
        fill(&mut reply, &answer.value);
        Ok(reply)
    }
}

fn fill(reply: &mut Reply, found: &Signatures) {
    if found.signatures.is_empty() {
        reply.head.push("No call is around this place.".to_owned());
    }
    // Null would not be what the output schema says: what the server does not tell is left out.
    if let Some(active) = found.active_signature {
        reply.field("active_signature", active);
    }
    if let Some(active) = found.active_parameter {
        reply.field("active_parameter", active);
    }
    let active = found.active_signature.unwrap_or(0) as usize;
    let rows = found.signatures.iter().enumerate().map(|(at, signature)| {
        let parameter = found.active_parameter.filter(|_| at == active);
        Row::new(json!(signature), text(signature, parameter))
    });
    reply.body = Body::Rows { field: "signatures", rows: rows.collect() };
}

fn text(signature: &Signature, active: Option<u32>) -> String {
    let mut lines = vec![visible(&signature.label).into_owned()];
    if let Some(doc) = signature.documentation.as_deref().filter(|doc| !doc.trim().is_empty()) {
        lines.extend(doc.trim().lines().map(|line| format!("  {line}")));
    }
    for (at, parameter) in signature.parameters.iter().enumerate() {
        let mark = if active == u32::try_from(at).ok() { ">" } else { "-" };
        let doc = parameter.documentation.as_deref().unwrap_or_default();
        let doc: Vec<&str> = doc.split_whitespace().collect();
        let gap = if doc.is_empty() { "" } else { "  " };
        lines.push(format!("  {mark} {}{gap}{}", visible(&parameter.label), doc.join(" ")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use orienteer_base::code::Parameter;

    use super::*;
    use crate::tools::testing::rendered;

    #[test]
    fn the_active_parameter_is_marked() {
        let parameter = |label: &str, doc: Option<&str>| Parameter {
            label: label.to_owned(),
            documentation: doc.map(str::to_owned),
        };
        let found = Signatures {
            signatures: vec![Signature {
                label: "add(a: int, b: int)".to_owned(),
                documentation: Some("Adds.\n".to_owned()),
                parameters: vec![parameter("a: int", None), parameter("b: int", Some("the\nother"))],
            }],
            active_signature: None,
            active_parameter: Some(1),
        };
        let mut reply = Reply::default();
        fill(&mut reply, &found);
        let outcome = rendered(reply, 5_000);
        assert_eq!(outcome.text, "add(a: int, b: int)\n  Adds.\n  - a: int\n  > b: int  the other");
        assert_eq!(outcome.structured["active_parameter"], 1);
        assert!(!outcome.structured.contains_key("active_signature"));
        assert_eq!(outcome.structured["signatures"][0]["parameters"][1]["label"], "b: int");
    }
}
