//! Is this a question that a forge can answer, and how is it written in its search?

use orienteer_base::Problem;
use orienteer_base::error::cut;

/// What GitHub takes in one search, and gives.
const MOST_CHARACTERS: usize = 256;
const MOST_OPERATORS: usize = 5;
pub(crate) const MOST_RESULTS: usize = 1000;

/// Which rows of a search are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) limit: usize,
    pub(crate) page: usize,
}

/// Checks limit and page.
pub(crate) fn wanted(limit: usize, page: usize, most: usize) -> Result<Wanted, Problem> {
    if !(1..=most).contains(&limit) {
        return Err(Problem::invalid(
            "limit",
            "out_of_range",
            format!("limit is {limit}; write 1 to {most}"),
        ));
    }
    if page == 0 {
        return Err(Problem::invalid("page", "out_of_range", "page is 0; pages are counted from 1"));
    }
    Ok(Wanted { limit, page })
}

impl Wanted {
    /// GitHub shows the first thousand results only.
    pub(crate) fn within_the_first_thousand(self) -> Result<Self, Problem> {
        let before = (self.page - 1).saturating_mul(self.limit);
        if before >= MOST_RESULTS {
            let last = MOST_RESULTS.div_ceil(self.limit);
            let message = format!(
                "page {} of {} results each is beyond the first {MOST_RESULTS}, which is all that GitHub shows; the last \
                 page is {last}. Narrow the search down with owner, repo, path or dates",
                self.page, self.limit
            );
            return Err(Problem::invalid("page", "beyond_results", message));
        }
        Ok(self)
    }

    /// Whether another page can be asked for.
    pub(crate) fn more(self, total: u64) -> bool {
        let shown = self.page.saturating_mul(self.limit);
        shown < MOST_RESULTS && (shown as u64) < total
    }
}

/// Words to look for, each as one thing; at least one.
pub(crate) fn keywords(words: &[String]) -> Result<String, Problem> {
    let words: Vec<&str> = words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
    let characters: usize =
        words.iter().map(|word| word.chars().count()).sum::<usize>() + words.len().saturating_sub(1);
    if characters > MOST_CHARACTERS {
        let message = format!(
            "the keywords have {characters} characters; GitHub takes at most {MOST_CHARACTERS}. Use fewer or shorter ones"
        );
        return Err(Problem::invalid("keywords", "too_long", message));
    }
    let operators = words
        .iter()
        .flat_map(|word| word.split_whitespace())
        .filter(|word| matches!(*word, "AND" | "OR" | "NOT"));
    let operators = operators.count();
    if operators > MOST_OPERATORS {
        let message = format!(
            "there are {operators} of AND, OR and NOT; GitHub takes at most {MOST_OPERATORS}. Ask in several searches"
        );
        return Err(Problem::invalid("keywords", "too_many_operators", message));
    }
    Ok(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

/// In quotes where it would fall apart otherwise. Who wrote operators or quotes meant them.
pub(crate) fn quoted(word: &str) -> String {
    let operators = word.split_whitespace().any(|word| matches!(word, "AND" | "OR" | "NOT"));
    let apart = word.contains(char::is_whitespace) || word.contains(':');
    if word.contains('"') || operators || !apart { word.to_owned() } else { format!("\"{word}\"") }
}

/// `name:value`, where there is a value. A quote in it would end it early.
pub(crate) fn qualifier(
    query: &mut String,
    field: &'static str,
    name: &str,
    value: Option<&str>,
) -> Result<(), Problem> {
    let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) else { return Ok(()) };
    if value.contains(['"', '\n', '\r']) || value.chars().count() > MOST_CHARACTERS {
        let message = format!("`{}` cannot stand in a search: leave quotes and line breaks out", cut(value));
        return Err(Problem::invalid(field, "bad_value", message));
    }
    if !query.is_empty() {
        query.push(' ');
    }
    let value = if value.contains(char::is_whitespace) { format!("\"{value}\"") } else { value.to_owned() };
    query.push_str(&format!("{name}:{value}"));
    Ok(())
}

/// A range as forges write them: `>1000`, `10..50`, `>=2024-01-01`, `2024-01-01..2024-12-31`.
pub(crate) fn range<'t>(field: &'static str, text: Option<&'t str>) -> Result<Option<&'t str>, Problem> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    // A bound of the wrong kind would be compared with something, and nothing would be found.
    let dates = matches!(field, "created" | "updated");
    let bound = |text: &str| if dates { is_date(text) } else { is_number(text) };
    let fits = match text.split_once("..") {
        Some((from, to)) => {
            (bound(from) || from == "*") && (bound(to) || to == "*") && (from, to) != ("*", "*")
        }
        None => {
            let operators = [">=", "<=", ">", "<", "="];
            bound(operators.iter().find_map(|operator| text.strip_prefix(operator)).unwrap_or(text))
        }
    };
    if !fits {
        let legal = if dates {
            ">=2024-01-31, <2024-01-31, 2024-01-01..2024-12-31 or 2024-01-01..*"
        } else {
            ">1000, <=50, 10..50, 10..* or 42"
        };
        let message = format!("`{}` is not a range for `{field}`; write it as {legal}", cut(text));
        return Err(Problem::invalid(field, "bad_range", message));
    }
    Ok(Some(text))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u64>().is_ok()
}

