//! A tool is asked, and the answer is timed.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use orienteer_testkit::Server;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(240);

/// The structured answer and the milliseconds it took.
pub(super) fn ask(server: &mut Server, tool: &str, arguments: &Value) -> anyhow::Result<(Value, f64)> {
    let begun = Instant::now();
    let id = server.begin("tools/call", json!({ "name": tool, "arguments": arguments }));
    loop {
        let left = PATIENCE.saturating_sub(begun.elapsed());
        let message = server
            .receive_within(left)
            .with_context(|| format!("{tool}: no answer; stderr: {}", server.stderr()))?;
        if message["id"] != id || message.get("method").is_some() {
            continue;
        }
        let took = begun.elapsed().as_secs_f64() * 1000.0;
        let structured = &message["result"]["structuredContent"];
        ensure!(structured["ok"] == true, "{tool} {arguments}: {message}");
        return Ok((structured.clone(), took));
    }
}
