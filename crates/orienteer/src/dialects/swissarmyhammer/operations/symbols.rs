//! `symbols`: the outline of a file, or the symbols of its project by name.

use orienteer_base::Language;
use orienteer_base::ask::{NameMatch, OutlineQuery, SymbolQuery, Window};
use orienteer_base::code::SymbolRow;
use serde_json::{Value, json};

use super::{Answered, MOST_ROWS};
use crate::dialects::swissarmyhammer::answer::{payload, whole};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::place::Paths;
use crate::dialects::swissarmyhammer::project::Project;

/// Levels of an outline.
const DEEPEST: u32 = 10;

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    let cancel = &project.ctx.cancel;
    let answer = match &args.query {
        Some(query) => {
            let query = SymbolQuery {
                query: query.clone(),
                name_match: NameMatch::Fuzzy,
                kinds: Vec::new(),
                scope: None,
                language: Language::by_path(project.file.absolute()),
                include_dependencies: false,
                window: Window { skip: 0, limit: args.limit() },
                wait: None,
            };
            project.session().find_symbols(query, cancel).await?
        }
        None => {
            let query = OutlineQuery {
                path: project.file.clone().require_file()?,
                depth: DEEPEST,
                kinds: Vec::new(),
                window: Window { skip: 0, limit: MOST_ROWS },
                wait: None,
            };
            project.session().outline(query, cancel).await?
        }
    };
    let (found, mut warnings) = whole(answer)?;
    let mut paths = Paths::new(project.session());
    let rows: Vec<Value> = found.rows.iter().map(|row| symbol(row, &mut paths)).collect();
    let told: usize = found.rows.iter().map(count).sum();
    if found.total.is_some_and(|total| total > told) {
        warnings.push(format!("{told} of {} symbols are listed", found.total.unwrap_or_default()));
    }
    Ok(payload([("symbols", Value::Array(rows)), ("total_count", json!(found.total))], warnings))
}

fn count(row: &SymbolRow) -> usize {
    1 + row.children.iter().map(count).sum::<usize>()
}

fn symbol(row: &SymbolRow, paths: &mut Paths<'_>) -> Value {
    let mut value = paths.point(&row.file_path, row.range);
    value.insert("end_line".to_owned(), json!(row.end_line));
    value.insert("name".to_owned(), json!(row.name));
    value.insert("name_path".to_owned(), json!(row.name_path));
    value.insert("kind".to_owned(), json!(row.kind.as_str()));
    value.insert("signature".to_owned(), json!(row.signature));
    if !row.children.is_empty() {
        let children: Vec<Value> = row.children.iter().map(|child| symbol(child, paths)).collect();
        value.insert("children".to_owned(), Value::Array(children));
    }
    Value::Object(value)
}
