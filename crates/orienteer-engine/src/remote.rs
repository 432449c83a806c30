//! Questions about what is not on this machine: forges and package registries.
//!
//! Tokens come from the user's own configuration and environment, and from the forges' own programs where those are
//! installed; each is bound to its host before anything is sent.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use orienteer_base::remote::{
    Change, ChangeSearch, CodeHit, CodeSearch, Forge, PackageSearch, Packages, Page, RemoteFile,
    RemoteFileQuery, RemoteTree, RemoteTreeQuery, RepoHit, RepoSearch,
};
use orienteer_base::{Cancel, ErrorKind, Problem, private};
use orienteer_process::{CancellationToken, DEFAULT_ALLOWED, Environment, Launcher, ProcessSpec};
use orienteer_remote::{
    CacheLimits, Client, Credentials, Pacing, Proxies, RegistrySpec, Remote, RemoteSpec, packages,
};
use tokio::sync::OnceCell;

pub use orienteer_remote::host::name as host_name;
pub use orienteer_remote::{HostSpec, Hosts, Known, Secret as Token, Source as TokenSource, netrc};

use crate::Session;
use crate::registries::{Registries, RegistryOverrides};

/// `gh` and `glab` read a file; a keyring may take longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where `gh` and `glab` keep their settings, and what leads them to the keyring of this login.
const OF_PROGRAMS: &[&str] =
    &["GH_CONFIG_DIR", "GLAB_CONFIG_DIR", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"];

/// Where public code is.
const PUBLIC: [(&str, Forge); 2] = [("github.com", Forge::Github), ("gitlab.com", Forge::Gitlab)];

/// What the configuration says about forges and registries.
#[derive(Debug, Clone, Default)]
pub struct RemoteSetup {
    /// For kept answers; without it they are forgotten with the process.
    pub cache: Option<PathBuf>,
    pub hosts: Hosts,
    /// Tokens that are known without asking anybody.
    pub known: Vec<Known>,
    /// The forges' own programs may be asked for others.
    pub ask_programs: bool,
    pub registries: RegistryOverrides,
}

/// What is asked when a tool needs it: nothing is opened or started before.
#[derive(Debug)]
pub(crate) struct Away {
    setup: RemoteSetup,
    proxies: Proxies,
    launcher: Launcher,
    environment: Environment,
    folder: PathBuf,
    registries: Registries,
    remote: OnceCell<Remote>,
}

impl Away {
    pub(crate) fn new(
        setup: RemoteSetup,
        proxies: Proxies,
        launcher: Launcher,
        environment: Environment,
        folder: PathBuf,
    ) -> Self {
        let registries =
            Registries::new(launcher.clone(), environment.clone(), folder.clone(), setup.registries.clone());
        Self { setup, proxies, launcher, environment, folder, registries, remote: OnceCell::new() }
    }

    async fn remote(&self) -> Result<&Remote, Problem> {
        self.remote.get_or_try_init(|| self.open()).await
    }

    async fn open(&self) -> Result<Remote, Problem> {
        let client = Client::new(&self.proxies)
            .map_err(|error| Problem::new(ErrorKind::Network, error.to_string()).detail("no_client"))?;
        let mut known = self.setup.known.clone();
        if self.setup.ask_programs {
            known.extend(self.tokens_of_programs().await);
        }
        // Registries are asked for when a package is; the façade is not given any.
        let unasked = Problem::new(ErrorKind::InternalError, "no package manager was asked");
        Ok(Remote::new(RemoteSpec {
            client,
            cache: self.setup.cache.clone(),
            limits: CacheLimits::default(),
            pacing: Pacing::default(),
            hosts: self.setup.hosts.clone(),
            credentials: Credentials::new(known),
            registries: RegistrySpec::unknown(&unasked),
        }))
    }

    /// What `gh` and `glab` have for hosts that no other token is known of.
    async fn tokens_of_programs(&self) -> Vec<Known> {
        let configured = self.setup.hosts.known.iter().map(|host| (host.name.as_str(), host.forge));
        let mut hosts: Vec<(&str, Forge)> = PUBLIC.into_iter().chain(configured).collect();
        hosts.retain(|(name, _)| {
            !self.setup.known.iter().any(|known| known.host == *name && known.source < TokenSource::Program)
        });
        hosts.dedup();
        let asked = hosts.into_iter().filter_map(|(name, forge)| {
            let words: Vec<&str> = match forge {
                Forge::Github => vec!["gh", "auth", "token", "--hostname", name],
                Forge::Gitlab => vec!["glab", "config", "get", "token", "--host", name],
                Forge::Forgejo => return None,
            };
            Some(async move { (name, self.ask(&words).await) })
        });
        let answers = futures::future::join_all(asked).await;
        let found = answers.into_iter().filter_map(|(name, said)| {
            let secret = Token::new(said?.lines().next()?)?;
            Some(Known { host: name.to_owned(), source: TokenSource::Program, user: None, secret })
        });
        found.collect()
    }

    /// What a program says; nothing when it is not installed, fails or takes too long.
    async fn ask(&self, words: &[&str]) -> Option<String> {
        let (program, arguments) = words.split_first()?;
        // In a folder of ours: a project's own files must not decide which token is told.
        private::folder(&self.folder).ok()?;
        let environment = self.environment.allow_list(&[DEFAULT_ALLOWED, OF_PROGRAMS].concat());
        let spec = ProcessSpec::new(*program, &self.folder, environment)
            .args(arguments.iter().map(OsString::from))
            .timeout(PATIENCE)
            .stdout_limit(64 << 10)
            .stderr_limit(64 << 10);
        let finished = self.launcher.run(&spec, &CancellationToken::new()).await.ok()?;
        finished.status.success().then(|| finished.stdout.text().into_owned())
    }
}

impl Session {
    fn away(&self) -> Result<&Away, Problem> {
        self.engine().away.as_ref().ok_or_else(|| {
            let message = "questions about remote code are turned off: `remote.enabled` is false";
            Problem::new(ErrorKind::NotEnabled, message).detail("remote_disabled")
        })
    }

    pub async fn remote_search_code(
        &self,
        query: CodeSearch,
        cancel: &Cancel,
    ) -> Result<Page<CodeHit>, Problem> {
        self.away()?.remote().await?.search_code(&query, cancel).await
    }

    pub async fn remote_read_file(
        &self,
        query: RemoteFileQuery,
        cancel: &Cancel,
    ) -> Result<RemoteFile, Problem> {
        self.away()?.remote().await?.read_file(&query, cancel).await
    }

    pub async fn remote_tree(&self, query: RemoteTreeQuery, cancel: &Cancel) -> Result<RemoteTree, Problem> {
        self.away()?.remote().await?.tree(&query, cancel).await
    }

    pub async fn remote_search_repositories(
        &self,
        query: RepoSearch,
        cancel: &Cancel,
    ) -> Result<Page<RepoHit>, Problem> {
        self.away()?.remote().await?.search_repositories(&query, cancel).await
    }

    pub async fn remote_search_changes(
        &self,
        query: ChangeSearch,
        cancel: &Cancel,
    ) -> Result<Page<Change>, Problem> {
        self.away()?.remote().await?.search_changes(&query, cancel).await
    }

    /// The user's own package manager says which registry is asked.
    pub async fn packages(&self, query: PackageSearch, cancel: &Cancel) -> Result<Packages, Problem> {
        let away = self.away()?;
        let remote = away.remote().await?;
        let registries = away.registries.of(query.ecosystem).await;
        packages::search(remote.api(), &registries, &query, cancel).await
    }
}
