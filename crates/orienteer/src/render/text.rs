//! Small pieces of wording that several tools share.

use std::time::SystemTime;

use super::invisible;

/// `1 file`, `2 files`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A name on one line, as it is: characters that would break the line, turn it around or not show at all are
/// written as escapes. For text only; structured content keeps the ends of its lines.
pub fn visible(name: &str) -> std::borrow::Cow<'_, str> {
    if !name.contains(char::is_control) {
        return invisible::shown(name);
    }
    let escaped = |c: char| if c.is_control() { c.escape_unicode().to_string() } else { c.to_string() };
    let one_line: String = name.chars().map(escaped).collect();
    invisible::shown(&one_line).into_owned().into()
}

/// A size as people read it.
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    #[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let mut value = size as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{size} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// RFC 3339 in UTC, to the second.
pub fn time(time: SystemTime) -> String {
    orienteer_base::units::show_time(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_rfc_3339() {
        let at = |seconds| time(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(4_102_444_799), "2099-12-31T23:59:59Z");
        assert_eq!(time(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn names_cannot_forge_lines() {
        assert_eq!(visible("src/main.rs"), "src/main.rs");
        assert_eq!(visible("a\nb\u{1b}[0m\u{202e}c"), "a\\u{a}b\\u{1b}[0m\\u{202e}c");
    }

    #[test]
    fn sizes_are_readable() {
        assert_eq!((bytes(0), bytes(1023), bytes(1536)), ("0 B".into(), "1023 B".into(), "1.5 KiB".into()));
    }
}
