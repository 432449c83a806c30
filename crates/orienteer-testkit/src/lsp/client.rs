//! The raw client itself.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::capabilities::full_capabilities;
use super::frames::frame;
use super::incoming::{Gathered, listen};
use crate::process::kill;
use crate::uri::file_uri;

/// Long enough for a loaded machine, short enough to fail.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a server may take to say good-bye before it is killed.
const FAREWELL: Duration = Duration::from_secs(2);

/// A notification of the server.
#[derive(Debug, Clone)]
pub struct Notice {
    pub method: String,
    pub params: Value,
    pub at: Instant,
}

/// A language server and its client. When dropped, the server is shut down, and its whole group killed.
#[derive(Debug)]
pub struct RawClient {
    child: Child,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    responses: Receiver<Value>,
    gathered: Arc<Gathered>,
    /// Responses that came while another was waited for.
    early: HashMap<i64, Value>,
    versions: HashMap<PathBuf, i64>,
    last_id: i64,
    patience: Duration,
    encoding: String,
}

impl RawClient {
    /// Starts a server in a folder.
    pub fn spawn<S: AsRef<OsStr>>(program: impl AsRef<OsStr>, args: &[S], root: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(args).current_dir(root);
        Self::spawn_command(command)
    }

    /// Starts a server from a command with its own environment and folder; the pipes and the group are ours.
    pub fn spawn_command(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let stdin = Arc::new(Mutex::new(child.stdin.take()));
        let stdout = child.stdout.take().expect("stdout");
        let stderr = child.stderr.take().expect("stderr");
        let gathered = Arc::new(Gathered::default());
        let responses = listen(stdout, stderr, stdin.clone(), &gathered);
        Self {
            child,
            stdin,
            responses,
            gathered,
            early: HashMap::new(),
            versions: HashMap::new(),
            last_id: 0,
            patience: PATIENCE,
            encoding: "utf-16".to_owned(),
        }
    }

    /// How long a request may take before it panics; 60 s at first.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// What `workspace/configuration` gets, by section; without settings every item gets `null`.
    pub fn set_settings(&mut self, settings: Value) {
        *self.gathered.settings.lock().unwrap() = settings;
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The position encoding that the server chose.
    pub fn encoding(&self) -> &str {
        &self.encoding
    }

    /// The end of what it wrote to stderr.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.gathered.stderr.lock().unwrap()).into_owned()
    }

    /// Requests that the server made; all were answered.
    pub fn server_requests(&self) -> Vec<Value> {
        self.gathered.requests.lock().unwrap().clone()
    }

