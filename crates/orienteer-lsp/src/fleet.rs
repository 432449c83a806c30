//! All servers of the process: which one a file belongs to, how many may live, when they are stopped.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use orienteer_base::Roots;
use orienteer_process::{Environment, Launcher};

use crate::catalog;
use crate::definition::Definition;
use crate::failure::Failure;
use crate::lease::Lease;
use crate::program::{self, LocalPrograms};
use crate::project::{ProjectRoot, project_root};
use crate::server::{Server, Status};
use crate::sought::Sought;
use crate::surroundings::{Surroundings, Watches, missing_failure};
use crate::text::Texts;

/// Texts that are kept in memory for positions and previews.
const TEXT_BYTES: usize = 8 << 20;

/// How long a folder is taken to belong to the same project.
const SAME_PROJECT: Duration = Duration::from_millis(500);

/// How often idle time and memory are looked at, unless a short idle time asks for more.
const ROUND: Duration = Duration::from_secs(2);
const SHORTEST_ROUND: Duration = Duration::from_millis(100);

/// Everything a fleet is told.
#[derive(Debug, Clone)]
pub struct FleetSpec {
    pub catalog: Vec<Definition>,
    pub roots: Roots,
    pub environment: Environment,
    pub launcher: Launcher,
    pub local_programs: LocalPrograms,
    /// A folder of ours, outside every project.
    pub state_folder: PathBuf,
    pub idle_timeout: Duration,
    pub max_servers: usize,
    /// Over all servers together.
    pub memory_budget_bytes: u64,
}

/// By server and folder: the project, and when it was looked up.
type Projects = HashMap<(String, PathBuf), (Instant, Option<ProjectRoot>)>;

/// See the module.
#[derive(Debug)]
pub struct Fleet {
    catalog: Vec<Arc<Definition>>,
    surroundings: Arc<Surroundings>,
    servers: Mutex<HashMap<(String, PathBuf), Arc<Server>>>,
    projects: Mutex<Projects>,
    idle_timeout: Duration,
    max_servers: usize,
    memory_budget_bytes: u64,
    rounds: std::sync::Once,
}

impl Fleet {
    pub fn new(spec: FleetSpec) -> Arc<Self> {
        let surroundings = Surroundings {
            roots: spec.roots,
            environment: spec.environment,
            launcher: spec.launcher,
            local_programs: spec.local_programs,
            texts: Arc::new(Texts::new(TEXT_BYTES)),
            watches: Watches::new(spec.state_folder.join("watch")),
            state_folder: spec.state_folder,
            sought: Sought::default(),
        };
        Arc::new(Self {
            catalog: spec.catalog.into_iter().map(Arc::new).collect(),
            surroundings: Arc::new(surroundings),
            servers: Mutex::default(),
            projects: Mutex::default(),
            idle_timeout: spec.idle_timeout,
            max_servers: spec.max_servers.max(1),
            memory_budget_bytes: spec.memory_budget_bytes,
            rounds: std::sync::Once::new(),
        })
    }

    pub fn catalog(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.catalog.iter()
    }

    /// Texts of files, as servers and previews see them.
    pub fn texts(&self) -> &Arc<Texts> {
        &self.surroundings.texts
    }

