//! The name in what is written: `a.b().c` is called `c`, `Vec::<u8>::new` is called `Vec::new`.

use std::borrow::Cow;

/// Longer names are cut.
pub(super) const MAX_NAME: usize = 300;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    /// Between the words of a path.
    Joint,
    /// Parts of `->`, and the end of arguments in angles.
    Arrow,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        if c.is_ascii_alphanumeric() || c >= 0x80 || matches!(c, b'_' | b'$' | b'@' | b'#' | b'\\') {
            classes[byte] = Class::Word;
        } else if matches!(c, b'.' | b':' | b'?' | b'!' | b'&') {
            classes[byte] = Class::Joint;
        } else if matches!(c, b'-' | b'>') {
            classes[byte] = Class::Arrow;
        }
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// A name, and whether it is all that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written<'t> {
    pub(super) name: Cow<'t, str>,
    pub(super) whole: bool,
}

/// The name at the end of an expression.
pub(super) fn written(text: &str) -> Written<'_> {
    if text.len() <= MAX_NAME && text.bytes().all(|byte| class(byte) != Class::Other) {
        return Written { name: plain(text), whole: true };
    }
    backwards(text)
}

/// `a?.b` and `a!.b` are `a.b`.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| matches!(byte, b'?' | b'!' | b'&')) {
        return Cow::Borrowed(text);
    }
    let joints = ["?.", "!.", "&."];
    if !joints.iter().any(|joint| text.contains(joint)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("?.", ".").replace("!.", ".").replace("&.", "."))
}

/// Reads from the end over words, joints, blanks around joints and arguments in angles, until something else stands there.
fn backwards(text: &str) -> Written<'_> {
    let bytes = text.as_bytes();
    let mut parts: Vec<&str> = Vec::new();
    let mut kept = 0;
    let mut end = bytes.len();
    let mut joint_last = false;
    let mut whole = true;
    while let Some(last) = end.checked_sub(1).and_then(|at| bytes.get(at)).copied() {
        if kept > MAX_NAME {
            whole = false;
            break;
        }
        if last.is_ascii_whitespace() {
            let before = text.get(..end).unwrap_or_default().trim_ascii_end();
            let joins = before.ends_with("->")
                || before.bytes().last().is_some_and(|byte| class(byte) == Class::Joint);
            if !before.is_empty() && !parts.is_empty() && !joint_last && !joins {
                whole = false;
                break;
            }
            end = before.len();
            continue;
        }
        let (kind, start) = match class(last) {
            Class::Other => {
                whole = false;
                break;
            }
            Class::Arrow if bytes[..end].ends_with(b"->") => (Class::Joint, end - 2),
            Class::Arrow => match angles(bytes, end) {
                Some(start) => {
                    end = start;
                    continue;
                }
                None => {
                    whole = false;
                    break;
                }
            },
            kind => (kind, end - bytes[..end].iter().rev().take_while(|byte| class(**byte) == kind).count()),
        };
        let part = text.get(start..end).unwrap_or_default();
        // What stood between two joints, or behind the last, was left out.
        if kind == Class::Word || !(joint_last || parts.is_empty()) {
            let part = if kind == Class::Joint { part.trim_start_matches(['?', '!', '&']) } else { part };
            kept += part.len();
            parts.push(part);
            joint_last = kind == Class::Joint;
        }
        end = start;
    }
    if joint_last {
        parts.pop();
    }
    parts.reverse();
    let mut name = parts.concat();
    if let Some((cut, _)) = name.char_indices().nth(MAX_NAME) {
        name.truncate(cut);
    }
    Written { name: Cow::Owned(name), whole }
}

