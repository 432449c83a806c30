//! The places in a file that match, as one text and one by one.

use std::collections::BTreeMap;

use orienteer_base::listing::Excerpt;
use serde_json::{Value, json};

/// Matching lines and those around them, in order, with a line where some are left out; and for each match which line of
/// that text is its own, from 0.
pub(super) fn together(found: &[Excerpt]) -> (String, Vec<usize>) {
    let mut lines: BTreeMap<usize, &str> = BTreeMap::new();
    for excerpt in found {
        let first = excerpt.line.saturating_sub(excerpt.before.len());
        let all = excerpt.before.iter().chain([&excerpt.content]).chain(&excerpt.after);
        for (number, line) in (first..).zip(all.map(String::as_str)) {
            lines.entry(number).or_insert(line);
        }
    }
    // Where lines are shown as windows, that of a match is the one around it.
    lines.extend(found.iter().map(|excerpt| (excerpt.line, excerpt.content.as_str())));
    let mut text = String::new();
    let mut own: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut written, mut next) = (0, None);
    for (number, line) in lines {
        if let Some(next) = next.filter(|next| *next < number) {
            text.push_str(&format!("[lines {next} to {} left out]\n", number - 1));
            written += 1;
        }
        own.insert(number, written);
        text.push_str(line.trim_end_matches(['\r', '\n']));
        text.push('\n');
        written += 1;
        next = Some(number + 1);
    }
    let own = found.iter().map(|excerpt| own.get(&excerpt.line).copied().unwrap_or(0)).collect();
    (text, own)
}

/// At which character each of these lines begins.
pub(super) fn begins(text: &str, lines: &[usize]) -> Vec<usize> {
    let mut at = 0;
    let starts: Vec<usize> = text
        .split_inclusive('\n')
        .map(|line| {
            at += line.chars().count();
            at - line.chars().count()
        })
        .collect();
    lines.iter().map(|line| starts.get(*line).copied().unwrap_or(0)).collect()
}

/// `lineNumber`, `content`, `beforeContext`, `afterContext`: the shape that search and reading share.
pub(super) fn row(line: u64, content: &str, before: &[String], after: &[String]) -> Value {
    let mut row = json!({ "lineNumber": line, "content": content });
    if !before.is_empty() {
        row["beforeContext"] = json!(before);
    }
    if !after.is_empty() {
        row["afterContext"] = json!(after);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(line: usize, before: &[&str], content: &str, after: &[&str]) -> Excerpt {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        Excerpt { line, column: 1, content: content.to_owned(), before: owned(before), after: owned(after) }
    }

    #[test]
    fn places_that_touch_become_one() {
        let found = [
            excerpt(2, &["a"], "größe", &["c"]),
            excerpt(3, &["größe"], "c", &["d"]),
            excerpt(9, &["h"], "i", &[]),
        ];
        let (text, lines) = together(&found);
        assert_eq!(text, "a\ngröße\nc\nd\n[lines 5 to 7 left out]\nh\ni\n");
        assert_eq!((lines.as_slice(), begins(&text, &lines)), ([1, 2, 6].as_slice(), vec![2, 8, 38]));
        assert_eq!(text.chars().skip(38).collect::<String>(), "i\n");
        assert_eq!(together(&[]), (String::new(), Vec::new()));
    }

    #[test]
    fn context_is_told_where_there_is_any() {
        assert_eq!(row(3, "x", &[], &[]), json!({ "lineNumber": 3, "content": "x" }));
        let context = row(3, "x", &["w".to_owned()], &[]);
        assert_eq!(context, json!({ "lineNumber": 3, "content": "x", "beforeContext": ["w"] }));
    }
}
