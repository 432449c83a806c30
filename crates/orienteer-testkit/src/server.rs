//! An MCP client over the stdio of a real process.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Long enough for a loaded machine, short enough to fail.
const PATIENCE: Duration = Duration::from_secs(60);

/// How messages are framed on the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Lines,
    ContentLength,
}

/// A running server and the client's end of its pipes. Killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    stderr: Arc<Mutex<String>>,
    /// Ends when everything it wrote there has been read.
    listener: JoinHandle<()>,
    /// Bytes on stdout that were no message.
    garbage: Arc<Mutex<Vec<u8>>>,
    framing: Framing,
    last_id: i64,
}

impl Server {
    /// Starts `binary mcp ARGS` in `root`, with an empty home beside it and no settings from outside.
    pub fn start(binary: impl AsRef<Path>, root: &Path, args: &[&str]) -> Self {
        Self::start_with(binary, root, args, &[], Framing::Lines)
    }

    pub fn start_with(
        binary: impl AsRef<Path>,
        root: &Path,
        args: &[&str],
        variables: &[(&str, &str)],
        framing: Framing,
    ) -> Self {
        let mut command = Command::new(binary.as_ref());
        command.arg("mcp").args(args).current_dir(root);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("ORIENTEER_") || name == "RUST_LOG" {
                command.env_remove(name);
            }
        }
        command.env("HOME", root.with_file_name("home"));
        for xdg in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            command.env_remove(xdg);
        }
        command.envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let stdout = child.stdout.take().expect("stdout");
        let mut stderr_pipe = child.stderr.take().expect("stderr");
        let stdin = child.stdin.take();
        let (sender, messages) = channel();
        let garbage = Arc::new(Mutex::new(Vec::new()));
        let rubbish = garbage.clone();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            while let Some(body) = read_message(&mut reader, framing) {
                match serde_json::from_slice(&body) {
                    Ok(message) => {
                        if sender.send(message).is_err() {
                            return;
                        }
                    }
                    Err(_) => rubbish.lock().unwrap().extend_from_slice(&body),
                }
            }
        });
        let stderr = Arc::new(Mutex::new(String::new()));
        let log = stderr.clone();
        let listener = std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = stderr_pipe.read(&mut buffer) {
                log.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        Self { child, stdin, messages, stderr, listener, garbage, framing, last_id: 0 }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it wrote to stderr so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Bytes on stdout that were no JSON.
    pub fn garbage(&self) -> Vec<u8> {
        self.garbage.lock().unwrap().clone()
    }

    /// Bytes as they are, for what no client would send.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let frame = match self.framing {
            Framing::Lines => format!("{body}\n"),
            Framing::ContentLength => format!("Content-Length: {}\r\n\r\n{body}", body.len()),
        };
        self.send_raw(frame.as_bytes());
    }

    /// The next message of any kind.
    pub fn receive(&self) -> Value {
        self.receive_within(PATIENCE).unwrap_or_else(|| panic!("no message; stderr: {}", self.stderr()))
    }

    pub fn receive_within(&self, patience: Duration) -> Option<Value> {
        self.messages.recv_timeout(patience).ok()
    }

    /// Sends a request without waiting; returns its id.
    pub fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }));
        self.last_id
    }

    /// The answer to a request, passing over everything else.
    pub fn answer(&self, id: i64) -> Value {
        let until = Instant::now() + PATIENCE;
        while let Some(message) = self.receive_within(until.saturating_duration_since(Instant::now())) {
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
        panic!("no answer to {id}; stderr: {}", self.stderr());
    }

    /// The whole answer to a request, with `result` or `error`.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The handshake of the revisions that have one; returns the `initialize` result.
    pub fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" },
        });
        let answer = self.request("initialize", params);
        self.notify("notifications/initialized", json!({}));
        answer["result"].clone()
    }

    /// The `result` of a tool call.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer.get("error").is_none(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Ends the input, as a client does that goes away.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits for the process to end.
    pub fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().expect("a status") {
                // Its last words may still be on their way. Whoever it left behind may hold the pipe open.
                let end = Instant::now() + Duration::from_secs(2);
                while !self.listener.is_finished() && Instant::now() < end {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_message(reader: &mut impl BufRead, framing: Framing) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    match framing {
        Framing::Lines => {
            if reader.read_until(b'\n', &mut line).ok()? == 0 {
                return None;
            }
            Some(line)
        }
        Framing::ContentLength => {
            let mut length = None;
            loop {
                line.clear();
                if reader.read_until(b'\n', &mut line).ok()? == 0 {
                    return None;
                }
                let text = String::from_utf8_lossy(&line);
                let text = text.trim();
                if text.is_empty() {
                    break;
                }
                if let Some((name, value)) = text.split_once(':')
                    && name.eq_ignore_ascii_case("content-length")
                {
                    length = value.trim().parse().ok();
                }
            }
            let mut body = vec![0; length.expect("a Content-Length")];
            reader.read_exact(&mut body).ok()?;
            Some(body)
        }
    }
}
