//! Requests, replies and notifications over the pipes of a server.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use orienteer_process::{ChildInput, ChildStdout};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::frame::{Scanner, TooLong, encode};
use crate::message::{self, Message, Raw};

/// A server that does not read is not fed without end.
const MOST_QUEUED: usize = 256 << 20;

/// An error reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    /// Whether the server says that asking again may help (`ServerCancelled`).
    pub(crate) retrigger: bool,
}

impl RpcError {
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const REQUEST_CANCELLED: i64 = -32800;
    pub(crate) const CONTENT_MODIFIED: i64 = -32801;
    pub(crate) const SERVER_CANCELLED: i64 = -32802;

    /// Whether a code says that the question came at a wrong time, not that it was wrong.
    pub(crate) fn is_passing(code: i64) -> bool {
        matches!(code, Self::REQUEST_CANCELLED | Self::CONTENT_MODIFIED | Self::SERVER_CANCELLED)
    }

    /// Servers write errors in many shapes; none of them is a reason to fail.
    fn read(error: &Value) -> Self {
        let code = match &error["code"] {
            Value::Number(number) => number.as_i64().unwrap_or(0),
            Value::String(text) => text.parse().unwrap_or(0),
            _ => 0,
        };
        let message = match (&error["message"], error) {
            (Value::String(message), _) | (_, Value::String(message)) => message.clone(),
            _ => "the server gave no reason".to_owned(),
        };
        let retrigger = error["data"]["retriggerRequest"].as_bool().unwrap_or(true);
        Self { code, message, retrigger }
    }
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    Error(RpcError),
    /// The server is gone.
    Closed,
}

type Reply = Result<Raw, Lost>;

/// What a server asks and tells.
pub(crate) trait Inbound: Send + Sync + 'static {
    /// `None`: a method nobody here knows.
    fn request(&self, method: &str, params: &Value) -> Option<Value>;
    fn notification(&self, method: &str, params: Option<&RawValue>);
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Wire {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    queued: Arc<AtomicUsize>,
    pending: Mutex<HashMap<i64, oneshot::Sender<Reply>>>,
    next_id: AtomicI64,
    closed: CancellationToken,
}

impl Wire {
    /// Begins to read and write.
    pub(crate) fn start(stdin: ChildInput, stdout: ChildStdout, inbound: Arc<dyn Inbound>) -> Arc<Self> {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let wire = Arc::new(Self {
            outgoing,
            queued: Arc::default(),
            pending: Mutex::default(),
            next_id: AtomicI64::new(1),
            closed: CancellationToken::new(),
        });
        tokio::spawn(write(stdin, queue, wire.queued.clone(), wire.closed.clone()));
        tokio::spawn(read(stdout, wire.clone(), inbound));
        wire
    }

    /// Ends when the server does.
    pub(crate) fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    fn send(&self, message: &Value) {
        let bytes = encode(message);
        if self.queued.fetch_add(bytes.len(), Ordering::Relaxed) > MOST_QUEUED {
            tracing::warn!("a language server does not read what it is sent; giving it up");
            self.close();
            return;
        }
        // It fails only when the server is gone, which whoever waits for a reply is told.
        let _ = self.outgoing.send(bytes);
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.send(&compose(None, method, params));
    }

    /// Sends a request now; the reply is waited for later, so that what is sent under a lock stays in order.
    pub(crate) fn request(self: &Arc<Self>, method: &str, params: Value) -> Pending {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, waiting) = oneshot::channel();
        self.pending().insert(id, reply);
        if self.closed.is_cancelled() {
            // The reader may have emptied the table before this was put in.
            self.pending().remove(&id);
        }
        self.send(&compose(Some(id), method, params));
        Pending { wire: self.clone(), id, waiting, done: false }
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, HashMap<i64, oneshot::Sender<Reply>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails everything that waits, at once.
    pub(crate) fn close(&self) {
        self.closed.cancel();
        for (_, waiting) in self.pending().drain() {
            let _ = waiting.send(Err(Lost::Closed));
        }
    }

