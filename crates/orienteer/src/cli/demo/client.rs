//! As much of an MCP client as a demonstration needs.

use std::time::Duration;

use anyhow::{Context, bail};
use orienteer_engine::process::{Child, ChildInput, Launcher, ProcessSpec};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::ChildStdout;

pub(super) struct Client {
    child: Child,
    input: ChildInput,
    lines: Lines<BufReader<ChildStdout>>,
    last_id: u64,
}

impl Client {
    pub(super) fn start(launcher: &Launcher, spec: &ProcessSpec) -> anyhow::Result<Self> {
        let mut child = launcher.spawn(spec)?;
        let input = child.take_stdin().context("the server has no standard input")?;
        let output = child.take_stdout().context("the server has no standard output")?;
        Ok(Self { child, input, lines: BufReader::new(output).lines(), last_id: 0 })
    }

    pub(super) async fn request(&mut self, method: &str, params: Value) -> anyhow::Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        loop {
            let answer = tokio::time::timeout(Duration::from_secs(120), self.lines.next_line());
            let Some(line) = answer.await.context("the server did not answer within two minutes")?? else {
                bail!("the server ended: {}", self.child.stderr_tail());
            };
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => bail!("{method} failed: {error}"),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    pub(super) async fn notify(&mut self, method: &str) -> anyhow::Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method })).await
    }

    async fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        self.input.write_all(format!("{message}\n").as_bytes()).await?;
        self.input.flush().await?;
        Ok(())
    }

    pub(super) async fn stop(self, grace: Duration) -> anyhow::Result<()> {
        drop(self.input);
        self.child.stop(grace).await?;
        Ok(())
    }
}
