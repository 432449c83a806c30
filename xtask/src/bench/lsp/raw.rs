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
    /// The first so many of them stay open.
    kept: usize,
    pub(super) counter: Counter,
}

/// How a program was started.
pub(super) struct Start {
    program: PathBuf,
    words: Vec<String>,
    folder: PathBuf,
    variables: Vec<String>,
}

impl Start {
    /// Of a process that runs.
    pub(super) fn of(pid: u32) -> anyhow::Result<Self> {
        Ok(Self {
            program: fs::read_link(format!("/proc/{pid}/exe"))?,
            words: list(pid, "cmdline")?,
            folder: fs::read_link(format!("/proc/{pid}/cwd"))?,
            variables: list(pid, "environ")?,
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if let Some((name, arguments)) = self.words.split_first() {
            command.arg0(name).args(arguments);
        }
        let variables = self.variables.iter().filter_map(|variable| variable.split_once('='));
        command.current_dir(&self.folder).env_clear().envs(variables);
        command
    }
}

impl Raw {
    /// Starts the program that ours runs as process `pid`, with the same arguments, folder and environment, and
    /// waits until it is ready.
    pub(super) fn like(pid: u32, subject: &Subject, root: &Path) -> anyhow::Result<Self> {
        let mut raw = Self::start(&Start::of(pid)?, subject, root);
        raw.wait(subject, root)?;
        // It is to know the projects that the server under ours comes to know.
        for file in subject.other_projects {
            raw.ask("textDocument/documentSymbol", &root.join(file), &Value::Null)?;
        }
        raw.kept = raw.open.len();
        Ok(raw)
    }

    /// Seconds from the start of the program to its first answer with something in it. It is asked all the time, also
    /// while it says that it is not ready: nobody can have an answer earlier.
    pub(super) fn cold_hover(
        start: &Start,
        subject: &Subject,
        path: &Path,
        at: &Value,
    ) -> anyhow::Result<f64> {
        let begun = Instant::now();
        let mut raw = Self::start(start, subject, &subject.root);
        raw.open(path);
        let params = json!({ "textDocument": { "uri": file_uri(path) }, "position": at });
        while raw
            .client
            .try_request("textDocument/hover", params.clone())
            .map_or(true, |answer| answer.is_null())
        {
            ensure!(
                begun.elapsed() < PATIENCE,
                "the raw {} says nothing about {at} in {}",
                subject.id,
                path.display()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(begun.elapsed().as_secs_f64())
    }

    fn start(start: &Start, subject: &Subject, root: &Path) -> Self {
        let mut client = RawClient::spawn_command(start.command());
        client.set_patience(PATIENCE);
        client.set_settings(subject.settings.clone());
        client.initialize(root, subject.options.clone());
        let counter = Counter::new(client.encoding());
        Self { client, language: subject.language_id, open: VecDeque::new(), kept: 0, counter }
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
            && let Some(old) = self.open.remove(self.kept)
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
