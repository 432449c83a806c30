//! MCP over streamable HTTP.
//!
//! A page in a browser can reach any port of the machine it runs on, so being on loopback is no protection
//! by itself: `Host` and `Origin` are checked always, and a token is required as soon as the address is not
//! loopback. Whoever can reach the port can also hold it: everything that is waited for has a time limit,
//! and everything that is kept has a bound.

mod access;
mod answer;
mod authority;
mod connections;
mod sessions;
#[cfg(test)]
mod tests;
mod write_timeout;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::access::Access;
use self::answer::Endpoint;
use self::connections::{Connections, Place};
use self::write_timeout::WriteTimeout;
use crate::config::Config;
use crate::config::value::Secret;

/// What the HTTP side needs of the configuration.
#[derive(Debug, Clone)]
pub struct Options {
    pub token: Option<Secret>,
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub max_body_bytes: usize,
    pub limits: Limits,
}

impl Options {
    pub fn of(config: &Config) -> Self {
        Self {
            token: config.http_token.clone(),
            allowed_hosts: config.http_allowed_hosts.clone(),
            allowed_origins: config.http_allowed_origins.clone(),
            max_body_bytes: config.max_buffer_bytes,
            limits: Limits::default(),
        }
    }
}

/// How long clients are waited for and how much of them is kept.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections that have not shown that they may ask.
    pub unproven: usize,
    /// Connections that have.
    pub proven: usize,
    /// From the opening of a connection to the end of a header that may ask.
    pub header_time: Duration,
    /// From the end of an answer to the end of the next header.
    pub idle_time: Duration,
    /// From the end of a header to the end of its body.
    pub body_time: Duration,
    /// How long a client may take nothing of what is being written to it.
    pub write_time: Duration,
    pub sessions: usize,
    /// A session that nobody came back to after its first answer is closed after this time.
    pub session_unused_time: Duration,
    /// One that was used and is not listened to, after this.
    pub session_idle_time: Duration,
}

/// As many connections of each kind, where the system allows that many open files.
const CONNECTIONS: usize = 256;

impl Default for Limits {
    /// All connections together get half of the files that this process may have open: language servers and searches
    /// need some too. A session costs some kilobytes, and its client has to begin anew when it is gone, so they are
    /// kept for a working day.
    fn default() -> Self {
        let connections = open_files().map_or(CONNECTIONS, |most| CONNECTIONS.min(most / 4).max(1));
        Self {
            unproven: connections,
            proven: connections,
            header_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(120),
            body_time: Duration::from_secs(60),
            write_time: Duration::from_secs(60),
            sessions: 256,
            session_unused_time: Duration::from_secs(60),
            session_idle_time: Duration::from_secs(8 * 3600),
        }
    }
}

/// How many this process may have open. Some systems begin with 256.
#[cfg(unix)]
fn open_files() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current.and_then(|most| usize::try_from(most).ok())
}

#[cfg(not(unix))]
fn open_files() -> Option<usize> {
    None
}

/// Refusals to start, as advice.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error(
        "{0} can be reached from other machines, so a token is required: set ORIENTEER_HTTP_TOKEN or `http.token` in the user's configuration, or listen on 127.0.0.1"
    )]
    TokenRequired(SocketAddr),
    #[error(
        "`http.allowed_hosts` holds `{0}`, which is no host: write a name or an address, with `:PORT` where only that port is meant"
    )]
    WrongHost(String),
    #[error(
        "`http.allowed_origins` holds `{0}`, which is no origin: write `https://app.example`, with `:PORT` where it is not the usual one, or `:*` for any"
    )]
    WrongOrigin(String),
    #[error("{address} could not be listened on: {error}")]
    Bind { address: SocketAddr, error: std::io::Error },
}

/// A server that has its port and does not serve yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    access: Access,
    options: Options,
}

impl Server {
    /// Binds before anything is served, so that the port is known.
    pub async fn bind(address: SocketAddr, options: Options) -> Result<Self, HttpError> {
        if options.token.is_none() && !address.ip().is_loopback() {
            return Err(HttpError::TokenRequired(address));
        }
        let access = Access::new(&options, address.ip())?;
        let failed = |error| HttpError::Bind { address, error };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, access, options })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop`. `make` gives each client session its own handler.
    pub async fn serve<S: ServerHandler>(
        self,
        stop: CancellationToken,
        make: impl Fn() -> S + Send + Sync + 'static,
    ) {
        let limits = self.options.limits;
        let connections = Arc::new(Connections::new(limits.unproven, limits.proven));
        let endpoint = Arc::new(Endpoint::new(self.access, &self.options, stop.clone(), make));
        let mut tasks = JoinSet::new();
        let mut looks = tokio::time::interval(LOOK.min(limits.session_unused_time));
        let (mut tidied, mut untidy) = (0, false);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                Some(_) = tasks.join_next() => {}
                _ = looks.tick() => {
                    // Sessions end a moment after they are told to, so there is one look more.
                    let before = std::mem::replace(&mut untidy, endpoint.close_idle_sessions());
                    let entered = connections.entered();
                    if before || untidy || entered != tidied {
                        tidied = entered;
                        tokio::task::spawn_blocking(crate::memory::give_back);
                    }
                }
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        let place = connections.enter();
                        tasks.spawn(serve_connection(stream, place, endpoint.clone(), limits, stop.clone()));
                        // Whoever sends a header at once gets to show it before the next ones push it out.
                        tokio::task::yield_now().await;
                    }
                    // The client is gone already, or there are no more files to be had: then one is needed back.
                    Err(error) => {
                        tracing::debug!(%error, "a connection could not be accepted");
                        connections.make_room();
                        tokio::time::sleep(AFTER_FAILURE).await;
                    }
                },
            }
        }
        // A client that holds a request half sent must not keep the process alive.
        let _ = tokio::time::timeout(GRACE, async { while tasks.join_next().await.is_some() {} }).await;
    }
}

/// How long open connections have after the signal to stop.
const GRACE: Duration = Duration::from_secs(3);
/// How long nothing is accepted after an attempt that failed.
const AFTER_FAILURE: Duration = Duration::from_millis(50);
/// How often somebody looks for sessions that nobody needs.
const LOOK: Duration = Duration::from_secs(30);
/// A header must fit in it. Hyper alone would keep some 400 kB for each connection.
const BUFFER_BYTES: usize = 64 << 10;

/// Answers the requests of one connection, one after the other.
async fn serve_connection<S: ServerHandler>(
    stream: TcpStream,
    place: Place,
    endpoint: Arc<Endpoint<S>>,
    limits: Limits,
    stop: CancellationToken,
) {
    // An event has to arrive when it happens. Where that cannot be set, it arrives a little later.
    let _ = stream.set_nodelay(true);
    let place = Arc::new(place);
    let answering = place.clone();
    let service = service_fn(move |request| {
        let (endpoint, place) = (endpoint.clone(), answering.clone());
        async move { Ok::<_, std::convert::Infallible>(endpoint.answer(&place, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle_time)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(WriteTimeout::new(stream, limits.write_time)), service);
    let mut connection = std::pin::pin!(connection);
    let unproven_too_long = async {
        tokio::time::sleep(limits.header_time).await;
        if place.is_proven() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        // Why a connection ended is the client's concern.
        _ = connection.as_mut() => return,
        () = unproven_too_long => return,
        () = place.pushed_out() => return,
        () = stop.cancelled() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
