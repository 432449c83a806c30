//! The hard cap. Whatever a tool returns, what goes out (text, structured content and the echo of the
//! arguments, errors included) never has more characters than the budget says.
//!
//! A page holds whole results and at least one of them, so that following cursors always gets further. What
//! does not fit even alone is shortened and says so; what cannot be shortened without lying, such as a path,
//! is an error that names the budget it needs.

mod measure;

use orienteer_base::{Budget, ErrorKind, Problem};
use serde_json::{Map, Value, json};

use super::{Body, Hider, Kept, Parts, Reply, Row, common, cursor};
use crate::error::{Failure, NextStep};
pub use measure::Outcome;
use measure::{chars_of, clip, clip_written, shorten, written};

/// What one answer may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
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
    hider: Option<&Hider>,
) -> Outcome {
    if let Some(hider) = hider.filter(|_| !reply.own_words) {
        hider.hide(&mut reply);
    }
    let cap = limits.budget.max_total_chars;
    let base = base(tool, input, &mut reply, cap);
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
    if matches!(reply.body, Body::None) {
        return clamp(base, cap);
    }
    let message = format!("not even one result fits into {cap} characters; raise `max_total_chars`");
    let problem =
        Problem::new(ErrorKind::TooLarge, message).field("max_total_chars").detail("budget_too_small");
    let doc = "Ask again with a larger max_total_chars, such as 20000.".to_owned();
    let next_steps = vec![NextStep::Doc { message: doc }];
    failure(tool, input, &Failure { problem, next_steps, retry_after_ms: None }, limits.budget)
}

