//! The other side: the same program, asked directly.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use orienteer_testkit::lsp::RawClient;
use orienteer_testkit::uri::file_uri;
use serde_json::{Value, json};

use super::places::Counter;
use super::server::{Ready, Subject};

const PATIENCE: Duration = Duration::from_secs(240);

/// Some servers check every open document again at each change.
const MOST_OPEN: usize = 300;

pub(super) struct Raw {
    client: RawClient,
    language: &'static str,
    open: VecDeque<PathBuf>,
    pub(super) counter: Counter,
}

impl Raw {
    /// Starts the program that ours runs as process `pid`, with the same arguments, folder and environment, and
    /// waits until it is ready.
    pub(super) fn like(pid: u32, subject: &Subject, root: &Path) -> anyhow::Result<Self> {
        let words = list(pid, "cmdline")?;
        let (name, arguments) = words.split_first().context("a process without a name")?;
        let mut command = Command::new(fs::read_link(format!("/proc/{pid}/exe"))?);
        command.arg0(name);
        command.args(arguments).current_dir(fs::read_link(format!("/proc/{pid}/cwd"))?).env_clear();
        for variable in list(pid, "environ")? {
            if let Some((name, value)) = variable.split_once('=') {
                command.env(name, value);
            }
        }
        let mut client = RawClient::spawn_command(command);
        client.set_patience(PATIENCE);
        client.set_settings(subject.settings.clone());
        client.initialize(root, subject.options.clone());
        let counter = Counter::new(client.encoding());
        let mut raw = Self { client, language: subject.language_id, open: VecDeque::new(), counter };
        raw.wait(subject, root)?;
        Ok(raw)
    }

    fn wait(&mut self, subject: &Subject, root: &Path) -> anyhow::Result<()> {
        let ready = match subject.ready {
            Ready::AtOnce => true,
            Ready::Status => self
                .client
                .wait_notification(
                    |method, params| method == "experimental/serverStatus" && params["quiescent"] == true,
                    PATIENCE,
                )
                .is_some(),
            Ready::Message(text) => self
                .client
                .wait_notification(
                    |method, params| {
                        method == "window/logMessage"
                            && params["message"].as_str().is_some_and(|message| message.contains(text))
                    },
                    PATIENCE,
                )
                .is_some(),
            Ready::Progress => {
                self.open(&root.join(subject.first_file));
                self.client.wait_progress(Duration::from_secs(1), PATIENCE)
            }
        };
        ensure!(ready, "the raw {} did not get ready: {}", subject.id, self.client.stderr());
        Ok(())
    }

    pub(super) fn pid(&self) -> u32 {
        self.client.pid()
    }

    /// Opens a document unless it is open.
    pub(super) fn open(&mut self, path: &Path) {
        if self.open.iter().any(|open| open == path) {
            return;
        }
        if self.open.len() >= MOST_OPEN
            && let Some(old) = self.open.pop_front()
        {
            self.client.close(&old);
        }
        self.client.open(path, self.language);
        self.open.push_back(path.to_owned());
    }

    /// Asks about a position; returns the answer and the milliseconds it took.
    pub(super) fn ask(
        &mut self,
        method: &str,
        path: &Path,
        position: &Value,
    ) -> anyhow::Result<(Value, f64)> {
        self.ask_with(method, path, position, &Value::Null)
    }

    /// The same with more parameters.
    pub(super) fn ask_with(
        &mut self,
        method: &str,
        path: &Path,
        position: &Value,
        extra: &Value,
    ) -> anyhow::Result<(Value, f64)> {
        self.open(path);
        let mut params = json!({ "textDocument": { "uri": file_uri(path) } });
        if !position.is_null() {
            params["position"] = position.clone();
        }
        for (name, value) in extra.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        if method == "textDocument/references" {
            params["context"] = json!({ "includeDeclaration": true });
        }
        let until = Instant::now() + PATIENCE;
        loop {
            let begun = Instant::now();
            match self.client.try_request(method, params.clone()) {
                Ok(answer) => return Ok((answer, begun.elapsed().as_secs_f64() * 1000.0)),
                // The content was modified, or the server gave up: asked again as every client does.
                Err(error)
                    if [-32801, -32802].contains(&error["code"].as_i64().unwrap_or_default())
                        && Instant::now() < until =>
                {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => bail!("{method} {params}: {error}"),
            }
        }
    }
}

/// A list of the process with NUL between its members.
fn list(pid: u32, name: &str) -> anyhow::Result<Vec<String>> {
    let bytes = fs::read(format!("/proc/{pid}/{name}")).with_context(|| format!("process {pid} is gone"))?;
    let parts = bytes.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    Ok(parts.map(|part| String::from_utf8_lossy(part).into_owned()).collect())
}
