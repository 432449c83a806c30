//! An outline in few bytes: numbers that are small because they are differences, and names.

use orienteer_base::{Position, Range, SymbolKind};

use crate::command::Outlined;

pub(super) fn write(symbols: &[Outlined]) -> Vec<u8> {
    let mut bytes = Vec::new();
    list(&mut bytes, symbols, 0);
    bytes
}

/// `None` for what is no outline.
pub(super) fn read(bytes: &[u8]) -> Option<Vec<Outlined>> {
    Reader(bytes).list(0)
}

fn list(bytes: &mut Vec<u8>, symbols: &[Outlined], above: u32) {
    number(bytes, symbols.len() as u64);
    for symbol in symbols {
        let kind = SymbolKind::ALL.iter().position(|kind| *kind == symbol.kind);
        number(bytes, kind.unwrap_or_default() as u64);
        text(bytes, Some(&symbol.name));
        text(bytes, symbol.detail.as_deref());
        text(bytes, symbol.container.as_deref());
        range(bytes, symbol.range, above);
        range(bytes, symbol.name_range, symbol.range.start.line);
        list(bytes, &symbol.children, symbol.range.start.line);
    }
}

fn range(bytes: &mut Vec<u8>, range: Range, above: u32) {
    for (position, from) in [(range.start, above), (range.end, range.start.line)] {
        // Servers have ranges that end before they begin, and children outside of what contains them.
        let lines = i64::from(position.line) - i64::from(from);
        number(bytes, ((lines << 1) ^ (lines >> 63)).cast_unsigned());
        number(bytes, u64::from(position.column));
    }
}

/// Its length and one, then its bytes; nothing is 0.
fn text(bytes: &mut Vec<u8>, text: Option<&str>) {
    number(bytes, text.map_or(0, |text| text.len() as u64 + 1));
    bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
}

fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn list(&mut self, above: u32) -> Option<Vec<Outlined>> {
        let count = self.number()?;
        (0..count).map(|_| self.symbol(above)).collect()
    }

    fn symbol(&mut self, above: u32) -> Option<Outlined> {
        let kind = *SymbolKind::ALL.get(usize::try_from(self.number()?).ok()?)?;
        let (name, detail, container) = (self.text()?.unwrap_or_default(), self.text()?, self.text()?);
        let range = self.range(above)?;
        let name_range = self.range(range.start.line)?;
        let children = self.list(range.start.line)?;
        Some(Outlined { name, detail, kind, range, name_range, container, children })
    }

    fn range(&mut self, above: u32) -> Option<Range> {
        let start = self.position(above)?;
        Some(Range { start, end: self.position(start.line)? })
    }

    fn position(&mut self, above: u32) -> Option<Position> {
        let folded = self.number()?;
        let lines = (folded >> 1).cast_signed() ^ -(folded & 1).cast_signed();
        let line = u32::try_from(i64::from(above) + lines).ok()?;
        Some(Position::new(line, u32::try_from(self.number()?).ok()?))
    }

    fn text(&mut self) -> Option<Option<String>> {
        let Some(length) = self.number()?.checked_sub(1) else { return Some(None) };
        let (text, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(Some(std::str::from_utf8(text).ok()?.to_owned()))
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range() -> impl Strategy<Value = Range> {
        let position = || (any::<u32>(), any::<u32>()).prop_map(|(line, column)| Position::new(line, column));
        (position(), position()).prop_map(|(start, end)| Range { start, end })
    }

    fn outline() -> impl Strategy<Value = Vec<Outlined>> {
        let text = || prop::option::of(".{0,12}");
        let alone = (".{0,12}", text(), text(), 0..SymbolKind::ALL.len(), range(), range()).prop_map(
            |(name, detail, container, kind, range, name_range)| Outlined {
                name,
                detail,
                kind: SymbolKind::ALL[kind],
                range,
                name_range,
                container,
                children: Vec::new(),
            },
        );
        let alone = alone.boxed();
        let nested = alone.clone().prop_recursive(4, 40, 6, move |inner| {
            (alone.clone(), prop::collection::vec(inner, 0..6))
                .prop_map(|(symbol, children)| Outlined { children, ..symbol })
        });
        prop::collection::vec(nested, 0..6)
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_was_written(outline in outline()) {
            prop_assert_eq!(read(&write(&outline)), Some(outline));
        }

        #[test]
        fn nothing_is_read_from_bytes_that_are_cut_off(outline in outline(), part in 0.0..1.0) {
            let bytes = write(&outline);
            let cut = (bytes.len() as f64 * part) as usize;
            prop_assert_eq!(read(&bytes[..cut]), None);
        }
    }
}
