//! How does a request leave this machine, and where may it go?
//!
//! Certificates are checked against the store of the system, so that private authorities work. Proxies are those that the
//! caller names: nothing here reads the environment. (The library that reads the store does: on Linux it takes the files
//! of `SSL_CERT_FILE` and `SSL_CERT_DIR` instead of the system's, as OpenSSL does.)

pub(crate) mod certificate;

use std::time::Duration;

use reqwest::Url;
use reqwest::redirect::{Attempt, Policy};

/// A server that does not even take a connection in this time is not there.
const CONNECTING: Duration = Duration::from_secs(15);
/// Large files take as long as they take; silence does not.
const SILENCE: Duration = Duration::from_secs(30);
const MOST_REDIRECTS: usize = 5;

/// The proxies of the environment, as `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` spell them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    pub https: Option<String>,
    pub http: Option<String>,
    pub except: Option<String>,
}

/// Why nothing can be asked at all.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("`{url}` is not the address of a proxy: {reason}; correct HTTPS_PROXY or HTTP_PROXY")]
    Proxy { url: String, reason: String },
    #[error(
        "no secure connections are possible here: {reason}; is the package ca-certificates installed, and do \
         SSL_CERT_FILE and SSL_CERT_DIR, where they are set, name certificates?"
    )]
    Tls { reason: String },
}

/// Why an address is not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("`{url}` is not an address: {reason}; write it as https://host/path")]
    Malformed { url: String, reason: String },
    #[error(
        "`{url}` is not asked: addresses begin with https://, and with http:// only where the host is this machine"
    )]
    Insecure { url: String },
    #[error("`{url}` has a user or a password in it, which would be shown in answers; leave them out")]
    Credentials { url: String },
}

/// Sends requests.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) inner: reqwest::Client,
    /// Shows redirects instead of following them: who carries a token must look at each step.
    pub(crate) direct: reqwest::Client,
}

impl Client {
    pub fn new(proxies: &Proxies) -> Result<Self, ClientError> {
        // Somebody else in the process may have chosen before, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let inner = build(proxies, Policy::custom(follow))?;
        Ok(Self { inner, direct: build(proxies, Policy::none())? })
    }
}

fn build(proxies: &Proxies, redirects: Policy) -> Result<reqwest::Client, ClientError> {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("orienteer/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECTING)
        .read_timeout(SILENCE)
        .redirect(redirects)
        .no_proxy();
    let except = proxies.except.as_deref().and_then(reqwest::NoProxy::from_string);
    let wrong = |url: &str| {
        let url = without_credentials(url);
        move |error: reqwest::Error| ClientError::Proxy { url, reason: plain(&error) }
    };
    if let Some(url) = proxies.https.as_deref().filter(|url| !url.is_empty()) {
        let proxy = reqwest::Proxy::https(url).map_err(wrong(url))?;
        builder = builder.proxy(proxy.no_proxy(except.clone()));
    }
    if let Some(url) = proxies.http.as_deref().filter(|url| !url.is_empty()) {
        let proxy = reqwest::Proxy::http(url).map_err(wrong(url))?;
        // Without TLS only this machine is asked. By way of another one the question and its token could be read there, and
        // would come to that machine's own services.
        if proxy_is_here(url) {
            builder = builder.proxy(proxy.no_proxy(except));
        }
    }
    builder.build().map_err(|error| ClientError::Tls { reason: plain(&error) })
}

/// An address that may be asked.
pub fn address(text: &str) -> Result<Url, AddressError> {
    let url = Url::parse(text).map_err(|error| AddressError::Malformed {
        url: without_credentials(text),
        reason: error.to_string(),
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        let mut shown = url;
        // Both can only fail for addresses without a host, which have no user either.
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
        return Err(AddressError::Credentials { url: shown.to_string() });
    }
    if url.scheme() == "https" && url.has_host() || is_here(&url) {
        Ok(url)
    } else {
        Err(AddressError::Insecure { url: text.to_owned() })
    }
}

/// What may be repeated of an address that could not be understood: nothing before the last `@`.
fn without_credentials(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, rest)) => format!("…@{rest}"),
        None => text.to_owned(),
    }
}

/// Plain HTTP to this machine itself.
pub(crate) fn is_here(url: &Url) -> bool {
    url.scheme() == "http" && names_this_machine(url)
}

fn names_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Proxies are often written without a scheme.
fn proxy_is_here(proxy: &str) -> bool {
    let url = if proxy.contains("://") { Url::parse(proxy) } else { Url::parse(&format!("http://{proxy}")) };
    url.is_ok_and(|url| names_this_machine(&url))
}

fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    if attempt.previous().len() > MOST_REDIRECTS {
        return attempt.error("too many redirects");
    }
    match address(attempt.url().as_str()) {
        Ok(_) => attempt.follow(),
        Err(error) => attempt.error(error),
    }
}

/// An error with its causes, without the address, which may hold what nobody should read.
pub(crate) fn plain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = match error.downcast_ref::<reqwest::Error>() {
        Some(error) if error.is_timeout() => "no answer in time".to_owned(),
        Some(error) if error.is_connect() => "no connection".to_owned(),
        Some(error) if error.is_redirect() => "a redirect that is not followed".to_owned(),
        Some(error) if error.is_body() || error.is_decode() => "the answer ended early".to_owned(),
        Some(_) => "the request failed".to_owned(),
        None => error.to_string(),
    };
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_secure_or_on_this_machine() {
        for good in
            ["https://example.org/a", "http://localhost:1/a", "http://127.0.0.1/a", "http://[::1]:8/a"]
        {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in [
            "http://example.org/a",
            "ftp://example.org/a",
            "file:///etc/passwd",
            "http://127.0.0.1.example.org/",
        ] {
            assert_eq!(address(bad), Err(AddressError::Insecure { url: bad.to_owned() }));
        }
        assert!(matches!(address("example.org/a"), Err(AddressError::Malformed { .. })));
    }

    #[test]
    fn a_password_in_an_address_that_cannot_be_understood_is_not_repeated() {
        let error = address("https://me:pa/ss@example.org/simple").unwrap_err().to_string();
        assert!(error.contains("example.org/simple") && !error.contains("pa/ss"), "{error}");
        let proxies = Proxies { https: Some("http://me:se cret@::no".into()), ..Proxies::default() };
        let error = Client::new(&proxies).map(drop).unwrap_err().to_string();
        assert!(!error.contains("se cret"), "{error}");
    }

    #[test]
    fn a_password_is_not_repeated() {
        let error = address("https://me:secret@example.org/a").unwrap_err().to_string();
        assert!(error.contains("https://example.org/a") && !error.contains("secret"), "{error}");
    }

    #[test]
    fn a_proxy_of_this_machine_is_told_from_others() {
        for here in
            ["http://127.0.0.1:3128", "http://me:secret@localhost:3128", "localhost:3128", "socks5://[::1]:1"]
        {
            assert!(proxy_is_here(here), "{here}");
        }
        for elsewhere in
            ["http://proxy.example.org:3128", "proxy:3128", "http://127.0.0.1@proxy.example.org", "::no"]
        {
            assert!(!proxy_is_here(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn a_proxy_that_is_none_is_named() {
        let proxies = Proxies { https: Some("::no".into()), ..Proxies::default() };
        let error = Client::new(&proxies).unwrap_err().to_string();
        assert!(error.contains("`::no`") && error.contains("HTTPS_PROXY"), "{error}");
    }
}