/// Where `<…>` that ends here begins.
fn angles(bytes: &[u8], end: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (back, byte) in bytes[..end].iter().rev().take(MAX_NAME).enumerate() {
        match byte {
            b'>' => depth += 1,
            b'<' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(end - back - 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The name at the beginning of a text, and what follows it.
pub(super) fn leading(text: &str) -> (&str, &str) {
    let end = text.bytes().take(MAX_NAME).take_while(|byte| class(*byte) != Class::Other).count();
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (name.trim_end_matches(['.', ':', '?', '!', '-', '>', '&']), rest)
}

/// The path that ends here, looked for in the text before.
pub(super) fn ending_at(text: &str, start: usize, end: usize) -> &str {
    let before = text.get(start..end).unwrap_or_default();
    let run = before.bytes().rev().take(MAX_NAME).take_while(|byte| class(*byte) != Class::Other).count();
    let path = before.get(before.len() - run..).unwrap_or_default();
    path.trim_start_matches(['.', ':', '?', '!', '-', '>', '&', '@', '#'])
}

/// Whether a type or a list of parameters holds no blocks, comments, templates, or calls as values.
pub(super) fn is_only_words(text: &str) -> bool {
    let mut opened = 0;
    let mut given = false;
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'/' | b'`' | b'#' => return false,
            b'(' => opened += 1,
            b'=' if bytes.peek() != Some(&b'>') => given = true,
            _ => {}
        }
    }
    !given || opened < 2
}

/// The next word from a place on that does not stand in quotes, and where it ends.
pub(super) fn word(text: &str, from: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' => {
                // The sign of a lifetime has no counterpart.
                let rest = bytes.get(at + 1..).unwrap_or_default();
                at += 1 + rest.iter().position(|other| other == byte).map_or(0, |length| length + 1);
            }
            byte if class(*byte) == Class::Word => {
                let length = bytes[at..].iter().take_while(|byte| class(**byte) == Class::Word).count();
                let word = text.get(at..at + length)?;
                return Some((word.trim_start_matches(['@', '$']), at + length));
            }
            _ => at += 1,
        }
    }
    None
}

/// Written with a capital: a type, a class, a constant, a variant.
pub(super) fn is_capital(name: &str) -> bool {
    match name.as_bytes().first() {
        Some(byte) if byte.is_ascii() => byte.is_ascii_uppercase(),
        Some(_) => name.chars().next().is_some_and(char::is_uppercase),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> (String, bool) {
        let written = written(text);
        (written.name.into_owned(), written.whole)
    }

    #[test]
    fn a_plain_path_is_its_own_name() {
        for text in ["a", "self.run", "Vec::new", "p->next", "fs.readFile", "größe", "@count", "empty?"] {
            assert_eq!(name(text), (text.to_owned(), true));
        }
        assert_eq!(name("a?.b!.c"), ("a.b.c".to_owned(), true));
    }

    #[test]
    fn the_end_of_a_chain_is_its_name() {
        assert_eq!(name("a.b().c"), ("c".to_owned(), false));
        assert_eq!(name("rows[0].save"), ("save".to_owned(), false));
        assert_eq!(name("(a || b).run"), ("run".to_owned(), false));
        assert_eq!(name("await this.load"), ("this.load".to_owned(), false));
        assert_eq!(name("(f)"), (String::new(), false));
    }

    #[test]
    fn types_in_angles_and_line_breaks_are_left_out() {
        assert_eq!(name("Vec::<u8>::new"), ("Vec::new".to_owned(), true));
        assert_eq!(name("a.collect::<Vec<_>>"), ("a.collect".to_owned(), true));
        assert_eq!(name("<T as Default>::default"), ("default".to_owned(), true));
        assert_eq!(name("builder\n    .name"), ("builder.name".to_owned(), true));
        assert_eq!(name("builder\n    ?.name"), ("builder.name".to_owned(), true));
    }

    #[test]
    fn names_are_bounded_and_nothing_panics() {
        assert_eq!(name(&"é".repeat(1000)).0.chars().count(), 300);
        for text in ["", ".", "::", ">", "a>", "<a>", " ", "- >", "é>", "->", "\u{2028}a"] {
            name(text);
            leading(text);
            ending_at(text, 0, text.len());
        }
    }

    #[test]
    fn names_are_found_at_the_beginning_and_before_a_place() {
        assert_eq!(leading("ns.Error(1)"), ("ns.Error", "(1)"));
        assert_eq!(leading("e;"), ("e", ";"));
        assert_eq!(ending_at("x, self.items.len()", 0, 17), "self.items.len");
    }
}
