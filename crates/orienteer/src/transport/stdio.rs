//! MCP over standard input and output.
//!
//! rmcp's own stdio transport drops over-long lines in silence, ignores bad JSON and knows one framing. This
//! one answers every bad message, lets the session go on, and speaks both framings.

use std::collections::HashSet;
use std::convert::Infallible;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::RequestId;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc, oneshot};

use super::framing::{Decoder, Frame, Framing, encode};
use crate::render::Outcome;

/// A request that was cancelled by `$/cancelRequest`, in the words of JSON-RPC as language servers use it.
const REQUEST_CANCELLED: i64 = -32800;

/// The transport. Reading and writing happen on threads of their own: a read of standard input cannot be
/// cancelled, and must not keep the runtime from ending.
#[derive(Debug)]
pub struct Stdio {
    incoming: mpsc::Receiver<Vec<u8>>,
    decoder: Decoder,
    outgoing: Outgoing,
    /// Requests that were passed on and not answered yet.
    in_flight: Arc<Mutex<HashSet<RequestId>>>,
    /// The result of a call that was cancelled, for clients that expect one.
    cancelled: Option<Value>,
    /// A request has been seen; rmcp ends the session when anything else comes first.
    begun: bool,
    /// A handshake, or a request that needs none, has been seen.
    greeted: bool,
    ended: bool,
}

/// A frame to write, and whom to tell when it is written.
type Queued = (Vec<u8>, Option<oneshot::Sender<()>>);

/// Frames on their way out. Queueing never waits: rmcp drops the future that reads messages whenever
/// something else happens, and an answer half given there would be lost.
#[derive(Debug, Clone)]
struct Outgoing {
    sender: mpsc::UnboundedSender<Queued>,
    framing: Arc<OnceLock<Framing>>,
    /// Of a client that has not written anything yet.
    assumed: Framing,
    pending: Arc<Pending>,
}

/// How much waits to be written. A client that writes but does not read is not read from either: what waits is then this
/// much and the answers to the calls that had been taken in, of which the router allows only so many.
#[derive(Debug, Default)]
struct Pending {
    count: AtomicUsize,
    bytes: AtomicUsize,
    fewer: Notify,
}

/// More waiting frames than this, and reading pauses.
const MAX_PENDING: usize = 256;

/// More waiting bytes than this, and reading pauses.
const MAX_PENDING_BYTES: usize = 4 << 20;

/// More waiting bytes than this, and news of what is going on is left out: nobody reads it now, and it is old later.
const MAX_BEFORE_NEWS: usize = 256 << 10;

impl Pending {
    fn add(&self, bytes: usize) {
        self.count.fetch_add(1, Ordering::AcqRel);
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
    }

    fn take(&self, bytes: usize) {
        self.count.fetch_sub(1, Ordering::AcqRel);
        self.bytes.fetch_sub(bytes, Ordering::AcqRel);
        self.fewer.notify_waiters();
    }
}

impl Outgoing {
    fn queue(&self, body: &[u8], written: Option<oneshot::Sender<()>>) {
        let framing = self.framing.get().copied().unwrap_or(self.assumed);
        let frame = encode(framing, body);
        self.pending.add(frame.len());
        let _ = self.sender.send((frame, written));
    }

    /// Whether so much waits that news may be left out.
    fn is_behind(&self) -> bool {
        self.pending.bytes.load(Ordering::Acquire) > MAX_BEFORE_NEWS
    }

    /// Waits until fewer frames and bytes than these are queued.
    async fn fewer_than(&self, frames: usize, bytes: usize) {
        loop {
            let fewer = self.pending.fewer.notified();
            let is_less = |waiting: &AtomicUsize, most: usize| waiting.load(Ordering::Acquire) < most;
            if is_less(&self.pending.count, frames) && is_less(&self.pending.bytes, bytes) {
                return;
            }
            fewer.await;
        }
    }
}

