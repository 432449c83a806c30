//! Who may ask: what a header must say before anything else of the request is looked at.

use std::net::IpAddr;

use hyper::header::{self, HeaderMap, HeaderName};
use hyper::http::request::Parts;
use hyper::{StatusCode, Uri};

use super::authority::{AllowedOrigin, Authority, Host, Origin};
use super::{HttpError, Options};

/// Why a request is not answered, as advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

/// The hosts, the origins and the token that are accepted.
#[derive(Debug)]
pub(super) struct Access {
    hosts: Vec<Authority>,
    origins: Vec<AllowedOrigin>,
    /// Hashes take the same time to compare wherever they differ.
    token: Option<blake3::Hash>,
}

/// Programs between a client and us disagree about which of two counts, so there must not be two.
const AT_MOST_ONCE: [HeaderName; 5] = [
    header::HOST,
    header::ORIGIN,
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    HeaderName::from_static("mcp-session-id"),
];

/// Pages served from this machine itself may ask; everything else must be named.
const OWN_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

impl Access {
    pub(super) fn new(options: &Options, listening: IpAddr) -> Result<Self, HttpError> {
        let own = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        let hosts = own
            .iter()
            .chain(&options.allowed_hosts)
            .map(|text| Authority::parse_setting(text).ok_or_else(|| HttpError::WrongHost(text.clone())));
        let mut hosts: Vec<Authority> = hosts.collect::<Result<_, _>>()?;
        // "Every address" is none.
        if !listening.is_unspecified() {
            hosts.push(Authority { host: Host::Address(listening), port: None });
        }
        let named = options.allowed_origins.iter().map(String::as_str);
        let origins = OWN_ORIGINS
            .into_iter()
            .chain(named)
            .map(|text| AllowedOrigin::parse(text).ok_or_else(|| HttpError::WrongOrigin(text.to_owned())));
        let token = options.token.as_ref().map(|token| blake3::hash(token.0.as_bytes()));
        Ok(Self { hosts, origins: origins.collect::<Result<_, _>>()?, token })
    }

    pub(super) fn check(&self, head: &Parts) -> Result<(), Refusal> {
        let headers = &head.headers;
        for name in AT_MOST_ONCE {
            if headers.get_all(&name).iter().count() > 1 {
                return Err(Refusal::new(StatusCode::BAD_REQUEST, format!("send `{name}` once")));
            }
        }
        self.check_host(&head.uri, headers)?;
        self.check_origin(headers)?;
        self.check_token(headers)
    }

    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let bad = |message: &str| Refusal::new(StatusCode::BAD_REQUEST, message);
        let text = headers.get(header::HOST).ok_or_else(|| bad("the `Host` header is missing"))?;
        let host = text.to_str().ok().and_then(Authority::parse);
        let host = host.ok_or_else(|| bad("the `Host` header must be `host` or `host:port`"))?;
        // A request may name its host in its first line too.
        if uri.authority().is_some_and(|other| Authority::parse(other.as_str()).as_ref() != Some(&host)) {
            return Err(bad("the request's first line and its `Host` header name different hosts"));
        }
        if self.hosts.iter().any(|allowed| allowed.admits(&host)) {
            return Ok(());
        }
        let message = "the `Host` header names no host of this server: use the address that it listens on, or add the \
                       name to `http.allowed_hosts`";
        Err(Refusal::new(StatusCode::FORBIDDEN, message))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(text) = headers.get(header::ORIGIN) else {
            return Ok(());
        };
        let origin = text.to_str().ok().and_then(Origin::parse);
        if origin.is_some_and(|origin| self.origins.iter().any(|allowed| allowed.admits(&origin))) {
            return Ok(());
        }
        let message = "pages of this `Origin` may not ask: add it to `http.allowed_origins` if they should";
        Err(Refusal::new(StatusCode::FORBIDDEN, message))
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = self.token else {
            return Ok(());
        };
        if bearer(headers).is_some_and(|given| blake3::hash(given.as_bytes()) == token) {
            return Ok(());
        }
        let message =
            "a bearer token is required: send `Authorization: Bearer TOKEN` with the value of http.token";
        Err(Refusal::new(StatusCode::UNAUTHORIZED, message))
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}
