//! The hard cap. Whatever a tool returns, what goes out (text, structured content and the echo of the
//! arguments, errors included) never has more characters than the budget says.
//!
//! A page holds whole results and at least one of them, so that following cursors always gets further. What
//! does not fit even alone is shortened and says so; what cannot be shortened without lying, such as a path,
//! is an error that names the budget it needs.

mod failing;
mod lines;
mod measure;
mod rows;
mod texts;

use orienteer_base::{Budget, ErrorKind, Problem};
use serde_json::{Map, Value, json};

use super::{Body, Kept, List, Reply, Row, common, cursor};
use crate::error::{Failure, NextStep};
pub(crate) use failing::failure;
use failing::shrink_echo;
pub use measure::Outcome;
use measure::{chars_of, clip, clip_written, shorten, written};

/// What one answer may hold.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub(crate) budget: Budget,
    pub(crate) max_results: usize,
}

/// Renders a reply inside the limits.
pub(crate) fn success(
    tool: &str,
    input: &Map<String, Value>,
    mut reply: Reply,
    limits: Limits,
    fingerprint: &str,
) -> Outcome {
    let cap = limits.budget.max_total_chars;
    let base = base(tool, input, &mut reply, cap);
    let base = match rows::whole(base, &mut reply, limits, fingerprint) {
        Ok(outcome) => return outcome,
        Err(base) => base,
    };
    // The cursor and the notes are known only when the rows are: what they need is taken from the rows.
    let mut lost = 0;
    for _ in 0..16 {
        let room = cap.saturating_sub(base.chars() + lost + 160);
        let Some(outcome) = attempt(&base, &reply, room, limits.max_results, fingerprint) else { break };
        let chars = outcome.chars();
        if chars <= cap {
            return outcome;
        }
        lost += chars - cap + 16;
    }
    if matches!(reply.body, Body::None | Body::Texts { .. }) {
        return clamp(base, cap);
    }
    let message = format!("not even one result fits into {cap} characters; raise `max_total_chars`");
    let problem =
        Problem::new(ErrorKind::TooLarge, message).field("max_total_chars").detail("budget_too_small");
    let doc = "Ask again with a larger max_total_chars, such as 20000.".to_owned();
    let next_steps = vec![NextStep::Doc { message: doc }];
    failure(tool, input, &Failure { problem, next_steps }, limits.budget)
}

/// Everything but the body.
fn base(tool: &str, input: &Map<String, Value>, reply: &mut Reply, cap: usize) -> Outcome {
    let mut structured = common(true, tool, reply.server_id.as_deref(), input);
    if let Some(trust) = reply.trust {
        structured.insert("completeness".to_owned(), json!(trust.completeness));
        structured.insert("source".to_owned(), json!(trust.source));
        structured.insert("freshness".to_owned(), json!(trust.freshness));
    }
    for warning in &mut reply.warnings {
        warning.message = clip_written(&warning.message, (cap / 8).min(1_000));
    }
    structured.insert("warnings".to_owned(), json!(reply.warnings));
    structured.extend(std::mem::take(&mut reply.fields));
    let mut base = Outcome { text: reply.head.join("\n"), structured, is_error: false };
    shrink_echo(&mut base, cap);
    if let Some(skipped) = base.structured.get_mut("skipped").filter(|skipped| chars_of(skipped) > cap / 8) {
        // Named for information; `skipped_count` has the truth.
        shorten(skipped, (cap / 100).min(8));
    }
    for list in std::mem::take(&mut reply.lists) {
        add_list(&mut base.structured, &mut reply.tail, list, cap);
    }
    base
}

/// Puts a field where its name says: `plan.files` into the object `plan`.
fn put(structured: &mut Map<String, Value>, field: &str, value: Value) {
    match field.split_once('.') {
        None => drop(structured.insert(field.to_owned(), value)),
        Some((outer, inner)) => {
            let object = structured.entry(outer).or_insert_with(|| json!({}));
            if let Value::Object(object) = object {
                object.insert(inner.to_owned(), value);
            }
        }
    }
}