    fn receive(&self, message: Message, inbound: &dyn Inbound) {
        let params = || message::value(message.params.as_deref());
        match (message.method.as_deref(), message.id) {
            (Some(method), Some(id)) => {
                let reply = match inbound.request(method, &params()) {
                    Some(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    None => {
                        tracing::debug!(method, "a request nobody here knows");
                        let error = json!({ "code": RpcError::METHOD_NOT_FOUND, "message": format!("{method} is not supported") });
                        json!({ "jsonrpc": "2.0", "id": id, "error": error })
                    }
                };
                self.send(&reply);
            }
            (Some(method), None) => inbound.notification(method, message.params.as_deref()),
            (None, Some(id)) => {
                let number = id.as_i64().or_else(|| id.as_str().and_then(|text| text.parse().ok()));
                let Some(waiting) = number.and_then(|id| self.pending().remove(&id)) else {
                    tracing::debug!(%id, "a reply nobody waits for");
                    return;
                };
                let reply = match message.error {
                    Some(error) => Err(Lost::Error(RpcError::read(&error))),
                    None => Ok(message.result),
                };
                let _ = waiting.send(reply);
            }
            (None, None) => tracing::debug!("a message without method and id"),
        }
    }
}

fn compose(id: Option<i64>, method: &str, params: Value) -> Value {
    let mut message = Map::new();
    message.insert("jsonrpc".to_owned(), json!("2.0"));
    if let Some(id) = id {
        message.insert("id".to_owned(), json!(id));
    }
    message.insert("method".to_owned(), json!(method));
    // Some servers refuse `exit` and `shutdown` with params of any kind.
    if !params.is_null() {
        message.insert("params".to_owned(), params);
    }
    Value::Object(message)
}

async fn write(
    mut stdin: ChildInput,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
    queued: Arc<AtomicUsize>,
    closed: CancellationToken,
) {
    loop {
        let bytes = tokio::select! {
            bytes = queue.recv() => bytes,
            () = closed.cancelled() => return,
        };
        let Some(bytes) = bytes else { return };
        queued.fetch_sub(bytes.len(), Ordering::Relaxed);
        let written = async {
            stdin.write_all(&bytes).await?;
            stdin.flush().await
        };
        if written.await.is_err() {
            // Whoever waits for a reply learns it now, not after their time-out.
            closed.cancel();
            return;
        }
    }
}

async fn read(mut stdout: ChildStdout, wire: Arc<Wire>, inbound: Arc<dyn Inbound>) {
    let mut scanner = Scanner::default();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = tokio::select! {
            count = stdout.read(&mut buffer) => count.unwrap_or(0),
            () = wire.closed.cancelled() => 0,
        };
        if count == 0 {
            break;
        }
        scanner.push(&buffer[..count]);
        loop {
            if let Some(TooLong { length, begin, end, .. }) = scanner.passed_over() {
                tracing::warn!(bytes = length, "a message of a language server is too long and passed over");
                wire.receive(Message::too_long(&begin, &end, length), inbound.as_ref());
            }
            let Some(message) = scanner.next(Message::read) else { break };
            wire.receive(message, inbound.as_ref());
        }
    }
    if scanner.skipped() > 0 {
        tracing::debug!(bytes = scanner.skipped(), "passed over bytes that were no message");
    }
    wire.close();
}

/// A request that was sent. Dropping it tells the server that nobody waits any more.
#[derive(Debug)]
pub(crate) struct Pending {
    wire: Arc<Wire>,
    id: i64,
    waiting: oneshot::Receiver<Reply>,
    done: bool,
}

impl Pending {
    pub(crate) async fn reply(mut self) -> Reply {
        let reply = (&mut self.waiting).await.unwrap_or(Err(Lost::Closed));
        self.done = true;
        reply
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.done && self.wire.pending().remove(&self.id).is_some() {
            self.wire.notify("$/cancelRequest", json!({ "id": self.id }));
        }
    }
}
