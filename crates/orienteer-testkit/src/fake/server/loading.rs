//! The time until the project is loaded, and the words about it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::Duration;

use serde_json::{Value, json};

use super::Event;
use super::shared::Shared;
use crate::fake::Signal;

/// Percentages reported in each phase.
const REPORTS: [u64; 3] = [25, 50, 75];

/// Loads in a thread of its own. Signals that the client did not say it understands are not sent, as real
/// servers do.
pub(super) fn begin(shared: Arc<Shared>, client: Value, events: Sender<Event>) {
    std::thread::spawn(move || {
        let loading = Loading { shared: &shared, client: &client };
        loading.run();
        if !shared.script.never_ready {
            let _ = events.send(Event::Ready);
        }
    });
}

struct Loading<'a> {
    shared: &'a Shared,
    client: &'a Value,
}

impl Loading<'_> {
    fn run(&self) {
        let script = &self.shared.script;
        let phases = script.phases.max(1);
        self.status(false);
        for phase in 0..phases {
            let tokens = self.tokens(phase);
            for token in &tokens {
                let key = self.shared.ask("window/workDoneProgress/create", Some(json!({ "token": token })));
                self.shared.insist(&key);
                let title = format!("Loading, part {} of {phases}", phase + 1);
                self.progress(token, json!({ "kind": "begin", "title": title, "percentage": 0 }));
            }
            for percentage in REPORTS {
                self.sleep(phases, REPORTS.len() as u64 + 1);
                for token in &tokens {
                    self.progress(
                        token,
                        json!({ "kind": "report", "message": "files", "percentage": percentage }),
                    );
                }
            }
            if script.never_ready {
                return;
            }
            self.sleep(phases, REPORTS.len() as u64 + 1);
            // Before the word: who hears it may ask at once.
            self.shared.ready.store(phase + 1 == phases, Ordering::SeqCst);
            for token in &tokens {
                self.progress(token, json!({ "kind": "end", "message": "done" }));
            }
            if phase + 1 < phases {
                self.sleep(phases, 2);
            }
        }
        self.status(true);
        for signal in &script.signals {
            if let Signal::LogMessage(text) = signal {
                self.shared.notify("window/logMessage", json!({ "type": 3, "message": text }));
            }
        }
    }

    fn sleep(&self, phases: u64, parts: u64) {
        let micros = self.shared.script.ready_ms * 1000 / phases / parts;
        std::thread::sleep(Duration::from_micros(micros));
    }

    /// The tokens of a phase: none is used again.
    fn tokens(&self, phase: u64) -> Vec<Value> {
        if self.client["window"]["workDoneProgress"] != true {
            return Vec::new();
        }
        let token = |signal: &Signal| match signal {
            Signal::Progress(Value::Number(number)) => Some(json!(number.as_u64().unwrap_or(0) + phase)),
            Signal::Progress(token) if phase == 0 => Some(token.clone()),
            Signal::Progress(token) => Some(json!(format!("{}-{phase}", token.as_str().unwrap_or_default()))),
            _ => None,
        };
        self.shared.script.signals.iter().filter_map(token).collect()
    }

    fn progress(&self, token: &Value, value: Value) {
        self.shared.notify("$/progress", json!({ "token": token, "value": value }));
    }

    fn status(&self, quiescent: bool) {
        let understood = self.client["experimental"]["serverStatusNotification"] == true;
        if understood && self.shared.script.signals.contains(&Signal::ServerStatus) {
            self.shared
                .notify("experimental/serverStatus", json!({ "health": "ok", "quiescent": quiescent }));
        }
    }
}
