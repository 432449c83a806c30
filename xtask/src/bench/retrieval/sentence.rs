//! What is the first sentence of a piece of documentation, as a person would say it?

use std::sync::LazyLock;

use regex::Regex;

/// How long a sentence may be, in words.
const WORDS: std::ops::RangeInclusive<usize> = 4..=40;

/// What these begin says nothing about the function itself.
const EMPTY: [&str; 13] = [
    "see ",
    "same as",
    "alias ",
    "an alias",
    "deprecated",
    "todo",
    "fixme",
    "xxx",
    "hack",
    "note:",
    "eslint-",
    "istanbul ",
    "inherit",
];

static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        // {@link a b}, {@code a}
        (r"\{@\w+\s+([^}\s]+)[^}]*\}", "$1"),
        // [text](address), [`text`][name], [`text`]
        (r"!?\[([^\]]*)\]\([^)]*\)", "$1"),
        (r"\[([^\]]+)\](?:\[[^\]]*\])?", "$1"),
        // :role:`text <target>`, :role:`~text`
        (r":[\w:]+:`[~!]?([^`<]*?)\s*(?:<[^>]*>)?`", "$1"),
        (r"`([^`<]+)\s+<[^>]*>`_+", "$1"),
        (r"</?[A-Za-z][^>]*>", " "),
        (r"`+|\*\*+", ""),
        (r"\s+", " "),
    ]
    .into_iter()
    .filter_map(|(rule, instead)| Some((Regex::new(rule).ok()?, instead)))
    .collect()
});

/// `None` where the documentation does not begin with a sentence of its own.
pub(super) fn first(documentation: &str, name: &str) -> Option<String> {
    let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    // Some projects write the name above what the function does.
    let begin = documentation.trim_start();
    let (head, rest) = begin.split_once('\n').unwrap_or((begin, ""));
    let documentation = if bare(head) == bare(name) { rest } else { begin };
    let mut text = paragraphs(documentation).into_iter().next()?;
    for (rule, instead) in RULES.iter() {
        text = rule.replace_all(&text, *instead).into_owned();
    }
    let sentence = text[..end(&text)].trim_matches(|c: char| c.is_whitespace() || "-.:=*_#~".contains(c));
    let lower = sentence.to_lowercase();
    if EMPTY.iter().any(|start| lower.starts_with(start))
        || !WORDS.contains(&sentence.split_whitespace().count())
    {
        return None;
    }
    Some(sentence.to_owned())
}

/// Lower-case words of letters and digits.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Lines joined up to an empty one, a list, a tag or an example.
fn paragraphs(documentation: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut current = String::new();
    for line in documentation.lines().map(str::trim) {
        let line = ["@brief ", "@description ", "@desc ", "\\brief "]
            .iter()
            .find_map(|tag| line.strip_prefix(tag))
            .unwrap_or(line);
        if line.starts_with(['@', '\\']) || line.starts_with("```") || line.starts_with(":param") {
            break;
        }
        let rule = line.len() > 2 && line.chars().all(|c| "-=*#~/".contains(c));
        let item = line.starts_with("- ") || line.starts_with("* ") || line.starts_with(".. ");
        if line.is_empty() || rule || item || line.starts_with('#') {
            if !current.is_empty() {
                all.push(std::mem::take(&mut current));
            }
            continue;
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(line);
    }
    if !current.is_empty() {
        all.push(current);
    }
    all
}

/// Where the first sentence ends.
fn end(text: &str) -> usize {
    for (at, mark) in text.match_indices(['.', '!', '?']) {
        let behind = text[at + mark.len()..].chars().next();
        if behind.is_some_and(|c| !c.is_whitespace()) {
            continue;
        }
        let word = text[..at].rsplit([' ', '(']).next().unwrap_or_default().to_lowercase();
        let short =
            ["e.g", "i.e", "eg", "ie", "vs", "cf", "etc", "incl", "approx", "no"].contains(&word.as_str());
        if !short && word.chars().count() > 1 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_where_a_reader_would_end_it() {
        let text = "Returns the first item, e.g. of a list in\nversion 1.2 of it. Then more.\n\nLater.";
        assert_eq!(
            first(text, "x").as_deref(),
            Some("Returns the first item, e.g. of a list in version 1.2 of it")
        );
        assert_eq!(first("Reads all of it\n@param a it", "x").as_deref(), Some("Reads all of it"));
    }

    #[test]
    fn marks_of_links_and_code_are_taken_off() {
        let text =
            "Makes a [`Foo`][crate::Foo] from {@link Bar bars} and :meth:`~a.b` <b>or</b> `x` [here](there).";
        assert_eq!(first(text, "x").as_deref(), Some("Makes a Foo from Bar and a.b or x here"));
    }

    #[test]
    fn a_name_as_a_title_is_passed_over_and_short_sentences_are_none() {
        assert_eq!(
            first("channel_read\n\nRead data from a channel.", "_channel_read").as_deref(),
            Some("Read data from a channel")
        );
        assert_eq!(first("read_it()\nReads all of it.", "read_it").as_deref(), Some("Reads all of it"));
        assert_eq!(first("Read the data.", "x"), None);
        assert_eq!(first("other_name_of_many_words", "x"), None);
        assert_eq!(first("See the other function for details.", "x"), None);
        assert_eq!(first("@param a the first of them all", "x"), None);
    }
}
