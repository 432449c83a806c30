//! What in a file holds the places where a text stands exactly as it was asked for?

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::Question;
use super::error::FindError;
use super::known::{Files, Known};
use super::means::Now;
use super::pool::Pool;
use super::relocate::Moved;
use super::stands::{Stands, Within};
use super::unit::{Key, Unit};
use crate::store::{Mode, PieceId, Symbol};

/// Answers of one file.
const MOST_OF_A_FILE: usize = 400;
/// Bytes that are shown of what belongs to no piece.
const MOST_SHOWN: usize = 2_000;

/// The answers of one file.
pub(super) struct Places<'p, 'q> {
    question: &'p Question<'q>,
    files: &'p Files<'q>,
    known: &'p Rc<Known>,
    now: &'p Now,
    stands: &'p Stands,
    passing: Option<&'p HashSet<PieceId>>,
    /// All definitions of the index, and those without a piece of their own, smallest first.
    symbols: OnceCell<Vec<Symbol>>,
    small: OnceCell<Vec<Symbol>>,
    /// How many answers there are, and whether there would be more.
    taken: usize,
    full: bool,
}

impl<'p, 'q> Places<'p, 'q> {
    pub(super) fn new(
        question: &'p Question<'q>,
        files: &'p Files<'q>,
        known: &'p Rc<Known>,
        now: &'p Now,
        stands: &'p Stands,
        passing: Option<&'p HashSet<PieceId>>,
    ) -> Self {
        let (symbols, small) = (OnceCell::new(), OnceCell::new());
        Self { question, files, known, now, stands, passing, symbols, small, taken: 0, full: false }
    }

    /// Adds what holds the places of the first text, with all others in it. Says whether these are all.
    pub(super) fn add(mut self, pool: &mut Pool) -> Result<bool, FindError> {
        let Some(found) = self.stands.must.first() else { return Ok(true) };
        let known = self.known.clone();
        let comments: Vec<Range<usize>> = match self.question.narrowed.minds_comments(&known.file) {
            true => self.files.comments(&known, self.now)?.to_vec(),
            false => Vec::new(),
        };
        let ways = self.question.narrowed.ways(&known.file, &comments);
        let mut refused: HashSet<(Key, Mode)> = HashSet::new();
        for (at, place) in found.iter().enumerate() {
            if at.is_multiple_of(256) {
                self.question.cancel.check()?;
            }
            if self.full {
                break;
            }
            for (mode, within) in ways.iter().filter(|(_, within)| within.counts(place)) {
                if self.place(place, *mode, *within, &mut refused, pool)? {
                    break;
                }
            }
        }
        Ok(!self.full && !self.stands.cut)
    }

    /// Adds the first answer that a place touches and that passes. Says whether there is one.
    fn place(
        &mut self,
        place: &Range<usize>,
        mode: Mode,
        within: Within<'_>,
        refused: &mut HashSet<(Key, Mode)>,
        pool: &mut Pool,
    ) -> Result<bool, FindError> {
        let keys = self.keys(place)?;
        if self.first(&keys, place, mode, within, refused, pool)? {
            return Ok(true);
        }
        // What is small has no piece of its own, and passes filters where what is around it does not.
        if keys.is_empty() || !self.now.same || !self.question.narrowed.only_symbols {
            return Ok(false);
        }
        let inner = self.inner(place)?;
        self.first(&inner, place, mode, within, refused, pool)
    }

    fn first(
        &mut self,
        keys: &[Key],
        place: &Range<usize>,
        mode: Mode,
        within: Within<'_>,
        refused: &mut HashSet<(Key, Mode)>,
        pool: &mut Pool,
    ) -> Result<bool, FindError> {
        for key in keys {
            if pool.has(*key) {
                return Ok(true);
            }
            if refused.contains(&(*key, mode)) {
                continue;
            }
            if let Some(mut unit) = self.unit(*key, place)? {
                unit.mode = mode;
                if self.passes(&mut unit, within)? {
                    self.full = self.taken == MOST_OF_A_FILE;
                    if !self.full {
                        self.taken += 1;
                        pool.put(*key, unit);
                    }
                    return Ok(true);
                }
            }
            refused.insert((*key, mode));
        }
        Ok(false)
    }

    /// Definitions without a piece around a place, innermost first.
    fn inner(&self, place: &Range<usize>) -> Result<Vec<Key>, FindError> {
        let symbols = self.symbols()?;
        let small = self.small.get_or_init(|| {
            let own: HashSet<_> = self.known.pieces.iter().filter_map(|piece| piece.symbol).collect();
            let mut small: Vec<Symbol> =
                symbols.iter().filter(|symbol| !own.contains(&symbol.id)).cloned().collect();
            small.sort_by_key(|symbol| symbol.range.len());
            small
        });
        let small = small.iter();
        let around = small.filter(|symbol| symbol.range.contains(&place.start));
        Ok(around.map(|symbol| Key::Symbol(symbol.id)).collect())
    }

