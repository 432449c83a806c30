//! The hard cap. Whatever a tool returns, what goes out (text, structured content and the echo of the
//! arguments, errors included) never has more characters than the budget says.

use orienteer_base::Budget;
use serde_json::{Map, Value, json};

use super::{Body, Hider, Kept, Parts, Reply, Row, common, cursor};
use crate::error::Failure;

/// A finished tool result.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub text: String,
    pub structured: Map<String, Value>,
    pub is_error: bool,
}

/// The envelope of a result around text and structured content.
const ENVELOPE: usize = 120;

impl Outcome {
    /// Characters on the wire, JSON escapes included.
    pub fn chars(&self) -> usize {
        ENVELOPE + written(&self.text) + chars_of(&self.structured)
    }
}

fn chars_of(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX / 4, |text| text.chars().count())
}

/// Characters of a string inside JSON, without its quotes.
fn written(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            c if (c as u32) < 0x20 => 6,
            _ => 1,
        })
        .sum()
}

/// Renders a reply inside the budget.
pub(crate) fn success(
    tool: &str,
    input: &Map<String, Value>,
    mut reply: Reply,
    budget: Budget,
    fingerprint: &str,
    hider: Option<&Hider>,
) -> Outcome {
    if let Some(hider) = hider.filter(|_| !reply.own_words) {
        hider.hide(&mut reply);
    }
    let cap = budget.max_total_chars;
    let mut structured = common(true, tool, reply.server_id.as_deref(), input);
    if let Some((completeness, source)) = reply.trust {
        structured.insert("completeness".to_owned(), json!(completeness));
        structured.insert("source".to_owned(), json!(source));
        // Text is read from disk during the call itself: there is no copy that could be stale.
        let freshness = json!({ "generation": 0, "synced_files": 0, "waited_ms": 0 });
        structured.insert("freshness".to_owned(), freshness);
    }
    structured.insert("warnings".to_owned(), json!(reply.warnings));
    structured.extend(std::mem::take(&mut reply.fields));
    let mut outcome = Outcome { text: reply.head.join("\n"), structured, is_error: false };
    shrink_echo(&mut outcome, cap);
    fill(&mut outcome, reply, cap, fingerprint);
    clamp(&mut outcome, cap);
    outcome
}

/// Renders a failure inside the budget.
pub(crate) fn failure(tool: &str, input: &Map<String, Value>, failure: &Failure, budget: Budget) -> Outcome {
    let mut failure = failure.clone();
    failure.problem.message = clip(&failure.problem.message, 600);
    failure.problem.candidates.truncate(20);
    let mut structured = common(false, tool, None, input);
    structured.insert("message".to_owned(), json!(failure.problem.message));
    structured.insert("error".to_owned(), failure.to_json());
    if let Some(code) = failure.code() {
        structured.insert("mcp_error_code".to_owned(), json!(code));
    }
    let steps: Vec<Value> = failure.next_steps.iter().map(crate::error::NextStep::to_json).collect();
    structured.insert("next_steps".to_owned(), Value::Array(steps));
    let mut text = failure.problem.message.clone();
    for step in &failure.next_steps {
        text.push_str("\nNext: ");
        text.push_str(step.message());
    }
    let mut outcome = Outcome { text, structured, is_error: true };
    shrink_echo(&mut outcome, budget.max_total_chars);
    clamp(&mut outcome, budget.max_total_chars);
    outcome
}

/// Adds as much of the body as fits, and says what was left out.
fn fill(outcome: &mut Outcome, reply: Reply, cap: usize, fingerprint: &str) {
    // Room for the cursor, the counts and the tail, which are only known at the end.
    let tail: usize = reply.tail.iter().map(|line| written(line) + 2).sum();
    let room = cap.saturating_sub(outcome.chars()).saturating_sub(tail + 900);
    let kept = match reply.body {
        Body::None => Kept { all: true, ..Kept::default() },
        Body::Text { field, text, .. } => add_text(outcome, field, &text, room),
        Body::Rows { field, rows } => {
            let (kept, returned) = add_rows(outcome, field, rows, room);
            outcome.structured.insert("returned_results".to_owned(), json!(returned));
            kept
        }
    };
    if let Some(total) = reply.total {
        outcome.structured.insert("total_estimate".to_owned(), json!(total));
    }
    let position = reply.resume.as_ref().and_then(|resume| resume(kept));
    let cut = !kept.all || position.is_some();
    outcome.structured.insert("truncated".to_owned(), json!(cut));
    for line in &reply.tail {
        outcome.text.push('\n');
        outcome.text.push_str(line);
    }
    if !kept.all {
        say_capped(&mut outcome.structured);
    }
    if let Some(position) = position {
        let cursor = cursor::encode(&position, fingerprint);
        outcome.text.push_str(&format!("\n… more: pass cursor {cursor}"));
        outcome.structured.insert("cursor".to_owned(), json!(cursor));
    }
    if outcome.text.starts_with('\n') {
        outcome.text.remove(0);
    }
}

/// What the budget cut is partial, even where the tool itself had everything.
fn say_capped(structured: &mut Map<String, Value>) {
    if let Some(completeness) = structured.get_mut("completeness")
        && completeness["state"] == "complete"
    {
        *completeness = json!({ "state": "partial", "reason": "capped" });
    }
}

