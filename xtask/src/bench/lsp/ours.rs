//! Our side: `orienteer mcp` as a client has it, over stdio.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use orienteer_testkit::{Framing, Server};
use serde_json::{Value, json};

use super::places::{Place, Places};

const PATIENCE: Duration = Duration::from_secs(240);

/// Makes a question about a tool's whole list: as much as a page may have.
pub(super) fn whole(tool: &str, question: &mut Value) {
    question["max_results"] = json!(if tool == "find_references" { 5000 } else { 200 });
    question["max_total_chars"] = json!(2_000_000);
}

pub(super) struct Ours {
    server: Server,
    root: PathBuf,
}

/// One structured answer.
#[derive(Debug, Clone)]
pub(super) struct Answer(pub(super) Value);

impl Answer {
    /// `complete`, `partial: reason` or the error's code.
    pub(super) fn state(&self) -> String {
        if let Some(error) = self.0.get("error") {
            return format!("error: {} {}", error["code"], error["message"]);
        }
        match self.0["completeness"]["state"].as_str() {
            Some("partial") => {
                format!("partial: {}", self.0["completeness"]["reason"].as_str().unwrap_or("?"))
            }
            Some(state) => state.to_owned(),
            None => "no completeness".to_owned(),
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.state() == "complete"
    }
}

impl Ours {
    pub(super) fn start(binary: &Path, root: &Path, variables: &[(String, String)]) -> Self {
        let mut all: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        all.extend([("ORIENTEER_LOG_LEVEL", "error"), ("ORIENTEER_MCP_QUEUE_MAX", "1000")]);
        let mut server = Server::start_with(binary, root, &["--toolsets", "all"], &all, Framing::Lines);
        server.initialize("2025-11-25");
        Self { server, root: root.to_owned() }
    }

    pub(super) fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// Asks one thing; returns the answer and the milliseconds it took.
    pub(super) fn ask(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<(Answer, f64)> {
        let params = json!({ "name": tool, "arguments": arguments });
        let begun = Instant::now();
        let id = self.server.begin("tools/call", params);
        loop {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let Some(message) = self.server.receive_within(left) else {
                bail!("{tool} {arguments}: no answer; stderr: {}", self.server.stderr());
            };
            if message["id"] == id && message.get("method").is_none() {
                let took = begun.elapsed().as_secs_f64() * 1000.0;
                return Ok((structured(message)?, took));
            }
        }
    }

    /// Asks everything (tool and arguments) at once and waits for all; the answers are in the order of the questions.
    pub(super) fn ask_all(&mut self, questions: &[(&str, Value)]) -> anyhow::Result<Vec<Answer>> {
        let begun = Instant::now();
        let mut ids = HashMap::new();
        for (index, (tool, arguments)) in questions.iter().enumerate() {
            ids.insert(
                self.server.begin("tools/call", json!({ "name": tool, "arguments": arguments })),
                index,
            );
        }
        let mut answers = vec![Answer(Value::Null); questions.len()];
        while !ids.is_empty() {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let message = self.server.receive_within(left);
            let message = message.with_context(|| format!("{} questions without an answer", ids.len()))?;
            if let Some(index) = message["id"].as_i64().and_then(|id| ids.remove(&id)) {
                answers[index] = structured(message)?;
            }
        }
        Ok(answers)
    }

    /// All places in a list of an answer, further pages included.
    pub(super) fn all_places(
        &mut self,
        tool: &str,
        arguments: &Value,
        field: &str,
    ) -> anyhow::Result<(Answer, Places, f64)> {
        let mut arguments = arguments.clone();
        whole(tool, &mut arguments);
        let (first, took) = self.ask(tool, &arguments)?;
        let places = self.pages(tool, arguments, &first, field)?;
        Ok((first, places, took))
    }

    /// The places of an answer and of all pages behind it.
    pub(super) fn pages(
        &mut self,
        tool: &str,
        mut arguments: Value,
        first: &Answer,
        field: &str,
    ) -> anyhow::Result<Places> {
        let mut places = self.places(first, field);
        let mut page = first.clone();
        while let Some(cursor) = page.0.get("cursor").filter(|cursor| !cursor.is_null()) {
            arguments["cursor"] = cursor.clone();
            page = self.ask(tool, &arguments)?.0;
            ensure!(page.0.get("error").is_none(), "{tool} {arguments}: {:?}", page.0["error"]);
            places.extend(self.places(&page, field));
        }
        Ok(places)
    }

    pub(super) fn places(&self, answer: &Answer, field: &str) -> Places {
        let rows = answer.0[field].as_array().into_iter().flatten();
        rows.map(|row| Place {
            path: self.root.join(row["file_path"].as_str().unwrap_or_default()),
            line: row["line"].as_u64().unwrap_or_default(),
            column: row["column"].as_u64().unwrap_or_default(),
        })
        .collect()
    }

    /// The arguments that point at a place.
    pub(super) fn at(&self, place: &Place) -> Value {
        let path = place.path.strip_prefix(&self.root).unwrap_or(&place.path);
        json!({ "file_path": path.to_string_lossy(), "line": place.line, "column": place.column })
    }

    /// The state of every language server.
    pub(super) fn servers(&mut self) -> anyhow::Result<Vec<Value>> {
        let (answer, _) = self.ask("get_server_status", &json!({}))?;
        Ok(answer.0["servers"].as_array().cloned().unwrap_or_default())
    }

    /// How often the only language server was asked for something, and how long it took the last time, in milliseconds.
    pub(super) fn asked(&mut self, method: &str) -> anyhow::Result<(u64, f64)> {
        let servers = self.servers()?;
        let latency = servers.first().map(|server| &server["latency"][method]);
        let latency = latency.with_context(|| format!("{method}: no server"))?;
        Ok((latency["count"].as_u64().unwrap_or_default(), latency["last_ms"].as_f64().unwrap_or_default()))
    }

    /// Waits until a server is there and ready; returns its process.
    pub(super) fn ready(&mut self, server: &str) -> anyhow::Result<u32> {
        let until = Instant::now() + PATIENCE;
        loop {
            let servers = self.servers()?;
            let state = servers.iter().find(|state| state["server_id"] == server);
            if let Some(state) = state
                && state["readiness"]["state"] == "ready"
                && let Some(pid) = state["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok())
            {
                return Ok(pid);
            }
            ensure!(Instant::now() < until, "{server} did not get ready: {servers:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn structured(mut message: Value) -> anyhow::Result<Answer> {
    ensure!(message.get("error").is_none(), "{message}");
    Ok(Answer(message["result"]["structuredContent"].take()))
}
