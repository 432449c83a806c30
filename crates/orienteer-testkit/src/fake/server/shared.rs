//! What the main loop and the threads that speak later have in common.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Condvar, Mutex};

use serde_json::{Value, json};

use super::journal::{Journal, shortened};
use super::wire::Wire;
use crate::fake::{Death, Ids, Script};

pub(super) struct Shared {
    pub(super) script: Script,
    pub(super) wire: Wire,
    pub(super) journal: Journal,
    /// Whether the project is loaded.
    pub(super) ready: AtomicBool,
    /// Methods registered so far.
    pub(super) registered: Mutex<HashSet<String>>,
    /// Ids of requests whose answers are found and not yet sent.
    pub(super) late: Mutex<HashSet<String>>,
    asks: Mutex<Asks>,
    replied: Condvar,
}

#[derive(Default)]
struct Asks {
    count: i64,
    client_id: Value,
    /// Ids that the client has not replied to, with their methods.
    waiting: HashMap<String, String>,
}

impl Shared {
    pub(super) fn new(script: Script) -> Self {
        Self {
            wire: Wire::new(&script),
            journal: Journal::open(&script.record),
            ready: AtomicBool::new(false),
            registered: Mutex::default(),
            late: Mutex::default(),
            asks: Mutex::default(),
            replied: Condvar::new(),
            script,
        }
    }

    /// The id that [`Ids::SameAsClient`] takes next.
    pub(super) fn client_asked(&self, id: &Value) {
        self.asks.lock().unwrap().client_id = id.clone();
    }

    pub(super) fn notify(&self, method: &str, params: Value) {
        self.notify_text(method, &params.to_string());
    }

    /// The same with params that are JSON text already.
    pub(super) fn notify_text(&self, method: &str, params: &str) {
        self.journal.note("sent", json!({ "method": method }));
        self.wire.send_text(&format!(r#"{{"jsonrpc":"2.0","method":{},"params":{params}}}"#, json!(method)));
    }

    /// Sends a request; the returned key waits for its reply.
    pub(super) fn ask(&self, method: &str, params: Option<Value>) -> String {
        let mut asks = self.asks.lock().unwrap();
        let id = loop {
            let number = asks.count;
            asks.count += 1;
            let id = match self.script.ids {
                Ids::Numbers => json!(number),
                Ids::Strings => json!(format!("fake-{number}")),
                Ids::NumericStrings => json!(number.to_string()),
                Ids::SameAsClient => std::mem::replace(&mut asks.client_id, json!(number)),
            };
            if !asks.waiting.contains_key(&id.to_string()) && !id.is_null() {
                break id;
            }
        };
        asks.waiting.insert(id.to_string(), method.to_owned());
        drop(asks);
        self.journal.note("sent", json!({ "method": method, "id": id }));
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if let Some(params) = params {
            message["params"] = params;
        }
        self.wire.send(&message);
        id.to_string()
    }

    /// Notes a reply of the client and lets go on what waited for it.
    pub(super) fn take_reply(&self, message: &Value) {
        let method = self.asks.lock().unwrap().waiting.remove(&message["id"].to_string());
        self.replied.notify_all();
        if method.is_none() {
            self.journal.violation(&format!("a reply to {}, which nobody asked", message["id"]));
        }
        let mut fields = json!({ "kind": "response", "method": method, "id": message["id"] });
        for key in ["result", "error"] {
            if let Some(value) = message.get(key) {
                fields[key] = shortened("", value);
            }
        }
        self.journal.note("received", fields);
    }

    pub(super) fn is_waiting(&self, key: &str) -> bool {
        self.asks.lock().unwrap().waiting.contains_key(key)
    }

    /// Blocks a thread of ours until the reply is there, if the script insists on replies.
    pub(super) fn insist(&self, key: &str) {
        let mut asks = self.asks.lock().unwrap();
        while self.script.insist && asks.waiting.contains_key(key) {
            asks = self.replied.wait(asks).unwrap();
        }
    }

    pub(super) fn stderr(&self, text: &str) {
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// A death of the script's choice.
    pub(super) fn die(&self, death: Death) -> ! {
        self.journal.note("death", json!({ "death": format!("{death:?}") }));
        self.stderr(&self.script.last_words);
        match death {
            Death::Exit(code) => std::process::exit(code.into()),
            Death::Abort => std::process::abort(),
            Death::Kill => crate::process::kill(&std::process::id().to_string()),
        }
        // The signal may take a moment.
        std::thread::sleep(std::time::Duration::from_secs(5));
        std::process::abort()
    }
}
