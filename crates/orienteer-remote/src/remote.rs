//! Who answers this question about what is not on this machine?

use std::path::PathBuf;
use std::time::Duration;

use orienteer_base::remote::{
    Change, ChangeSearch, CodeHit, CodeSearch, Forge, PackageSearch, Packages, Page, RemoteFile,
    RemoteFileQuery, RemoteTree, RemoteTreeQuery, RepoHit, RepoSearch, Where,
};
use orienteer_base::{Cancel, Problem, Stopped};

use crate::api::{Api, Cache, CacheLimits, Pacing};
use crate::client::Client;
use crate::credential::Credentials;
use crate::forge::{Caller, forgejo, github, gitlab};
use crate::host::Hosts;
use crate::packages::{self, RegistrySpec};

/// How soon a cancelled question ends.
const GLANCE: Duration = Duration::from_millis(50);

/// Without a folder, answers are kept where memory is needed for other things.
const IN_MEMORY: u64 = 32 << 20;

/// All that is needed from outside: nothing here reads the environment.
#[derive(Debug)]
pub struct RemoteSpec {
    pub client: Client,
    /// The folder for kept answers; without one they are forgotten with the process.
    pub cache: Option<PathBuf>,
    pub limits: CacheLimits,
    pub pacing: Pacing,
    pub hosts: Hosts,
    pub credentials: Credentials,
    pub registries: RegistrySpec,
}

/// Forges and registries.
#[derive(Debug)]
pub struct Remote {
    api: Api,
    hosts: Hosts,
    credentials: Credentials,
    registries: RegistrySpec,
}

impl Remote {
    pub fn new(spec: RemoteSpec) -> Self {
        let cache = match &spec.cache {
            Some(folder) => Cache::open(folder, spec.limits),
            None => Cache::in_memory(CacheLimits { bytes: spec.limits.bytes.min(IN_MEMORY), ..spec.limits }),
        };
        let api = Api::new(spec.client, cache, spec.pacing);
        Self { api, hosts: spec.hosts, credentials: spec.credentials, registries: spec.registries }
    }

    pub fn api(&self) -> &Api {
        &self.api
    }

    fn caller(&self, at: &Where) -> Result<Caller, Problem> {
        let host = self.hosts.resolve(at)?;
        let credential = self.credentials.of(&host);
        Ok(Caller::new(&self.api, &host, credential))
    }

    pub async fn search_code(&self, query: &CodeSearch, cancel: &Cancel) -> Result<Page<CodeHit>, Problem> {
        let caller = self.caller(&query.at)?;
        let answer = async {
            match caller.host.forge {
                Forge::Github => github::search_code(&caller, query).await,
                Forge::Gitlab => gitlab::search_code(&caller, query).await,
                Forge::Forgejo => forgejo::search_code(&caller, query).await,
            }
        };
        unless(cancel, answer).await
    }

    pub async fn read_file(&self, query: &RemoteFileQuery, cancel: &Cancel) -> Result<RemoteFile, Problem> {
        let caller = self.caller(&query.repo.at)?;
        let answer = async {
            match caller.host.forge {
                Forge::Github => github::read_file(&caller, query).await,
                Forge::Gitlab => gitlab::read_file(&caller, query).await,
                Forge::Forgejo => forgejo::read_file(&caller, query).await,
            }
        };
        unless(cancel, answer).await
    }

    pub async fn tree(&self, query: &RemoteTreeQuery, cancel: &Cancel) -> Result<RemoteTree, Problem> {
        let caller = self.caller(&query.repo.at)?;
        let answer = async {
            match caller.host.forge {
                Forge::Github => github::tree(&caller, query).await,
                Forge::Gitlab => gitlab::tree(&caller, query).await,
                Forge::Forgejo => forgejo::tree(&caller, query).await,
            }
        };
        unless(cancel, answer).await
    }

    pub async fn search_repositories(
        &self,
        query: &RepoSearch,
        cancel: &Cancel,
    ) -> Result<Page<RepoHit>, Problem> {
        let caller = self.caller(&query.at)?;
        let answer = async {
            match caller.host.forge {
                Forge::Github => github::search_repositories(&caller, query).await,
                Forge::Gitlab => gitlab::search_repositories(&caller, query).await,
                Forge::Forgejo => forgejo::search_repositories(&caller, query).await,
            }
        };
        unless(cancel, answer).await
    }

    pub async fn search_changes(
        &self,
        query: &ChangeSearch,
        cancel: &Cancel,
    ) -> Result<Page<Change>, Problem> {
        let caller = self.caller(&query.at)?;
        let answer = async {
            match caller.host.forge {
                Forge::Github => github::search_changes(&caller, query).await,
                Forge::Gitlab => gitlab::search_changes(&caller, query).await,
                Forge::Forgejo => forgejo::search_changes(&caller, query).await,
            }
        };
        unless(cancel, answer).await
    }

    pub async fn packages(&self, query: &PackageSearch, cancel: &Cancel) -> Result<Packages, Problem> {
        unless(cancel, packages::search(&self.api, &self.registries, query, cancel)).await
    }
}

/// The answer, unless somebody no longer wants it. Requests that nobody else waits for end with it.
async fn unless<T>(cancel: &Cancel, answer: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    let stopped = async {
        while !cancel.is_cancelled() {
            tokio::time::sleep(GLANCE).await;
        }
    };
    tokio::select! {
        answer = answer => answer,
        () = stopped => Err(Stopped.into()),
    }
}
