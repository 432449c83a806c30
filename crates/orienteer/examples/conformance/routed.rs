//! Fixture tools that run as any tool of ours: listed, checked, queued, driven and rendered by the router.

use std::time::Duration;

use orienteer::render::Reply;
use orienteer::tool::{Ctx, Entry, Tool, Toolset, entry};
use orienteer_base::{ErrorKind, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Our own tools come along, so that the suite also looks at their descriptions and schemas.
pub(crate) fn tools() -> Vec<Entry> {
    let schema_kept = Entry { input_schema: schema_2020_12, ..entry::<SchemaKept>() };
    let fixtures = [
        entry::<SimpleText>(),
        entry::<Failing>(),
        entry::<WithProgress>(),
        entry::<Reconnection>(),
        schema_kept,
    ];
    orienteer::tools::TOOLS.iter().copied().chain(fixtures).collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArguments {}

fn say(text: &str) -> Reply {
    let mut reply = Reply::about_ourselves();
    reply.head.push(text.to_owned());
    reply
}

struct SimpleText;

impl Tool for SimpleText {
    const NAME: &'static str = "test_simple_text";
    const TITLE: &'static str = "Simple text";
    const DESCRIPTION: &'static str = "Returns one line of text.";
    const TOOLSET: Toolset = Toolset::Local;
    const DEFAULT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[];
    type Args = NoArguments;

    async fn run(_: NoArguments, _: Ctx) -> Result<Reply, Problem> {
        Ok(say("This is a simple text response for testing."))
    }
}

struct Failing;

impl Tool for Failing {
    const NAME: &'static str = "test_error_handling";
    const TITLE: &'static str = "An error";
    const DESCRIPTION: &'static str = "Always fails.";
    const TOOLSET: Toolset = Toolset::Local;
    const DEFAULT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[];
    type Args = NoArguments;

    async fn run(_: NoArguments, _: Ctx) -> Result<Reply, Problem> {
        Err(Problem::new(ErrorKind::InternalError, "This tool intentionally returns an error for testing"))
    }
}

/// Works for long enough that the router reports at least three times.
struct WithProgress;

impl Tool for WithProgress {
    const NAME: &'static str = "test_tool_with_progress";
    const TITLE: &'static str = "Progress";
    const DESCRIPTION: &'static str = "Works for a while and shows it.";
    const TOOLSET: Toolset = Toolset::Local;
    const DEFAULT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[];
    type Args = NoArguments;

    async fn run(_: NoArguments, ctx: Ctx) -> Result<Reply, Problem> {
        for _ in 0..100 {
            ctx.cancel.check()?;
            tokio::time::sleep(Duration::from_millis(15)).await;
            ctx.cancel.advance(1);
        }
        Ok(say("Progress was reported."))
    }
}

struct Reconnection;

impl Tool for Reconnection {
    const NAME: &'static str = "test_reconnection";
    const TITLE: &'static str = "Reconnection";
    const DESCRIPTION: &'static str = "Answers after a moment on its stream of events.";
    const TOOLSET: Toolset = Toolset::Local;
    const DEFAULT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[];
    type Args = NoArguments;

    async fn run(_: NoArguments, _: Ctx) -> Result<Reply, Problem> {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok(say("The stream of events delivered this."))
    }
}

/// Listed with a schema of its own, which must reach the client unchanged.
struct SchemaKept;

impl Tool for SchemaKept {
    const NAME: &'static str = "json_schema_2020_12_tool";
    const TITLE: &'static str = "JSON Schema 2020-12";
    const DESCRIPTION: &'static str = "Its input schema uses keywords of JSON Schema 2020-12.";
    const TOOLSET: Toolset = Toolset::Local;
    const DEFAULT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[];
    type Args = NoArguments;

    async fn run(_: NoArguments, _: Ctx) -> Result<Reply, Problem> {
        Ok(say("The schema was accepted."))
    }
}

fn schema_2020_12() -> Map<String, Value> {
    let address = json!({
        "type": "object",
        "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
    });
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": address },
        "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" } },
        "additionalProperties": false,
    });
    schema.as_object().cloned().unwrap_or_default()
}
