//! Which moment does a date of HTTP mean?

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that servers may still send.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let &[_, day, month, year, time, "GMT" | "UTC" | "+0000"] = words.as_slice() else { return None };
    let day: i64 = day.parse().ok().filter(|day| (1..=31).contains(day))?;
    let month = MONTHS.iter().position(|known| known.eq_ignore_ascii_case(month))?;
    let year: i64 = year.parse().ok().filter(|year| (1970..=9999).contains(year))?;
    let mut parts =
        time.split(':').map(|part| part.parse::<i64>().ok().filter(|part| (0..=60).contains(part)));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let seconds =
        days(year, i64::try_from(month).ok()? + 1, day) * 86_400 + hour * 3600 + minute * 60 + second;
    UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(seconds).ok()?))
}

/// Days since 1970. Years are counted from March, so that the leap day is the last of them.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<u64> {
        parse(text).map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_secs())
    }

    #[test]
    fn dates_of_http_are_read() {
        for (text, expected) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Fri, 31 Dec 2100 12:00:00 GMT", 4_133_937_600),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "60",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "x x x x x GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1894 08:49:37 GMT",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
