//! A server for the official conformance suite; no part of the product.
//!
//! The suite asks for tools, resources and prompts with fixed names. This program offers them on our router
//! and our HTTP transport, so that a green suite speaks for both. What orienteer itself never does (images,
//! resources, prompts, asking the client back) is answered here, beside the router, so that the transport
//! is tested with it all the same.
//!
//! It listens on a free port of the loopback address, or on the one given as its only argument, and says
//! where on stderr. It ends when its standard input does.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a program for tests")]
#![allow(deprecated, reason = "the suite tests what newer revisions of the protocol dropped")]

mod ask;
mod content;
mod handler;
mod prompts;
mod resources;
mod routed;

use std::io::Read;
use std::net::SocketAddr;

use orienteer::config::{Config, Given};
use orienteer::router::Router;
use orienteer::server::McpServer;
use orienteer::transport::http::{self, Options};
use orienteer_engine::process::{Environment, Launcher};
use orienteer_engine::{Engine, EngineSpec, SessionSpec};
use tokio_util::sync::CancellationToken;

use handler::Conformance;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let address: SocketAddr = match std::env::args().nth(1) {
        Some(address) => address.parse()?,
        None => SocketAddr::from(([127, 0, 0, 1], 0)),
    };
    let workspace = tempfile::tempdir()?;
    let given = Given { current_folder: workspace.path().to_owned(), ..Given::default() };
    let config = Config::load(&given)?;
    let options = Options::of(&config);
    let engine = Engine::new(EngineSpec::new(
        config.roots.clone(),
        Environment::default(),
        Launcher::without_reaper(),
        workspace.path().join("state"),
    ));
    let session = engine.session(SessionSpec { roots: config.roots.clone(), read_only: config.read_only });
    let router = Router::new(config, &routed::tools())?;
    let stop = CancellationToken::new();
    stop_with_stdin(stop.clone());
    let http = http::Server::bind(address, options).await?;
    eprintln!("listening on http://{}/mcp", http.address());
    let make = move || Conformance::new(McpServer::new(router.clone(), session.clone()));
    http.serve(stop, make).await;
    Ok(())
}

/// A test that dies takes its end of the pipe with it, and so this program too.
fn stop_with_stdin(stop: CancellationToken) {
    std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut rest);
        stop.cancel();
    });
}
