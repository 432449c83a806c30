//! From a server's positions to ours and back: the only place where columns change their unit.

use orienteer_base::{ColumnUnit, Position, Range};
use serde_json::{Value, json};

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
pub(crate) fn from_server(text: &Text, range: &Value, unit: ColumnUnit) -> Option<Range> {
    let start = one(text, &range["start"], unit)?;
    let end = one(text, &range["end"], unit)?;
    Some(Range { start, end: end.max(start) })
}

fn one(text: &Text, position: &Value, unit: ColumnUnit) -> Option<Position> {
    let line = usize::try_from(position["line"].as_u64()?).ok()?;
    let column = usize::try_from(position["character"].as_u64()?).unwrap_or(usize::MAX);
    let offset = text.lines.offset(&text.text, line, column, unit).unwrap_or(text.text.len());
    Some(text.lines.position(&text.text, offset))
}

/// A range without its text, for files that cannot be read: columns stay as the server counts them.
pub(crate) fn without_text(range: &Value) -> Option<Range> {
    let one = |position: &Value| {
        let number = |name: &str| u32::try_from(position[name].as_u64()?).ok()?.checked_add(1);
        Some(Position::new(number("line")?, number("character")?))
    };
    Some(Range { start: one(&range["start"])?, end: one(&range["end"])? })
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
            let range = json!({ "start": there, "end": there });
            assert_eq!(from_server(&text, &range, unit).unwrap().start, position);
        }
    }

    #[test]
    fn places_beyond_the_text_are_clamped_or_refused() {
        let text = Text::new("ab\n".to_owned());
        assert_eq!(to_server(&text, Position::new(9, 1), ColumnUnit::Utf16), None);
        let range = json!({ "start": { "line": 0, "character": 99 }, "end": { "line": 50, "character": 0 } });
        let range = from_server(&text, &range, ColumnUnit::Utf16).unwrap();
        assert_eq!((range.start, range.end), (Position::new(1, 3), Position::new(2, 1)));
        assert_eq!(from_server(&text, &json!({ "start": {} }), ColumnUnit::Utf16), None);
    }
}