/// A day, perhaps with a time behind it.
fn is_date(text: &str) -> bool {
    let (day, time) = text.split_once('T').map_or((text, None), |(day, time)| (day, Some(time)));
    let parts: Vec<&str> = day.split('-').collect();
    let &[year, month, day] = parts.as_slice() else { return false };
    let within = |text: &str, length: usize, range: std::ops::RangeInclusive<u64>| {
        text.len() == length && is_number(text) && text.parse().is_ok_and(|number| range.contains(&number))
    };
    let of_time = |character: char| character.is_ascii_digit() || ":.Z+-".contains(character);
    within(year, 4, 1970..=9999)
        && within(month, 2, 1..=12)
        && within(day, 2, 1..=31)
        && time.is_none_or(|time| time.starts_with(|c: char| c.is_ascii_digit()) && time.chars().all(of_time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Result<String, Problem> {
        keywords(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn keywords_stay_in_one_piece() {
        assert_eq!(words(&["useState", "two words", "a:b"]).unwrap(), "useState \"two words\" \"a:b\"");
        assert_eq!(words(&["a AND b", "\"exact\""]).unwrap(), "a AND b \"exact\"");
        assert_eq!(words(&["", "  "]).unwrap(), "");
    }

    #[test]
    fn the_limits_of_a_search_are_told_before_it_is_made() {
        assert!(words(&["x"; 128]).is_ok());
        assert_eq!(words(&[&"x".repeat(257)]).unwrap_err().detail, Some("too_long"));
        assert!(words(&[&"ü".repeat(256)]).is_ok(), "characters, not bytes");
        assert!(words(&["a AND b OR c NOT d AND e OR f"]).is_ok());
        let error = words(&["a AND b OR c NOT d AND e OR f", "g NOT h"]).unwrap_err();
        assert!(error.message.contains("6 of AND, OR and NOT"), "{error}");
        assert!(wanted(100, 10, 100).unwrap().within_the_first_thousand().is_ok());
        let error = wanted(100, 11, 100).unwrap().within_the_first_thousand().unwrap_err();
        assert!(error.message.contains("the last page is 10"), "{error}");
        assert!(wanted(30, 34, 100).unwrap().within_the_first_thousand().is_ok());
        assert!(wanted(30, 35, 100).unwrap().within_the_first_thousand().is_err());
        assert_eq!(wanted(0, 1, 100).unwrap_err().field, Some("limit"));
        assert_eq!(wanted(101, 1, 100).unwrap_err().field, Some("limit"));
        assert_eq!(wanted(10, 0, 100).unwrap_err().field, Some("page"));
    }

    #[test]
    fn qualifiers_cannot_be_left() {
        let mut query = "word".to_owned();
        qualifier(&mut query, "path", "path", Some("src/a b")).unwrap();
        qualifier(&mut query, "extension", "extension", Some(" ")).unwrap();
        qualifier(&mut query, "owner", "user", Some("me")).unwrap();
        assert_eq!(query, "word path:\"src/a b\" user:me");
        assert!(qualifier(&mut query, "path", "path", Some("a\" repo:x")).is_err());
    }

    #[test]
    fn ranges_are_ranges() {
        for good in [">1000", "10..50", "42", "*..100", "10..*", "<=5", "=7"] {
            assert_eq!(range("stars", Some(good)).unwrap(), Some(good));
        }
        for good in [">=2024-01-01", "2024-01-01..2024-12-31", "2024-01-01T00:00:00Z", "*..2024-02-29"] {
            assert_eq!(range("created", Some(good)).unwrap(), Some(good));
        }
        for bad in [
            ">",
            "many",
            "10 20",
            ">1000 user:x",
            ">>>5",
            "..",
            "\"1\"",
            "=>5",
            "<>5",
            "*..*",
            "10..",
            "-5",
            "+5",
            "1.5",
        ] {
            assert_eq!(range("stars", Some(bad)).unwrap_err().field, Some("stars"), "{bad}");
            assert_eq!(range("updated", Some(bad)).unwrap_err().field, Some("updated"), "{bad}");
        }
        // What is a range, but not of this: it would find nothing, and look as if there were nothing.
        assert!(
            range("stars", Some(">2024-01-01")).is_err()
                && range("size", Some("99999999999999999999")).is_err()
        );
        for bad in [
            ">5",
            "2024",
            "2024-01",
            "2024-13-01",
            "2024-00-10",
            "2024-01-32",
            "24-01-01",
            "2024-01-01T",
            ">2024-1-1",
        ] {
            let problem = range("created", Some(bad)).unwrap_err();
            assert!(problem.message.contains(">=2024-01-31"), "{problem}");
        }
        assert_eq!(range("stars", Some(" ")).unwrap(), None);
    }
}
