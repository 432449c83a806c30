//! `orienteer mcp`.

use std::net::SocketAddr;
use std::process::ExitCode;

use orienteer_base::Cancel;
use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio_util::sync::CancellationToken;

use super::{House, Settings, Spoken, block_on, out};
use crate::logging::LogShape;
use crate::router::Router;
use crate::server::McpServer;
use crate::transport::http;
use crate::transport::stdio::Stdio;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Serve streamable HTTP at http://ADDR/mcp instead of stdio
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    spoken: Spoken,
    #[command(flatten)]
    settings: Settings,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    crate::memory::prepare();
    let house = House::build(&args.settings.clone().speaking(&args.spoken), false)?;
    // Before any server reads a file.
    house.session.settle_early();
    house.session.sweep();
    let config = house.router.config();
    if config.dialect_settings.is_none() {
        let wrong = config.warnings.iter().filter(|warning| warning.kind == "invalid_setting");
        house.session.tell_later(wrong.cloned().collect());
    }
    let address = args.http.or(house.router.config().http_address);
    block_on(serve(house, address))??;
    Ok(ExitCode::SUCCESS)
}

async fn serve(house: House, address: Option<SocketAddr>) -> anyhow::Result<()> {
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_signal(stop.clone()));
    tokio::spawn(crate::memory::keep_small(house.router.clone()));
    let session = house.session.clone();
    if house.router.config().lsp.warmup {
        let session = session.clone();
        tokio::spawn(async move { session.warm_up(&Cancel::new()).await });
    }
    let server = McpServer::new(house.router.clone(), house.session);
    say_started(&house.router);
    let result = match address {
        Some(address) => serve_http(server, address, stop).await,
        None => serve_stdio(server, stop).await,
    };
    session.shut_down().await;
    if let Some(elsewhere) = house.router.elsewhere() {
        elsewhere.shut_down().await;
    }
    say_stopped(&house.router);
    result
}

/// The first line of the log, with the fields that its readers look for.
fn say_started(router: &Router) {
    let config = router.config();
    let (version, tools, read_only) = (env!("CARGO_PKG_VERSION"), router.offered().count(), config.read_only);
    let root = config.roots.workspace().display();
    match config.log_shape {
        LogShape::Ours => tracing::info!(version, %root, tools, read_only, "started"),
        LogShape::Python { .. } => {
            let mode = config.log_mode.as_str();
            tracing::info!(version, mode, %root, tools, read_only, "started");
        }
    }
}

/// The last line of the log.
fn say_stopped(router: &Router) {
    let (requests, errors) = router.metrics().totals();
    let uptime = router.metrics().uptime();
    match router.config().log_shape {
        LogShape::Ours => {
            let uptime_ms = u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX);
            tracing::info!(requests, errors, uptime_ms, "stopped");
        }
        // Seconds, as everything that Python measures.
        LogShape::Python { .. } => {
            tracing::info!(uptime = uptime.as_secs_f64(), total_requests = requests, errors, "stopped");
        }
    }
}

async fn serve_stdio(server: McpServer, stop: CancellationToken) -> anyhow::Result<()> {
    let limit = server.router().config().max_buffer_bytes;
    let cancelled = server.router().dialect().envelope.cancelled();
    let framing = server.router().dialect().envelope.framing();
    let transport = Stdio::start(std::io::stdin(), out::protocol(), limit)?
        .answering_cancelled(cancelled)
        .assuming(framing);
    match serve_server_with_ct(server, transport, stop).await {
        Ok(running) => match running.waiting().await? {
            QuitReason::JoinError(error) => Err(error.into()),
            _ => Ok(()),
        },
        // The client went away, or we were told to, before anything began.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn serve_http(server: McpServer, address: SocketAddr, stop: CancellationToken) -> anyhow::Result<()> {
    let options = http::Options::of(server.router().config());
    let http = http::Server::bind(address, options).await?;
    // For people and for tests that asked for port 0.
    out::error(&format!("listening on http://{}/mcp", http.address()));
    // On a thread of the pool, where the connections are too, it cannot run ahead of them.
    tokio::spawn(http.serve(stop, move || server.clone())).await?;
    Ok(())
}

#[cfg(unix)]
async fn stop_on_signal(stop: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    let name = tokio::select! {
        _ = interrupt.recv() => "SIGINT",
        _ = terminate.recv() => "SIGTERM",
    };
    tracing::info!(signal = name, "told to stop");
    stop.cancel();
}

#[cfg(not(unix))]
async fn stop_on_signal(stop: CancellationToken) {
    if tokio::signal::ctrl_c().await.is_ok() {
        stop.cancel();
    }
}
