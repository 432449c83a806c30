//! Rows into a budget: all of them when they fit, otherwise as many as do.

use serde_json::{Value, json};

use super::measure::{Outcome, chars_of, written};
use super::{Limits, finish, push_line, size, squeeze};
use crate::render::{Body, Kept, Parts, Reply, Row, cursor};

/// The usual case: every row fits, with room to spare. Everything is moved, where the careful way has to copy what it may
/// have to take back, and each row is measured once. Gives the base back where it is not the usual case.
pub(super) fn whole(
    base: Outcome,
    reply: &mut Reply,
    limits: Limits,
    fingerprint: &str,
) -> Result<Outcome, Outcome> {
    let Body::Rows { field, rows } = &mut reply.body else { return Err(base) };
    let field = *field;
    let parts = |row: &Row| row.parts.as_ref().map_or(1, |parts| parts.items.len().max(1));
    let returned: usize = rows.iter().map(parts).sum();
    let kept = Kept { rows: rows.len(), all: true, ..Kept::default() };
    let rest = base.chars() + field.len() + behind(&base, reply, kept, fingerprint);
    let Body::Rows { rows, .. } = &mut reply.body else { return Err(base) };
    let room = limits.budget.max_total_chars.checked_sub(rest);
    let left = room.and_then(|room| rows.iter().map(row_size).try_fold(room, usize::checked_sub));
    if returned > limits.max_results || left.is_none() {
        return Err(base);
    }
    let rows = std::mem::take(rows);
    let mut outcome = base;
    let text = &mut outcome.text;
    let values = rows.into_iter().map(|mut row| {
        push_line(text, &row.line);
        if let Some(parts) = row.parts {
            let items = parts.items.into_iter().map(|(value, line)| {
                push_line(text, &line);
                value
            });
            row.value.insert(parts.field.to_owned(), items.collect());
        }
        Value::Object(row.value)
    });
    let values = values.collect();
    outcome.structured.insert(field.to_owned(), values);
    let weighed = reply.weigh.as_ref().map_or(returned, |weigh| weigh(kept));
    outcome.structured.insert("returned_results".to_owned(), json!(weighed));
    finish(&mut outcome, reply, kept, fingerprint);
    Ok(outcome)
}

/// What may come behind the rows, at the most.
fn behind(base: &Outcome, reply: &Reply, kept: Kept, fingerprint: &str) -> usize {
    /// Names and numbers of what is always told, the words around a cursor, a change of the completeness.
    const ALWAYS: usize = 400;
    let tail: usize = reply.tail.iter().map(|line| written(line) + 2).sum();
    // Told once more as text.
    let notes = base.structured.get("warnings").map_or(0, chars_of);
    let position = reply.resume.as_ref().and_then(|resume| resume(kept));
    let cursor = position.map_or(0, |position| cursor::encode(&position, fingerprint).len());
    ALWAYS + tail + notes + 2 * cursor
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
