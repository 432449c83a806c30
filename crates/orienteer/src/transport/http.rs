//! MCP over streamable HTTP.
//!
//! A page in a browser can reach any port of the machine it runs on, so being on loopback is no protection
//! by itself: `Host` and `Origin` are checked always, and a token is required as soon as the address is not
//! loopback.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router as Routes;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::config::value::Secret;

/// What the HTTP side needs of the configuration.
#[derive(Debug, Clone)]
pub struct Options {
    pub token: Option<Secret>,
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub max_body_bytes: usize,
}

impl Options {
    pub fn of(config: &Config) -> Self {
        Self {
            token: config.http_token.clone(),
            allowed_hosts: config.http_allowed_hosts.clone(),
            allowed_origins: config.http_allowed_origins.clone(),
            max_body_bytes: config.max_buffer_bytes,
        }
    }
}

/// Refusals to start, as advice.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error(
        "{0} can be reached from other machines, so a token is required: set ORIENTEER_HTTP_TOKEN or `http.token` in the user's configuration, or listen on 127.0.0.1"
    )]
    TokenRequired(SocketAddr),
    #[error("{address} could not be listened on: {error}")]
    Bind { address: SocketAddr, error: std::io::Error },
    #[error("the HTTP server stopped: {0}")]
    Serve(std::io::Error),
}

/// Binds before anything is served, so that the port is known.
pub async fn bind(address: SocketAddr, options: &Options) -> Result<TcpListener, HttpError> {
    if options.token.is_none() && !address.ip().is_loopback() {
        return Err(HttpError::TokenRequired(address));
    }
    TcpListener::bind(address).await.map_err(|error| HttpError::Bind { address, error })
}

/// Serves until `stop`. `make` gives each client session its own handler.
pub async fn serve<S>(
    listener: TcpListener,
    options: Options,
    stop: CancellationToken,
    make: impl Fn() -> S + Send + Sync + 'static,
) -> Result<(), HttpError>
where
    S: ServerHandler,
{
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    if let Ok(address) = listener.local_addr()
        && !address.ip().is_unspecified()
    {
        hosts.push(address.ip().to_string());
    }
    hosts.extend(options.allowed_hosts.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins(&options.allowed_origins))
        .enforce_origin_validation()
        .with_max_request_body_bytes(options.max_body_bytes)
        .with_cancellation_token(stop.clone());
    let service: StreamableHttpService<S, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(make()), LocalSessionManager::default().into(), config);
    let routes = Routes::new()
        .nest_service("/mcp", service)
        .layer(middleware::from_fn_with_state(options.max_body_bytes, check_body))
        .layer(middleware::from_fn_with_state(options.token, check_token));
    let told = stop.clone();
    let serving = axum::serve(listener, routes).with_graceful_shutdown(async move { told.cancelled().await });
    tokio::select! {
        result = serving => result.map_err(HttpError::Serve),
        // A client that holds a request half sent must not keep the process alive.
        () = async { stop.cancelled().await; tokio::time::sleep(GRACE).await } => Ok(()),
    }
}

/// How long open connections have after the signal to stop.
const GRACE: Duration = Duration::from_secs(3);

/// Pages served from this machine itself may ask; everything else must be named.
fn origins(named: &[String]) -> Vec<String> {
    ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]
        .map(str::to_owned)
        .into_iter()
        .chain(named.iter().cloned())
        .collect()
}

async fn check_token(State(token): State<Option<Secret>>, request: Request, next: Next) -> Response {
    match token {
        Some(token) if !bearer(request.headers()).is_some_and(|given| same(given, &token.0)) => (
            StatusCode::UNAUTHORIZED,
            [(header::WWW_AUTHENTICATE, "Bearer")],
            "a bearer token is required: send `Authorization: Bearer TOKEN` with the value of http.token",
        )
            .into_response(),
        _ => next.run(request).await,
    }
}

/// Answers what is no JSON as the protocol says; rmcp would call it an unsupported media type.
async fn check_body(State(limit): State<usize>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, limit).await else {
        let message =
            format!("the message is longer than {limit} bytes; `mcp.max_buffer_bytes` is the limit");
        return (StatusCode::PAYLOAD_TOO_LARGE, message).into_response();
    };
    if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes) {
        let message = format!("the message is not valid JSON: {error}");
        let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": message } });
        let kind = [(header::CONTENT_TYPE, "application/json")];
        return (StatusCode::BAD_REQUEST, kind, body.to_string()).into_response();
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Compares hashes, so that the time taken says nothing about where two tokens differ.
fn same(given: &str, token: &str) -> bool {
    blake3::hash(given.as_bytes()) == blake3::hash(token.as_bytes())
}
