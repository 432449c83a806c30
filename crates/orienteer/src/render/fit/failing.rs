//! Failures inside the cap: long facts give way first, then steps and candidates that do not fit.

use orienteer_base::{Budget, Fact};
use serde_json::{Map, Value, json};

use super::super::common;
use super::below;
use super::measure::{Outcome, chars_of, clip, clip_written, shorten, written};
use crate::error::{Failure, NextStep};

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
    // Facts are as long as a server's last words: they get what the rest leaves.
    for limit in [4_000, 1_000, 300, 80, 0] {
        shorten_facts(&mut failure, limit);
        let outcome = whole(tool, input, &failure, cap);
        if outcome.chars() <= cap || failure.problem.facts.is_empty() {
            return outcome;
        }
    }
    whole(tool, input, &failure, cap)
}

fn shorten_facts(failure: &mut Failure, limit: usize) {
    let facts = &mut failure.problem.facts;
    if limit == 0 {
        facts.clear();
    }
    for (_, fact) in facts {
        match fact {
            Fact::Text(text) => *text = clip(text, limit),
            Fact::List(texts) => {
                texts.truncate(limit / 40 + 1);
                texts.iter_mut().for_each(|text| *text = clip(text, limit));
            }
            Fact::Number(_) => {}
        }
    }
}

fn whole(tool: &str, input: &Map<String, Value>, failure: &Failure, cap: usize) -> Outcome {
    let mut structured = common(false, tool, failure.server_id(), input);
    structured.insert("message".to_owned(), json!(failure.problem.message));
    structured.insert("error".to_owned(), failure.to_json());
    if let Some(code) = failure.code() {
        structured.insert("mcp_error_code".to_owned(), json!(code));
    }
    let steps: Vec<Value> = failure.next_steps.iter().map(NextStep::to_json).collect();
    structured.insert("next_steps".to_owned(), Value::Array(steps));
    let mut text = below(&failure.problem.message);
    for step in &failure.next_steps {
        text.push_str("\nNext: ");
        text.push_str(&below(step.message()));
    }
    let mut outcome = Outcome { text, structured, is_error: true };
    shrink_echo(&mut outcome, cap);
    outcome
}

/// Long arguments are echoed in short.
pub(super) fn shrink_echo(outcome: &mut Outcome, cap: usize) {
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
