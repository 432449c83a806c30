//! When is `2024-05-01T12:00:00+02:00`?

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A date, or a date and time as RFC 3339 writes it; without an offset the time is UTC.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let date = text.get(..10)?;
    let days = days_since_1970(field(date, 0, 4)?, field(date, 5, 2)?, field(date, 8, 2)?)?;
    if date.as_bytes()[4] != b'-' || date.as_bytes()[7] != b'-' {
        return None;
    }
    let rest = &text[10..];
    let (seconds, nanos) = if rest.is_empty() { (0, 0) } else { time_of_day(rest)? };
    let total = days * 86_400 + seconds;
    let span = Duration::new(total.unsigned_abs(), 0);
    let whole = if total >= 0 { UNIX_EPOCH.checked_add(span)? } else { UNIX_EPOCH.checked_sub(span)? };
    whole.checked_add(Duration::from_nanos(nanos))
}

/// Seconds since midnight UTC (an offset may make them negative or more than a day) and nanoseconds.
fn time_of_day(rest: &str) -> Option<(i64, u64)> {
    let time = rest.strip_prefix(['T', 't', ' '])?;
    let (hour, minute) = (field(time, 0, 2)?, field(time, 3, 2)?);
    let mut rest = time.get(5..)?;
    if time.as_bytes()[2] != b':' || hour > 23 || minute > 59 {
        return None;
    }
    let (mut second, mut nanos) = (0, 0);
    if let Some(after) = rest.strip_prefix(':') {
        second = field(after, 0, 2)?;
        rest = after.get(2..)?;
        // A leap second counts as the one before it.
        if second > 60 {
            return None;
        }
        second = second.min(59);
        if let Some(fraction) = rest.strip_prefix('.') {
            let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            let digits = fraction.get(..end.min(9)).filter(|digits| !digits.is_empty())?;
            nanos = format!("{digits:0<9}").parse().ok()?;
            rest = &fraction[end..];
        }
    }
    Some((hour * 3_600 + minute * 60 + second - offset(rest)?, nanos))
}

/// Seconds east of Greenwich.
fn offset(text: &str) -> Option<i64> {
    if matches!(text, "" | "Z" | "z") {
        return Some(0);
    }
    let sign = if text.starts_with('+') { 1 } else { -1 };
    let digits = text.strip_prefix(['+', '-'])?;
    if digits.len() != 5 || digits.as_bytes()[2] != b':' {
        return None;
    }
    let (hours, minutes) = (field(digits, 0, 2)?, field(digits, 3, 2)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn field(text: &str, at: usize, length: usize) -> Option<i64> {
    let digits = text.get(at..at + length)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Days of the proleptic Gregorian calendar, counted in years that begin in March so that the leap day is
/// the last of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

pub(super) fn show(time: SystemTime) -> String {
    let seconds = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_secs()).unwrap_or(i64::MAX),
    };
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        let time = parse(text)?;
        Some(match time.duration_since(UNIX_EPOCH) {
            Ok(since) => since.as_secs() as i64,
            Err(before) => -(before.duration().as_secs() as i64),
        })
    }

    #[test]
    fn known_moments() {
        assert_eq!(seconds("1970-01-01"), Some(0));
        assert_eq!(seconds("2000-03-01"), Some(951_868_800));
        assert_eq!(seconds("2024-02-29T12:34:56Z"), Some(1_709_210_096));
        assert_eq!(seconds("2024-02-29T14:34:56.789+02:00"), Some(1_709_210_096));
        assert_eq!(seconds("2024-02-29 12:34"), Some(1_709_210_040));
        assert_eq!(seconds("1969-12-31"), Some(-86_400));
    }

    #[test]
    fn what_is_shown_is_read_as_the_same_moment() {
        for text in ["1969-12-31T23:59:59Z", "2000-02-29T00:00:00Z", "2099-12-31T23:59:59Z"] {
            assert_eq!(parse(text).map(show).as_deref(), Some(text));
        }
    }

    #[test]
    fn impossible_dates_are_refused() {
        for wrong in [
            "",
            "2024",
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-01-32",
            "2024/01/01",
            "2024-01-01T25:00",
            "2024-01-01T10:00+2",
            "2024-01-01x",
            "20a4-01-01",
            "2024-01-01T10:00:00.Z",
            "2024-01-01T1ä:00",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
