//! What does a failed request mean to who asked, and what can be done?

use orienteer_base::{ErrorKind, Problem};

use crate::api::ApiError;

impl From<ApiError> for Problem {
    fn from(error: ApiError) -> Self {
        let said = error.to_string();
        match error {
            ApiError::Address(_) => Self::new(ErrorKind::InvalidParams, said).detail("bad_address"),
            ApiError::Network { host, .. } => Self::new(
                ErrorKind::Network,
                format!(
                    "{said}; check the network and the name of the host. Behind a proxy set HTTPS_PROXY; a company's \
                     own certificate authority must be in the system's certificate store"
                ),
            )
            .fact("host", host),
            ApiError::Certificate { host, .. } => {
                Self::new(ErrorKind::Network, said).detail("certificate").fact("host", host)
            }
            ApiError::Timeout { host, .. } => {
                Self::new(ErrorKind::Timeout, format!("{said}; try again, or ask for less")).fact("host", host)
            }
            ApiError::RateLimited { host, retry_after_ms, secondary, .. } => {
                let advice = if secondary {
                    "too many came too fast: ask less at a time"
                } else {
                    "a token for this host raises the limit"
                };
                Self::new(ErrorKind::RateLimited, format!("{said}; ask again then, {advice}"))
                    .detail(if secondary { "secondary" } else { "primary" })
                    .fact("host", host)
                    .retry_after_ms(retry_after_ms)
            }
            ApiError::Refused { host, status, with_token, .. } => refused(said, host, status, with_token),
            ApiError::TooLarge { host, limit } => Self::new(
                ErrorKind::TooLarge,
                format!("{said}, which is more than is read at once; ask for a part of it"),
            )
            .detail("reply_too_large")
            .fact("host", host)
            .fact("limit_bytes", i64::try_from(limit).unwrap_or(i64::MAX)),
            ApiError::Unreadable { host, status, .. } => Self::new(
                ErrorKind::Network,
                format!(
                    "{said}; is `{host}` the forge that was meant, and does a proxy or a login page stand before it?"
                ),
            )
            .detail("unreadable_answer")
            .fact("host", host)
            .fact("status", i64::from(status)),
            ApiError::Redirect { host, .. } => {
                Self::new(ErrorKind::Network, said).detail("redirect").fact("host", host)
            }
            ApiError::Abandoned => Self::new(ErrorKind::InternalError, said),
        }
    }
}

fn refused(said: String, host: String, status: u16, with_token: bool) -> Problem {
    let problem = match status {
        401 if with_token => Problem::new(
            ErrorKind::AuthRequired,
            format!("{said}; the token for {host} is wrong or has expired, replace it"),
        ),
        401 => Problem::new(ErrorKind::AuthRequired, format!("{said}; configure a token for {host}")),
        403 if with_token => Problem::new(
            ErrorKind::AuthRequired,
            format!(
                "{said}; the token for {host} does not allow this: check its scopes and who it belongs to"
            ),
        ),
        403 => Problem::new(ErrorKind::AuthRequired, format!("{said}; configure a token for {host}")),
        404 | 410 | 451 if with_token => Problem::new(
            ErrorKind::NotFound,
            format!("{said}; check the spelling, and whether the token for {host} may see it"),
        ),
        404 | 410 | 451 => Problem::new(
            ErrorKind::NotFound,
            format!(
                "{said}; check the spelling. A private repository looks the same without a token: configure one for \
                 {host} if it is private"
            ),
        ),
        400 | 405 | 409 | 414 | 422 => Problem::new(ErrorKind::InvalidParams, said),
        500.. => {
            Problem::new(ErrorKind::Network, format!("{said}; the host has a problem of its own, try later"))
        }
        _ => Problem::new(ErrorKind::Network, said),
    };
    problem.fact("host", host).fact("status", i64::from(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, with_token: bool) -> Problem {
        let (host, message) = ("git.example.org".to_owned(), "no".to_owned());
        ApiError::Refused { host, status, message, with_token }.into()
    }

    #[test]
    fn what_was_not_found_may_be_private() {
        let problem = of(404, false);
        assert_eq!(problem.kind, ErrorKind::NotFound);
        assert!(
            problem.message.contains("private") && problem.message.contains("git.example.org"),
            "{problem}"
        );
        assert!(of(404, true).message.contains("may see it"));
    }

    #[test]
    fn kinds_say_whether_asking_again_helps() {
        assert_eq!(of(401, true).kind, ErrorKind::AuthRequired);
        assert_eq!(of(422, true).kind, ErrorKind::InvalidParams);
        assert!(of(502, true).kind.retryable());
        let limited = ApiError::RateLimited {
            host: "x".into(),
            what: "searches",
            retry_after_ms: 61_000,
            secondary: true,
        };
        let problem = Problem::from(limited);
        assert_eq!((problem.kind, problem.retry_after_ms), (ErrorKind::RateLimited, Some(61_000)));
        assert!(problem.message.contains("61 s"), "{problem}");
    }
}
