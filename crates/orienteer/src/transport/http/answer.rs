//! The way of one request: who asks, from which connection, for what; then rmcp.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::ServerHandler;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::Options;
use super::access::{Access, Refusal};
use super::connections::{Active, Activity, Place};
use super::sessions::Sessions;

/// Answers requests of every connection.
pub(super) struct Endpoint<S> {
    access: Access,
    max_body_bytes: usize,
    body_time: Duration,
    sessions: Arc<Sessions>,
    protocol: StreamableHttpService<S, Sessions>,
}

impl<S: ServerHandler> Endpoint<S> {
    pub(super) fn new(
        access: Access,
        options: &Options,
        stop: CancellationToken,
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> Self {
        // Hosts and origins are checked before rmcp sees a request, and in one place.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(options.max_body_bytes)
            .with_cancellation_token(stop);
        let sessions = Arc::new(Sessions::new(&options.limits));
        Self {
            access,
            max_body_bytes: options.max_body_bytes,
            body_time: options.limits.body_time,
            protocol: StreamableHttpService::new(move || Ok(make()), sessions.clone(), config),
            sessions,
        }
    }

    /// Whether there were any.
    pub(super) fn close_idle_sessions(&self) -> bool {
        self.sessions.close_idle()
    }

    pub(super) async fn answer(&self, place: &Arc<Place>, request: Request<Incoming>) -> Response<Answer> {
        match self.admitted(place, request).await {
            Ok(response) => response,
            Err(refusal) => refused(refusal),
        }
    }

    async fn admitted(
        &self,
        place: &Arc<Place>,
        request: Request<Incoming>,
    ) -> Result<Response<Answer>, Refusal> {
        let (mut head, body) = request.into_parts();
        self.access.check(&head)?;
        // From here on it is of no use but to be logged.
        head.headers.remove(header::AUTHORIZATION);
        let activity = match head.method {
            Method::GET => Activity::Listening(Instant::now()),
            _ => Activity::Answering,
        };
        let Some(active) = place.prove(activity) else {
            let message = "all connections are being answered; try again when some have finished";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message));
        };
        if !matches!(head.uri.path(), "/mcp" | "/mcp/") {
            return Err(Refusal::new(StatusCode::NOT_FOUND, "there is only `/mcp` here"));
        }
        let body = if head.method == Method::POST { self.read(body).await? } else { Bytes::new() };
        if head.method == Method::POST
            && let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&body)
        {
            return Ok(not_json(&error));
        }
        let response = self.protocol.handle(Request::from_parts(head, Full::new(body))).await;
        Ok(response.map(|body| Answer { body, _active: Some(active) }))
    }

    async fn read(&self, body: Incoming) -> Result<Bytes, Refusal> {
        let limit = self.max_body_bytes;
        let too_long = || {
            let message =
                format!("the message is longer than {limit} bytes; `mcp.max_buffer_bytes` is the limit");
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        };
        if body.size_hint().lower() > u64::try_from(limit).unwrap_or(u64::MAX) {
            return Err(too_long());
        }
        match tokio::time::timeout(self.body_time, Limited::new(body, limit).collect()).await {
            Ok(Ok(collected)) => Ok(collected.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
            Ok(Err(error)) => {
                Err(Refusal::new(StatusCode::BAD_REQUEST, format!("the message could not be read: {error}")))
            }
            Err(_) => {
                let message = format!("the message did not arrive within {} s", self.body_time.as_secs());
                Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, message))
            }
        }
    }
}

/// Ends the connection too: a rest of the request may still be on its way, and whoever guesses has to begin anew.
fn refused(refusal: Refusal) -> Response<Answer> {
    let mut response = plain(refusal.status, "text/plain; charset=utf-8", refusal.message);
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    if refusal.status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// As the protocol says; rmcp would call it an unsupported media type.
fn not_json(error: &serde_json::Error) -> Response<Answer> {
    let message = format!("the message is not valid JSON: {error}");
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": message } });
    plain(StatusCode::BAD_REQUEST, "application/json", body.to_string())
}

fn plain(status: StatusCode, kind: &'static str, text: String) -> Response<Answer> {
    let body = Full::new(Bytes::from(text)).boxed();
    let mut response = Response::new(Answer { body, _active: None });
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// The body of an answer. Its connection is active until it is sent.
pub(super) struct Answer {
    body: BoxBody<Bytes, Infallible>,
    _active: Option<Active>,
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
