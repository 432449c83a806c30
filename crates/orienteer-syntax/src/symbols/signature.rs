//! One line that says what a definition is.

/// Longer ones end in an ellipsis.
const MAX_CHARS: usize = 200;
/// No more of the text than this is looked at, so that a definition full of blanks costs nothing.
const MAX_SCANNED: usize = 4096;

/// The text between two offsets on one line. `cut` says that a body follows, whose opening sign is dropped.
pub(super) fn signature(text: &str, start: usize, end: usize, cut: bool) -> String {
    let mut rest = text.get(start..end).unwrap_or_default();
    let mut line = String::with_capacity(rest.len().min(MAX_CHARS + 8));
    let mut chars = 0;
    let mut scanned = 0;
    let mut blank = false;
    let mut full = false;
    while let Some(c) = rest.chars().next() {
        // Almost everything is a run of plain letters and signs, which is taken at once.
        let run = rest.bytes().take(MAX_CHARS + 1).take_while(u8::is_ascii_graphic).count();
        let (bytes, mut count) = if run > 0 { (run, run) } else { (c.len_utf8(), 1) };
        let (taken, others) = rest.split_at_checked(bytes).unwrap_or((rest, ""));
        rest = others;
        scanned += count;
        if run == 0 && (c.is_whitespace() || c.is_control()) {
            blank = chars > 0;
        } else {
            let room = (MAX_CHARS - chars).saturating_sub(usize::from(blank));
            full = count > room;
            count = count.min(room);
            if count > 0 && std::mem::take(&mut blank) {
                line.push(' ');
                chars += 1;
            }
            line.push_str(if run > 0 {
                taken.get(..count).unwrap_or_default()
            } else if full {
                ""
            } else {
                taken
            });
            chars += count;
        }
        full |= scanned > MAX_SCANNED;
        if full {
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
    if text.len() <= MAX_NAME && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return text.to_owned();
    }
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
