//! `find_definition`: from a use to what it means.

use orienteer_base::Problem;
use orienteer_base::ask::{DefinitionQuery, Relation};
use orienteer_base::code::Definition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::place::SnippetArgs;
use super::target::TargetArgs;
use super::{keys, page, place};
use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct FindDefinition;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(default)]
    relation: RelationArg,
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 200))]
    max_results: usize,
    #[serde(default = "yes")]
    include_snippet: bool,
    #[serde(flatten)]
    snippet: SnippetArgs,
    /// For a server that is not ready.
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

fn twenty() -> usize {
    20
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RelationArg {
    #[default]
    Definition,
    Declaration,
    TypeDefinition,
    Implementation,
}

impl RelationArg {
    fn words(self) -> (Relation, &'static str) {
        match self {
            Self::Definition => (Relation::Definition, "definition"),
            Self::Declaration => (Relation::Declaration, "declaration"),
            Self::TypeDefinition => (Relation::TypeDefinition, "type definition"),
            Self::Implementation => (Relation::Implementation, "implementation"),
        }
    }
}

impl Tool for FindDefinition {
    const NAME: &'static str = "find_definition";
    const TITLE: &'static str = "Find definition";
    const DESCRIPTION: &'static str = "Where a symbol is defined, declared or implemented, dependencies included. Point by file_path+line+column, [file_path+[line+]]symbol_name, or symbol_id.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("definitions", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let (relation, noun) = args.relation.words();
        let window = page::window(&ctx, args.max_results)?;
        let query = DefinitionQuery {
            target: args.target.target(&ctx)?,
            relation,
            snippet: args.snippet.spec(args.include_snippet),
            window,
            wait: ctx.wait(args.wait_ms),
        };
        let mut answer = ctx.session.definitions(query, &ctx.cancel).await?;
        let places = answer.value.rows.iter_mut().map(|row| &mut row.place).collect();
        let hidden = keys::hide_in_places(&ctx, places).await?;
        let mut reply = Reply::of(&answer);
        reply.warnings.extend(hidden);
        let found = &answer.value;
        if found.rows.is_empty() {
            reply.head.push(format!("No {noun} found."));
        }
        reply.body = Body::Rows { field: "definitions", rows: found.rows.iter().map(row).collect() };
        page::resume(&mut reply, window, found.rows.len(), Some(found.total));
        Ok(reply)
    }
}

/// A location with what is defined there.
pub(super) fn value(definition: &Definition) -> Map<String, Value> {
    let mut value = place::location(&definition.place);
    if let Some(kind) = definition.kind {
        value.insert("kind".to_owned(), json!(kind));
    }
    if let Some(name) = &definition.name {
        value.insert("name".to_owned(), json!(name));
    }
    value
}

fn row(definition: &Definition) -> Row {
    Row::new(Value::Object(value(definition)), place::line(&definition.place))
}
