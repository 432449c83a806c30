//! Why is there no answer?

use std::time::Duration;

use orienteer_base::error::cut;
use reqwest::Url;

use super::send::Received;
use super::{Bucket, Request};
use crate::client::AddressError;

/// Why a question has no answer. What to do about it is said where it becomes a `Problem`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error("{host} could not be reached: {reason}")]
    Network { host: String, reason: String },
    #[error("{host} could not be asked safely: {reason}")]
    Certificate { host: String, reason: String },
    #[error("{host} did not answer within {after_ms} ms")]
    Timeout { host: String, after_ms: u64 },
    /// The host counts requests and has had enough of them.
    #[error("{host} takes no more {what} for {} s", retry_after_ms.div_ceil(1000))]
    RateLimited { host: String, what: &'static str, retry_after_ms: u64, secondary: bool },
    #[error("{host} answered {status}: {message}")]
    Refused { host: String, status: u16, message: String, with_token: bool },
    #[error("the answer of {host} has more than {limit} bytes")]
    TooLarge { host: String, limit: usize },
    #[error("the answer of {host} (status {status}) cannot be read: {reason}")]
    Unreadable { host: String, status: u16, reason: String },
    #[error("{host} sends requests elsewhere, which is not followed: {reason}")]
    Redirect { host: String, reason: String },
    /// The work behind a shared question ended without a word.
    #[error("the request was given up")]
    Abandoned,
}

impl ApiError {
    /// The status of a host that answered, but not with what was asked for.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } | Self::Unreadable { status, .. } => Some(*status),
            _ => None,
        }
    }

    pub(super) fn timeout(url: &Url, after: Duration) -> Self {
        let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        Self::Timeout { host: host(url), after_ms }
    }

    pub(super) fn limited(url: &Url, bucket: Bucket, wait: Duration, secondary: bool) -> Self {
        let retry_after_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
        Self::RateLimited { host: host(url), what: bucket.as_str(), retry_after_ms, secondary }
    }

    pub(super) fn too_large(url: &Url, limit: usize) -> Self {
        Self::TooLarge { host: host(url), limit }
    }

    pub(super) fn redirect(url: &Url, reason: impl Into<String>) -> Self {
        Self::Redirect { host: host(url), reason: reason.into() }
    }

    pub(super) fn refused(url: &Url, received: &Received, request: &Request) -> Self {
        let with_token = request.credential.as_ref().is_some_and(|credential| credential.fits(url));
        Self::Refused {
            host: host(url),
            status: received.status,
            message: message(&received.body),
            with_token,
        }
    }
}

/// With the port, where it is not the usual one.
pub(super) fn host(url: &Url) -> String {
    url.authority().to_owned()
}

/// What the host says about it, in the places where forges and registries say so.
fn message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..body.len().min(64 << 10)).unwrap_or_default());
    let Ok(json) = serde_json::from_str::<serde_json::Value>(&text) else {
        let text = text.trim();
        return match text.chars().next() {
            None => "it gives no reason".to_owned(),
            Some('<') => "an HTML page instead of a reason".to_owned(),
            Some(_) => cut(text),
        };
    };
    let said =
        ["message", "error_description", "error", "detail"].iter().find_map(|name| match &json[name] {
            serde_json::Value::String(text) if !text.is_empty() => Some(text.clone()),
            other if other.is_object() || other.is_array() => Some(other.to_string()),
            _ => None,
        });
    // GitHub has the reason one level deeper: errors: [{message}].
    let more = json["errors"].as_array().into_iter().flatten().find_map(|error| error["message"].as_str());
    match (said, more) {
        (Some(said), Some(more)) => cut(&format!("{said}: {more}")),
        (Some(said), None) => cut(&said),
        (None, Some(more)) => cut(more),
        (None, None) => "it gives no reason".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_says_is_found_where_hosts_say_it() {
        for (body, expected) in [
            (r#"{"message":"Not Found"}"#, "Not Found"),
            (
                r#"{"message":"Validation Failed","errors":[{"message":"query too long"}]}"#,
                "Validation Failed: query too long",
            ),
            (r#"{"error":"invalid_token","error_description":"Token expired"}"#, "Token expired"),
            (r#"{"message":{"ref":["is bad"]}}"#, r#"{"ref":["is bad"]}"#),
            ("<html><title>502</title>", "an HTML page instead of a reason"),
            ("try later", "try later"),
            ("", "it gives no reason"),
            ("[]", "it gives no reason"),
        ] {
            assert_eq!(message(body.as_bytes()), expected);
        }
        assert!(message(&vec![b'x'; 1 << 20]).len() < 300);
    }
}