/// As many whole entries of a list as its part of the budget holds.
fn add_list(structured: &mut Map<String, Value>, tail: &mut Vec<String>, list: List, cap: usize) {
    let mut room = cap / list.part.max(1);
    let (mut values, mut lines) = (Vec::new(), Vec::new());
    let total = list.items.len();
    for (value, line) in list.items {
        let line = if list.title.is_empty() { String::new() } else { line };
        let cost = chars_of(&value) + written(&line) + 4;
        if cost > room {
            break;
        }
        room -= cost;
        values.push(value);
        lines.push(line);
    }
    if values.len() < total
        && let Some(Value::Array(warnings)) = structured.get_mut("warnings")
    {
        let message = format!(
            "`{}` shows {} of {total}; a larger max_total_chars shows more",
            list.field,
            values.len()
        );
        warnings.push(json!({ "kind": "list_cut", "message": message }));
    }
    if total > 0 && !list.title.is_empty() {
        tail.push(list.title);
        tail.extend(lines);
    }
    put(structured, list.field, Value::Array(values));
}

/// The base with as much of the body as fits into `room`; `None` when not even the first result does.
fn attempt(base: &Outcome, reply: &Reply, room: usize, most: usize, fingerprint: &str) -> Option<Outcome> {
    let mut outcome = base.clone();
    let kept = match &reply.body {
        Body::None => Kept { all: true, ..Kept::default() },
        Body::Text { field, text, first_line, numbers, raw } => {
            let lines = lines::Lines { text, first: *first_line, numbers, raw: *raw };
            lines::add(&mut outcome, field, &lines, room)?
        }
        Body::Rows { field, rows } => {
            let (kept, returned) = rows::add_rows(&mut outcome, field, rows, room, most)?;
            let returned = reply.weigh.as_ref().map_or(returned, |weigh| weigh(kept));
            outcome.structured.insert("returned_results".to_owned(), json!(returned));
            kept
        }
        Body::Shares { field, rows } => {
            outcome.structured.insert("returned_results".to_owned(), json!(rows.len()));
            add_shares(&mut outcome, field, rows, room)?
        }
        Body::Texts { field, text, rows, shown } => {
            let kept = texts::add(&mut outcome, field, (text, *shown), rows, room);
            outcome.structured.insert("returned_results".to_owned(), json!(kept.rows));
            kept
        }
    };
    finish(&mut outcome, reply, kept, fingerprint);
    Some(outcome)
}

/// What depends on how much of the body was kept.
fn finish(outcome: &mut Outcome, reply: &Reply, kept: Kept, fingerprint: &str) {
    if let Some(total) = reply.total {
        outcome.structured.insert("total_estimate".to_owned(), json!(total));
    }
    // What was planned or done is whole, however much of it is shown.
    let told_whole = matches!(reply.body, Body::Texts { .. });
    let cut = !kept.all || kept.shortened;
    if cut && told_whole {
        let message = "not all of the change is shown; a larger max_total_chars shows more of it";
        warn(&mut outcome.structured, "diffs_cut", message);
    } else if kept.shortened {
        let message = "one result is larger than max_total_chars: its strings were cut and end in …";
        warn(&mut outcome.structured, "shortened", message);
    }
    let position = reply.resume.as_ref().and_then(|resume| resume(kept));
    if (cut || position.is_some()) && !told_whole {
        say_capped(&mut outcome.structured);
    }
    let capped = outcome.structured.get("completeness").is_some_and(|state| state["reason"] == "capped");
    let truncated = !kept.all || (cut && told_whole) || position.is_some() || capped;
    outcome.structured.insert("truncated".to_owned(), json!(truncated));
    for line in &reply.tail {
        push_line(&mut outcome.text, line);
    }
    notes(outcome, position.is_some());
    if let Some(position) = position {
        let cursor = cursor::encode(&position, fingerprint);
        push_line(&mut outcome.text, &format!("… more: pass cursor {cursor}"));
        outcome.structured.insert("cursor".to_owned(), json!(cursor));
    }
}

