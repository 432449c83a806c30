//! The fake server's process: one loop that reads messages in order, and threads for what is said later.

mod answers;
mod capabilities;
mod columns;
mod documents;
mod edits;
mod faults;
mod hierarchy;
mod journal;
mod language;
mod life;
mod loading;
mod publishing;
mod reports;
mod requests;
mod shared;
mod view;
mod wire;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};

use self::documents::Documents;
use self::faults::Faults;
use self::publishing::Publishing;
use self::shared::Shared;
use crate::fake::{Encoding, Script};
use crate::lsp::read_frame;

/// What the loop waits for.
enum Event {
    Message(Value),
    /// A frame that is no JSON.
    Broken(String),
    /// The project is loaded.
    Ready,
    /// The end of the input.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Fresh,
    Running,
    ShutDown,
}

struct Server {
    shared: Arc<Shared>,
    faults: Faults,
    documents: Documents,
    publishing: Publishing,
    encoding: Encoding,
    phase: Phase,
    client: Value,
    loading: bool,
    sender: Sender<Event>,
    /// Requests of our own whose replies the next message has to wait for.
    gate: Vec<String>,
    /// Messages behind the gate; `true` when their own requests were already sent.
    behind: VecDeque<(Value, bool)>,
}

/// The whole process: `fake-lsp SCRIPT.json`.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    // Whoever looks for servers asks them this first.
    if arguments.iter().any(|argument| argument == "--version") {
        let _ = std::io::Write::write_all(&mut std::io::stdout(), b"fake-lsp 1.0\n");
        return ExitCode::SUCCESS;
    }
    let Some(path) = arguments.first() else {
        return refuse("usage: fake-lsp SCRIPT.json");
    };
    let script = match Script::read(path.as_ref()) {
        Ok(script) => script,
        Err(wrong) => return refuse(&format!("the script {}: {wrong}", path.to_string_lossy())),
    };
    if script.ignore_signals && !arguments.iter().any(|argument| argument == "--signals-are-ignored") {
        return life::restart_without_signals(path);
    }
    let shared = Arc::new(Shared::new(script));
    let mut faults = Faults::new(&shared.script);
    life::start(&shared, &mut faults);
    let (sender, events) = channel();
    let documents = Documents::new(&shared.script.extensions);
    let mut server = Server {
        shared,
        faults,
        documents,
        publishing: Publishing::default(),
        encoding: Encoding::Utf16,
        phase: Phase::Fresh,
        client: Value::Null,
        loading: false,
        sender: sender.clone(),
        gate: Vec::new(),
        behind: VecDeque::new(),
    };
    std::thread::spawn(move || read(&sender));
    server.serve(&events)
}

fn refuse(why: &str) -> ExitCode {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("fake-lsp: {why}\n").as_bytes());
    ExitCode::from(2)
}

fn read(events: &Sender<Event>) {
    let mut input = std::io::stdin().lock();
    while let Some(body) = read_frame(&mut input) {
        let event = match serde_json::from_slice(&body) {
            Ok(message) => Event::Message(message),
            Err(error) => Event::Broken(error.to_string()),
        };
        if events.send(event).is_err() {
            return;
        }
    }
    let _ = events.send(Event::End);
}

impl Server {
    fn serve(&mut self, events: &Receiver<Event>) -> ExitCode {
        loop {
            let event = match self.patience() {
                Some(patience) => events.recv_timeout(patience),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Message(message)) => {
                    if let Some(code) = self.handle(message) {
                        return code;
                    }
                }
                Ok(Event::Broken(why)) => {
                    self.shared.journal.violation(&format!("a frame that is no JSON: {why}"))
                }
                Ok(Event::Ready) => self.publish(None),
                Ok(Event::End) if self.shared.script.ignore_exit => {
                    self.shared.journal.note("end", json!({}))
                }
                Ok(Event::End) => return ExitCode::FAILURE,
                Err(RecvTimeoutError::Timeout) => self.die_idle(),
                Err(RecvTimeoutError::Disconnected) => return ExitCode::FAILURE,
            }
        }
    }

    /// How long nothing may come before the server dies of it; it is idle only after the handshake.
    fn patience(&self) -> Option<Duration> {
        let ms = self.shared.script.idle_ms;
        (ms > 0 && self.phase == Phase::Running).then(|| Duration::from_millis(ms))
    }

    fn die_idle(&self) {
        let script = &self.shared.script;
        if !script.idle_once || self.shared.journal.claim("idle") {
            self.shared.die(script.idle_death);
        }
    }

    /// Replies open the gate; everything else waits behind it in order. Returns a code to exit with.
    fn handle(&mut self, message: Value) -> Option<ExitCode> {
        if message.get("method").is_none() {
            self.shared.take_reply(&message);
        } else {
            life::note_received(&self.shared, &message);
            self.behind.push_back((message, false));
        }
        loop {
            self.gate.retain(|key| self.shared.is_waiting(key));
            if !self.gate.is_empty() {
                return None;
            }
            let (message, said) = self.behind.pop_front()?;
            if !said {
                self.say(&message);
                self.behind.push_front((message, true));
                continue;
            }
            let method = message["method"].as_str().unwrap_or_default().to_owned();
            if method == "exit" && !self.shared.script.ignore_exit {
                return Some(ExitCode::from(u8::from(self.phase != Phase::ShutDown)));
            }
            let fault = self.faults.due(&self.shared, &method, &message);
            fault.strike(&self.shared);
            if message.get("id").is_some() {
                self.request(fault, &method, &message);
            } else {
                self.notification(&method, &message["params"]);
                fault.strike_after(&self.shared);
            }
        }
    }

    /// The script's own requests and notifications on this message.
    fn say(&mut self, message: &Value) {
        let shared = self.shared.clone();
        if let Some(id) = message.get("id") {
            shared.client_asked(id);
        }
        for say in shared.script.says.iter().filter(|say| message["method"] == say.on.as_str()) {
            let (shared, said) = (shared.clone(), say.clone());
            let speak = move || {
                std::thread::sleep(Duration::from_millis(said.delay_ms));
                if said.request {
                    return Some(shared.ask(&said.method, said.params));
                }
                shared.notify(&said.method, said.params.unwrap_or_default());
                None
            };
            if say.delay_ms > 0 {
                std::thread::spawn(speak);
            } else if let Some(key) = speak()
                && self.shared.script.insist
            {
                self.gate.push(key);
            }
        }
    }
}
