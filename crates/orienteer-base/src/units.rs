//! What do `7d`, `10M` and `2024-05-01` mean?

mod date;

use std::time::{Duration, SystemTime};

use crate::Problem;
use crate::error::cut;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;
/// No file is older; a bound keeps arithmetic on times from overflowing.
const LONGEST: f64 = 10_000.0 * 366.0 * DAY;

/// An age such as `30m`, `2h`, `7d` or `1w`.
pub fn parse_age(field: &'static str, text: &str) -> Result<Duration, Problem> {
    let wrong = || {
        let message =
            format!("`{}` is no age; write a number and a unit, such as 30m, 2h, 7d or 1w", cut(text));
        Problem::invalid(field, "invalid_age", message).candidates(examples(&["30m", "2h", "7d", "1w"]))
    };
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let seconds = match unit.as_str() {
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => MINUTE,
        "h" | "hr" | "hrs" | "hour" | "hours" => HOUR,
        "d" | "day" | "days" => DAY,
        "w" | "week" | "weeks" => 7.0 * DAY,
        "mo" | "month" | "months" => 30.0 * DAY,
        "y" | "year" | "years" => 365.0 * DAY,
        _ => return Err(wrong()),
    };
    let total = number * seconds;
    if total <= LONGEST { Ok(Duration::from_secs_f64(total)) } else { Err(wrong()) }
}

/// A size in bytes, such as `512`, `1.5k`, `10M` or `1G`; units are powers of 1024.
pub fn parse_size(field: &'static str, text: &str) -> Result<u64, Problem> {
    let wrong = || {
        let message = format!(
            "`{}` is no size; write bytes or a number and a unit, such as 512, 1.5k, 10M or 1G",
            cut(text)
        );
        Problem::invalid(field, "invalid_size", message).candidates(examples(&["512", "1.5k", "10M", "1G"]))
    };
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let shift = match unit.as_str() {
        "" | "b" | "byte" | "bytes" | "c" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(wrong()),
    };
    // A whole number of bytes is exact however large it is.
    if shift == 0
        && let Ok(bytes) = digits(text).parse()
    {
        return Ok(bytes);
    }
    let bytes = (number * (1_u64 << shift) as f64).round();
    if bytes < 2_f64.powi(63) { Ok(bytes as u64) } else { Err(wrong()) }
}

/// A moment: an age before `now`, a date (midnight UTC) or a date and time.
pub fn parse_time_before(field: &'static str, text: &str, now: SystemTime) -> Result<SystemTime, Problem> {
    if let Some(time) = date::parse(text.trim()) {
        return Ok(time);
    }
    let age = parse_age(field, text).ok();
    age.and_then(|age| now.checked_sub(age)).ok_or_else(|| {
        let message = format!(
            "`{}` is no time; write an age such as 7d, a date such as 2024-05-01, or a time such as \
             2024-05-01T12:00:00Z",
            cut(text)
        );
        Problem::invalid(field, "invalid_time", message).candidates(examples(&[
            "7d",
            "2024-05-01",
            "2024-05-01T12:00:00Z",
        ]))
    })
}

/// A date (midnight UTC) or a date and time, as RFC 3339 writes them.
pub fn parse_date(text: &str) -> Option<SystemTime> {
    date::parse(text.trim())
}

/// `2024-05-01T12:00:00Z`
pub fn show_time(time: SystemTime) -> String {
    date::show(time)
}

fn examples(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn digits(text: &str) -> &str {
    text.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end()
}

/// A number that is not negative, and its unit in lower case.
fn split(text: &str) -> Option<(f64, String)> {
    let number = digits(text);
    let plain = number.len() <= 40 && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = if plain { number.parse().ok()? } else { return None };
    Some((value, text.trim()[number.len()..].trim().to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn ages() {
        let age = |text| parse_age("older_than", text).map(|age| age.as_secs());
        assert_eq!(age("30m"), Ok(1_800));
        assert_eq!(age(" 2 Hours "), Ok(7_200));
        assert_eq!(age("1.5d"), Ok(129_600));
        assert_eq!(age("1w"), Ok(604_800));
        for wrong in ["", "7", "d", "-1d", "1x", "1e9d", "NaNd", "infd", "9999999999w", "1..2d", "ä"] {
            let problem = parse_age("older_than", wrong).unwrap_err();
            assert_eq!(problem.field, Some("older_than"), "{wrong}");
            assert!(problem.message.contains("7d"));
        }
    }

    #[test]
    fn sizes() {
        let size = |text| parse_size("larger_than", text);
        assert_eq!(size("512"), Ok(512));
        assert_eq!(size("1.5k"), Ok(1_536));
        assert_eq!(size("10 MB"), Ok(10 << 20));
        assert_eq!(size("1GiB"), Ok(1 << 30));
        assert_eq!(size("18446744073709551615"), Ok(u64::MAX));
        for wrong in ["", "k", "-1", "1z", "99999999999999T", "0x10"] {
            assert_eq!(size(wrong).unwrap_err().detail, Some("invalid_size"), "{wrong}");
        }
    }

    #[test]
    fn moments() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        assert_eq!(parse_time_before("t", "1d", now), Ok(now - Duration::from_secs(86_400)));
        assert_eq!(parse_time_before("t", "1970-01-02", now), Ok(UNIX_EPOCH + Duration::from_secs(86_400)));
        assert_eq!(parse_time_before("t", "yesterday", now).unwrap_err().detail, Some("invalid_time"));
    }

    proptest! {
        #[test]
        fn nothing_written_panics(text in "\\PC{0,20}") {
            let _ = parse_age("f", &text);
            let _ = parse_size("f", &text);
            let _ = parse_time_before("f", &text, SystemTime::now());
        }
    }
}