fn add_text(outcome: &mut Outcome, field: &str, text: &str, room: usize) -> Kept {
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
    let kept = &text[..end];
    outcome.structured.insert(field.to_owned(), json!(kept));
    if !outcome.text.is_empty() {
        outcome.text.push('\n');
    }
    outcome.text.push_str(kept);
    let tail = kept.rsplit('\n').next().unwrap_or_default().chars().count();
    Kept { lines: kept.matches('\n').count(), tail, all, ..Kept::default() }
}

fn add_rows(outcome: &mut Outcome, field: &'static str, rows: Vec<Row>, mut room: usize) -> (Kept, usize) {
    let total = rows.len();
    let mut kept = Kept::default();
    let mut returned = 0;
    let mut values = Vec::new();
    for row in rows {
        let Row { value, line, parts } = row;
        let cost = chars_of(&value) + written(&line) + 4;
        if cost > room {
            if values.is_empty() {
                // Even the first result is too large: a shortened one is better than none, and says so.
                let mut value = Value::Object(value);
                shorten(&mut value, room / 2);
                if chars_of(&value) + 4 < room {
                    push_line(&mut outcome.text, &clip(&line, room / 4));
                    values.push(value);
                    returned += 1;
                    warn_shortened(&mut outcome.structured);
                    kept.rows = 1;
                }
            }
            break;
        }
        room -= cost;
        push_line(&mut outcome.text, &line);
        let mut value = value;
        match parts {
            None => {
                values.push(Value::Object(value));
                returned += 1;
            }
            Some(parts) => {
                let (items, whole, shortened) = add_parts(outcome, &parts, &mut room, returned == 0);
                if shortened {
                    warn_shortened(&mut outcome.structured);
                }
                // A header without any of its parts would say that it has none.
                if items.is_empty() && !parts.items.is_empty() {
                    break;
                }
                let count = items.len();
                returned += count.max(1);
                value.insert(parts.field.to_owned(), Value::Array(items));
                values.push(Value::Object(value));
                if !whole {
                    kept.parts = count;
                    break;
                }
            }
        }
        kept.rows += 1;
    }
    kept.all = kept.rows == total;
    outcome.structured.insert(field.to_owned(), Value::Array(values));
    (kept, returned)
}

/// Adds parts while they fit: what was added, whether that was all, whether the first had to be shortened.
fn add_parts(
    outcome: &mut Outcome,
    parts: &Parts,
    room: &mut usize,
    first: bool,
) -> (Vec<Value>, bool, bool) {
    let mut items = Vec::new();
    let mut shortened = false;
    for (value, line) in &parts.items {
        let cost = chars_of(value) + written(line) + 4;
        if cost > *room {
            if items.is_empty() && first && *room > 200 {
                let mut value = value.clone();
                shorten(&mut value, *room / 2);
                let line = clip(line, *room / 5);
                if chars_of(&value) + written(&line) + 4 <= *room {
                    push_line(&mut outcome.text, &line);
                    items.push(value);
                    shortened = true;
                }
            }
            break;
        }
        *room -= cost;
        push_line(&mut outcome.text, line);
        items.push(value.clone());
    }
    let whole = items.len() == parts.items.len();
    (items, whole, shortened)
}

fn push_line(text: &mut String, line: &str) {
    if !line.is_empty() {
        text.push('\n');
        text.push_str(line);
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
    let echo = outcome.structured.get("input").map_or(0, chars_of);
    if echo > cap / 8 {
        outcome.structured.insert("input".to_owned(), Value::Null);
    }
}

/// The last resort, for what the steps above did not foresee: drop the least important until it fits.
fn clamp(outcome: &mut Outcome, cap: usize) {
    let mut limit = 1_000;
    while outcome.chars() > cap {
        outcome.structured.insert("truncated".to_owned(), json!(true));
        say_capped(&mut outcome.structured);
        if limit >= 8 {
            for (_, value) in outcome.structured.iter_mut().filter(|(name, _)| *name != "cursor") {
                shorten(value, limit);
            }
            outcome.text = clip(&outcome.text, limit * 2);
            limit /= 2;
        } else {
            outcome.structured.retain(|name, _| {
                [
                    "schema_version",
                    "ok",
                    "tool",
                    "server_id",
                    "warnings",
                    "truncated",
                    "message",
                    "error",
                    "cursor",
                ]
                .contains(&name.as_str())
            });
            outcome.structured.insert("input".to_owned(), Value::Null);
            outcome.structured.insert("warnings".to_owned(), json!([]));
            outcome.text = clip(&outcome.text, 200);
            break;
        }
    }
}

/// Cuts every string inside to `limit` characters and every list to as many entries.
fn shorten(value: &mut Value, limit: usize) {
    match value {
        Value::String(text) => *text = clip(text, limit),
        Value::Array(items) => {
            items.truncate(limit);
            let each = limit / items.len().max(1);
            items.iter_mut().for_each(|item| shorten(item, each.max(8)));
        }
        Value::Object(object) => object.values_mut().for_each(|value| shorten(value, limit)),
        _ => {}
    }
}

fn clip(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let mut clipped: String = text.chars().take(limit.saturating_sub(1)).collect();
    clipped.push('…');
    clipped
}

#[cfg(test)]
mod tests;
