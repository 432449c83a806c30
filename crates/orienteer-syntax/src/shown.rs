//! What is a grammar shown of a text that it cannot read as it is?
//!
//! The same text as a rule. Where a grammar is behind its language, or has a hole, something else stands in, byte for byte as
//! long: a place in the tree is that place in the text. Whoever holds the tree takes names and lines from the text itself.
//!
//! Outlines and facts are made of what reads best. Whoever looks for errors, or for code of a shape, wants what is written.

mod bash;
mod c;
mod ruby;
mod sections;
mod typescript;

use std::borrow::Cow;

use orienteer_base::Language;

pub(crate) use sections::scripts;

/// One of the two ways below.
pub(crate) type Show = for<'t> fn(&Language, &'t str) -> Cow<'t, str>;

/// What stands there, but for what a grammar must not see.
pub(crate) fn written<'t>(language: &Language, text: &'t str) -> Cow<'t, str> {
    match language.id {
        "bash" => bash::shown(text),
        "ruby" => ruby::shown(text),
        _ => Cow::Borrowed(text),
    }
}

/// What a grammar makes the best outline of.
pub(crate) fn readable<'t>(language: &Language, text: &'t str) -> Cow<'t, str> {
    match language.id {
        "c" | "cpp" => c::shown(text),
        "typescript" => typescript::shown(text, true),
        // A line that begins with an angle is an element there.
        "tsx" => typescript::shown(text, false),
        _ => written(language, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_languages_are_shown_as_they_are() {
        let rust = Language::by_word("rust").unwrap();
        assert!(matches!(readable(rust, "中 in out"), Cow::Borrowed("中 in out")));
        let script = Language::by_word("typescript").unwrap();
        assert!(matches!(readable(script, "let a = b\nlet c = d\n"), Cow::Borrowed(_)));
        assert!(matches!(written(script, "class A<out B> {}"), Cow::Borrowed(_)));
        assert_eq!(readable(script, "class A<out B> {}"), "class A<    B> {}");
    }
}