/// Clients that show only the text must not take a partial answer for a whole one.
fn notes(outcome: &mut Outcome, more: bool) {
    let warnings = outcome.structured.get("warnings").and_then(Value::as_array).cloned().unwrap_or_default();
    for message in warnings.iter().take(5).filter_map(|warning| warning["message"].as_str()) {
        push_line(&mut outcome.text, &format!("Note: {}", below(message)));
    }
    let completeness = outcome.structured.get("completeness").cloned().unwrap_or_default();
    let reason = completeness["reason"].as_str().unwrap_or("unknown");
    // A cursor says by itself that the answer was cut, and nothing about other reasons.
    if completeness["state"] == "partial" && !(more && reason == "capped") {
        let again = completeness["retry_after_ms"]
            .as_u64()
            .map(|wait| format!("; ask again in {wait} ms"))
            .unwrap_or_default();
        push_line(&mut outcome.text, &format!("Partial answer: {reason}{again}."));
    }
}

/// What was cut is partial, even where the tool itself had everything.
fn say_capped(structured: &mut Map<String, Value>) {
    if let Some(completeness) = structured.get_mut("completeness")
        && completeness["state"] == "complete"
    {
        *completeness = json!({ "state": "partial", "reason": "capped" });
    }
}

fn warn(structured: &mut Map<String, Value>, kind: &str, message: &str) {
    if let Some(Value::Array(warnings)) = structured.get_mut("warnings") {
        warnings.push(json!({ "kind": kind, "message": message }));
    }
}

/// Adds every row, each cut to an equal share of the room where it has to be; what a short one leaves over
/// goes to those after it.
fn add_shares(outcome: &mut Outcome, field: &'static str, rows: &[Row], mut room: usize) -> Option<Kept> {
    let mut kept = Kept { all: true, ..Kept::default() };
    let mut values = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let share = room / (rows.len() - at);
        let (value, line, shortened) = squeeze(&Value::Object(row.value.clone()), &row.line, share, true)?;
        room = room.saturating_sub(size(&value, &line));
        kept.shortened |= shortened;
        kept.rows += 1;
        push_line(&mut outcome.text, &line);
        values.push(value);
    }
    outcome.structured.insert(field.to_owned(), Value::Array(values));
    Some(kept)
}

/// What a result and its line of text take.
fn size(value: &impl serde::Serialize, line: &str) -> usize {
    chars_of(value) + written(line) + 4
}

/// A result that fits into `room`: as it is, or, where it would be the only one, shortened.
fn squeeze(value: &Value, line: &str, room: usize, alone: bool) -> Option<(Value, String, bool)> {
    let fits = |value: &Value, line: &str| size(value, line) <= room;
    if fits(value, line) {
        return Some((value.clone(), line.to_owned(), false));
    }
    let mut limit = if alone { room / 3 } else { 0 };
    while limit >= 16 {
        let mut value = value.clone();
        shorten(&mut value, limit);
        // The text gets what the structure leaves, and not less than a third.
        let rest = room.saturating_sub(chars_of(&value) + 4);
        let line = clip_written(line, rest.max(room / 3));
        if fits(&value, &line) {
            return Some((value, line, true));
        }
        limit /= 2;
    }
    None
}

/// Every line but the first stands further right: what is quoted cannot look like a line of ours.
fn below(message: &str) -> String {
    message.lines().collect::<Vec<_>>().join("\n    ")
}

fn push_line(text: &mut String, line: &str) {
    if !line.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(line);
    }
}

/// For what has no rows to leave out: cuts everything down until it fits, and says so.
fn clamp(mut outcome: Outcome, cap: usize) -> Outcome {
    outcome.structured.insert("truncated".to_owned(), json!(true));
    say_capped(&mut outcome.structured);
    let warning =
        json!([{ "kind": "shortened", "message": "the answer is larger than max_total_chars: it was cut" }]);
    let mut limit = cap / 2;
    while outcome.chars() > cap && limit >= 4 {
        for (name, value) in &mut outcome.structured {
            if !["completeness", "warnings", "ok", "tool"].contains(&name.as_str()) {
                shorten(value, limit);
            }
        }
        outcome.structured.insert("warnings".to_owned(), warning.clone());
        outcome.text = clip(&outcome.text, limit);
        limit /= 2;
    }
    if outcome.chars() > cap {
        let kept = ["schema_version", "ok", "tool", "server_id", "warnings", "truncated", "completeness"];
        outcome.structured.retain(|name, _| kept.contains(&name.as_str()));
        outcome.structured.insert("input".to_owned(), json!({}));
    }
    outcome
}

#[cfg(test)]
mod tests;
