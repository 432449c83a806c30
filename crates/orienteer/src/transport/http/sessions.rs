//! Sessions of clients, bounded: those that nobody needs are closed, and a new one takes the place of the one
//! that was missed least.
//!
//! rmcp keeps as many as are opened, and closes each that was silent for five minutes, even while its client
//! listens or a tool is at work.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::{Stream, StreamExt};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::SessionId;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionManager};
use tokio_util::sync::CancellationToken;

use super::Limits;

/// How long an answer is kept for a client whose connection broke: each is in memory as long, whether anybody reads it or not.
const KEPT: Duration = Duration::from_secs(5);

/// All sessions, and what is known about the use of each.
#[derive(Debug)]
pub(super) struct Sessions {
    inner: Arc<LocalSessionManager>,
    most: usize,
    unused_time: Duration,
    idle_time: Duration,
    known: Arc<Mutex<HashMap<SessionId, Known>>>,
}

#[derive(Debug)]
struct Known {
    last: Instant,
    /// Somebody came back with its id.
    used: bool,
    calls: HashSet<RequestId>,
    listeners: usize,
    closed: CancellationToken,
}

impl Known {
    /// Those with the lowest go first: calls last, and what nobody came back to before everything else.
    fn worth(&self) -> (bool, bool, bool, Instant) {
        (!self.calls.is_empty(), self.listeners > 0, self.used, self.last)
    }
}

/// Why a session does not do what it is asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error(transparent)]
    Inner(#[from] LocalSessionManagerError),
    /// The answer to the first would never come, and its connection would stay open for ever.
    #[error(
        "a request with the id {0} is being answered in this session: every request needs an id of its own"
    )]
    IdInUse(RequestId),
}

impl Sessions {
    pub(super) fn new(limits: &Limits) -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = None;
        inner.session_config.completed_cache_ttl = KEPT;
        Self {
            inner: Arc::new(inner),
            most: limits.sessions,
            unused_time: limits.session_unused_time,
            idle_time: limits.session_idle_time,
            known: Arc::default(),
        }
    }

    /// Closes those that nobody listens to and nobody used for long.
    pub(super) fn close_idle(&self) -> bool {
        let idle: Vec<SessionId> = {
            let known = lock(&self.known);
            let idle = known.iter().filter(|(_, one)| {
                let limit = if one.used { self.idle_time } else { self.unused_time };
                one.calls.is_empty() && one.listeners == 0 && one.last.elapsed() > limit
            });
            idle.map(|(id, _)| id.clone()).collect()
        };
        idle.iter().for_each(|id| self.close(id));
        !idle.is_empty()
    }

    /// Makes room when there are too many, for the one that was just opened.
    fn close_surplus(&self, newest: &SessionId) {
        loop {
            let least = {
                let known = lock(&self.known);
                if known.len() <= self.most {
                    return;
                }
                let others = known.iter().filter(|(id, _)| *id != newest);
                others.min_by_key(|(_, one)| one.worth()).map(|(id, _)| id.clone())
            };
            let Some(least) = least else {
                return;
            };
            self.close(&least);
        }
    }

    /// Nobody waits for its worker, which may be busy with a client that does not read.
    fn close(&self, id: &SessionId) {
        self.forget(id);
        let (inner, id) = (self.inner.clone(), id.clone());
        tokio::spawn(async move {
            if let Err(error) = inner.close_session(&id).await {
                tracing::debug!(%error, "a session could not be closed");
            }
        });
    }

    /// Ends its streams as well.
    fn forget(&self, id: &SessionId) {
        if let Some(known) = lock(&self.known).remove(id) {
            known.closed.cancel();
        }
    }

    /// What a stream holds of its session from its opening until it is dropped. `call` is the request that it answers.
    fn hold(&self, id: &SessionId, call: Option<RequestId>) -> Result<Hold, SessionError> {
        let mut known = lock(&self.known);
        let one = known.get_mut(id).ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))?;
        match &call {
            Some(call) if !one.calls.insert(call.clone()) => return Err(SessionError::IdInUse(call.clone())),
            Some(_) => {}
            None => one.listeners += 1,
        }
        let closed = one.closed.clone();
        Ok(Hold { id: id.clone(), call, closed, known: self.known.clone() })
    }
}

fn lock(known: &Mutex<HashMap<SessionId, Known>>) -> MutexGuard<'_, HashMap<SessionId, Known>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The use of a session by one stream.
#[derive(Debug)]
struct Hold {
    id: SessionId,
    call: Option<RequestId>,
    closed: CancellationToken,
    known: Arc<Mutex<HashMap<SessionId, Known>>>,
}

impl Hold {
    /// The stream ends with its session.
    fn over<T: Stream>(self, stream: T) -> impl Stream<Item = T::Item> + use<T> {
        let stream = stream.take_until(self.closed.clone().cancelled_owned());
        stream.map(move |message| {
            let _ = &self;
            message
        })
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(known) = lock(&self.known).get_mut(&self.id) {
            known.last = Instant::now();
            match &self.call {
                Some(call) => drop(known.calls.remove(call)),
                None => known.listeners -= 1,
            }
        }
    }
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.inner.create_session().await?;
        let known = Known {
            last: Instant::now(),
            used: false,
            calls: HashSet::new(),
            listeners: 0,
            closed: CancellationToken::new(),
        };
        lock(&self.known).insert(id.clone(), known);
        self.close_surplus(&id);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        Ok(self.inner.initialize_session(id, message).await?)
    }

    /// Every request with an id asks this first.
    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        let mut known = lock(&self.known);
        Ok(known.get_mut(id).is_some_and(|known| {
            (known.last, known.used) = (Instant::now(), true);
            true
        }))
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.forget(id);
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let call = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let hold = self.hold(id, call)?;
        Ok(hold.over(self.inner.create_stream(id, message).await?))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        Ok(self.inner.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let hold = self.hold(id, None)?;
        Ok(hold.over(self.inner.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let hold = self.hold(id, None)?;
        Ok(hold.over(self.inner.resume(id, last_event_id).await?))
    }
}
