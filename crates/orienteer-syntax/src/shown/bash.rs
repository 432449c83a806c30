//! The scanner of the shell grammar looks characters up in a table of 256 without asking whether they are that small, and
//! reads foreign memory where they are not. Letters stand in for them: outside of ASCII the shell knows nothing but parts of
//! words.

use std::borrow::Cow;

const BYTE_ORDER_MARK: char = '\u{feff}';

pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let foreign = |c: char| u32::from(c) > 0xff;
    if !text.contains(foreign) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if foreign(c) && !(at == 0 && c == BYTE_ORDER_MARK) {
            shown.extend(std::iter::repeat_n('x', c.len_utf8()));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_in_for_what_the_scanner_cannot_look_up() {
        assert_eq!(shown("\u{feff}a=é中"), "\u{feff}a=éxxx");
        assert!(matches!(shown("a=é"), Cow::Borrowed("a=é")));
    }
}
