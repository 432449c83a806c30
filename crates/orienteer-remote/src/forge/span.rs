//! Does a value lie in a range, where the forge cannot say so itself?

/// Whether a number or a date lies in a range as forges write them: `>1000`, `10..50`, `42`, `>=2024-01-01`. Dates are
/// compared as far as the range names them.
pub(crate) fn within(range: &str, value: &str) -> bool {
    let range = range.trim();
    let value = |bound: &str| compare(value, bound);
    if let Some((from, to)) = range.split_once("..") {
        return (from == "*" || value(from).is_ge()) && (to == "*" || value(to).is_le());
    }
    for (operator, fits) in [
        (">=", std::cmp::Ordering::is_ge as fn(std::cmp::Ordering) -> bool),
        ("<=", std::cmp::Ordering::is_le),
        (">", std::cmp::Ordering::is_gt),
        ("<", std::cmp::Ordering::is_lt),
        ("=", std::cmp::Ordering::is_eq),
        ("", std::cmp::Ordering::is_eq),
    ] {
        if let Some(bound) = range.strip_prefix(operator) {
            return fits(value(bound));
        }
    }
    false
}

fn compare(value: &str, bound: &str) -> std::cmp::Ordering {
    match (value.parse::<u64>(), bound.parse::<u64>()) {
        (Ok(value), Ok(bound)) => value.cmp(&bound),
        // Dates in the order year, month, day compare as text.
        _ => value.get(..bound.len()).unwrap_or(value).cmp(bound),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_are_compared_as_such() {
        for (range, value, expected) in [
            (">1000", "1001", true),
            (">1000", "1000", false),
            (">=1000", "1000", true),
            ("<9", "10", false),
            ("10..50", "50", true),
            ("*..50", "51", false),
            ("10..*", "10", true),
            ("42", "42", true),
            ("=42", "43", false),
            (">=2024-01-01", "2024-01-01T10:00:00Z", true),
            (">2024-01-01", "2024-01-01T10:00:00Z", false),
            ("2024-01-01..2024-01-31", "2024-01-31T23:59:59Z", true),
            ("2024-01-01..2024-01-31", "2024-02-01T00:00:00Z", false),
            ("<2024", "2023-12-31T00:00:00Z", true),
        ] {
            assert_eq!(within(range, value), expected, "{value} in {range}");
        }
    }
}
