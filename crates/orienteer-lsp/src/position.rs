//! From a server's positions to ours and back: the only place where columns change their unit.

use orienteer_base::{ColumnUnit, Position, Range};
use serde_json::{Value, json};

use crate::message::{Extent, Point};
use crate::text::Text;

/// The unit a server counts columns in.
pub(crate) fn unit(encoding: Option<&str>) -> ColumnUnit {
    match encoding {
        Some("utf-8") => ColumnUnit::Utf8,
        Some("utf-32") => ColumnUnit::Utf32,
        _ => ColumnUnit::Utf16,
    }
}

/// A position of ours as the server counts; `None` where the text has no such line.
pub(crate) fn to_server(text: &Text, position: Position, unit: ColumnUnit) -> Option<Value> {
    let offset = text.lines.offset_of(&text.text, position)?;
    let (line, column) = text.lines.locate(&text.text, offset, unit);
    Some(json!({ "line": line, "character": column }))
}

/// A range of the server's in our counting. Lines past the end of the text count as its end: a server may
/// have seen a text that is a moment older.
pub(crate) fn from_server(text: &Text, range: Extent, unit: ColumnUnit) -> Range {
    let start = one(text, range.start, unit);
    Range { start, end: one(text, range.end, unit).max(start) }
}

fn one(text: &Text, point: Point, unit: ColumnUnit) -> Position {
    let line = usize::try_from(point.line).unwrap_or(usize::MAX);
    let column = usize::try_from(point.character).unwrap_or(usize::MAX);
    let offset = text.lines.offset(&text.text, line, column, unit).unwrap_or(text.text.len());
    text.lines.position(&text.text, offset)
}

/// A range without its text, for files that cannot be read: columns stay as the server counts them.
pub(crate) fn without_text(range: Extent) -> Option<Range> {
    let one = |point: Point| {
        let number = |number: u64| u32::try_from(number).ok()?.checked_add(1);
        Some(Position::new(number(point.line)?, number(point.character)?))
    };
    Some(Range { start: one(range.start)?, end: one(range.end)? })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_emoji_before_the_symbol_shifts_each_unit_differently() {
        let text = Text::new("let x = \"😀é\"; name();\r\nnext\r\n".to_owned());
        let position = Position::new(1, 15);
        assert_eq!(text.line(1).unwrap().chars().nth(14), Some('n'), "column 15 is where `name` begins");
        for (unit, column) in [(ColumnUnit::Utf8, 18), (ColumnUnit::Utf16, 15), (ColumnUnit::Utf32, 14)] {
            let there = to_server(&text, position, unit).unwrap();
            assert_eq!(there, json!({ "line": 0, "character": column }));
            let range = Extent::read(&json!({ "start": there, "end": there })).unwrap();
            assert_eq!(from_server(&text, range, unit).start, position);
        }
    }

    #[test]
    fn places_beyond_the_text_are_clamped_or_refused() {
        let text = Text::new("ab\n".to_owned());
        assert_eq!(to_server(&text, Position::new(9, 1), ColumnUnit::Utf16), None);
        let range = json!({ "start": { "line": 0, "character": 99 }, "end": { "line": 50, "character": 0 } });
        let range = from_server(&text, Extent::read(&range).unwrap(), ColumnUnit::Utf16);
        assert_eq!((range.start, range.end), (Position::new(1, 3), Position::new(2, 1)));
        assert!(Extent::read(&json!({ "start": {} })).is_none());
    }
}
