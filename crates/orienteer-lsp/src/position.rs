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

/// A range of the server's in our counting; `None` for one that begins or ends beyond the text, which is no place in it. One
/// line past the last is a way to say the end.
pub(crate) fn from_server(text: &Text, range: Extent, unit: ColumnUnit) -> Option<Range> {
    let start = one(text, range.start, unit)?;
    let past = range.end.line == text.lines.line_count() as u64;
    let end = one(text, range.end, unit).or_else(|| past.then(|| end(text)))?;
    Some(Range { start, end: end.max(start) })
}

/// The same of something long: servers that do not know where it ends say a line that is far enough.
pub(crate) fn of_whole(text: &Text, range: Extent, unit: ColumnUnit) -> Option<Range> {
    let start = one(text, range.start, unit)?;
    Some(Range { start, end: one(text, range.end, unit).unwrap_or_else(|| end(text)).max(start) })
}

/// The end of a text.
pub(crate) fn end(text: &Text) -> Position {
    text.lines.position(&text.text, text.text.len())
}

fn one(text: &Text, point: Point, unit: ColumnUnit) -> Option<Position> {
    let (line, column) = (usize::try_from(point.line).ok()?, usize::try_from(point.character).ok()?);
    let offset = text.lines.offset(&text.text, line, column, unit)?;
    Some(text.lines.position(&text.text, offset))
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
            assert_eq!(from_server(&text, range, unit).unwrap().start, position);
        }
    }

    #[test]
    fn places_beyond_the_text_are_none() {
        let text = Text::new("ab\n".to_owned());
        assert_eq!(to_server(&text, Position::new(9, 1), ColumnUnit::Utf16), None);
        let read = |from: u64, to: u64| {
            let point = |line: u64| json!({ "line": line, "character": 99 });
            let range = Extent::read(&json!({ "start": point(from), "end": point(to) })).unwrap();
            let told =
                |range: Range| ((range.start.line, range.start.column), (range.end.line, range.end.column));
            let unit = ColumnUnit::Utf16;
            (from_server(&text, range, unit).map(told), of_whole(&text, range, unit).map(told))
        };
        // A column past the end of a line is its end, as the protocol has it.
        let end = Some(((1, 3), (2, 1)));
        assert_eq!(read(0, 1), (end, end));
        assert_eq!(read(0, 2), (end, end), "one past the last line");
        assert_eq!(read(0, 50), (None, end));
        assert_eq!(
            (read(2, 2), read(50, 50), read(u64::MAX, u64::MAX)),
            ((None, None), (None, None), (None, None))
        );
        assert!(Extent::read(&json!({ "start": {} })).is_none());
    }
}