    fn symbols(&self) -> Result<&[Symbol], FindError> {
        if let Some(symbols) = self.symbols.get() {
            return Ok(symbols);
        }
        let symbols = self.files.reader.symbols_of(&self.known.file)?;
        Ok(self.symbols.get_or_init(|| symbols))
    }

    /// What a place may belong to, likeliest first.
    fn keys(&self, place: &Range<usize>) -> Result<Vec<Key>, FindError> {
        let known = self.known;
        if !self.now.same {
            // The innermost definition around the place, as the file is now, if the index knows it.
            let around = self.files.moved(known).iter().filter(|moved| moved.range.contains(&place.start));
            let inner = around.min_by_key(|moved| moved.range.len());
            let symbols = self.symbols()?;
            let same = |moved: &Moved| {
                let mut symbols = symbols.iter();
                symbols.find(|symbol| symbol.nth == moved.nth && symbol.name_path == moved.name_path)
            };
            let symbol = inner.and_then(same);
            return Ok(vec![symbol.map_or_else(|| self.stretch(place), |symbol| Key::Symbol(symbol.id))]);
        }
        let pieces = known.pieces_at(place);
        let mut keys: Vec<Key> = Vec::new();
        for piece in pieces {
            if !self.passing.is_none_or(|passing| passing.contains(&piece.id)) {
                continue;
            }
            let key = piece.symbol.map_or(Key::Piece(piece.id), Key::Symbol);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        // Only the beginning of a large file was indexed.
        if pieces.is_empty() {
            keys.push(self.stretch(place));
        }
        Ok(keys)
    }

    /// The line of a place, as what is not in the index is told apart.
    fn stretch(&self, place: &Range<usize>) -> Key {
        let before = self.now.text.get(..place.start).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Key::Place(self.known.file.id, start.max(place.start.saturating_sub(MOST_SHOWN)))
    }

    fn unit(&mut self, key: Key, place: &Range<usize>) -> Result<Option<Unit>, FindError> {
        let known = self.known.clone();
        Ok(match key {
            Key::Symbol(id) => self.files.symbol(id)?.map(|symbol| {
                let extent = known.extent(&symbol);
                Unit::new(known, Some(symbol), extent)
            }),
            Key::Piece(id) => {
                known.piece(id).map(|piece| Unit::new(known.clone(), None, vec![piece.range.clone()]))
            }
            Key::Place(_, start) => {
                let text = &self.now.text;
                let start = text.ceil_char_boundary(start).min(place.start);
                let rest = text.get(place.end..).unwrap_or_default();
                let end = place.end + rest.find('\n').map_or(rest.len(), |at| at + 1).min(MOST_SHOWN);
                Some(Unit::placed(known, start..text.floor_char_boundary(end)))
            }
        })
    }

    /// By filters, and by everything that must be there or must not.
    fn passes(&self, unit: &mut Unit, within: Within<'_>) -> Result<bool, FindError> {
        let question = self.question;
        if !self.now.same && unit.symbol.is_some() {
            super::move_to(self.files, unit);
        }
        if !question.allows(unit) || !self.passes_filters(unit) {
            return Ok(false);
        }
        let Some(exact) = self.stands.inside(&unit.extent, within) else { return Ok(false) };
        if self.now.same {
            let first = exact.first().and_then(|place| self.known.pieces_at(place).first());
            unit.best = first.map(|piece| piece.id);
        }
        unit.exact = exact;
        unit.checked = question.checks.passes_words(unit, &self.now.text);
        Ok(unit.checked)
    }

    fn passes_filters(&self, unit: &Unit) -> bool {
        let Some(passing) = self.passing else { return true };
        let has = |piece: Option<PieceId>| piece.is_some_and(|piece| passing.contains(&piece));
        let known = self.known;
        match &unit.symbol {
            Some(symbol) => {
                let mut own = known.pieces.iter().filter(|piece| piece.symbol == Some(symbol.id)).peekable();
                let home = || known.pieces_at(&(symbol.range.start..symbol.range.start)).first();
                self.question.checks.holds_of(symbol)
                    && match own.peek() {
                        Some(_) => own.any(|piece| has(Some(piece.id))),
                        // The range of a definition that has moved says nothing about pieces.
                        None => !self.now.same || has(home().map(|piece| piece.id)),
                    }
            }
            // What is true of the file is true of its last piece, where that belongs to nothing either.
            None if unit.placed => {
                let last = known.pieces.iter().rev().find(|piece| piece.symbol.is_none());
                has(last.map(|piece| piece.id))
            }
            None => true,
        }
    }
}
