//! Which characters do `\u{202e}` and the like stand for, where an answer wrote them out?
//!
//! Names are compared as they are written first. Only where nothing has that name is it read as one that was shown.

/// A name with the characters that were written out; `None` where there are none. What anybody can type stands for itself:
/// no escape makes a slash or an end.
pub fn undone(written: &str) -> Option<String> {
    let mut parts = written.split("\\u{");
    let mut name = parts.next().unwrap_or_default().to_owned();
    let mut any = false;
    for part in parts {
        let read = part.split_once('}').and_then(|(digits, rest)| {
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            let odd = character != '\0' && (character.is_control() || !character.is_ascii());
            odd.then_some((character, rest))
        });
        match read {
            Some((character, rest)) => {
                any = true;
                name.push(character);
                name.push_str(rest);
            }
            None => {
                name.push_str("\\u{");
                name.push_str(part);
            }
        }
    }
    any.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_be_typed_is_read() {
        assert_eq!(undone("a\\u{202e}b\\u{a}c").as_deref(), Some("a\u{202e}b\nc"));
        for own in ["plain", "\\u{2f}etc", "\\u{0}", "\\u{", "\\u{zz}", "\\u{110000}"] {
            assert_eq!(undone(own), None, "{own}");
        }
        assert_eq!(undone("\\u{2f}\\u{200b}").as_deref(), Some("\\u{2f}\u{200b}"));
    }
}