    /// Bytes as they are. A server that is gone is noticed by who waits for its answer.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        if let Some(stdin) = self.stdin.lock().unwrap().as_mut() {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    fn send(&mut self, message: &Value) {
        self.send_raw(&frame(&message.to_string()));
    }

    /// Sends a notification; `null` params are left out.
    pub fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
    }

    /// Sends a request without waiting; returns its id.
    pub fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        self.last_id
    }

    /// The whole response to a request: `Err` says whether the time was over or the server gone.
    pub fn response(&mut self, id: i64, patience: Duration) -> Result<Value, RecvTimeoutError> {
        if let Some(response) = self.early.remove(&id) {
            return Ok(response);
        }
        let until = Instant::now() + patience;
        loop {
            let response = self.responses.recv_timeout(until.saturating_duration_since(Instant::now()))?;
            match response["id"].as_i64() {
                Some(this) if this == id => return Ok(response),
                Some(other) => drop(self.early.insert(other, response)),
                None => {}
            }
        }
    }

    /// The result, or the `error` member. Panics when there is no answer.
    pub fn try_request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params);
        let mut response = self.response(id, self.patience).unwrap_or_else(|why| {
            panic!("no answer to {method}: {why}; stderr: {}", self.stderr());
        });
        match response.get_mut("error").map(Value::take) {
            Some(error) if !error.is_null() => Err(error),
            _ => Ok(response["result"].take()),
        }
    }

    /// The result. Panics on an error and when there is no answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.try_request(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The same, asked again while the server says that the content changed or that it cancelled.
    pub fn steady_request(&mut self, method: &str, params: Value) -> Value {
        let until = Instant::now() + self.patience;
        loop {
            match self.try_request(method, params.clone()) {
                Ok(result) => return result,
                Err(error) if [-32801, -32802].contains(&error["code"].as_i64().unwrap_or_default()) => {
                    assert!(Instant::now() < until, "{method}: {error}");
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => panic!("{method}: {error}"),
            }
        }
    }

    /// The handshake with all capabilities; returns the whole result.
    pub fn initialize(&mut self, root: &Path, options: Value) -> Value {
        self.initialize_with(root, options, |_| ())
    }

    /// The handshake with capabilities that the caller changes.
    pub fn initialize_with(&mut self, root: &Path, options: Value, change: impl FnOnce(&mut Value)) -> Value {
        let mut capabilities = full_capabilities();
        change(&mut capabilities);
        let uri = file_uri(root);
        let folders = json!([{ "uri": uri, "name": root.file_name().unwrap_or_default().to_string_lossy() }]);
        *self.gathered.folders.lock().unwrap() = folders.clone();
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": "raw" },
            "rootUri": uri,
            "rootPath": root.to_string_lossy(),
            "workspaceFolders": folders,
            "initializationOptions": options,
            "capabilities": capabilities,
        });
        let result = self.request("initialize", params);
        if let Some(encoding) = result["capabilities"]["positionEncoding"].as_str() {
            encoding.clone_into(&mut self.encoding);
        }
        self.notify("initialized", json!({}));
        result
    }

    /// Opens a document with the text on disk; returns its URI.
    pub fn open(&mut self, path: &Path, language: &str) -> String {
        let text =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let uri = file_uri(path);
        self.versions.insert(path.to_owned(), 1);
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    }

    /// Replaces the whole text of an open document; returns its new version.
    pub fn change(&mut self, path: &Path, text: &str) -> i64 {
        let version = self.versions.get_mut(path).expect("the document is open");
        *version += 1;
        let version = *version;
        let document = json!({ "uri": file_uri(path), "version": version });
        let changes = json!([{ "text": text }]);
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
        version
    }

    pub fn save(&mut self, path: &Path) {
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": file_uri(path) } }));
    }

    pub fn close(&mut self, path: &Path) {
        self.versions.remove(path);
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": file_uri(path) } }));
    }

    /// Notifications so far, with their times.
    pub fn notices(&self) -> Vec<Notice> {
        self.gathered.notices.lock().unwrap().clone()
    }

    /// How many notifications came so far: where [`Self::wait_notification_from`] may begin.
    pub fn mark(&self) -> usize {
        self.gathered.notices.lock().unwrap().len()
    }

    /// The first notification of this kind, of those that came and those to come.
    pub fn wait_notification(
        &self,
        wanted: impl Fn(&str, &Value) -> bool,
        patience: Duration,
    ) -> Option<Notice> {
        self.wait_notification_from(0, wanted, patience)
    }

    /// The first notification of this kind after a mark.
    pub fn wait_notification_from(
        &self,
        mark: usize,
        wanted: impl Fn(&str, &Value) -> bool,
        patience: Duration,
    ) -> Option<Notice> {
        let until = Instant::now() + patience;
        let mut next = mark;
        let mut notices = self.gathered.notices.lock().unwrap();
        loop {
            if let Some(notice) =
                notices.iter().skip(next).find(|notice| wanted(&notice.method, &notice.params))
            {
                return Some(notice.clone());
            }
            next = notices.len();
            let left = until.checked_duration_since(Instant::now())?;
            notices = self.gathered.arrived.wait_timeout(notices, left).unwrap().0;
        }
    }

    /// Waits until work was begun and none has been under way for `settle`. `false` when the time is over.
    pub fn wait_progress(&self, settle: Duration, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            let notices = self.notices();
            let progress = notices.iter().filter(|notice| notice.method == "$/progress");
            let mut running = HashSet::new();
            let mut last = None;
            for notice in progress {
                let token = notice.params["token"].to_string();
                match notice.params["value"]["kind"].as_str() {
                    Some("begin") => drop(running.insert(token)),
                    Some("end") => drop(running.remove(&token)),
                    _ => {}
                }
                last = Some(notice.at);
            }
            if running.is_empty() && last.is_some_and(|last| last.elapsed() >= settle) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    /// Ends the server's input, as a client does that goes away.
    pub fn close_input(&mut self) {
        *self.stdin.lock().unwrap() = None;
    }

    /// Waits for the process to end, and a moment for the rest of its stderr, which a child may keep open.
    pub fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().expect("a status") {
                let until = Instant::now() + FAREWELL;
                while !self.gathered.stderr_ended.load(Ordering::SeqCst) && Instant::now() < until {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

    /// `shutdown` and `exit`, and the wait for the end of its output. `false` when it did not go by itself.
    pub fn say_goodbye(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let id = self.begin("shutdown", Value::Null);
        let answered = self.response(id, patience);
        self.notify("exit", Value::Null);
        if answered == Err(RecvTimeoutError::Timeout) {
            return false;
        }
        loop {
            match self.responses.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(why) => return why == RecvTimeoutError::Disconnected,
            }
        }
    }
}

impl Drop for RawClient {
    fn drop(&mut self) {
        // A server that does not read must not hold us up: the lock may be held by a write that never ends.
        if !std::thread::panicking() && self.stdin.try_lock().is_ok() {
            self.say_goodbye(FAREWELL);
        }
        // Before the process is reaped, so that the number still belongs to its group.
        kill(&format!("-{}", self.child.id()));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
