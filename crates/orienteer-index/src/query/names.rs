//! What are the parts of a name, and which of them mean the same?
//!
//! Languages separate names in their own ways: `os.system`, `os::system`, `os/system` and `os->system` are all read as
//! `os` and `system`.

use std::borrow::Cow;

/// The most parts of a name.
pub(crate) const MOST_PARTS: usize = 64;

/// The parts of a name or a type, without what stands between and around them.
pub(crate) fn segments(name: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
    let parts = name.split(|c: char| !is_part(c)).map(|part| part.trim_matches('-'));
    parts.filter(|part| !part.is_empty()).take(MOST_PARTS).collect()
}

/// Whether a name has one part, as most have.
pub(crate) fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
}

/// A name without what stands in brackets: `Vec::<u8>::new`, `items[0].run` and `Base<T>` are `Vec::new`, `items.run` and
/// `Base`. Brackets that do not fit together, as in names of operators, stay.
pub(crate) fn without_brackets(name: &str) -> Cow<'_, str> {
    if !name.contains(['<', '(', '[']) {
        return name.into();
    }
    let mut kept = String::with_capacity(name.len());
    let mut depth = 0_usize;
    for c in name.chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' if depth > 0 => depth -= 1,
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    if depth > 0 || kept.trim().is_empty() { name.into() } else { kept.into() }
}

/// The part of a name that tells what it is called: all of it, or what stands before the first bracket where it ends with
/// one. `foo().bar[0]` is called `foo`, as it is in the store, which looks names up by their last part.
pub(crate) fn last_name(name: &str) -> &str {
    if name.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
        return name;
    }
    let before = name.split(['<', '(', '[', '{']).next().unwrap_or_default();
    if before.contains(char::is_alphanumeric) { before } else { name }
}

/// `*` stands for any letters.
pub(crate) fn matches_part(pattern: &str, part: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| part.strip_prefix(first)) else { return false };
    let mut last = None;
    for piece in pieces {
        // Only the last piece must stand at the end; the others take the first place they find.
        if let Some(middle) = last.replace(piece) {
            let Some(at) = rest.find(middle) else { return false };
            rest = &rest[at + middle.len()..];
        }
    }
    match last {
        Some(end) => rest.ends_with(end),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_whatever_stands_between() {
        assert_eq!(segments("&mut Request<T>"), ["mut", "Request", "T"]);
        assert_eq!(segments("*http.Request"), ["http", "Request"]);
        assert_eq!(segments(""), [""; 0]);
        assert_eq!(segments("a->b::c.d/e\\f#g"), ["a", "b", "c", "d", "e", "f", "g"]);
        assert_eq!(segments("node-fetch"), ["node-fetch"]);
    }

    #[test]
    fn brackets_are_no_part_of_a_name() {
        for (name, bare) in [
            ("Vec::<u8>::new", "Vec::::new"),
            ("items[0].run", "items.run"),
            ("Base<Map<K, V>>", "Base"),
            ("a->b", "a->b"),
            ("operator<", "operator<"),
            ("<T>", "<T>"),
        ] {
            assert_eq!(without_brackets(name), bare);
        }
    }

    #[test]
    fn a_name_that_ends_with_brackets_is_what_stands_before_them() {
        for (name, last) in [
            ("foo().bar[0]", "foo"),
            ("items[0].run", "items[0].run"),
            ("Vec<u8>", "Vec"),
            ("empty?", "empty?"),
            ("[]", "[]"),
            ("<T>", "<T>"),
        ] {
            assert_eq!(last_name(name), last);
        }
    }

    #[test]
    fn a_star_stands_for_any_letters() {
        assert!(!matches_part("a*b*c", "acb"));
        assert!(matches_part("a*b*c", "aXbYc"));
        assert!(!matches_part("ab*ba", "aba"));
        assert!(matches_part("*", "") && matches_part("**a", "ba"));
    }
}
