//! Between which moments does a range of dates lie?

use orienteer_base::Problem;

use crate::forge::query;

/// The moments after and before which GitLab is asked for things. A day is all of its hours.
pub(super) fn moments(
    field: &'static str,
    text: Option<&str>,
) -> Result<(Option<String>, Option<String>), Problem> {
    let Some(text) = query::range(field, text)? else { return Ok((None, None)) };
    let moment = |text: &str, time: &str| {
        let text = text.trim();
        let open = text.is_empty() || text == "*";
        (!open).then(|| if text.contains('T') { text.to_owned() } else { format!("{text}{time}") })
    };
    let (first, last) = ("T00:00:00Z", "T23:59:59Z");
    Ok(if let Some(rest) = text.strip_prefix(">=") {
        (moment(rest, first), None)
    } else if let Some(rest) = text.strip_prefix('>') {
        (moment(rest, last), None)
    } else if let Some(rest) = text.strip_prefix("<=") {
        (None, moment(rest, last))
    } else if let Some(rest) = text.strip_prefix('<') {
        (None, moment(rest, first))
    } else if let Some((from, to)) = text.split_once("..") {
        (moment(from, first), moment(to, last))
    } else {
        let day = text.trim_start_matches('=');
        (moment(day, first), moment(day, last))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_all_of_its_hours() {
        let (morning, night) = (Some("2024-01-02T00:00:00Z"), Some("2024-01-02T23:59:59Z"));
        for (text, after, before) in [
            ("2024-01-02", morning, night),
            ("=2024-01-02", morning, night),
            (">2024-01-02", night, None),
            (">=2024-01-02", morning, None),
            ("<2024-01-02", None, morning),
            ("<=2024-01-02", None, night),
            ("2024-01-02..2024-01-02", morning, night),
            ("2024-01-02..*", morning, None),
            ("*..2024-01-02", None, night),
            ("<2024-01-02T10:00:00Z", None, Some("2024-01-02T10:00:00Z")),
        ] {
            let found = moments("created", Some(text)).unwrap();
            assert_eq!((found.0.as_deref(), found.1.as_deref()), (after, before), "{text}");
        }
    }

    #[test]
    fn no_range_is_none_and_an_odd_one_is_told() {
        assert_eq!(moments("created", None).unwrap(), (None, None));
        assert_eq!(moments("created", Some("yesterday")).unwrap_err().field, Some("created"));
    }
}
