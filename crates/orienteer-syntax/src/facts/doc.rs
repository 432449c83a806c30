//! Documentation without its marks.

use std::ops::Range;

/// Longer documentation is cut.
const MAX_DOC: usize = 4000;

/// The words of the comments above a definition. `marked`: only comments that say they are documentation count.
pub(super) fn of_comments(text: &str, ranges: &[Range<usize>], marked: bool) -> Option<String> {
    let comments = || ranges.iter().filter_map(|range| text.get(range.clone()));
    let any_marked = comments().any(is_marked);
    if marked && !any_marked {
        return None;
    }
    let mut doc = Doc::default();
    for comment in comments().filter(|comment| !any_marked || is_marked(comment)) {
        let block = comment.starts_with("/*") || comment.starts_with("{-") || comment.starts_with("<!--");
        for line in comment.lines() {
            doc.line(if block { block_line(line) } else { line_comment(line) });
        }
    }
    doc.finish()
}

/// The words of a string that stands where documentation is written.
pub(super) fn of_string(written: &str) -> Option<String> {
    let inner = written.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let quotes = ["\"\"\"", "'''", "\"", "'"];
    let quote = quotes.iter().find(|quote| inner.starts_with(**quote))?;
    let inner = inner.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut doc = Doc::default();
    inner.lines().for_each(|line| doc.line(line.trim()));
    doc.finish()
}

/// C# writes documentation as XML, of which the words count, and the names that tags refer to.
pub(super) fn without_tags(doc: &str) -> String {
    let mut plain = String::with_capacity(doc.len());
    let mut rest = doc;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        let named = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        match tag.split_once('>') {
            Some((tag, after)) if named && !tag.contains('<') => {
                let refers = |key: &str| tag.split_once(key).and_then(|(_, value)| value.split('"').next());
                match refers("cref=\"") {
                    Some(name) => plain.push_str(name),
                    None => refers("name=\"").into_iter().for_each(|name| plain.extend([name, ": "])),
                }
                rest = after;
            }
            _ => {
                plain.push('<');
                rest = tag;
            }
        }
    }
    plain.push_str(rest);
    let lines = plain.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// `///`, `//!`, `/** … */`, `/*! … */`.
fn is_marked(comment: &str) -> bool {
    let is = |mark: &str, not: &str| comment.starts_with(mark) && !comment.starts_with(not);
    is("///", "////") || comment.starts_with("//!") || is("/**", "/**/") || comment.starts_with("/*!")
}

fn line_comment(line: &str) -> &str {
    let line = line.trim();
    for mark in ["///", "//!", "//", "#", "--", ";", "%"] {
        if let Some(rest) = line.strip_prefix(mark) {
            let rest = if mark == "//" { rest } else { rest.trim_start_matches(['#', '-', ';', '%', '/']) };
            return rest.trim();
        }
    }
    line
}

fn block_line(line: &str) -> &str {
    let line = line.trim();
    let closed = ["*/", "-}", "-->"].iter().find_map(|mark| line.strip_suffix(mark));
    let line = closed.unwrap_or(line);
    let opened = ["/**", "/*!", "/*", "{-|", "{-", "<!--"].iter().find_map(|mark| line.strip_prefix(mark));
    let line = opened.unwrap_or_else(|| line.strip_prefix('*').unwrap_or(line));
    line.trim_matches(|c: char| c.is_whitespace() || c == '*')
}

#[derive(Default)]
struct Doc {
    text: String,
    chars: usize,
    blank: bool,
}

impl Doc {
    fn line(&mut self, line: &str) {
        // Directions to tools are not about what they stand above.
        let directive = ["go:", "nolint", "eslint-", "prettier-ignore", "@ts-", "noqa", "noinspection"];
        if directive.iter().any(|word| line.starts_with(word)) {
            return;
        }
        if line.is_empty() {
            self.blank = !self.text.is_empty();
            return;
        }
        if self.chars >= MAX_DOC {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str(if self.blank { "\n\n" } else { "\n" });
            self.chars += 1 + usize::from(self.blank);
        }
        self.blank = false;
        self.text.push_str(line);
        // Bytes are no fewer than characters, so most texts need no counting.
        self.chars += line.len();
        if self.chars > MAX_DOC {
            self.chars = self.text.chars().count();
        }
    }

    fn finish(mut self) -> Option<String> {
        if self.text.len() > MAX_DOC
            && let Some((cut, _)) = self.text.char_indices().nth(MAX_DOC)
        {
            self.text.truncate(cut);
        }
        (!self.text.is_empty()).then_some(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doc(text: &str) -> Option<String> {
        of_comments(text, std::slice::from_ref(&(0..text.len())), false)
    }

    #[test]
    fn marks_are_stripped() {
        assert_eq!(doc("/// One.\n/// Two.").as_deref(), Some("One.\nTwo."));
        assert_eq!(doc("/**\n * One.\n *\n *  - two\n */").as_deref(), Some("One.\n\n- two"));
        assert_eq!(doc("/* One. */").as_deref(), Some("One."));
        assert_eq!(doc("# One.\n# Two.").as_deref(), Some("One.\nTwo."));
        assert_eq!(doc("-- One.").as_deref(), Some("One."));
        assert_eq!(doc("//go:noinline").as_deref(), None);
        assert_eq!(doc("//").as_deref(), None);
        assert_eq!(doc("/***/").as_deref(), None);
    }

    #[test]
    fn where_marks_count_plain_comments_do_not() {
        let text = "// plain\n/// marked";
        let ranges = [0..8, 9..19];
        assert_eq!(of_comments(text, &ranges, true).as_deref(), Some("marked"));
        assert_eq!(of_comments(text, &ranges[..1], true), None);
        assert_eq!(of_comments(text, &ranges[..1], false).as_deref(), Some("plain"));
    }

    #[test]
    fn strings_lose_their_quotes() {
        assert_eq!(of_string("r\"\"\"One.\n\n    Two.\n\"\"\"").as_deref(), Some("One.\n\nTwo."));
        assert_eq!(of_string("'One.'").as_deref(), Some("One."));
        assert_eq!(of_string("\"\"\"").as_deref(), None);
        assert_eq!(of_string("x"), None);
    }

    #[test]
    fn tags_go_and_what_they_name_stays() {
        let doc =
            "<summary>\nRuns <see cref=\"Store\"/> if a < b.\n</summary>\n<param name=\"x\">The x.</param>";
        assert_eq!(without_tags(doc), "Runs Store if a < b.\nx: The x.");
    }

    #[test]
    fn documentation_is_bounded() {
        let text = format!("// {}", "é".repeat(9000));
        assert_eq!(doc(&text).map(|doc| doc.chars().count()), Some(MAX_DOC));
        let text = "// ab\n".repeat(9000);
        assert_eq!(doc(&text).map(|doc| doc.chars().count()), Some(MAX_DOC));
    }
}
