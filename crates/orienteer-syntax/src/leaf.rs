//! What stands at this place: code, or words about it?

use orienteer_base::{Cancel, Language};

use crate::parse::{Limits, ParseError, parse};

/// What the smallest piece of text around a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaf {
    Comment,
    /// The text of a literal, not what is computed inside of it.
    Text,
    /// A word of the language itself.
    Keyword,
    /// A name, or something the grammar has no such word for.
    Other,
}

/// What stands at a byte of a text.
pub fn leaf_at(
    text: &str,
    language: &'static Language,
    at: usize,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Leaf, ParseError> {
    let parsed = parse(text, language, limits, cancel)?;
    let Some(leaf) = parsed.tree.root_node().descendant_for_byte_range(at, at.saturating_add(1)) else {
        return Ok(Leaf::Other);
    };
    // Documentation is cut into markers and lines by some grammars.
    let mut around = Some(leaf);
    for _ in 0..4 {
        let Some(node) = around else { break };
        if node.kind().contains("comment") {
            return Ok(Leaf::Comment);
        }
        around = node.parent();
    }
    let kind = leaf.kind();
    let quoted = ["string", "char_literal", "character", "template_chars", "heredoc", "rune_literal"];
    if !kind.contains("identifier") && quoted.iter().any(|word| kind.contains(word)) {
        return Ok(Leaf::Text);
    }
    // Tokens that the grammar spells out have no name of their own.
    let spelled = !leaf.is_named() && kind.chars().all(|c| c.is_alphabetic() || c == '_');
    Ok(if spelled { Leaf::Keyword } else { Leaf::Other })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(language: &str, text: &str) -> Leaf {
        let (before, after) = text.split_once('|').expect("a place");
        let language = Language::by_word(language).unwrap();
        let whole = format!("{before}{after}");
        leaf_at(&whole, language, before.len(), &Limits::default(), &Cancel::new()).unwrap()
    }

    #[test]
    fn names_are_told_from_comments_literals_and_keywords() {
        for (language, text, expected) in [
            ("rust", "fn |a() {}", Leaf::Other),
            ("rust", "|fn a() {}", Leaf::Keyword),
            ("rust", "// about |a\nfn a() {}", Leaf::Comment),
            ("rust", "/// about |a\nfn a() {}", Leaf::Comment),
            ("rust", "fn a() { b(\"|a\") }", Leaf::Text),
            ("rust", "fn a() { b!(\"{}\", |a) }", Leaf::Other),
            ("python", "def |a(): pass", Leaf::Other),
            ("python", "def a(): |pass", Leaf::Keyword),
            ("python", "x = f'{|a} b'", Leaf::Other),
            ("python", "x = f'{a} |b'", Leaf::Text),
            ("python", "'''about |a'''", Leaf::Text),
            ("python", "x = 1  # |a", Leaf::Comment),
            ("typescript", "const |a = `${b} c`", Leaf::Other),
            ("typescript", "const a = `${|b} c`", Leaf::Other),
            ("typescript", "const a = `${b} |c`", Leaf::Text),
            ("typescript", "const a = '|b'", Leaf::Text),
            ("typescript", "|const a = 1", Leaf::Keyword),
            ("typescript", "/** |a */ const a = 1", Leaf::Comment),
            ("c", "int |a(void);", Leaf::Other),
            ("c", "|return 1;", Leaf::Keyword),
            ("c", "char *s = \"|a\";", Leaf::Text),
            ("c", "char s = '|a';", Leaf::Text),
            ("c", "/* |a */ int a;", Leaf::Comment),
            ("go", "package a\nvar b = \"|c\"", Leaf::Text),
            ("go", "package a\nvar b = `|c`", Leaf::Text),
            ("go", "package a\n|var b = 1", Leaf::Keyword),
        ] {
            assert_eq!(at(language, text), expected, "{language}: {text}");
        }
    }

    #[test]
    fn a_place_behind_the_end_is_nothing_in_particular() {
        assert_eq!(at("rust", "fn a() {}|"), Leaf::Other);
        assert_eq!(at("rust", "|"), Leaf::Other);
    }
}
