//! What is one answer: a definition with all its pieces, or a piece of what stands between definitions.

use std::ops::Range;
use std::rc::Rc;

use super::known::Known;
use super::matches::looked_at;
use crate::store::{FileId, Mode, PieceId, Symbol, SymbolId};

/// By what an answer is told from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    Symbol(SymbolId),
    Piece(PieceId),
    /// A byte of a file that belongs to neither.
    Place(FileId, usize),
}

/// A place that may be an answer, and what speaks for it.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) known: Rc<Known>,
    pub(super) symbol: Option<Symbol>,
    /// Its bytes.
    pub(super) extent: Vec<Range<usize>>,
    pub(super) mode: Mode,
    /// How well its words fit, as the store says.
    pub(super) lexical: f64,
    /// The piece that fits best.
    pub(super) best: Option<PieceId>,
    /// Nothing speaks for it but that it has the most words of the question.
    pub(super) together: bool,
    /// Somebody asked for its name.
    pub(super) by_name: bool,
    /// How similar its meaning is, from -1 to 1.
    pub(super) meaning: Option<f64>,
    /// Its file is not what was indexed, and it was not found there again.
    pub(super) stale: bool,
    /// Where in the text of its file everything stands that was asked for exactly.
    pub(super) exact: Vec<Range<usize>>,
    /// What its file says has been looked at, and it passes.
    pub(super) checked: bool,
    /// Its bytes are those of the text as it is now, and of no piece.
    pub(super) placed: bool,
}

impl Unit {
    pub(super) fn new(known: Rc<Known>, symbol: Option<Symbol>, extent: Vec<Range<usize>>) -> Self {
        Self {
            mode: known.file.mode,
            known,
            symbol,
            extent,
            lexical: 0.0,
            best: None,
            together: false,
            by_name: false,
            meaning: None,
            stale: false,
            exact: Vec::new(),
            checked: false,
            placed: false,
        }
    }

    /// Some bytes of the text as it is now that the index knows nothing about.
    pub(super) fn placed(known: Rc<Known>, range: Range<usize>) -> Self {
        Self { placed: true, ..Self::new(known, None, vec![range]) }
    }

    /// The stretch of its bytes that fits best.
    pub(super) fn part(&self) -> Range<usize> {
        let best = self.best.and_then(|best| self.known.pieces.iter().find(|piece| piece.id == best));
        let holds = |range: &&Range<usize>| best.is_some_and(|best| range.contains(&best.range.start));
        self.extent.iter().find(holds).or_else(|| self.extent.first()).cloned().unwrap_or(0..0)
    }

    /// The bytes that are looked at: the beginning, and the piece that fits best where it stands behind that.
    pub(super) fn looked_at(&self) -> Vec<Range<usize>> {
        let mut ranges = looked_at(&self.extent);
        let end = ranges.last().map_or(0, |last| last.end);
        let best = self.best.and_then(|best| self.known.piece(best)).map(|piece| piece.range.clone());
        // What has moved has other bytes than its pieces.
        let own = |best: &Range<usize>| {
            self.extent.iter().any(|range| range.start <= best.start && best.end <= range.end)
        };
        if let Some(best) = best.filter(|best| best.end > end && own(best)) {
            let rest = best.start.max(end)..best.end;
            ranges.extend(looked_at(std::slice::from_ref(&rest)));
        }
        ranges
    }

    pub(super) fn file(&self) -> FileId {
        self.known.file.id
    }

    fn key(&self) -> Option<SymbolId> {
        self.symbol.as_ref().map(|symbol| symbol.id)
    }

    /// Where it begins.
    pub(super) fn start(&self) -> usize {
        self.extent.first().map_or(0, |range| range.start)
    }

    /// Whether both say the same: they have a byte in common, and not both of them were asked for by name.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.file() == other.file()
            && !(self.by_name && other.by_name && self.key() != other.key())
            && self
                .extent
                .iter()
                .any(|one| other.extent.iter().any(|two| one.start < two.end && two.start < one.end))
    }
}