/// Everything but the body.
fn base(tool: &str, input: &Map<String, Value>, reply: &mut Reply, cap: usize) -> Outcome {
    let mut structured = common(true, tool, reply.server_id.as_deref(), input);
    if let Some((completeness, source)) = reply.trust {
        structured.insert("completeness".to_owned(), json!(completeness));
        structured.insert("source".to_owned(), json!(source));
        // Text is read from disk during the call itself: there is no copy that could be stale.
        let freshness = json!({ "generation": 0, "synced_files": 0, "waited_ms": 0 });
        structured.insert("freshness".to_owned(), freshness);
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
    base
}

/// The base with as much of the body as fits into `room`; `None` when not even the first result does.
fn attempt(base: &Outcome, reply: &Reply, room: usize, most: usize, fingerprint: &str) -> Option<Outcome> {
    let mut outcome = base.clone();
    let kept = match &reply.body {
        Body::None => Kept { all: true, ..Kept::default() },
        Body::Text { field, text, first_line } => add_text(&mut outcome, field, text, *first_line, room)?,
        Body::Rows { field, rows } => {
            let (kept, returned) = add_rows(&mut outcome, field, rows, room, most)?;
            outcome.structured.insert("returned_results".to_owned(), json!(returned));
            kept
        }
    };
    if let Some(total) = reply.total {
        outcome.structured.insert("total_estimate".to_owned(), json!(total));
    }
    if kept.shortened {
        warn_shortened(&mut outcome.structured);
    }
    let position = reply.resume.as_ref().and_then(|resume| resume(kept));
    if !kept.all || kept.shortened || position.is_some() {
        say_capped(&mut outcome.structured);
    }
    let capped = outcome.structured.get("completeness").is_some_and(|state| state["reason"] == "capped");
    outcome.structured.insert("truncated".to_owned(), json!(!kept.all || position.is_some() || capped));
    for line in &reply.tail {
        push_line(&mut outcome.text, line);
    }
    notes(&mut outcome, position.is_some());
    if let Some(position) = position {
        let cursor = cursor::encode(&position, fingerprint);
        push_line(&mut outcome.text, &format!("… more: pass cursor {cursor}"));
        outcome.structured.insert("cursor".to_owned(), json!(cursor));
    }
    Some(outcome)
}

/// Clients that show only the text must not take a partial answer for a whole one.
fn notes(outcome: &mut Outcome, more: bool) {
    let warnings = outcome.structured.get("warnings").and_then(Value::as_array).cloned().unwrap_or_default();
    for message in warnings.iter().take(5).filter_map(|warning| warning["message"].as_str()) {
        push_line(&mut outcome.text, &format!("Note: {message}"));
    }
    let completeness = outcome.structured.get("completeness").cloned().unwrap_or_default();
    if !more && completeness["state"] == "partial" {
        let reason = completeness["reason"].as_str().unwrap_or("unknown");
        push_line(&mut outcome.text, &format!("Partial answer: {reason}."));
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

fn warn_shortened(structured: &mut Map<String, Value>) {
    if let Some(Value::Array(warnings)) = structured.get_mut("warnings") {
        warnings.push(json!({
            "kind": "shortened",
            "message": "one result is larger than max_total_chars: its strings were cut and end in …",
        }));
    }
}

fn add_text(outcome: &mut Outcome, field: &str, text: &str, first_line: usize, room: usize) -> Option<Kept> {
    // The text is sent twice: for clients that read text and for those that read structure.
    let mut size = 0;
    let mut end = 0;
    let mut line_end = 0;
    for (at, c) in text.char_indices() {
        size += 2 * written(c.encode_utf8(&mut [0; 4]));
        if size > room {
            break;
        }
        end = at + c.len_utf8();
        if c == '\n' {
            line_end = end;
        }
    }
    let all = end == text.len();
    // Cut between lines, unless a single line is longer than the budget.
    let end = if all || line_end == 0 { end } else { line_end };
    if end == 0 && !text.is_empty() {
        return None;
    }
    let kept = &text[..end];
    let lines = kept.matches('\n').count();
    let tail = kept.rsplit('\n').next().unwrap_or_default().chars().count();
    outcome.structured.insert(field.to_owned(), json!(kept));
    if !all {
        let shown = lines + usize::from(tail > 0);
        outcome.structured.insert("end_line".to_owned(), json!(first_line + shown - 1));
        outcome.structured.insert("returned_results".to_owned(), json!(shown));
    }
    if !outcome.text.is_empty() {
        outcome.text.push('\n');
    }
    outcome.text.push_str(kept);
    Some(Kept { lines, tail, all, ..Kept::default() })
}

/// Adds rows while they fit: what was kept, and how many results that is.
fn add_rows(
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
        let cost = chars_of(&row.value) + written(&row.line) + 4;
        let first = values.is_empty();
        if returned >= most || (cost > room && !(first && row.parts.is_none())) {
            break;
        }
        let Some(parts) = &row.parts else {
            let (value, line, shortened) =
                squeeze(&Value::Object(row.value.clone()), &row.line, room, first)?;
            room = room.saturating_sub(chars_of(&value) + written(&line) + 4);
            kept.shortened |= shortened;
            push_line(&mut outcome.text, &line);
            values.push(value);
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
        let Some((value, line, shortened)) = squeeze(value, line, *room, alone) else { break };
        *room -= chars_of(&value) + written(&line) + 4;
        push_line(&mut outcome.text, &line);
        added.items.push(value);
        if shortened {
            added.shortened = true;
            break;
        }
    }
    added
}

/// A result that fits into `room`: as it is, or, where it would be the only one, shortened.
fn squeeze(value: &Value, line: &str, room: usize, alone: bool) -> Option<(Value, String, bool)> {
    let fits = |value: &Value, line: &str| chars_of(value) + written(line) + 4 <= room;
    if fits(value, line) {
        return Some((value.clone(), line.to_owned(), false));
    }
    let mut limit = if alone { room / 3 } else { 0 };
    while limit >= 16 {
        let mut value = value.clone();
        shorten(&mut value, limit);
        let line = clip(line, limit);
        if fits(&value, &line) {
            return Some((value, line, true));
        }
        limit /= 2;
    }
    None
}

fn push_line(text: &mut String, line: &str) {
    if !line.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(line);
    }
}

/// Renders a failure inside the budget.
pub(crate) fn failure(tool: &str, input: &Map<String, Value>, failure: &Failure, budget: Budget) -> Outcome {
    let cap = budget.max_total_chars;
    let mut failure = failure.clone();
    failure.problem.message = clip_written(&failure.problem.message, (cap / 10).min(700));
    let mut room = cap / 8;
    failure.problem.candidates.retain(|candidate| {
        let cost = written(candidate) + 3;
        room = room.saturating_sub(cost);
        room > 0
    });
    // A step runs as given or is not given at all.
    let mut room = cap / 4;
    failure.next_steps.retain(|step| {
        room = room.saturating_sub(chars_of(&step.to_json()) + written(step.message()));
        room > 0
    });
    let mut structured = common(false, tool, None, input);
    structured.insert("message".to_owned(), json!(failure.problem.message));
    structured.insert("error".to_owned(), failure.to_json());
    if let Some(code) = failure.code() {
        structured.insert("mcp_error_code".to_owned(), json!(code));
    }
    let steps: Vec<Value> = failure.next_steps.iter().map(NextStep::to_json).collect();
    structured.insert("next_steps".to_owned(), Value::Array(steps));
    let mut text = failure.problem.message.clone();
    for step in &failure.next_steps {
        text.push_str("\nNext: ");
        text.push_str(step.message());
    }
    let mut outcome = Outcome { text, structured, is_error: true };
    shrink_echo(&mut outcome, cap);
    outcome
}

/// Long arguments are echoed in short.
fn shrink_echo(outcome: &mut Outcome, cap: usize) {
    for limit in [2_000, 200, 20] {
        let echo = outcome.structured.get("input").map_or(0, chars_of);
        if echo <= cap / 8 {
            return;
        }
        if let Some(input) = outcome.structured.get_mut("input") {
            shorten(input, limit);
        }
    }
    if outcome.structured.get("input").map_or(0, chars_of) > cap / 8 {
        outcome
            .structured
            .insert("input".to_owned(), json!({ "omitted": "the arguments are too long to repeat" }));
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
