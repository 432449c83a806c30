//! `call_hierarchy`: who calls a function, or what it calls.

use orienteer_base::ask::{CallDirection, CallsQuery, Window};
use serde_json::{Value, json};

use super::{Answered, MOST_ROWS};
use crate::dialects::swissarmyhammer::answer::{payload, whole};
use crate::dialects::swissarmyhammer::lsp::{Args, Direction};
use crate::dialects::swissarmyhammer::place::Paths;
use crate::dialects::swissarmyhammer::project::Project;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    let query = CallsQuery {
        target: args.target(project)?,
        direction: match args.direction {
            Direction::Incoming => CallDirection::Incoming,
            Direction::Outgoing => CallDirection::Outgoing,
        },
        depth: 1,
        snippet: None,
        window: Window { skip: 0, limit: MOST_ROWS },
        wait: None,
    };
    let (found, mut warnings) = whole(project.session().call_hierarchy(query, &project.ctx.cancel).await?)?;
    if found.total_count > found.items.len() {
        warnings.push(format!("{} of {} calls are listed", found.items.len(), found.total_count));
    }
    let mut paths = Paths::new(project.session());
    let mut rows = Vec::new();
    for item in &found.items {
        let mut value = paths.place(&item.location);
        let sites: Vec<Value> = item.call_sites.iter().map(|site| Value::Object(paths.place(site))).collect();
        value.insert("name".to_owned(), json!(item.name));
        value.insert("kind".to_owned(), json!(item.kind.map(|kind| kind.as_str())));
        value.insert("call_sites".to_owned(), Value::Array(sites));
        rows.push(Value::Object(value));
    }
    Ok(payload([("calls", Value::Array(rows)), ("total_count", json!(found.total_count))], warnings))
}
