//! The language servers: what is configured and what is true about each of them now.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use orienteer_base::nearest::nearest;
use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_lsp::{Failure, Patience, catalog};

use crate::Session;
use crate::failure::problem;

pub use orienteer_lsp::catalog::ServerSpec;
pub use orienteer_lsp::definition::Hidden;
pub use orienteer_lsp::{Definition, LastError, Latency, Life, Status as ServerState};

/// Whether a block changes a server that comes with us, so that it need not say how to start it.
pub fn is_built_in(spec: &ServerSpec) -> bool {
    catalog::built_in().is_ok_and(|built_in| catalog::changes_built_in(&built_in, spec))
}

/// The id of a server that comes with us that is spelled nearly like this.
pub fn nearest_built_in(id: &str) -> Option<String> {
    let built_in = catalog::built_in().ok()?;
    nearest(id, built_in.iter().map(|definition| definition.id.as_str()), 1).first().map(ToString::to_string)
}

/// A known server and whether its program can be found.
#[derive(Debug, Clone)]
pub struct ListedServer {
    pub definition: Arc<Definition>,
    /// The program that would be started, or why there is none.
    pub program: Result<PathBuf, Problem>,
    /// As the program says, where it was asked.
    pub version: Option<String>,
    /// Whose program it is, where that is not the machine's.
    pub origin: Option<&'static str>,
}

impl Session {
    /// Every server of the catalog, in order of preference.
    pub fn list_servers(&self) -> Vec<ListedServer> {
        let fleet = &self.engine().fleet;
        let one = |definition: &Arc<Definition>| {
            let found = fleet.installed(definition).map_err(problem);
            let origin = found.as_ref().ok().and_then(|(_, origin)| origin.told());
            let program = found.map(|(program, _)| program);
            ListedServer { program, definition: definition.clone(), version: None, origin }
        };
        fleet.catalog().map(one).collect()
    }

    /// The same with each program asked whether it is what it is called: a proxy without its component is not.
    pub async fn probe_servers(&self) -> Vec<ListedServer> {
        let fleet = &self.engine().fleet;
        let mut listed = Vec::new();
        for definition in fleet.catalog() {
            let found = fleet.probe(definition).await;
            let version = found.as_ref().ok().and_then(|found| found.version.clone());
            let origin = found.as_ref().ok().and_then(|found| found.origin.told());
            let program = found.map(|found| found.path).map_err(problem);
            listed.push(ListedServer { definition: definition.clone(), program, version, origin });
        }
        listed
    }

    /// How many files of each extension the workspace has.
    pub async fn languages_here(&self, cancel: &Cancel) -> Result<BTreeMap<String, usize>, Problem> {
        let session = self.clone();
        self.paint(cancel, move |_| {
            let mut extensions = BTreeMap::new();
            for path in session.workspace().files() {
                let Some(extension) = path.extension() else { continue };
                *extensions.entry(extension.to_string_lossy().to_lowercase()).or_default() += 1;
            }
            Ok(extensions)
        })
        .await
    }

    pub fn server_ids(&self) -> Vec<String> {
        self.engine().fleet.catalog().map(|definition| definition.id.clone()).collect()
    }

    /// The servers this process has started.
    pub fn server_states(&self) -> Vec<ServerState> {
        self.engine().fleet.states(true)
    }

    /// Refuses an id that no server of the catalog has.
    pub fn check_server(&self, server_id: Option<&str>) -> Result<(), Problem> {
        let Some(id) = server_id else { return Ok(()) };
        let ids = self.server_ids();
        if ids.iter().any(|known| known == id) {
            return Ok(());
        }
        let close = orienteer_base::nearest::nearest(id, ids.iter().map(String::as_str), 3);
        let close: Vec<String> = close.into_iter().map(str::to_owned).collect();
        let shown: String = id.chars().take(80).collect();
        let hint =
            if close.is_empty() { String::new() } else { format!("; did you mean {}?", close.join(" or ")) };
        let message = format!("no language server `{shown}` is configured{hint}");
        Err(Problem::new(ErrorKind::NotFound, message)
            .field("server_id")
            .detail("unknown_server")
            .candidates(close))
    }

    /// Starts servers again, whatever they did before; all that were ever started when none is named.
    pub async fn restart_server(
        &self,
        server_id: Option<&str>,
        cancel: &Cancel,
    ) -> Result<Vec<ServerState>, Problem> {
        self.check_server(server_id)?;
        let patience = Patience::new(self.engine().wait, cancel);
        let mut states = Vec::new();
        for restarted in self.engine().fleet.restart(server_id, &patience).await {
            states.push(restarted.map_err(problem)?);
        }
        Ok(states)
    }

    /// Stops servers; the next question starts them again.
    pub async fn stop_server(&self, server_id: Option<&str>) -> Result<Vec<ServerState>, Problem> {
        self.check_server(server_id)?;
        Ok(self.engine().fleet.stop(server_id).await)
    }

    /// Starts the servers of the languages that the workspace has, and waits until they are ready.
    pub async fn warm_up(&self, cancel: &Cancel) -> Result<Vec<ServerState>, Problem> {
        let patience = Patience::new(self.engine().wait * 4, cancel);
        let samples = self.main_files(cancel).await?;
        let one = |sample: PathBuf| {
            let patience = &patience;
            async move {
                match self.lease(&sample).await {
                    Ok(lease) => lease.warm(Some(&sample), patience).await.map(|_| ()),
                    Err(failure) => Err(failure),
                }
            }
        };
        for result in futures::future::join_all(samples.into_iter().map(one)).await {
            match result {
                Err(Failure::NoServer { .. }) | Ok(()) => {}
                Err(failure) => tracing::warn!(%failure, "could not be warmed up"),
            }
        }
        Ok(self.server_states())
    }
}
