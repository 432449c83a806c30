//! How does an expression over a text match the bytes of a file that is no UTF-8?
//!
//! Such a file is read as windows-1252, where every byte is one letter, or what is broken in it is replaced by U+FFFD.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir, HirKind};

use crate::build::text_of;

/// The same expression over the bytes of windows-1252; `None` where it is about bytes already.
pub(super) fn western(expression: &Hir) -> Option<Hir> {
    Some(match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => expression.clone(),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Hir::concat(text.chars().map(|c| class(|letter| letter == c)).collect())
        }
        HirKind::Class(Class::Unicode(wanted)) => {
            class(|letter| wanted.iter().any(|range| (range.start()..=range.end()).contains(&letter)))
        }
        // Bytes below 128 are the same in both.
        HirKind::Class(Class::Bytes(wanted)) if wanted.is_ascii() => expression.clone(),
        HirKind::Class(Class::Bytes(_)) => return None,
        HirKind::Repetition(repetition) => {
            let mut repetition = repetition.clone();
            repetition.sub = Box::new(western(&repetition.sub)?);
            Hir::repetition(repetition)
        }
        HirKind::Capture(capture) => western(&capture.sub)?,
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(western).collect::<Option<_>>()?),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(western).collect::<Option<_>>()?),
    })
}

/// The bytes of the letters that are meant; of none of them, what matches nowhere.
fn class(wanted: impl Fn(char) -> bool) -> Hir {
    let ranges = (0..=u8::MAX).zip(LETTERS.iter()).filter(|(_, letter)| letter.is_some_and(&wanted));
    Hir::class(Class::Bytes(ClassBytes::new(ranges.map(|(byte, _)| ClassBytesRange::new(byte, byte)))))
}

/// What each byte is read as, where it is not replaced.
static LETTERS: LazyLock<Vec<Option<char>>> = LazyLock::new(|| {
    let letter = |byte: u8| text_of(&[byte]).and_then(|text| text.chars().next());
    (0..=u8::MAX).map(|byte| letter(byte).filter(|letter| *letter != char::REPLACEMENT_CHARACTER)).collect()
});

/// A class with more characters than this is not told apart by its trigrams.
const LARGE: usize = 1_000;

/// Whether an expression asks for U+FFFD, which stands for whatever a file has there.
pub(super) fn asks_replaced(expression: &Hir) -> bool {
    let is_it = |c: char| c == char::REPLACEMENT_CHARACTER;
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => false,
        HirKind::Literal(literal) => String::from_utf8_lossy(&literal.0).contains(is_it),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = || class.iter();
            ranges().map(|range| range.len()).sum::<usize>() < LARGE
                && ranges().any(|range| range.start() <= '\u{fffd}' && '\u{fffd}' <= range.end())
        }
        HirKind::Repetition(repetition) => asks_replaced(&repetition.sub),
        HirKind::Capture(capture) => asks_replaced(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(asks_replaced),
    }
}
