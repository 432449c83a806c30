//! Whether a symbol's name is the one that was asked for.

use orienteer_base::ask::NameMatch;

/// By its last part as `how` says, and by the owners that were written before it.
pub(super) fn matches(name: &str, path: &[&str], how: NameMatch, parts: &[String]) -> bool {
    let Some(last) = parts.last() else { return false };
    let fits = match how {
        NameMatch::Exact => name == last,
        NameMatch::Prefix => name.to_lowercase().starts_with(&last.to_lowercase()),
        NameMatch::Fuzzy => fuzzy(name, last),
    };
    fits && is_inside(path, parts)
}

/// Whether a symbol stands in what was written before its name.
pub(super) fn is_inside(path: &[&str], parts: &[String]) -> bool {
    let containers = &parts[..parts.len().saturating_sub(1)];
    let above = &path[..path.len().saturating_sub(1)];
    above.len() >= containers.len()
        && above[above.len() - containers.len()..].iter().zip(containers).all(|(left, right)| left == right)
}

/// The letters of the query in order, whatever stands between.
fn fuzzy(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::name_parts;

    #[test]
    fn names_match_in_three_ways() {
        let parts = |text: &str| name_parts(text).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let path = ["Circle", "area"];
        assert!(matches("area", &path, NameMatch::Exact, &parts("Circle::area")));
        assert!(!matches("area", &path, NameMatch::Exact, &parts("Square::area")));
        assert!(!matches("area", &path, NameMatch::Exact, &parts("are")));
        assert!(matches("area", &path, NameMatch::Prefix, &parts("AR")));
        assert!(matches("total_area", &["total_area"], NameMatch::Fuzzy, &parts("ttarea")));
        assert!(!matches("area", &path, NameMatch::Fuzzy, &parts("aera")));
    }
}
