//! How is a text cut into pieces that cover every byte once?
//!
//! A definition is a piece with what stands directly above it. What encloses others (a class, a module, a function with
//! large functions inside) keeps its head and what stands between its members. Fields, variants and other one-liners stay
//! with what holds them, unless they are long.

use std::ops::Range;

use orienteer_base::SymbolKind as K;

use super::Piece;
use super::plain;
use crate::symbols::Symbol;

/// What is smaller stays with the piece before it.
const SMALL: usize = 200;
/// A function inside a function is a piece of its own from this size on.
const INNER: usize = 500;

/// The pieces of a text with these symbols; `starts` says where each begins with what is above it.
pub(super) fn pieces(text: &str, symbols: &[Symbol], starts: &[usize]) -> Vec<Piece> {
    let mut cuts: Vec<(usize, usize, usize)> = Vec::new();
    for (at, symbol) in symbols.iter().enumerate() {
        let end = symbol.range.end.min(text.len());
        let start = starts.get(at).copied().unwrap_or(symbol.range.start).min(symbol.range.start).min(end);
        if is_piece(symbols, symbol, end - start) {
            cuts.push((start, end, at));
        }
    }
    // The outer one first where two begin together.
    cuts.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    let mut sweep = Sweep { text, pieces: Vec::new(), at: 0 };
    let mut open: Vec<Open> = vec![Open { end: text.len(), symbol: None, head: false }];
    for (start, end, symbol) in cuts {
        let start = start.max(sweep.at);
        while let Some(inner) = open.pop_if(|inner| inner.symbol.is_some() && inner.end <= start) {
            sweep.cut(inner.end, &inner);
        }
        let Some(outer) = open.last_mut() else { break };
        let end = end.min(outer.end);
        if end <= start {
            continue;
        }
        sweep.cut(start, outer);
        outer.head = false;
        open.push(Open { end, symbol: Some(symbol), head: true });
    }
    while let Some(inner) = open.pop() {
        sweep.cut(inner.end, &inner);
    }
    sweep.finish()
}

#[derive(Debug)]
struct Open {
    end: usize,
    symbol: Option<usize>,
    /// Nothing of it has been cut off yet.
    head: bool,
}

struct Sweep<'t> {
    text: &'t str,
    pieces: Vec<Piece>,
    at: usize,
}

impl Sweep<'_> {
    /// Ends a piece here.
    fn cut(&mut self, end: usize, of: &Open) {
        let range = self.at..self.end_of_line(end.max(self.at));
        if range.is_empty() {
            return;
        }
        self.at = range.end;
        if !of.head
            && range.len() < SMALL
            && let Some(last) = self.pieces.last_mut()
        {
            last.range.end = range.end;
            return;
        }
        self.pieces.push(Piece { range, symbol: of.symbol });
    }

    /// Where the line ends, if nothing but blanks follows: the line break belongs to what stands before it.
    fn end_of_line(&self, end: usize) -> usize {
        let rest = self.text.as_bytes().get(end..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        if rest.get(blanks) == Some(&b'\n') { end + blanks + 1 } else { end }
    }

    /// Blanks at the beginning belong to what follows, and long pieces are cut at lines.
    fn finish(mut self) -> Vec<Piece> {
        if let [first, second, ..] = self.pieces.as_mut_slice()
            && self.text.get(first.range.clone()).is_some_and(|text| text.trim().is_empty())
        {
            second.range.start = first.range.start;
            self.pieces.remove(0);
        }
        if self.pieces.iter().all(|piece| piece.range.len() <= plain::LONG) {
            return self.pieces;
        }
        let mut short = Vec::with_capacity(self.pieces.len() + 8);
        for piece in self.pieces {
            plain::split(self.text, piece.range, &mut |range: Range<usize>| {
                short.push(Piece { range, symbol: piece.symbol });
            });
        }
        short
    }
}

fn is_piece(symbols: &[Symbol], symbol: &Symbol, bytes: usize) -> bool {
    let inside = symbol.parent.and_then(|parent| symbols.get(parent));
    let in_code = inside.is_some_and(|outer| matches!(outer.kind, K::Function | K::Method | K::Constructor));
    if in_code {
        return bytes >= INNER;
    }
    match symbol.kind {
        K::Constant
        | K::EnumMember
        | K::Field
        | K::Key
        | K::Package
        | K::Property
        | K::TypeParameter
        | K::Variable => bytes >= SMALL && symbol.kind != K::Package,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(kind: K, range: Range<usize>, parent: Option<usize>) -> Symbol {
        let name = "x".to_owned();
        let name_path = name.clone();
        let name_range = range.start..range.start;
        Symbol { name, kind, name_path, range, name_range, parent, signature: String::new() }
    }

    fn cut(text: &str, symbols: &[Symbol]) -> Vec<(Range<usize>, Option<usize>)> {
        let starts: Vec<usize> = symbols.iter().map(|symbol| symbol.range.start).collect();
        pieces(text, symbols, &starts).into_iter().map(|piece| (piece.range, piece.symbol)).collect()
    }

    #[test]
    fn a_container_keeps_its_head_and_members_stand_alone() {
        let text = "x".repeat(1000);
        let symbols = [
            symbol(K::Class, 300..900, None),
            symbol(K::Method, 350..500, Some(0)),
            symbol(K::Method, 510..600, Some(0)),
        ];
        let expected = [
            (0..300, None),
            (300..350, Some(0)),
            // The gap is small and joins what stands before it.
            (350..510, Some(1)),
            (510..600, Some(2)),
            (600..900, Some(0)),
        ];
        let found = cut(&text, &symbols);
        assert_eq!(&found[..4], &expected[..4]);
        // The class goes on, and the small rest of the text joins it.
        assert_eq!(found[4..], [(600..1000, Some(0))]);
    }

    #[test]
    fn one_liners_stay_with_what_holds_them() {
        let text = "x".repeat(700);
        let symbols = [
            symbol(K::Struct, 0..700, None),
            symbol(K::Field, 10..40, Some(0)),
            symbol(K::Field, 100..400, Some(0)),
        ];
        assert_eq!(cut(&text, &symbols), [(0..100, Some(0)), (100..400, Some(2)), (400..700, Some(0))]);
    }

    #[test]
    fn symbols_that_overlap_still_give_pieces_that_do_not() {
        let text = "x".repeat(100);
        let symbols = [
            symbol(K::Function, 10..60, None),
            symbol(K::Function, 40..90, None),
            symbol(K::Function, 5..200, None),
        ];
        let mut at = 0;
        for (range, _) in cut(&text, &symbols) {
            assert_eq!(range.start, at);
            at = range.end;
        }
        assert_eq!(at, 100);
    }

    #[test]
    fn an_empty_text_has_no_pieces() {
        assert!(pieces("", &[], &[]).is_empty());
        assert_eq!(cut("a", &[]), [(0..1, None)]);
    }
}
