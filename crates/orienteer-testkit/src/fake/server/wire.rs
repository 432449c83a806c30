//! Frames on stdin and stdout, well-formed or not.

use std::io::Write;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::fake::{Headers, Script, Writing};

pub(super) struct Wire {
    out: Mutex<Box<dyn Write + Send>>,
    writing: Writing,
    headers: Headers,
    garbage: String,
}

impl Wire {
    pub(super) fn new(script: &Script) -> Self {
        Self {
            out: Mutex::new(unbuffered_stdout()),
            writing: script.writing,
            headers: script.headers,
            garbage: script.garbage.clone(),
        }
    }

    fn frame(&self, body: &[u8]) -> Vec<u8> {
        let length = body.len();
        let kind = "Content-Type: application/vscode-jsonrpc; charset=utf-8";
        let header = match self.headers {
            Headers::Plain => format!("Content-Length: {length}\r\n\r\n"),
            Headers::LowerCase => format!("content-length:{length}\r\n\r\n"),
            Headers::ContentTypeFirst => format!("{kind}\r\nContent-Length: {length}\r\n\r\n"),
            Headers::ContentTypeLast => format!("Content-Length: {length}\r\n{kind}\r\n\r\n"),
            Headers::LineFeedOnly => format!("Content-Length: {length}\n\n"),
        };
        let mut frame = self.garbage.clone().into_bytes();
        frame.extend_from_slice(header.as_bytes());
        frame.extend_from_slice(body);
        frame
    }

    pub(super) fn send(&self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub(super) fn send_text(&self, message: &str) {
        let mut bytes = self.frame(message.as_bytes());
        if self.writing == Writing::Merged {
            let chaff = |method: &str| {
                let params = json!({ "type": 4, "message": "chaff" });
                let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
                self.frame(message.to_string().as_bytes())
            };
            bytes.splice(0..0, chaff("window/logMessage"));
            bytes.extend(chaff("telemetry/event"));
        }
        self.raw(&bytes);
    }

    /// A frame that breaks off in the middle of its body.
    pub(super) fn send_half(&self, body: &str) {
        let frame = self.frame(body.as_bytes());
        self.raw(&frame[..frame.len() - body.len() / 2]);
    }

    /// A frame whose body is no JSON.
    pub(super) fn send_broken(&self) {
        self.raw(&self.frame(b"{\"jsonrpc\":\"2.0\",\"id\":"));
    }

    /// A client that went away is no fault of the server: the end of its input ends it.
    pub(super) fn raw(&self, bytes: &[u8]) {
        let mut out = self.out.lock().unwrap();
        let pieces = if self.writing == Writing::SingleBytes { 1 } else { bytes.len().max(1) };
        for piece in bytes.chunks(pieces) {
            if out.write_all(piece).and_then(|()| out.flush()).is_err() {
                return;
            }
        }
    }
}

/// The standard handle splits a write at its last newline; merged frames need exactly one.
#[cfg(unix)]
fn unbuffered_stdout() -> Box<dyn Write + Send> {
    use std::os::fd::AsFd;
    let handle = std::io::stdout().as_fd().try_clone_to_owned().expect("stdout is open");
    Box::new(std::fs::File::from(handle))
}

#[cfg(not(unix))]
fn unbuffered_stdout() -> Box<dyn Write + Send> {
    Box::new(std::io::stdout())
}
