//! What fake servers noted while they ran. Restarts of one script add to the same record.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The record of a script, read anew at every question.
#[derive(Debug, Clone)]
pub struct Record {
    path: PathBuf,
}

/// The text that a server held for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    Text(String),
    /// 64 kB or more: its length and FNV-1a hash.
    Large {
        bytes: u64,
        hash: String,
    },
}

/// The world as a server saw it when it answered.
#[derive(Debug, Clone)]
pub struct Answer {
    pub pid: u64,
    pub method: String,
    pub id: Value,
    /// Every file it knew, open or not.
    pub texts: BTreeMap<PathBuf, Held>,
    /// Files whose text on disk was another at that moment, or that only one of the two had.
    pub stale: Vec<PathBuf>,
}

impl Record {
    /// The record of a script that [`super::Script::write`] wrote. The file may not exist yet.
    pub fn of(script: &Path) -> Self {
        Self { path: script.with_extension("jsonl") }
    }

    /// Everything noted so far, oldest first. A line that is still being written is left out.
    pub fn events(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn of_kind(&self, kind: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["event"] == kind).collect()
    }

    /// Messages received with this method, requests and notifications.
    pub fn received(&self, method: &str) -> Vec<Value> {
        let mut events = self.of_kind("received");
        events.retain(|event| event["method"] == method && event["kind"] != "response");
        events
    }

    /// How many messages with this method were received.
    pub fn count(&self, method: &str) -> usize {
        self.received(method).len()
    }

    /// The client's replies to the server's own requests of this method: each has `result` or `error`.
    pub fn replies(&self, method: &str) -> Vec<Value> {
        let mut events = self.of_kind("received");
        events.retain(|event| event["method"] == method && event["kind"] == "response");
        events
    }

    /// Messages of its own that the server sent with this method.
    pub fn sent(&self, method: &str) -> usize {
        self.of_kind("sent").iter().filter(|event| event["method"] == method).count()
    }

    /// How many processes started.
    pub fn starts(&self) -> usize {
        self.pids().len()
    }

    /// The processes that started, oldest first.
    pub fn pids(&self) -> Vec<u64> {
        self.of_kind("start").iter().filter_map(|event| event["pid"].as_u64()).collect()
    }

    /// The processes that servers left behind.
    pub fn grandchildren(&self) -> Vec<u64> {
        self.of_kind("grandchild").iter().filter_map(|event| event["child"].as_u64()).collect()
    }

    /// What the client did that the protocol forbids, in words.
    pub fn violations(&self) -> Vec<String> {
        self.of_kind("violation")
            .iter()
            .filter_map(|event| event["what"].as_str())
            .map(str::to_owned)
            .collect()
    }

    /// The texts held at every answer, oldest first.
    pub fn texts_at_answers(&self) -> Vec<Answer> {
        self.of_kind("answered").iter().map(answer).collect()
    }

    /// Answers given while the server held something else than the disk.
    pub fn stale_answers(&self) -> Vec<Answer> {
        self.texts_at_answers().into_iter().filter(|answer| !answer.stale.is_empty()).collect()
    }

    /// Waits until the events satisfy the condition; panics with the last of them when they do not.
    pub fn wait_for(&self, condition: impl Fn(&[Value]) -> bool, patience: Duration) -> Vec<Value> {
        let until = Instant::now() + patience;
        loop {
            let events = self.events();
            if condition(&events) {
                return events;
            }
            if Instant::now() >= until {
                let last: Vec<_> = events.iter().rev().take(10).rev().map(Value::to_string).collect();
                panic!("not in {}; its end:\n{}", self.path.display(), last.join("\n"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn answer(event: &Value) -> Answer {
    let texts = event["texts"].as_object().into_iter().flatten();
    let held = |value: &Value| match value.as_str() {
        Some(text) => Held::Text(text.to_owned()),
        None => Held::Large {
            bytes: value["bytes"].as_u64().unwrap_or_default(),
            hash: value["hash"].as_str().unwrap_or_default().to_owned(),
        },
    };
    Answer {
        pid: event["pid"].as_u64().unwrap_or_default(),
        method: event["method"].as_str().unwrap_or_default().to_owned(),
        id: event["id"].clone(),
        texts: texts.map(|(path, value)| (PathBuf::from(path), held(value))).collect(),
        stale: event["stale"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(PathBuf::from)
            .collect(),
    }
}
