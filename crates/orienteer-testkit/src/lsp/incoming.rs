//! Everything that comes from the server: read in one thread, so that it never has to wait for us.

use std::io::{BufReader, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use serde_json::{Value, json};

use super::client::Notice;
use super::frames::{frame, read_frame};

/// How much of stderr is kept.
const MOST_STDERR: usize = 64 << 10;

/// What the threads gather.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) notices: Mutex<Vec<Notice>>,
    pub(super) arrived: Condvar,
    /// Requests of the server, with what they asked.
    pub(super) requests: Mutex<Vec<Value>>,
    pub(super) stderr: Mutex<Vec<u8>>,
    pub(super) stderr_ended: AtomicBool,
    pub(super) settings: Mutex<Value>,
    pub(super) folders: Mutex<Value>,
}

/// Starts the threads; the channel has the server's responses and closes with its output.
pub(super) fn listen(
    stdout: ChildStdout,
    stderr: ChildStderr,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    gathered: &Arc<Gathered>,
) -> Receiver<Value> {
    let (responses, received) = channel();
    let (replies, to_write) = channel::<Value>();
    // The reader must not write: a server that waits for us to read would never read what we write.
    std::thread::spawn(move || {
        for reply in to_write {
            if let Some(stdin) = stdin.lock().unwrap().as_mut() {
                let _ = stdin.write_all(&frame(&reply.to_string())).and_then(|()| stdin.flush());
            }
        }
    });
    let all = gathered.clone();
    std::thread::spawn(move || read(stdout, &all, &responses, &replies));
    let all = gathered.clone();
    std::thread::spawn(move || drain(stderr, &all));
    received
}

fn read(stdout: ChildStdout, all: &Gathered, responses: &Sender<Value>, replies: &Sender<Value>) {
    let mut reader = BufReader::with_capacity(64 << 10, stdout);
    while let Some(body) = read_frame(&mut reader) {
        let Ok(mut message) = serde_json::from_slice::<Value>(&body) else { continue };
        match (message.get("method").and_then(Value::as_str), message.get("id")) {
            (None, _) => {
                if responses.send(message).is_err() {
                    return;
                }
            }
            (Some(_), Some(_)) => {
                let _ = replies.send(reply(all, &message));
                all.requests.lock().unwrap().push(message);
            }
            (Some(method), None) => {
                let (method, at) = (method.to_owned(), Instant::now());
                let params = message.get_mut("params").map(Value::take).unwrap_or_default();
                let notice = Notice { method, params, at };
                all.notices.lock().unwrap().push(notice);
                all.arrived.notify_all();
            }
        }
    }
    all.arrived.notify_all();
}

fn reply(all: &Gathered, request: &Value) -> Value {
    let result = match request["method"].as_str().unwrap_or_default() {
        "workspace/configuration" => {
            let settings = all.settings.lock().unwrap();
            let items = request["params"]["items"].as_array().into_iter().flatten();
            items.map(|item| section(&settings, item["section"].as_str().unwrap_or_default())).collect()
        }
        "workspace/workspaceFolders" => all.folders.lock().unwrap().clone(),
        "workspace/applyEdit" => json!({ "applied": false, "failureReason": "a raw client writes no files" }),
        "client/registerCapability" | "client/unregisterCapability" | "window/workDoneProgress/create" => {
            Value::Null
        }
        method if method.ends_with("/refresh") || method.starts_with("window/") => Value::Null,
        method => {
            let error = json!({ "code": -32601, "message": format!("{method} is not known") });
            return json!({ "jsonrpc": "2.0", "id": request["id"], "error": error });
        }
    };
    json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
}

/// `a.b` in the settings, by nested members or by the dotted name itself.
fn section(settings: &Value, section: &str) -> Value {
    if section.is_empty() {
        return settings.clone();
    }
    let nested = section.split('.').try_fold(settings, |value, key| value.get(key));
    nested.or_else(|| settings.get(section)).cloned().unwrap_or_default()
}

fn drain(mut pipe: ChildStderr, all: &Gathered) {
    let mut buffer = [0; 8192];
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        let mut kept = all.stderr.lock().unwrap();
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(MOST_STDERR);
        kept.drain(..surplus);
    }
    all.stderr_ended.store(true, Ordering::SeqCst);
}
