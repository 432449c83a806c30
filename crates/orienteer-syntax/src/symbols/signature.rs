//! One line that says what a definition is.

/// Longer ones end in an ellipsis.
const MAX_CHARS: usize = 200;
/// No more of the text than this is looked at, so that a definition full of blanks costs nothing.
const MAX_SCANNED: usize = 4096;

/// The text between two offsets on one line. `cut` says that a body follows, whose opening sign is dropped.
pub(super) fn signature(text: &str, start: usize, end: usize, cut: bool) -> String {
    let mut line = String::new();
    let mut chars = 0;
    let mut blank = false;
    let mut full = false;
    for (scanned, c) in text.get(start..end).unwrap_or_default().chars().enumerate() {
        if c.is_whitespace() || c.is_control() {
            blank = chars > 0;
        } else {
            chars += 1 + usize::from(blank);
            if chars > MAX_CHARS {
                full = true;
                break;
            }
            if std::mem::take(&mut blank) {
                line.push(' ');
            }
            line.push(c);
        }
        if scanned >= MAX_SCANNED {
            full = true;
            break;
        }
    }
    if full {
        line.push('…');
    } else if cut {
        let kept = line.trim_end_matches(['{', ' ', ':']);
        let kept = kept.strip_suffix('=').unwrap_or(kept).trim_end();
        line.truncate(kept.len());
    }
    line
}

/// A name, cut where it is unreasonably long: the outline repeats it in the path of everything inside.
pub(super) fn name(text: &str) -> String {
    const MAX_NAME: usize = 160;
    let mut words = String::new();
    for (at, word) in text.split_whitespace().take(MAX_NAME).enumerate() {
        if at > 0 {
            words.push(' ');
        }
        words.push_str(word);
        if let Some((cut, _)) = words.char_indices().nth(MAX_NAME) {
            words.truncate(cut);
            words.push('…');
            break;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses_and_the_body_sign_goes() {
        let text = "fn  a(\n    b: u8,\n) -> u8 {";
        assert_eq!(signature(text, 0, text.len(), true), "fn a( b: u8, ) -> u8");
        assert_eq!(signature("def a():", 0, 8, true), "def a()");
        assert_eq!(signature("const A: u8 = 1;", 0, 16, false), "const A: u8 = 1;");
    }

    #[test]
    fn long_texts_and_bad_offsets_are_bounded() {
        let text = "x".repeat(1000);
        assert_eq!(signature(&text, 0, 1000, false).chars().count(), MAX_CHARS + 1);
        assert_eq!(signature("é", 1, 9, false), "");
        assert_eq!(signature(&" ".repeat(10_000), 0, 10_000, false), "…");
        assert_eq!(name(&"é".repeat(1000)).chars().count(), 161);
        assert_eq!(name(" a \n b "), "a b");
    }
}