    /// The watcher of a folder, shared with the servers of that folder. Blocks while a new one walks the folder.
    pub fn watch(&self, root: &Path) -> Arc<orienteer_watch::Watch> {
        self.surroundings.watches.now(root)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(String, PathBuf), Arc<Server>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether any server takes files of this kind, installed or not.
    pub fn owners(&self, path: &Path) -> Vec<Arc<Definition>> {
        catalog::owners(&self.catalog, path)
    }

    pub fn no_server(&self, path: &Path) -> Failure {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let what = match &extension {
            Some(extension) => format!("the file extension: {extension}"),
            None => format!("the file {}", path.file_name().unwrap_or_default().to_string_lossy()),
        };
        Failure::NoServer { what, extension, supported: catalog::extensions(&self.catalog) }
    }

    /// Those that may have this very file. A linter does only where nobody else takes it.
    fn takers(&self, file: &Path) -> Vec<Arc<Definition>> {
        let mut takers = self.owners(file);
        if takers.iter().any(|definition| !definition.optional) {
            takers.retain(|definition| !definition.optional);
        } else {
            takers.retain(|definition| self.is_wanted(definition, file));
        }
        takers
    }

    /// Whether an optional one looks at a file: where one of its markers is, also one that was just made.
    fn is_wanted(&self, definition: &Definition, file: &Path) -> bool {
        self.project_afresh(definition, file).is_some_and(|project| project.marker.is_some())
    }

    /// The optional servers for a file besides the one that has it, if any does: linters, whose findings are added to its own.
    pub async fn linters(self: &Arc<Self>, file: &Path, first: Option<&str>) -> Vec<Result<Lease, Failure>> {
        let mut linters = Vec::new();
        let is_linter = |owner: &&Arc<Definition>| owner.optional && Some(owner.id.as_str()) != first;
        for definition in self.owners(file).iter().filter(is_linter) {
            if self.is_wanted(definition, file) {
                linters.push(self.one(definition, &[], file).await);
            }
        }
        linters
    }

    /// The server for a file: the first installed one that takes it.
    pub async fn lease(self: &Arc<Self>, file: &Path) -> Result<Lease, Failure> {
        let owners = self.takers(file);
        let mut why = None;
        for (at, definition) in owners.iter().enumerate() {
            match self.one(definition, &owners[at + 1..], file).await {
                Ok(server) => return Ok(server),
                // One that is there and only waits for the user's word is nearer than one that is to be installed.
                Err(failure @ Failure::NotTrusted { .. })
                    if !matches!(why, Some(Failure::NotTrusted { .. })) =>
                {
                    why = Some(failure);
                }
                Err(failure) => why = why.or(Some(failure)),
            }
        }
        Err(why.unwrap_or_else(|| self.no_server(file)))
    }

    /// `others`: would have the file if this one is not installed.
    async fn one(
        self: &Arc<Self>,
        definition: &Arc<Definition>,
        others: &[Arc<Definition>],
        file: &Path,
    ) -> Result<Lease, Failure> {
        let Some(project) = self.project(definition, file) else {
            // A dependency: it belongs to whichever project named it.
            let servers = self.lock();
            let of_kind =
                servers.values().filter(|server| server.definition.id == definition.id && server.is_live());
            let server = of_kind.max_by_key(|server| server.last_used()).cloned();
            return server.map(|server| Lease::new(server, None)).ok_or_else(|| self.no_server(file));
        };
        let key = (definition.id.clone(), project.path.clone());
        let warning = project.marker.is_none().then(|| project.looked_for.clone());
        let known = self.lock().get(&key).cloned();
        if let Some(server) = known.filter(|server| server.running().is_some()) {
            return Ok(Lease::new(server, warning));
        }
        if others.iter().any(|other| self.is_running(other, file)) {
            self.surroundings.find_or_do_without(definition, &project.path).await?;
        } else {
            self.surroundings.find(definition, &project.path).await?;
        }
        self.keep_within(self.max_servers - 1, Some(&key)).await;
        self.watch_over();
        let server = {
            let mut servers = self.lock();
            let make =
                || Arc::new(Server::new(definition.clone(), project.path.clone(), self.surroundings.clone()));
            servers.entry(key).or_insert_with(make).clone()
        };
        Ok(Lease::new(server, warning))
    }

    /// Whether it has the project of a file now.
    fn is_running(&self, definition: &Definition, file: &Path) -> bool {
        let Some(project) = self.project(definition, file) else { return false };
        let server = self.lock().get(&(definition.id.clone(), project.path)).cloned();
        server.is_some_and(|server| server.running().is_some())
    }

    /// The server that would have a file, if it is installed, and the project it would have it in. Runs nothing.
    /// `installed` remembers over several files which servers are.
    pub fn home(&self, file: &Path, installed: &mut HashMap<String, bool>) -> Option<(String, PathBuf)> {
        let owners = self.takers(file);
        let mut is_installed = |owner: &&Arc<Definition>| match installed.get(&owner.id) {
            Some(known) => *known,
            None => {
                let found = self.installed(owner).is_ok();
                installed.insert(owner.id.clone(), found);
                found
            }
        };
        let owner = owners.iter().find(|owner| is_installed(owner)).or(owners.first())?;
        Some((owner.id.clone(), self.project(owner, file)?.path))
    }

    /// The project of a file. Looked up again after a moment: manifests are read for it.
    fn project(&self, definition: &Definition, file: &Path) -> Option<ProjectRoot> {
        let folder = file.parent().unwrap_or(file);
        let projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (definition.id.clone(), folder.to_path_buf());
        if let Some((at, project)) = projects.get(&key)
            && at.elapsed() < SAME_PROJECT
        {
            return project.clone();
        }
        drop(projects);
        self.project_afresh(definition, file)
    }

    fn project_afresh(&self, definition: &Definition, file: &Path) -> Option<ProjectRoot> {
        let project = project_root(definition, file, &self.surroundings.roots);
        let key = (definition.id.clone(), file.parent().unwrap_or(file).to_path_buf());
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        if projects.len() > 10_000 {
            projects.clear();
        }
        projects.insert(key, (Instant::now(), project.clone()));
        project
    }

    /// Stops the least recently used servers until no more than `most` live, not counting the wanted one.
    async fn keep_within(&self, most: usize, wanted: Option<&(String, PathBuf)>) {
        loop {
            let victim = {
                let servers = self.lock();
                let live: Vec<_> =
                    servers.iter().filter(|(key, server)| Some(*key) != wanted && server.is_live()).collect();
                if live.len() <= most {
                    return;
                }
                let idle = live.into_iter().filter(|(_, server)| !server.is_busy());
                idle.min_by_key(|(_, server)| server.last_used()).map(|(_, server)| server.clone())
            };
            let Some(victim) = victim else { return };
            victim
                .note(format!("stopped to keep within {} live servers (lsp.max_servers)", self.max_servers));
            victim.stop(false).await;
        }
    }

    /// Starts the task that stops idle and hungry servers, once.
    fn watch_over(self: &Arc<Self>) {
        let fleet = Arc::downgrade(self);
        self.rounds.call_once(|| {
            tokio::spawn(rounds(fleet, ROUND.min(self.idle_timeout).max(SHORTEST_ROUND)));
        });
    }

    async fn round(&self) {
        let servers: Vec<Arc<Server>> = self.lock().values().cloned().collect();
        for server in &servers {
            let limit = server.definition.idle_timeout.unwrap_or(self.idle_timeout);
            if server.running().is_some() && !server.is_busy() && server.last_used().elapsed() >= limit {
                tracing::info!(server = server.definition.id, "idle");
                server.stop(false).await;
            }
        }
        // Several that were asked for at one time are more than there may be, until they are done.
        self.keep_within(self.max_servers, None).await;
        self.weigh(servers).await;
    }

    /// Keeps each server below its own limit and all of them below the budget.
    async fn weigh(&self, servers: Vec<Arc<Server>>) {
        let weighing = tokio::task::spawn_blocking(move || {
            servers.into_iter().filter_map(|server| Some((server.rss_bytes()?, server))).collect::<Vec<_>>()
        });
        let Ok(mut weighed) = weighing.await else { return };
        weighed.sort_by_key(|(_, server)| server.last_used());
        let mut total: u64 = weighed.iter().map(|(bytes, _)| bytes).sum();
        for (bytes, server) in weighed {
            let limit = server.definition.memory_limit_mb.map(|mb| mb << 20);
            let alone = limit.is_some_and(|limit| bytes > limit);
            if (total <= self.memory_budget_bytes && !alone) || server.is_busy() {
                continue;
            }
            let (used, budget) = (bytes >> 20, self.memory_budget_bytes >> 20);
            let why = match limit.filter(|_| alone) {
                Some(limit) => {
                    format!("stopped: it used {used} MB, more than its limit of {} MB", limit >> 20)
                }
                None => format!(
                    "stopped to keep all servers within {budget} MB (lsp.memory_budget_mb); it used {used} MB"
                ),
            };
            tracing::warn!(server = server.definition.id, why, "too much memory");
            server.note(why);
            server.stop(false).await;
            total -= bytes;
        }
    }

    /// What is true of every server that was ever started. Reads the process table once per server.
    pub fn states(&self, with_memory: bool) -> Vec<Status> {
        let servers: Vec<Arc<Server>> = self.lock().values().cloned().collect();
        let mut states: Vec<Status> = servers.iter().map(|server| server.status(with_memory)).collect();
        states.retain(|state| state.generation > 0);
        states.sort_by(|left, right| (&left.server_id, &left.root).cmp(&(&right.server_id, &right.root)));
        states
    }

    fn chosen(&self, id: Option<&str>) -> Vec<Arc<Server>> {
        let servers = self.lock();
        let fits = |server: &&Arc<Server>| id.is_none_or(|id| server.definition.id == id);
        servers.values().filter(fits).cloned().collect()
    }

    /// Stops servers; the next question starts them again.
    pub async fn stop(&self, id: Option<&str>) -> Vec<Status> {
        let chosen = self.chosen(id);
        futures::future::join_all(chosen.iter().map(|server| server.stop(false))).await;
        chosen.iter().map(|server| server.status(false)).collect()
    }

    /// Stops servers and starts them again, whatever they did before.
    pub async fn restart(
        &self,
        id: Option<&str>,
        patience: &crate::live::Patience,
    ) -> Vec<Result<Status, Failure>> {
        self.surroundings.sought.forget();
        let one = |server: Arc<Server>| async move {
            server.stop(false).await;
            server.forgive();
            server.live(patience).await?;
            Ok(server.status(false))
        };
        futures::future::join_all(self.chosen(id).into_iter().map(one)).await
    }

    /// Stops everything for good.
    pub async fn shut_down(&self) {
        let all = self.chosen(None);
        futures::future::join_all(all.iter().map(|server| server.stop(true))).await;
    }

    /// The program of a definition, without running anything.
    pub fn installed(&self, definition: &Definition) -> Result<(PathBuf, program::Origin), Failure> {
        let here = &self.surroundings;
        program::installed(
            definition,
            here.roots.workspace(),
            &here.roots,
            &here.environment,
            here.local_programs,
        )
        .map_err(|missing| missing_failure(definition, missing))
    }

    /// The interpreter of a project's Python environment, if it may be run.
    pub async fn python(&self, project_root: &Path) -> Option<PathBuf> {
        let here = &self.surroundings;
        let (roots, environment) = (&here.roots, &here.environment);
        program::python(project_root, roots, environment, here.local_programs).await
    }

    /// The program of a definition, probed.
    pub async fn probe(&self, definition: &Definition) -> Result<program::Found, Failure> {
        self.surroundings.find(definition, self.surroundings.roots.workspace()).await
    }
}

async fn rounds(fleet: Weak<Fleet>, pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        let Some(fleet) = fleet.upgrade() else { return };
        fleet.round().await;
    }
}
