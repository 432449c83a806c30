//! Does this answer ask us to wait, and how long?
//!
//! Hosts say it in different ways; they are obeyed in this order: `Retry-After`, none remaining until the reset, the words
//! of a secondary limit in the body, and a pause that doubles from a minute on.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::HeaderMap;

use super::date;
use super::send::Received;

/// Where nobody says how long.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);
/// No host counts in longer periods; more is a broken clock.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

/// What an answer means for those that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    /// This was the last one before the host stops answering.
    LastOne {
        wait: Duration,
    },
    /// The host did not answer for this reason.
    Limited {
        wait: Duration,
        secondary: bool,
    },
}

/// `earlier`: how many answers in a row were limited without a time.
pub(super) fn verdict(received: &Received, now: SystemTime, earlier: u32) -> Verdict {
    let headers = &received.headers;
    // Times are the host's: its own clock says what they mean.
    let now = text(headers, "date").and_then(date::parse).unwrap_or(now);
    let exhausted = remaining(headers) == Some(0);
    let reset = reset(headers, now);
    let refused =
        matches!(received.status, 403 | 429) || received.status == 503 && headers.contains_key("retry-after");
    if !refused {
        return match reset {
            Some(wait) if exhausted && received.status < 400 => Verdict::LastOne { wait },
            _ => Verdict::Fine,
        };
    }
    let said = says_secondary(&received.body);
    if let Some(wait) = text(headers, "retry-after").and_then(|text| retry_after(text, now)) {
        return Verdict::Limited { wait, secondary: said };
    }
    if let Some(wait) = reset.filter(|_| exhausted) {
        return Verdict::Limited { wait, secondary: false };
    }
    if said || received.status == 429 || exhausted {
        let wait = FIRST_PAUSE.saturating_mul(1 << earlier.min(8)).min(LONGEST_PAUSE);
        return Verdict::Limited { wait, secondary: said };
    }
    Verdict::Fine
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    text(headers, name)?.parse().ok()
}

fn remaining(headers: &HeaderMap) -> Option<u64> {
    number(headers, "x-ratelimit-remaining").or_else(|| number(headers, "ratelimit-remaining"))
}

/// How long until the count begins again.
fn reset(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = number(headers, "x-ratelimit-reset").or_else(|| number(headers, "ratelimit-reset"))?;
    // A moment, or, as the draft of the standard has it, a number of seconds.
    let wait = if value > 1_000_000_000 {
        let moment = UNIX_EPOCH.checked_add(Duration::from_secs(value))?;
        moment.duration_since(now).unwrap_or_default()
    } else {
        Duration::from_secs(value)
    };
    Some(wait.min(LONGEST_WAIT))
}

fn retry_after(text: &str, now: SystemTime) -> Option<Duration> {
    let wait = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        Err(_) => date::parse(text)?.duration_since(now).unwrap_or_default(),
    };
    Some(wait.min(LONGEST_WAIT))
}

fn says_secondary(body: &[u8]) -> bool {
    let text =
        String::from_utf8_lossy(body.get(..body.len().min(16 << 10)).unwrap_or_default()).to_lowercase();
    text.contains("secondary rate limit") || text.contains("abuse detection")
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    const DATE: &str = "Thu, 29 Feb 2024 23:59:59 GMT";
    const NOW: u64 = 1_709_251_199;

    fn judged(status: u16, headers: &[(&str, &str)], body: &str, earlier: u32) -> Verdict {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.insert(name, HeaderValue::from_str(value).unwrap());
        }
        let received = Received { status, headers: map, body: body.as_bytes().to_vec(), moved: None };
        // Our clock is a year behind, which must not matter where the host tells the time.
        verdict(&received, UNIX_EPOCH + Duration::from_secs(NOW - 31_536_000), earlier)
    }

    fn limited(seconds: u64, secondary: bool) -> Verdict {
        Verdict::Limited { wait: Duration::from_secs(seconds), secondary }
    }

    #[test]
    fn limits_are_obeyed_in_order() {
        let reset = (NOW + 90).to_string();
        let all = [
            ("date", DATE),
            ("retry-after", "7"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", &reset),
        ];
        let body = r#"{"message":"You have exceeded a secondary rate limit"}"#;
        assert_eq!(judged(403, &all, body, 0), limited(7, true));
        let without = [all[0], all[2], all[3]];
        assert_eq!(judged(403, &without, body, 0), limited(90, false));
        assert_eq!(judged(403, &[], body, 0), limited(60, true));
        assert_eq!(judged(403, &[], body, 2), limited(240, true));
        assert_eq!(judged(429, &[], "", 30), limited(900, false));
        assert_eq!(judged(403, &[], "no access", 0), Verdict::Fine);
    }

    #[test]
    fn dates_are_those_of_the_host() {
        let headers = [("date", DATE), ("retry-after", "Fri, 01 Mar 2024 00:00:59 GMT")];
        assert_eq!(judged(429, &headers, "", 0), limited(60, false));
        let past = [("date", DATE), ("retry-after", "Thu, 29 Feb 2024 08:00:00 GMT")];
        assert_eq!(judged(429, &past, "", 0), limited(0, false));
        // Without its clock there is only ours.
        let headers = [("retry-after", "Fri, 01 Mar 2024 00:00:59 GMT")];
        assert_eq!(judged(429, &headers, "", 0), limited(24 * 3600, false));
    }

    #[test]
    fn the_last_answer_before_a_limit_is_noticed() {
        let headers = [("ratelimit-remaining", "0"), ("ratelimit-reset", "30")];
        assert_eq!(judged(200, &headers, "", 0), Verdict::LastOne { wait: Duration::from_secs(30) });
        assert_eq!(judged(404, &headers, "", 0), Verdict::Fine);
        let some = [("ratelimit-remaining", "1"), ("ratelimit-reset", "30")];
        assert_eq!(judged(200, &some, "", 0), Verdict::Fine);
        assert_eq!(judged(502, &[], "", 0), Verdict::Fine);
        assert_eq!(judged(503, &[("retry-after", "2")], "", 0), limited(2, false));
    }

    #[test]
    fn nonsense_is_no_limit() {
        for value in ["-5", "soon", "", "NaN"] {
            assert_eq!(judged(403, &[("retry-after", value)], "", 0), Verdict::Fine, "{value}");
        }
        assert_eq!(judged(429, &[("retry-after", "99999999999")], "", 0), limited(24 * 3600, false));
    }
}
