//! What is left of a configuration in JSON without what people add to it?

/// Without comments, without commas before closing brackets, without a byte order mark: plain JSON if it was meant as such.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            let end = string_end(rest);
            plain.push_str(&rest[..end]);
            end
        } else {
            if matches!(c, ']' | '}') {
                let kept = plain.trim_end();
                plain.truncate(kept.strip_suffix(',').unwrap_or(kept).len());
            }
            plain.push(c);
            c.len_utf8()
        };
        rest = &rest[taken..];
    }
    plain
}

/// How long the string at the beginning is, its quotes included.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_go_and_strings_stay() {
        let text = "\u{feff}// one\n{ /* two */ \"a\": [\"x // \\\" ,]\", // three\n], }\n/* end";
        assert_eq!(plain(text), "\n{  \"a\": [\"x // \\\" ,]\"]}\n");
        assert_eq!(plain("[1,/**/]"), "[1]");
        assert_eq!((plain("\"\\"), plain("/*")), ("\"\\".to_owned(), String::new()));
    }
}
