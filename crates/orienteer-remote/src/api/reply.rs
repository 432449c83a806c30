//! What came back, and is it what was expected?

use std::sync::Arc;

use reqwest::Url;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::send::Received;
use super::{ApiError, Expected, Request};

/// What paging and checking need; nothing else is kept.
const KEPT: &[&str] = &[
    "content-type",
    "etag",
    "last-modified",
    "link",
    "x-hasmore",
    "x-next-page",
    "x-page",
    "x-per-page",
    "x-total",
    "x-total-count",
    "x-total-pages",
];

/// A good answer.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    /// Some of them, by names in small letters.
    pub headers: Vec<(String, String)>,
    pub body: Arc<Vec<u8>>,
    /// Who was asked, for messages.
    pub host: String,
    /// The host says that this lives under another address now.
    pub moved: Option<String>,
    /// From the cache, and how old.
    pub cached_ms: Option<u64>,
    /// Nobody could be reached: the kept answer is given instead.
    pub offline: bool,
}

impl Reply {
    pub(super) fn new(received: Received, url: &Url) -> Self {
        let value = |name: &&str| {
            let value = received.headers.get(*name)?.to_str().ok()?;
            Some(((*name).to_owned(), value.to_owned()))
        };
        Self {
            status: received.status,
            headers: KEPT.iter().filter_map(value).collect(),
            body: Arc::new(received.body),
            host: url.authority().to_owned(),
            moved: received.moved.map(|url| url.to_string()),
            cached_ms: None,
            offline: false,
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON of this shape.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        serde_json::from_slice(&self.body).map_err(|error| self.unreadable(&error.to_string()))
    }

    /// Whether a page follows this one, by the header `Link` of RFC 8288.
    pub fn has_next(&self) -> bool {
        let link = self.header("link").unwrap_or_default();
        link.split(',').any(|link| {
            link.split(';').skip(1).any(|parameter| {
                let parameter = parameter.trim();
                parameter.eq_ignore_ascii_case("rel=\"next\"") || parameter.eq_ignore_ascii_case("rel=next")
            })
        })
    }

    /// Whether it is JSON where that was asked for: the login page of a proxy must not be kept as an answer.
    pub(super) fn check(&self, request: &Request) -> Result<(), ApiError> {
        if request.expected == Expected::Bytes {
            return Ok(());
        }
        let html = self.header("content-type").is_some_and(|kind| kind.contains("text/html"));
        if html || self.body.trim_ascii_start().starts_with(b"<") {
            return Err(self.unreadable("an HTML page instead of JSON"));
        }
        serde_json::from_slice::<IgnoredAny>(&self.body)
            .map(|_| ())
            .map_err(|error| self.unreadable(&error.to_string()))
    }

    /// It is an answer, but not one that can be understood.
    pub fn unreadable(&self, reason: &str) -> ApiError {
        ApiError::Unreadable { host: self.host.clone(), status: self.status, reason: reason.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_among_other_links() {
        let with = |link: &str| Reply {
            status: 200,
            headers: vec![("link".into(), link.into())],
            body: Arc::default(),
            host: String::new(),
            moved: None,
            cached_ms: None,
            offline: false,
        };
        let both = "<https://a/?page=1>; rel=\"prev\", <https://a/?page=3>; rel=\"next\"";
        assert!(with(both).has_next());
        assert!(with("<https://a>;rel=next").has_next());
        assert!(!with("<https://a/?rel=next>; rel=\"last\"").has_next());
        assert!(!with("").has_next());
    }
}
