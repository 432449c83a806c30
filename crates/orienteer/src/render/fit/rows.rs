//! Rows into a budget: all of them when they fit, otherwise as many as do.

use serde_json::{Value, json};

use super::measure::{Outcome, written};
use super::{Limits, finish, push_line, size, squeeze};
use crate::render::{Body, Kept, Parts, Reply, Row};

/// The usual case: every row fits. They are moved, where the careful way has to copy what it may have to take back, and
/// each is measured once.
pub(super) fn whole(base: &Outcome, reply: &mut Reply, limits: Limits, fingerprint: &str) -> Option<Outcome> {
    let Body::Rows { field, rows } = &mut reply.body else { return None };
    let (field, rows) = (*field, std::mem::take(rows));
    let parts = |row: &Row| row.parts.as_ref().map_or(1, |parts| parts.items.len().max(1));
    let returned: usize = rows.iter().map(parts).sum();
    let kept = Kept { rows: rows.len(), all: true, ..Kept::default() };
    // What stands behind the rows, and everything else but them.
    let mut outcome = Outcome { text: String::new(), ..base.clone() };
    outcome.structured.insert(field.to_owned(), json!([]));
    let weighed = reply.weigh.as_ref().map_or(returned, |weigh| weigh(kept));
    outcome.structured.insert("returned_results".to_owned(), json!(weighed));
    finish(&mut outcome, reply, kept, fingerprint);
    let rest = outcome.chars() + written(&base.text) + 2;
    let mut sizes = rows.iter().map(row_size);
    let room = limits.budget.max_total_chars.checked_sub(rest);
    let left = room.and_then(|room| sizes.try_fold(room, usize::checked_sub));
    if returned > limits.max_results || left.is_none() {
        reply.body = Body::Rows { field, rows };
        return None;
    }
    let mut text = base.text.clone();
    let values = rows.into_iter().map(|mut row| {
        push_line(&mut text, &row.line);
        if let Some(parts) = row.parts {
            let items = parts.items.into_iter().map(|(value, line)| {
                push_line(&mut text, &line);
                value
            });
            row.value.insert(parts.field.to_owned(), items.collect());
        }
        Value::Object(row.value)
    });
    let values = values.collect();
    outcome.structured.insert(field.to_owned(), values);
    push_line(&mut text, &outcome.text);
    outcome.text = text;
    Some(outcome)
}

/// What a row takes with all of its parts.
fn row_size(row: &Row) -> usize {
    let Some(parts) = &row.parts else { return size(&row.value, &row.line) };
    let items = parts.items.iter().map(|(value, line)| size(value, line)).sum::<usize>();
    size(&row.value, &row.line) + parts.field.len() + 6 + items
}

/// Adds rows while they fit: what was kept, and how many results that is.
pub(super) fn add_rows(
    outcome: &mut Outcome,
    field: &'static str,
    rows: &[Row],
    mut room: usize,
    most: usize,
) -> Option<(Kept, usize)> {
    let mut kept = Kept::default();
    let mut returned = 0;
    let mut values = Vec::new();
    for row in rows {
        let cost = size(&row.value, &row.line);
        let first = values.is_empty();
        if returned >= most || (cost > room && !(first && row.parts.is_none())) {
            break;
        }
        let Some(parts) = &row.parts else {
            if cost <= room {
                room -= cost;
                push_line(&mut outcome.text, &row.line);
                values.push(Value::Object(row.value.clone()));
            } else {
                let (value, line, shortened) =
                    squeeze(&Value::Object(row.value.clone()), &row.line, room, first)?;
                room = room.saturating_sub(size(&value, &line));
                kept.shortened |= shortened;
                push_line(&mut outcome.text, &line);
                values.push(value);
            }
            returned += 1;
            kept.rows += 1;
            continue;
        };
        let header = outcome.text.len();
        push_line(&mut outcome.text, &row.line);
        let mut left = room - cost;
        let added = add_parts(outcome, parts, &mut left, most - returned, first);
        // A header without any of its parts would say that it has none.
        if added.items.is_empty() && !parts.items.is_empty() {
            outcome.text.truncate(header);
            break;
        }
        room = left;
        let count = added.items.len();
        returned += count.max(1);
        kept.shortened |= added.shortened;
        let mut value = row.value.clone();
        value.insert(parts.field.to_owned(), Value::Array(added.items));
        values.push(Value::Object(value));
        if count < parts.items.len() {
            kept.parts = count;
            break;
        }
        kept.rows += 1;
    }
    if values.is_empty() && !rows.is_empty() {
        return None;
    }
    kept.all = kept.rows == rows.len();
    outcome.structured.insert(field.to_owned(), Value::Array(values));
    Some((kept, returned))
}

struct Added {
    items: Vec<Value>,
    shortened: bool,
}

fn add_parts(outcome: &mut Outcome, parts: &Parts, room: &mut usize, most: usize, first: bool) -> Added {
    let mut added = Added { items: Vec::new(), shortened: false };
    for (value, line) in parts.items.iter().take(most) {
        let alone = first && added.items.is_empty();
        let cost = size(value, line);
        if cost <= *room {
            *room -= cost;
            push_line(&mut outcome.text, line);
            added.items.push(value.clone());
            continue;
        }
        let Some((value, line, shortened)) = squeeze(value, line, *room, alone) else { break };
        *room -= size(&value, &line);
        push_line(&mut outcome.text, &line);
        added.items.push(value);
        if shortened {
            added.shortened = true;
            break;
        }
    }
    added
}
