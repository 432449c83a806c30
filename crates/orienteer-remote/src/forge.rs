//! How is a forge asked, whichever it is?

mod changes;
mod contents;
pub mod forgejo;
pub mod github;
pub mod gitlab;
mod hunk;
mod listing;
mod query;
mod repository;
mod span;
mod trees;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use orienteer_base::remote::Provenance;
use orienteer_base::{ErrorKind, Problem};
use serde::de::DeserializeOwned;

pub(crate) use self::hunk::chosen;
use crate::api::{Api, ApiError, FOREVER, Reply, Request};
use crate::credential::Credential;
use crate::host::Host;

/// How long kept answers are good enough.
pub(crate) const CODE_SEARCH: Duration = Duration::from_secs(3600);
pub(crate) const FILES: Duration = Duration::from_secs(3600);
pub(crate) const REPOSITORIES: Duration = Duration::from_secs(2 * 3600);
pub(crate) const CHANGES: Duration = Duration::from_secs(30 * 60);

/// The commit that a reference means.
#[derive(Debug)]
pub(crate) struct Pinned {
    pub(crate) commit: String,
    /// A kept answer named it.
    kept: bool,
}

impl Pinned {
    /// What was asked for is a commit already.
    pub(crate) fn exactly(commit: &str) -> Self {
        Self { commit: commit.to_ascii_lowercase(), kept: false }
    }

    pub(crate) fn by(reply: &Reply, commit: String) -> Self {
        Self { commit, kept: reply.cached_ms.is_some() && !reply.offline }
    }

    /// What is not found where the branch was an hour ago may be there now: the reference is asked for once more before
    /// anybody is told so.
    pub(crate) fn may_have_moved<T>(&self, outcome: &Result<T, Problem>) -> bool {
        self.kept && outcome.as_ref().is_err_and(|problem| problem.kind == ErrorKind::NotFound)
    }
}

/// Asks one forge one question, in as many requests as that takes, and remembers how old what it heard is.
#[derive(Debug, Clone)]
pub struct Caller {
    pub(crate) host: Host,
    api: Api,
    credential: Option<Credential>,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Debug, Default)]
struct Heard {
    /// The oldest answer about what can change.
    changing: Option<u64>,
    /// The oldest answer about what cannot; it is as good as new, but it was not asked for now.
    fixed: Option<u64>,
    fresh: bool,
    offline: bool,
}

impl Caller {
    pub fn new(api: &Api, host: &Host, credential: Option<Credential>) -> Self {
        Self { host: host.clone(), api: api.clone(), credential, heard: Arc::default() }
    }

    pub(crate) fn has_token(&self) -> bool {
        self.credential.is_some()
    }

    /// A question to the API of this forge.
    pub(crate) fn request(&self, path: impl Into<String>) -> Request {
        Request { credential: self.credential.clone(), ..Request::new(&self.host.api, path) }
    }

    pub(crate) async fn get(&self, request: &Request) -> Result<Reply, ApiError> {
        let reply = self.api.get(request).await?;
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.offline |= reply.offline;
        match (reply.cached_ms, request.fresh_for == FOREVER && !reply.offline) {
            (Some(age), true) => heard.fixed = heard.fixed.max(Some(age)),
            (Some(age), false) => heard.changing = heard.changing.max(Some(age)),
            (None, _) => heard.fresh = true,
        }
        Ok(reply)
    }

    pub(crate) async fn json<T: DeserializeOwned>(&self, request: &Request) -> Result<T, ApiError> {
        self.get(request).await?.json()
    }

    /// Everything on all pages, up to a number of them; whether there is more; the last answer.
    pub(crate) async fn pages<T: DeserializeOwned>(
        &self,
        first: &Request,
        most: usize,
        next: impl Fn(&Reply, &[T]) -> bool,
    ) -> Result<(Vec<T>, bool), ApiError> {
        let mut rows = Vec::new();
        for page in 1..=most {
            let request = first.clone().query("page", page);
            let reply = self.get(&request).await?;
            let found: Vec<T> = reply.json()?;
            let more = next(&reply, &found);
            rows.extend(found);
            if !more {
                return Ok((rows, false));
            }
        }
        Ok((rows, true))
    }

    /// Where all of this came from.
    pub(crate) fn provenance(&self, repository: Option<String>, commit: Option<String>) -> Provenance {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let all_fixed = heard.fixed.filter(|_| !heard.fresh);
        Provenance {
            provider: self.host.forge,
            host: self.host.name.clone(),
            repository,
            commit,
            cached_ms: heard.changing.or(all_fixed),
            offline: heard.offline,
        }
    }
}
