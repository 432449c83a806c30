//! Two things that the grammar of TypeScript does not know, and that it stumbles over for the rest of the file, slowly:
//!
//! - the variance of a type parameter, `interface Cache<in out Key, out Value>`: blanks stand in for `in` and `out`;
//! - members of a type that are told apart by the end of the line, where the second one begins with its type parameters:
//!
//!   ```text
//!   declare const head: {
//!     (self: string): string
//!     <A>(self: Array<A>): A
//!   }
//!   ```
//!
//!   A semicolon stands in for the blank behind the first. Expressions and the names of functions and types may go on in such
//!   a line, so it has to look like a member: below another one, in a block that was opened at the end of a line.

use std::borrow::Cow;

/// What a member does not end with, although they are words.
const GO_ON: [&str; 12] = [
    "abstract",
    "as",
    "extends",
    "in",
    "infer",
    "is",
    "keyof",
    "new",
    "readonly",
    "satisfies",
    "typeof",
    "unique",
];

/// What begins statements that look like a member.
const STATEMENTS: [&str; 14] = [
    "await", "case", "catch", "class", "do", "else", "for", "function", "if", "return", "switch", "throw",
    "while", "yield",
];

/// `lines`: a line that begins with an angle begins with type parameters.
pub(super) fn shown(text: &str, lines: bool) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut shown = Vec::new();
    let mut put = |from: usize, to: usize, byte: u8| {
        if shown.is_empty() {
            shown = bytes.to_vec();
        }
        shown[from..to].fill(byte);
    };
    for sign in memchr::memchr2_iter(b'<', b',', bytes) {
        if let Some((start, end)) = variance(bytes, sign + 1) {
            put(start, end, b' ');
        }
    }
    if lines {
        member_ends(text, |end| put(end, end + 1, b';'));
    }
    // Only ASCII was replaced, by ASCII.
    match String::from_utf8(shown) {
        Ok(shown) if !shown.is_empty() => Cow::Owned(shown),
        _ => Cow::Borrowed(text),
    }
}

/// Where `in`, `out` or `in out` stands behind a sign and before a name in the same line.
fn variance(bytes: &[u8], behind: usize) -> Option<(usize, usize)> {
    let start = past_blanks(bytes, behind, true);
    let (first, mut end) = word(bytes, start);
    let mut next = word(bytes, past_blanks(bytes, end, false));
    match first {
        b"in" if next.0 == b"out" && is_name(word(bytes, past_blanks(bytes, next.1, false)).0) => {
            end = next.1;
            next = word(bytes, past_blanks(bytes, end, false));
        }
        b"in" | b"out" => {}
        _ => return None,
    }
    is_name(next.0).then_some((start, end))
}

/// A name, and not a word that makes what stands before it one: `(a, out as A)`.
fn is_name(word: &[u8]) -> bool {
    word.first().is_some_and(|byte| !byte.is_ascii_digit())
        && !matches!(word, b"as" | b"extends" | b"satisfies" | b"instanceof" | b"in" | b"of")
}

/// A line that others stand below or inside of.
struct Level {
    indent: usize,
    /// It ends with a brace, so what is indented more is inside.
    opens: bool,
    is_member: bool,
}

/// Calls with the places behind members that end with their line, where the next one begins with an angle.
fn member_ends(text: &str, mut each: impl FnMut(usize)) {
    let mut levels: Vec<Level> = Vec::new();
    let (mut at, mut last_end) = (0, 0);
    let mut in_comment = false;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let code = line.trim_ascii_start();
        let indent = line.len() - code.len();
        if in_comment || code.starts_with("/*") {
            in_comment = !code.contains("*/");
            continue;
        }
        let code = without_comment(code);
        if code.is_empty() {
            continue;
        }
        while levels.last().is_some_and(|level| level.indent > indent) {
            levels.pop();
        }
        let level = Level { indent, opens: code.ends_with('{'), is_member: is_member(code) };
        if levels.last().is_some_and(|above| above.indent == indent) {
            let above = levels.pop();
            let inside = levels.last().is_some_and(|around| around.opens);
            let follows = above.is_some_and(|above| above.is_member);
            if follows && inside && begins_parameters(text, start + indent) && is_end(text, last_end) {
                each(last_end);
            }
        }
        levels.push(level);
        last_end = start + indent + code.len();
    }
}

/// Whether a line begins as members of types do, or ends one that was begun above it.
fn is_member(code: &str) -> bool {
    let bytes = code.as_bytes();
    if matches!(bytes[0], b'(' | b'<' | b')' | b'>' | b'}' | b'[') {
        return true;
    }
    let mut at = 0;
    loop {
        let (name, end) = word(bytes, at);
        if name.is_empty() || STATEMENTS.iter().any(|known| known.as_bytes() == name) {
            return false;
        }
        let end = end + usize::from(bytes.get(end) == Some(&b'?'));
        match bytes.get(end) {
            Some(b':' | b'(' | b'<') => return true,
            // `readonly name: …`, `get name(): …`, `new (…): …`
            Some(b' ') => at = past_blanks(bytes, end, false),
            _ => return false,
        }
        if name == b"new" {
            return matches!(bytes.get(at), Some(b'(' | b'<'));
        }
    }
}