impl Stdio {
    /// Takes over a pair of streams; `limit` is the longest message accepted.
    pub fn start(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        limit: usize,
    ) -> std::io::Result<Self> {
        let (read_sender, incoming) = mpsc::channel(16);
        std::thread::Builder::new().name("stdin".to_owned()).spawn(move || read_all(input, &read_sender))?;
        let (sender, frames) = mpsc::unbounded_channel();
        let pending = Arc::<Pending>::default();
        let waiting = pending.clone();
        std::thread::Builder::new()
            .name("stdout".to_owned())
            .spawn(move || write_all(output, frames, &waiting))?;
        Ok(Self {
            incoming,
            decoder: Decoder::new(limit),
            outgoing: Outgoing { sender, framing: Arc::default(), assumed: Framing::Lines, pending },
            in_flight: Arc::default(),
            cancelled: None,
            begun: false,
            greeted: false,
            ended: false,
        })
    }

    /// Answers requests that are cancelled in whichever way with this.
    #[must_use]
    pub fn answering_cancelled(mut self, outcome: Option<Outcome>) -> Self {
        // Structured content is the business of who knows the dialect; what is cancelled has none.
        self.cancelled = outcome.map(|outcome| {
            json!({ "content": [{ "type": "text", "text": outcome.text }], "isError": outcome.is_error })
        });
        self
    }

    /// How a client that has not written anything yet is answered.
    #[must_use]
    pub fn assuming(mut self, framing: Framing) -> Self {
        self.outgoing.assumed = framing;
        self
    }

    async fn next_frame(&mut self) -> Option<Frame> {
        loop {
            let frame = self.decoder.next_frame();
            if let Some(framing) = self.decoder.framing() {
                let _ = self.outgoing.framing.set(framing);
            }
            if frame.is_some() {
                return frame;
            }
            if self.ended {
                // What was answered here is on its way; the process may end as soon as this returns.
                let written = self.outgoing.fewer_than(1, usize::MAX);
                let _ = tokio::time::timeout(Duration::from_secs(2), written).await;
                return None;
            }
            let gone = self.outgoing.sender.closed();
            let next = async {
                self.outgoing.fewer_than(MAX_PENDING, MAX_PENDING_BYTES).await;
                self.incoming.recv().await
            };
            let bytes = tokio::select! {
                bytes = next => bytes,
                // Nobody reads our answers any more.
                () = gone => return None,
            };
            match bytes {
                Some(bytes) => self.decoder.feed(&bytes),
                None => {
                    self.ended = true;
                    if let Some(last) = self.decoder.finish() {
                        return Some(last);
                    }
                }
            }
        }
    }

    fn answer_error(&self, id: &Value, code: i64, message: &str) {
        tracing::warn!(code, cause = message, "refused a message");
        let body = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
        self.outgoing.queue(body.to_string().as_bytes(), None);
    }

    /// Gives a cancelled request the answer that its client expects; `false` where it expects none.
    fn answer_cancelled(&self, id: &Value) -> bool {
        let Some(result) = &self.cancelled else { return false };
        let body = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        self.outgoing.queue(body.to_string().as_bytes(), None);
        true
    }

    /// The message to pass on, if this is one; what is wrong with it is answered here.
    fn understand(&mut self, body: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        let value: Value = match serde_json::from_slice(body) {
            Ok(value) => value,
            Err(error) => {
                self.answer_error(&Value::Null, -32700, &format!("the message is not valid JSON: {error}"));
                return None;
            }
        };
        let id = value.get("id").cloned().filter(|id| id.is_string() || id.is_i64()).unwrap_or(Value::Null);
        let method = value.get("method").and_then(Value::as_str);
        if method == Some("$/cancelRequest") {
            return self.cancel_request(&value);
        }
        if value.is_array() {
            let message = "batches of messages are not served; send them one by one, or use the `batch` tool";
            self.answer_error(&id, -32600, message);
            return None;
        }
        let cancelled = (method == Some("notifications/cancelled"))
            .then(|| serde_json::from_value::<RequestId>(value["params"]["requestId"].clone()).ok())
            .flatten();
        // A ping may come at any time; everything else needs a handshake, or carries its own metadata.
        let greets = method == Some("initialize") || value["params"]["_meta"].is_object();
        let greeting = greets || matches!(method, Some("ping" | "server/discover"));
        let is_request = method.is_some() && value.get("id").is_some();
        let message: RxJsonRpcMessage<RoleServer> = match serde_json::from_value(value) {
            Ok(message) => message,
            Err(_) => {
                self.answer_error(&id, -32600, "the message is not a JSON-RPC 2.0 request or notification");
                return None;
            }
        };
        // rmcp answers no cancelled request, so nothing else would take it off the list.
        if let Some(key) = cancelled {
            let known = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
            if known {
                self.answer_cancelled(&json!(key));
            }
        }
        if let RxJsonRpcMessage::<RoleServer>::Request(request) = &message {
            if !self.greeted && !greeting {
                let message =
                    "send `initialize` first, or the metadata that revision 2026-07-28 asks for in `_meta`";
                self.answer_error(&id, -32600, message);
                return None;
            }
            self.greeted |= greets;
            self.begun = true;
            let new =
                self.in_flight.lock().unwrap_or_else(PoisonError::into_inner).insert(request.id.clone());
            if !new {
                // Answered without its id, or the client would take this for the answer to the first one.
                let message =
                    format!("`id` {} is still in use by a request that was not answered yet", request.id);
                self.answer_error(&Value::Null, -32600, &message);
                return None;
            }
        } else if is_request {
            // An id that is neither a string nor a whole number makes rmcp see a notification.
            self.answer_error(&id, -32600, "`id` must be a string or a whole number");
            return None;
        } else if !self.begun {
            tracing::debug!("ignored a notification before the first request");
            return None;
        }
        Some(message)
    }

