//! How is a registry asked, and what is remembered of how it answered?

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use orienteer_base::{ErrorKind, Problem};
use reqwest::Url;

use super::registry::Tokens;
use crate::api::{Api, ApiError, Bucket, Expected, Reply, Request};

/// Registries change by the minute, and nobody publishes faster than that.
const FRESH: Duration = Duration::from_secs(600);
/// The documents of old packages with thousands of versions have some tens of megabytes.
pub(super) const LARGE: usize = 48 << 20;

/// Asks one registry. Clones remember together.
#[derive(Debug, Clone)]
pub(super) struct Asker {
    api: Api,
    tokens: Tokens,
    seen: Arc<Mutex<Seen>>,
}

/// How old the oldest answer was, and whether nobody could be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) cached_ms: Option<u64>,
    pub(super) offline: bool,
}

/// Why there is nothing to read.
#[derive(Debug)]
pub(super) enum Missing {
    /// There is no such thing there.
    Absent,
    /// More than may be read.
    TooLarge,
    /// It answers, but not in a form that we know.
    Unreadable(Problem),
    Problem(Problem),
}

impl Missing {
    /// What is left when an absent thing is an answer, too.
    pub(super) fn absent<T>(self) -> Result<Option<T>, Problem> {
        match self {
            Self::Absent => Ok(None),
            Self::TooLarge => Err(Problem::new(
                ErrorKind::TooLarge,
                format!(
                    "the registry's answer has more than {LARGE} bytes, which is more than is read at once"
                ),
            )
            .detail("reply_too_large")),
            Self::Unreadable(problem) | Self::Problem(problem) => Err(problem),
        }
    }
}

impl Asker {
    pub(super) fn new(api: &Api, tokens: &Tokens) -> Self {
        Self { api: api.clone(), tokens: tokens.clone(), seen: Arc::default() }
    }

    /// The same, without any token: some registries take one only where they say so.
    pub(super) fn anonymous(&self) -> Self {
        Self { tokens: Tokens::default(), ..self.clone() }
    }

    pub(super) fn seen(&self) -> Seen {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn json(&self, url: &Url, accept: &'static str) -> Result<Reply, Missing> {
        self.ask(url, accept, Expected::Json).await
    }

    pub(super) async fn text(&self, url: &Url, accept: &'static str) -> Result<Reply, Missing> {
        self.ask(url, accept, Expected::Bytes).await
    }

    async fn ask(&self, url: &Url, accept: &'static str, expected: Expected) -> Result<Reply, Missing> {
        let mut base = url.clone();
        base.set_path("/");
        base.set_fragment(None);
        let request = Request {
            accept,
            credential: self.tokens.of(url).cloned(),
            bucket: Bucket::Registry,
            expected,
            fresh_for: FRESH,
            max_bytes: LARGE,
            ..Request::new(&base, url.path())
        };
        let reply = self.api.get(&request).await.map_err(missing)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.cached_ms = seen.cached_ms.max(reply.cached_ms);
        seen.offline |= reply.offline;
        Ok(reply)
    }
}

fn missing(error: ApiError) -> Missing {
    match error {
        // A registry says in all these ways that it does not have that door.
        ApiError::Refused { status: 404 | 405 | 410 | 501, .. } => Missing::Absent,
        ApiError::TooLarge { .. } => Missing::TooLarge,
        ApiError::Unreadable { .. } => Missing::Unreadable(error.into()),
        other => Missing::Problem(other.into()),
    }
}

/// An answer that is JSON, but not of the expected shape.
pub(super) fn unreadable(reply: &Reply, reason: &str) -> Missing {
    Missing::Unreadable(reply.unreadable(reason).into())
}

/// The registry's address as the package manager has it.
pub(super) fn address(text: &str, setting: &str) -> Result<Url, Problem> {
    let text = text.strip_prefix("sparse+").unwrap_or(text);
    crate::client::address(text).map_err(|error| {
        let message = format!("the address of the registry cannot be used: {error}. It comes from {setting}");
        Problem::new(ErrorKind::Unsupported, message).detail("registry_address")
    })
}

/// An address that stands in an answer. A registry elsewhere must not send us to services of this machine.
pub(super) fn linked(from: &Url, text: &str) -> Option<Url> {
    let url = crate::client::address(text).ok()?;
    (url.scheme() == "https" || from.scheme() == "http").then_some(url)
}

/// An address below another one, whatever its slash.
pub(super) fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_elsewhere_does_not_send_us_to_this_machine() {
        let (far, here) = ("https://registry.example.org/", "http://127.0.0.1:4873/");
        let allowed = |from: &str, to: &str| linked(&Url::parse(from).unwrap(), to).is_some();
        assert!(allowed(far, "https://files.example.org/a") && allowed(here, "http://127.0.0.1:9/a"));
        assert!(allowed(here, far));
        for to in [here, "http://localhost/a", "http://files.example.org/a", "file:///etc/passwd", "a"] {
            assert!(!allowed(far, to), "{to}");
        }
    }

    #[test]
    fn addresses_are_joined_whatever_their_slash() {
        for base in ["https://example.org/a", "https://example.org/a/", "https://example.org/a/?x#y"] {
            assert_eq!(below(&Url::parse(base).unwrap(), "b%2fc").as_str(), "https://example.org/a/b%2fc");
        }
    }
}
