//! What is asked, and which earlier answer would do?

use std::time::Duration;

use orienteer_base::sha256::Sha256;
use reqwest::Url;

use super::ApiError;
use crate::client::address;
use crate::credential::Credential;

/// What a host counts together when it limits requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bucket {
    Core,
    Search,
    CodeSearch,
    Registry,
}

impl Bucket {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Core => "requests",
            Self::Search => "searches",
            Self::CodeSearch => "code searches",
            Self::Registry => "requests to the registry",
        }
    }
}

/// What the body of a good answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Anything else, such as the page of a proxy, is an error and is not kept.
    Json,
    Bytes,
}

/// A question to another machine. It is always a GET.
#[derive(Debug, Clone)]
pub struct Request {
    /// Of the API; the path is added to its path.
    pub base: Url,
    /// Percent-encoded already, see [`crate::path`].
    pub path: String,
    pub query: Vec<(&'static str, String)>,
    pub accept: &'static str,
    /// Beside those that every request has.
    pub headers: Vec<(&'static str, &'static str)>,
    /// Sent only where it belongs, whatever `base` is.
    pub credential: Option<Credential>,
    pub bucket: Bucket,
    pub expected: Expected,
    /// A kept answer that is younger is good enough.
    pub fresh_for: Duration,
    pub max_bytes: usize,
}

impl Request {
    /// A question for JSON that is always confirmed; the fields say more.
    pub fn new(base: &Url, path: impl Into<String>) -> Self {
        Self {
            base: base.clone(),
            path: path.into(),
            query: Vec::new(),
            accept: "application/json",
            headers: Vec::new(),
            credential: None,
            bucket: Bucket::Core,
            expected: Expected::Json,
            fresh_for: Duration::ZERO,
            max_bytes: 8 << 20,
        }
    }

    #[must_use]
    pub fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// The whole address.
    pub(super) fn url(&self) -> Result<Url, ApiError> {
        let mut url = address(self.base.as_str())?;
        let below = url.path().trim_end_matches('/').to_owned();
        let path = format!("{below}/{}", self.path.trim_start_matches('/'));
        url.set_path(&path);
        // Setting a path resolves its dots. Whoever got that far must not get above the base either.
        // The base ends at a border: `/api/v30` is not below `/api/v3`.
        let within = url.path().strip_prefix(&below).is_some_and(|rest| rest.starts_with('/'));
        if !within {
            return Err(ApiError::redirect(&self.base, "the path leads above the address of the API"));
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok(url)
    }

    /// Under which name its answer is kept. The credential is in it as a digest only.
    pub(super) fn key(&self, url: &Url) -> [u8; 32] {
        let mut sum = Sha256::new();
        let mut add = |part: &[u8]| {
            sum.update(&part.len().to_le_bytes());
            sum.update(part);
        };
        add(url.as_str().as_bytes());
        add(self.accept.as_bytes());
        for (name, value) in &self.headers {
            add(name.as_bytes());
            add(value.as_bytes());
        }
        if let Some(credential) = self.credential.as_ref().filter(|credential| credential.fits(url)) {
            add(&credential.fingerprint());
        }
        sum.finish().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credential::Scheme;
    use crate::secret::Secret;

    fn base(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_path_is_added_to_the_path_of_the_api_and_encoded_once() {
        let request = Request::new(&base("https://example.org/api/v1"), "repos/a/b/contents/x%20%23%25.rs")
            .query("ref", "feat/ü&x");
        let url = request.url().unwrap();
        let expected = "https://example.org/api/v1/repos/a/b/contents/x%20%23%25.rs?ref=feat%2F%C3%BC%26x";
        assert_eq!(url.as_str(), expected);
        let with_slash = Request { base: base("https://example.org/api/v1/"), ..request };
        assert_eq!(with_slash.url().unwrap().as_str(), expected);
    }

    #[test]
    fn nothing_leads_above_the_api() {
        for path in ["../../admin", "a/../../../admin", "%2e%2e/%2e%2e/admin", "../v10/x", "..", "%2E%2e/v1x"]
        {
            let request = Request::new(&base("https://example.org/api/v1"), path);
            assert!(request.url().is_err(), "{path}");
        }
        for (path, expected) in
            [("", "https://example.org/api/v1/"), ("a/../b", "https://example.org/api/v1/b")]
        {
            let request = Request::new(&base("https://example.org/api/v1"), path);
            assert_eq!(request.url().unwrap().as_str(), expected);
        }
    }

    #[test]
    fn an_answer_belongs_to_one_account_and_one_form() {
        let plain = Request::new(&base("https://example.org/api"), "x");
        let url = plain.url().unwrap();
        let with = |secret: &str| {
            let credential = Credential::new(Secret::new(secret).unwrap(), Scheme::Bearer, &plain.base);
            Request { credential, ..plain.clone() }.key(&url)
        };
        let raw = Request { accept: "text/plain", ..plain.clone() }.key(&url);
        let keys = [plain.key(&url), with("one"), with("two"), raw];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{at}");
        }
        assert_eq!(with("one"), with("one"));
    }
}