/// Without blanks and a comment at its end. An address has no blank before its slashes.
fn without_comment(code: &str) -> &str {
    if code.starts_with("//") {
        return "";
    }
    let end = code.find(" //").or_else(|| code.find("\t//")).unwrap_or(code.len());
    let code = code.get(..end).unwrap_or_default().trim_ascii_end();
    match code.rfind(" /*").filter(|_| code.ends_with("*/")) {
        Some(end) => code.get(..end).unwrap_or_default().trim_ascii_end(),
        None => code,
    }
}

/// Whether an angle stands here with a name close behind it, or in the next line.
fn begins_parameters(text: &str, angle: usize) -> bool {
    let bytes = text.as_bytes();
    let close = bytes.get(angle + 1).is_some_and(|byte| !matches!(byte, b' ' | b'\t'));
    let (name, _) = word(bytes, past_blanks(bytes, angle + 1, true));
    bytes.get(angle) == Some(&b'<') && close && name.first().is_some_and(|byte| !byte.is_ascii_digit())
}

/// Whether a member may end here.
fn is_end(text: &str, end: usize) -> bool {
    let bytes = text.as_bytes();
    let Some(last) = end.checked_sub(1) else { return false };
    let ends = match bytes[last] {
        b'>' => !text[..end].ends_with("=>"),
        b')' | b']' | b'}' | b'"' | b'\'' | b'`' => true,
        byte if is_word(byte) => {
            let start = bytes[..last].iter().rposition(|byte| !is_word(*byte)).map_or(0, |at| at + 1);
            text.get(start..end).is_some_and(|word| !GO_ON.contains(&word))
        }
        _ => false,
    };
    ends && bytes.get(end).is_some_and(u8::is_ascii_whitespace)
}

fn past_blanks(bytes: &[u8], from: usize, lines: bool) -> usize {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t') || lines && matches!(byte, b'\n' | b'\r');
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !blank(byte)).unwrap_or(rest.len())
}

fn word(bytes: &[u8], start: usize) -> (&[u8], usize) {
    let rest = bytes.get(start..).unwrap_or_default();
    let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
    (&rest[..length], start + length)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(text: &str) {
        assert!(matches!(shown(text, true), Cow::Borrowed(_)), "{}", shown(text, true));
    }

    #[test]
    fn variance_is_not_shown() {
        let text = "interface A<in out K, out V extends K> {}";
        assert_eq!(shown(text, true), "interface A<       K,     V extends K> {}");
        assert_eq!(shown("class B<\n  in K\n> {}", false), "class B<\n     K\n> {}");
        for text in [
            "f(a, out as any)",
            "if (a < out && b) {}",
            "class A<out extends B> {}",
            "type A<out> = out",
            "for (const a in b) {}",
            "{ a, in: b }",
            "let a, out\nb = 3",
            "a < in",
            "a,",
            "<",
        ] {
            same(text);
        }
    }

    #[test]
    fn members_that_end_with_the_line_end() {
        let text = "const a: {\n  (a: B): C\n  <A>(a: A): A\n}";
        assert_eq!(shown(text, true), "const a: {\n  (a: B): C;  <A>(a: A): A\n}");
        same(&text.replace("C\n", "C;\n"));
        assert!(matches!(shown(text, false), Cow::Borrowed(_)), "an element in TSX");
        let text = "interface A {\n\treadonly a?: Array<B>\n\t<\n\t\tconst A,\n\t>(a: A): A\n\t<B>(\n\t\tb: B\n\t): B\n\t<C>(c: C): C\n}";
        let expected = text.replace("<B>\n", "<B>;").replace("): A\n", "): A;").replace("): B\n", "): B;");
        assert_eq!(shown(text, true), expected);
    }

    #[test]
    fn comments_between_members_are_passed_over() {
        let text = "type A = {\n  a: \"b\" // see http://x.example\n  // more\n  /** what\n   * it does */\n  <A>(a: A): A\n}";
        assert_eq!(shown(text, true), text.replace("\" //", "\";//"));
        let text = "type A = {\n  a: \"http://x.example\" /* b */\n  <A>(a: A): A\n}";
        assert_eq!(shown(text, true), text.replace("\" /*", "\";/*"));
    }

    #[test]
    fn what_goes_on_goes_on() {
        for text in [
            "const f = <A>(a: A) =>\n  <B>(b: B) => a",
            "return (\n  <A>b\n)",
            "export default\n<A>(a: A) => a",
            "type F =\n  <A>(a: A) => A",
            "type F =\n  | A\n  | <B>(b: B) => B\n  & <C>(c: C) => C",
            "while (a\n  < b) {}",
            "{\n  a()\n  << b\n  <= c\n  < d\n  <1\n}",
            "function f\n<A>(a: A) {}",
            "class Foo\n<T> {}",
            "namespace a {\n  class Foo\n  <T> {}\n  type Bar\n  <T> = T\n  class A extends mixin(B)\n  <C> {}\n}",
            "class A {\n  foo\n  <T>(a: T): void {}\n}",
            "interface A {\n  foo\n  <T>(a: T): T\n}",
            "{\n  async function* foo\n  <T>() {}\n  if (a) b\n  <T>(c)\n  x = a\n  <b\n}",
            "const x = pipe\n  <A>(f, g)",
            "if (a)\n  <any>b.c()",
            "{\n  if (a)\n    <any>b.c()\n}",
            "interface A {\n  a: keyof\n  <B>(b: B): B\n}",
            "{\n<A>(a: A): A }",
            "*/\n<A",
            "\n<A",
            "<A\n<A\n<A",
        ] {
            same(text);
        }
    }
}
