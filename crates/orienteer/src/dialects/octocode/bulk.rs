//! One call with several queries: each is checked, asked and answered alone.

use std::future::Future;
use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use futures::future::join_all;
use orienteer_base::error::panic_message;
use orienteer_base::{Budget, ErrorKind, Problem};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::asked::Asked;
use super::errors;
use crate::dialect::DialectTool;
use crate::schema::{self, validate};
use crate::tool::{self, Ctx};

/// Tools that ask other machines, and the one that asks much of a language server, take fewer.
pub(super) const FEW: u64 = 3;

/// One query of a tool, as its clients write it.
pub(super) trait Query: DeserializeOwned + JsonSchema + Send + 'static {
    const TOOL: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    /// Queries that one call takes.
    const MOST: u64 = 5;
    /// Reaches beyond this machine.
    const OPEN_WORLD: bool = false;

    /// The rules that the schema cannot say.
    fn check(&self) -> Result<(), Problem> {
        Ok(())
    }

    fn answer(self, asked: Asked, ctx: Ctx) -> impl Future<Output = Result<Found, Problem>> + Send;
}

/// The answer to one query.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) data: Map<String, Value>,
    pub(super) hints: Vec<String>,
}

impl Found {
    pub(super) fn new(data: Value, hints: Vec<String>) -> Self {
        let data = if let Value::Object(data) = data { data } else { Map::new() };
        Self { data, hints }
    }
}

/// The tool of a kind of queries.
pub(super) struct Bulk<Q>(PhantomData<fn() -> Q>);

impl<Q: Query> DialectTool for Bulk<Q> {
    const NAME: &'static str = Q::TOOL;
    const TITLE: &'static str = Q::TITLE;
    const DESCRIPTION: &'static str = Q::DESCRIPTION;
    const OPEN_WORLD: bool = Q::OPEN_WORLD;
    const CHECKED: bool = false;
    type Args = Map<String, Value>;

    fn schema() -> Map<String, Value> {
        let mut schema = outer(Q::MOST);
        schema["properties"]["queries"]["items"] = Value::Object(row_schema::<Q>());
        schema
    }

    async fn run(mut arguments: Map<String, Value>, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        validate::check(&outer(Q::MOST), &mut arguments)?;
        let Some(Value::Array(queries)) = arguments.remove("queries") else { return Ok(Map::new()) };
        let schema = row_schema::<Q>();
        // No client takes more than that in one message.
        let share = Budget::MAX_TOTAL_CHARS / queries.len().max(1);
        let rows = queries.into_iter().enumerate().map(|(index, query)| {
            let (schema, ctx) = (&schema, ctx.clone());
            async move {
                let mut row = Map::from_iter([("queryIndex".to_owned(), json!(index))]);
                row.extend(answered::<Q>(query, schema, share, ctx).await);
                Value::Object(row)
            }
        });
        let results = join_all(rows).await;
        Ok(Map::from_iter([("results".to_owned(), Value::Array(results))]))
    }
}

/// The schema of a call, without that of its queries.
fn outer(most: u64) -> Map<String, Value> {
    let queries = json!({ "type": "array", "minItems": 1, "maxItems": most, "description": format!("1-{most} queries; each succeeds or fails alone.") });
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), json!({ "queries": queries }));
    schema.insert("required".to_owned(), json!(["queries"]));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// The schema of a query. An empty list is no default worth a word.
fn row_schema<Q: Query>() -> Map<String, Value> {
    let mut schema = schema::plain::<Q>();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        if property.get("default") == Some(&json!([])) {
            property.remove("default");
        }
    }
    schema
}

/// `status` with `data` or `error`, and `hints`.
async fn answered<Q: Query>(
    query: Value,
    schema: &Map<String, Value>,
    share: usize,
    ctx: Ctx,
) -> Map<String, Value> {
    let (asked, parsed) = parsed::<Q>(query, schema);
    let found = match parsed {
        Ok(query) => alone(query, &asked, share, ctx).await,
        Err(problem) => Err(problem),
    };
    match found {
        Ok(found) => {
            let mut row = Map::new();
            row.insert("status".to_owned(), json!("success"));
            row.insert("data".to_owned(), Value::Object(found.data));
            // Calls are given as they run; only what is told in words is put into other words.
            let told = |hint: &String| match hint.contains(" {\"queries\":") {
                true => hint.clone(),
                false => errors::in_their_names(hint, &asked),
            };
            row.insert("hints".to_owned(), found.hints.iter().map(told).collect());
            row
        }
        Err(problem) => errors::told(&problem, &asked),
    }
}

/// Whether a tool takes a query, by its schema and by its own rules.
#[cfg(test)]
pub(super) fn takes<Q: Query>(query: Value) -> Result<(), Problem> {
    parsed::<Q>(query, &row_schema::<Q>()).1?.check()
}

fn parsed<Q: Query>(query: Value, schema: &Map<String, Value>) -> (Asked, Result<Q, Problem>) {
    let Value::Object(mut row) = query else {
        let message = "a query is an object with the fields of the tool";
        let problem = Problem::new(ErrorKind::InvalidParams, message).detail("wrong_type");
        return (Asked::new(Q::TOOL, Map::new()), Err(problem));
    };
    let checked = validate::check(schema, &mut row);
    let parsed = checked.and_then(|()| tool::parse::<Q>(row.clone()));
    (Asked::new(Q::TOOL, row), parsed)
}

/// Whatever happens to one query does not happen to the others: not its panic, and not its patience.
async fn alone<Q: Query>(query: Q, asked: &Asked, share: usize, ctx: Ctx) -> Result<Found, Problem> {
    query.check()?;
    let limit = ctx.limit - ctx.limit / 8;
    let work = AssertUnwindSafe(query.answer(asked.clone().sharing(share), ctx)).catch_unwind();
    let Ok(done) = tokio::time::timeout(limit, work).await else {
        let message = format!("the query did not finish within {} ms and was stopped", limit.as_millis());
        return Err(Problem::new(ErrorKind::Timeout, message));
    };
    let found = done.unwrap_or_else(|cause| {
        let message = panic_message(cause.as_ref());
        tracing::error!(cause = message, "a query panicked");
        Err(Problem::new(ErrorKind::InternalError, format!("the query failed inside: {message}")))
    })?;
    let length = serde_json::to_string(&found.data).map_or(0, |text| text.chars().count());
    if length > share {
        let message = format!(
            "the answer has {length} characters, more than the {share} that fit; ask for a smaller part"
        );
        let told = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        return Err(Problem::new(ErrorKind::TooLarge, message)
            .detail("answer_too_large")
            .fact("length", told(length))
            .fact("share", told(share)));
    }
    Ok(found)
}
