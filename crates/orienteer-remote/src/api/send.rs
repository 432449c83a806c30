//! How does one request go out, through redirects, and come back bounded?

use reqwest::Url;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HeaderMap, IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION,
};

use super::cache::Kept;
use super::error::host;
use super::{ApiError, Request};
use crate::client::{Client, address, certificate, is_here, plain};

const MOST_REDIRECTS: usize = 5;
/// Errors are short; what is longer is the page of a proxy.
const MOST_OF_AN_ERROR: usize = 256 << 10;

/// What came, whatever it means.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    /// Where it came from, when the host said that this is its place now.
    pub(super) moved: Option<Url>,
}

/// Why nothing came.
#[derive(Debug)]
pub(super) enum Failure {
    /// No connection was made.
    Connection(String),
    /// The host could not show who it is.
    Certificate(String),
    /// It broke.
    Broken(String),
    Silence(String),
    TooLarge,
    Redirect(String),
}

impl Failure {
    /// Whether another attempt may succeed. Where nobody listens, the second shows as much as the third.
    pub(super) fn passes(&self, failed: u32) -> bool {
        match self {
            Self::Connection(_) => failed == 0,
            Self::Broken(_) => true,
            Self::Certificate(_) | Self::Silence(_) | Self::TooLarge | Self::Redirect(_) => false,
        }
    }

    pub(super) fn into_error(self, url: &Url, request: &Request) -> ApiError {
        match self {
            Self::Connection(reason) | Self::Broken(reason) | Self::Silence(reason) => {
                ApiError::Network { host: host(url), reason }
            }
            Self::Certificate(reason) => ApiError::Certificate { host: host(url), reason },
            Self::TooLarge => ApiError::too_large(url, request.max_bytes),
            Self::Redirect(reason) => ApiError::redirect(url, reason),
        }
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if let Some(reason) = certificate::refused(&error) {
            return Self::Certificate(reason);
        }
        let reason = plain(&error);
        if error.is_connect() {
            Self::Connection(reason)
        } else if error.is_timeout() {
            Self::Silence(reason)
        } else {
            Self::Broken(reason)
        }
    }
}

/// Sends a request. The token goes only to the place that it belongs to, and once a step has led elsewhere, nowhere.
pub(super) async fn send(
    client: &Client,
    request: &Request,
    url: &Url,
    kept: Option<&Kept>,
) -> Result<Received, Failure> {
    let mut at = url.clone();
    let mut credential = request.credential.as_ref();
    let mut moved = false;
    for _ in 0..=MOST_REDIRECTS {
        credential = credential.filter(|credential| credential.fits(&at));
        let mut asked = client.direct.get(at.clone()).header(ACCEPT, request.accept);
        asked = asked.header(ACCEPT_ENCODING, "identity");
        for (name, value) in &request.headers {
            asked = asked.header(*name, *value);
        }
        if let Some(credential) = credential {
            asked = asked.header(AUTHORIZATION, secret(&credential.header())?);
        }
        if let Some(kept) = kept {
            if let Some(etag) = kept.header("etag") {
                asked = asked.header(IF_NONE_MATCH, etag);
            } else if let Some(date) = kept.header("last-modified") {
                asked = asked.header(IF_MODIFIED_SINCE, date);
            }
        }
        let response = asked.send().await?;
        let status = response.status();
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let (true, Some(location)) = (status.is_redirection() && status != 304, location) else {
            return receive(response, request, moved.then_some(at)).await;
        };
        let next = step(url, &at, location)?;
        // A repository under a new name; a file that is served from elsewhere has not moved.
        moved = matches!(status.as_u16(), 301 | 307 | 308) && next.host_str() == url.host_str();
        at = next;
    }
    Err(Failure::Redirect(format!("more than {MOST_REDIRECTS} redirects")))
}

/// The header's value, which no log may show.
fn secret(header: &str) -> Result<reqwest::header::HeaderValue, Failure> {
    let mut value = reqwest::header::HeaderValue::from_str(header)
        .map_err(|_| Failure::Redirect("the token has characters that no header may have".to_owned()))?;
    value.set_sensitive(true);
    Ok(value)
}

fn step(first: &Url, at: &Url, location: &str) -> Result<Url, Failure> {
    let next = at.join(location).map_err(|error| Failure::Redirect(error.to_string()))?;
    let next = address(next.as_str()).map_err(|error| Failure::Redirect(error.to_string()))?;
    // What is elsewhere must not make us ask services of this machine.
    if is_here(&next) && !is_here(first) {
        return Err(Failure::Redirect("it leads to this machine itself".to_owned()));
    }
    Ok(next)
}

async fn receive(
    mut response: reqwest::Response,
    request: &Request,
    moved: Option<Url>,
) -> Result<Received, Failure> {
    let good = response.status().is_success();
    let most = if good { request.max_bytes } else { MOST_OF_AN_ERROR };
    let told = response.content_length().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    if good && told > most {
        return Err(Failure::TooLarge);
    }
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let mut body = Vec::with_capacity(told.min(most));
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > most {
            if good {
                return Err(Failure::TooLarge);
            }
            break;
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Received { status, headers, body, moved })
}
