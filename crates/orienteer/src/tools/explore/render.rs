//! How an explored symbol is sent and shown.

use orienteer_base::Problem;
use orienteer_base::ask::Section;
use orienteer_base::code::{Definition, Explored, HierarchyItem, Place};
use serde_json::{Map, Value, json};

use crate::error::Failure;
use crate::render::text::{count, visible};
use crate::tools::{find_definition, hierarchy, hover, place, symbols};

/// The row of a target that failed.
pub(super) fn failed(index: usize, problem: &Problem) -> (Value, String) {
    let error = Failure { problem: problem.clone(), next_steps: Vec::new() }.to_json();
    let mut line = format!("── {}. failed: {}", index + 1, problem.message);
    if !problem.candidates.is_empty() {
        let some: Vec<&str> = problem.candidates.iter().take(5).map(String::as_str).collect();
        line.push_str(&format!("\ncandidates: {}", some.join(", ")));
    }
    (json!({ "index": index, "error": error }), line)
}

/// The row of a symbol: what was asked for and answered; what could not be answered is null and named with its
/// reason. Lists hold `most` entries, their counts are told.
pub(super) fn symbol(
    index: usize,
    explored: &Explored,
    sections: &[Section],
    most: usize,
) -> (Value, String) {
    let mut row =
        Writer { value: Map::new(), text: vec![format!("── {}. {}", index + 1, heading(explored))] };
    row.value.insert("index".to_owned(), json!(index));
    row.value.insert("definition".to_owned(), Value::Object(definition(explored)));
    for section in sections {
        let (field, word) = names(*section);
        if explored.missing.iter().any(|(missing, _)| *missing == word) {
            row.value.insert(field.to_owned(), Value::Null);
            continue;
        }
        match section {
            // Last in the text: it is what a small budget cuts.
            Section::Body => {
                row.value.insert(field.to_owned(), json!(explored.body));
            }
            Section::Hover => {
                row.value.insert(field.to_owned(), explored.hover.as_ref().map_or(Value::Null, hover::value));
                let text = explored.hover.as_ref().map(hover::text).filter(|text| !text.is_empty());
                row.text.extend(text.map(|text| place::quoted(&text)));
            }
            Section::References => row.references(explored, most),
            Section::Callers => row.items(field, &explored.callers, most),
            Section::Callees => row.items(field, &explored.callees, most),
            Section::Implementations => row.places(field, &explored.implementations, most),
            Section::Tests => row.places(field, &explored.tests, most),
        }
    }
    if !explored.missing.is_empty() {
        let missing =
            explored.missing.iter().map(|(section, reason)| json!({ "section": section, "reason": reason }));
        row.value.insert("missing".to_owned(), missing.collect());
        let lines =
            explored.missing.iter().map(|(section, reason)| format!("{section}: not answered: {reason}"));
        row.text.extend(lines);
    }
    if let Some(body) = explored.body.as_ref().filter(|_| sections.contains(&Section::Body)) {
        row.text.push("body:".to_owned());
        row.text.push(numbered(explored, body));
    }
    (Value::Object(row.value), row.text.join("\n"))
}

/// The lines of the body with their numbers, where it is known which they are.
fn numbered(explored: &Explored, body: &str) -> String {
    let first = explored.body_line;
    let lines = body.trim_end().lines().zip(first..);
    lines.map(|(line, number)| format!("{number}| {line}")).collect::<Vec<_>>().join("\n")
}

/// The field of a section on the wire, and its word.
fn names(section: Section) -> (&'static str, &'static str) {
    match section {
        Section::Body => ("body", "body"),
        Section::Hover => ("hover", "hover"),
        Section::References => ("references_summary", "references"),
        Section::Callers => ("callers", "callers"),
        Section::Callees => ("callees", "callees"),
        Section::Implementations => ("implementations", "implementations"),
        Section::Tests => ("tests", "tests"),
    }
}

fn heading(explored: &Explored) -> String {
    symbols::line(&explored.symbol)
}

fn definition(explored: &Explored) -> Map<String, Value> {
    let symbol = &explored.symbol;
    let mut value = find_definition::value(&Definition {
        place: explored.definition.clone(),
        kind: Some(symbol.kind),
        name: Some(symbol.name.clone()),
    });
    value.insert("name_path".to_owned(), json!(symbol.name_path));
    value.insert("symbol_id".to_owned(), json!(symbol.symbol_id));
    if let Some(signature) = &symbol.signature {
        value.insert("signature".to_owned(), json!(signature));
    }
    value
}

struct Writer {
    value: Map<String, Value>,
    text: Vec<String>,
}

impl Writer {
    fn references(&mut self, explored: &Explored, most: usize) {
        let files = &explored.references_files;
        let shown: Vec<_> = files.iter().take(most * 2).collect();
        let mut summary = json!({
            "total_count": explored.references_total,
            "file_count": files.len(),
            "files": shown,
        });
        let unconfirmed = explored.unconfirmed_total.filter(|total| *total > 0);
        if let Some(total) = unconfirmed {
            summary["unconfirmed_count"] = json!(total);
        }
        self.value.insert("references_summary".to_owned(), summary);
        let total = explored.references_total.map_or("some".to_owned(), |total| total.to_string());
        let names: Vec<String> =
            shown.iter().map(|file| format!("{} ({})", visible(&file.file_path), file.count)).collect();
        let more = if files.len() > shown.len() { ", …" } else { "" };
        let list = if names.is_empty() { String::new() } else { format!(": {}{more}", names.join(", ")) };
        let unconfirmed = unconfirmed.map(|total| {
            format!(
                "; the name also stands at {} (`find_references` lists them)",
                count(total as u64, "other place")
            )
        });
        let unconfirmed = unconfirmed.unwrap_or_default();
        self.text
            .push(format!("references: {total} in {}{list}{unconfirmed}", count(files.len() as u64, "file")));
    }

    fn items(&mut self, field: &str, items: &[HierarchyItem], most: usize) {
        let shown = items.iter().take(most);
        let rows = shown.map(|item| (Value::Object(hierarchy::value(item)), hierarchy::text(item, 1)));
        self.list(field, rows.collect(), items.len());
    }

    fn places(&mut self, field: &str, places: &[Place], most: usize) {
        let shown = places.iter().take(most);
        let rows =
            shown.map(|place| (Value::Object(place::location(place)), place::indent(&place::line(place), 1)));
        self.list(field, rows.collect(), places.len());
    }

    fn list(&mut self, field: &str, rows: Vec<(Value, String)>, total: usize) {
        let cut = if rows.len() < total { format!(", {} shown", rows.len()) } else { String::new() };
        self.text.push(format!("{field}: {total}{cut}"));
        if rows.len() < total {
            self.value.insert(format!("{field}_count"), json!(total));
        }
        let (values, lines): (Vec<Value>, Vec<String>) = rows.into_iter().unzip();
        self.value.insert(field.to_owned(), Value::Array(values));
        self.text.extend(lines);
    }
}
