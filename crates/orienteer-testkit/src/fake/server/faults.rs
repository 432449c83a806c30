//! Which rules apply to a message, and what they do to it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::shared::Shared;
use crate::fake::{Death, Rule, Script, When};

/// The rules of a script with the calls that each has seen.
pub(super) struct Faults {
    rules: Vec<(Rule, u64)>,
}

/// All rules that apply to one message, added up.
#[derive(Debug, Default)]
pub(super) struct Fault {
    delay_ms: u64,
    crash: Option<(When, Death)>,
    hang: bool,
    freeze: bool,
    error: Option<Value>,
    result: Option<Value>,
    twice: bool,
    stray_reply: bool,
    broken_frame: bool,
    huge_bytes: u64,
    flood_bytes: u64,
    allocate_mb: u64,
}

impl Faults {
    pub(super) fn new(script: &Script) -> Self {
        Self { rules: script.rules.iter().map(|rule| (rule.clone(), 0)).collect() }
    }

    pub(super) fn due(&mut self, shared: &Shared, method: &str, message: &Value) -> Fault {
        let mut fault = Fault::default();
        let is_request = message.get("id").is_some();
        for (index, (rule, seen)) in self.rules.iter_mut().enumerate() {
            let named = rule.on == method || (rule.on == "*" && is_request);
            if !named || !(rule.containing.is_empty() || message.to_string().contains(&rule.containing)) {
                continue;
            }
            *seen += 1;
            let first = rule.from.max(1);
            let applies = *seen >= first && (rule.times == 0 || *seen < first + rule.times);
            if applies && (!rule.once || shared.journal.claim(&index.to_string())) {
                fault.add(rule);
            }
        }
        fault
    }
}

impl Fault {
    fn add(&mut self, rule: &Rule) {
        self.delay_ms = self.delay_ms.max(rule.delay_ms);
        self.crash = self.crash.or(rule.crash.map(|when| (when, rule.death)));
        self.hang |= rule.hang;
        self.freeze |= rule.freeze;
        self.error = self.error.take().or_else(|| rule.error.clone());
        self.result = self.result.take().or_else(|| rule.result.clone());
        self.twice |= rule.twice;
        self.stray_reply |= rule.stray_reply;
        self.broken_frame |= rule.broken_frame;
        self.huge_bytes = self.huge_bytes.max(rule.huge_bytes);
        self.flood_bytes = self.flood_bytes.max(rule.flood_bytes);
        self.allocate_mb = self.allocate_mb.max(rule.allocate_mb);
    }

    fn dies(&self, when: When) -> Option<Death> {
        self.crash.filter(|(it, _)| *it == when).map(|(_, death)| death)
    }

    /// What happens before a message is even looked at.
    pub(super) fn strike(&self, shared: &Shared) {
        let line = format!("{:0>99}\n", "flood");
        for _ in 0..self.flood_bytes.div_ceil(line.len() as u64) {
            shared.stderr(&line);
        }
        if self.allocate_mb > 0 {
            // Written in every page, and never given back.
            let size = usize::try_from(self.allocate_mb << 20).unwrap_or(usize::MAX);
            let mut memory = vec![0_u8; size];
            memory.iter_mut().step_by(1024).for_each(|byte| *byte = 1);
            std::mem::forget(std::hint::black_box(memory));
        }
        if self.freeze {
            loop {
                std::thread::sleep(Duration::from_secs(3600));
            }
        }
        if self.delay_ms == 0
            && let Some(death) = self.dies(When::Before)
        {
            shared.die(death);
        }
    }

    /// What happens after a notification, which has no reply to fall into the middle of.
    pub(super) fn strike_after(&self, shared: &Shared) {
        if let Some((_, death)) = self.crash {
            shared.die(death);
        }
    }

    /// The response that the script wants in place of the true one.
    pub(super) fn distort(&self, mut response: Value) -> Value {
        if let Some(error) = &self.error {
            return json!({ "jsonrpc": "2.0", "id": response["id"], "error": error });
        }
        if let Some(result) = &self.result {
            response = json!({ "jsonrpc": "2.0", "id": response["id"], "result": result });
        }
        response
    }

    /// Sends the response, now or later, with everything that goes wrong around it.
    pub(super) fn deliver(self, shared: &Arc<Shared>, response: Value, note: Value) {
        if self.delay_ms == 0 {
            return self.send(shared, &response, note);
        }
        let id = response["id"].to_string();
        shared.late.lock().unwrap().insert(id.clone());
        let shared = shared.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(self.delay_ms));
            // Cancelled ones have their answer already.
            if shared.late.lock().unwrap().remove(&id) {
                self.send(&shared, &response, note);
            }
        });
    }

    fn send(&self, shared: &Shared, response: &Value, note: Value) {
        if let Some(death) = self.dies(When::Before) {
            shared.die(death);
        }
        if self.broken_frame {
            shared.wire.send_broken();
        }
        if self.stray_reply {
            for id in [json!(987_654_321), json!("nobody")] {
                shared.wire.send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "stray": true } }));
            }
        }
        if self.hang {
            return;
        }
        let text = enlarged(response, usize::try_from(self.huge_bytes).unwrap_or(usize::MAX));
        if let Some(death) = self.dies(When::Middle) {
            shared.wire.send_half(&text);
            shared.die(death);
        }
        // Noted first: who has the reply may read the record.
        shared.journal.note("answered", note);
        shared.wire.send_text(&text);
        if self.twice {
            shared.wire.send_text(&text);
        }
        if let Some(death) = self.dies(When::After) {
            shared.die(death);
        }
    }
}

/// The response as text. Elements are repeated as text too: an unoptimised build takes seconds to repeat them
/// as values.
fn enlarged(response: &Value, bytes: usize) -> String {
    if bytes == 0 {
        return response.to_string();
    }
    let mut response = response.clone();
    if let Some(first) = response["result"].get(0).map(Value::to_string) {
        let more = format!("{},", first).repeat(bytes.div_ceil(first.len() + 1));
        let text = response.to_string();
        let end = text.rfind(']').expect("the end of the list");
        return format!("{},{}{}", &text[..end], more.trim_end_matches(','), &text[end..]);
    }
    if let Some(Value::String(text)) = response.pointer_mut("/result/contents/value") {
        let line = "A very long documentation.\n";
        text.push_str(&line.repeat(bytes.div_ceil(line.len())));
    } else {
        response["padding"] = Value::String("x".repeat(bytes));
    }
    response.to_string()
}