    /// `$/cancelRequest` expects an answer to the cancelled request; `notifications/cancelled` expects none.
    fn cancel_request(&mut self, value: &Value) -> Option<RxJsonRpcMessage<RoleServer>> {
        let id = value.get("params").and_then(|params| params.get("id"))?.clone();
        let key: RequestId = serde_json::from_value(id.clone()).ok()?;
        let known = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        if !known {
            return None;
        }
        let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": "$/cancelRequest" } });
        if !self.answer_cancelled(&id) {
            self.answer_error(&id, REQUEST_CANCELLED, "the request was cancelled");
        }
        serde_json::from_value(cancelled).ok()
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = Infallible;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let answered = match &item {
            TxJsonRpcMessage::<RoleServer>::Response(response) => Some(&response.id),
            TxJsonRpcMessage::<RoleServer>::Error(error) => error.id.as_ref(),
            _ => None,
        };
        // What was cancelled a moment ago has its answer, or is to have none.
        let expected = answered
            .is_none_or(|id| self.in_flight.lock().unwrap_or_else(PoisonError::into_inner).remove(id));
        let is_news = matches!(item, TxJsonRpcMessage::<RoleServer>::Notification(_));
        let expected = expected && !(is_news && self.outgoing.is_behind());
        let body = serde_json::to_vec(&item);
        let outgoing = self.outgoing.clone();
        async move {
            match body {
                _ if !expected => {}
                // Done when the frame has reached the other side's pipe, or cannot any more.
                Ok(body) => {
                    let (written, done) = oneshot::channel();
                    outgoing.queue(&body, Some(written));
                    let _ = done.await;
                }
                Err(error) => tracing::error!(%error, "a message could not be written as JSON"),
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.next_frame().await? {
                Frame::Message(body) => {
                    if let Some(message) = self.understand(&body) {
                        return Some(message);
                    }
                }
                Frame::TooLong { limit } => {
                    let message = format!(
                        "a message of more than {limit} bytes was skipped; `mcp.max_buffer_bytes` is the limit"
                    );
                    self.answer_error(&Value::Null, -32600, &message);
                }
                Frame::BadHeader => {
                    let message = "a message header without a valid Content-Length was skipped";
                    self.answer_error(&Value::Null, -32700, message);
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.incoming.close();
        Ok(())
    }
}

fn read_all(mut input: impl Read, sender: &mpsc::Sender<Vec<u8>>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                if sender.blocking_send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn write_all(mut output: impl Write, mut frames: mpsc::UnboundedReceiver<Queued>, pending: &Pending) {
    while let Some((frame, written)) = frames.blocking_recv() {
        // When the other side is gone it closes our input too, and that ends the session.
        let gone = output.write_all(&frame).and_then(|()| output.flush()).is_err();
        pending.take(frame.len());
        if gone {
            return;
        }
        if let Some(written) = written {
            let _ = written.send(());
        }
    }
}
