//! Which places may be answers?
//!
//! Every source adds what it found. A definition is one answer, however many of its pieces were found and by whom.

use std::collections::HashMap;

use super::error::FindError;
use super::known::Files;
use super::unit::{Key, Unit};
use crate::store::{Candidate, FileId, Mode, Piece, PieceId, Symbol};

/// Answers in the making.
#[derive(Debug, Default)]
pub(super) struct Pool {
    units: Vec<Unit>,
    places: HashMap<Key, usize>,
}

impl Pool {
    /// Pieces that hold words of the question.
    pub(super) fn add_words(&mut self, files: &mut Files<'_>, found: &[Candidate]) -> Result<(), FindError> {
        // Questions about one file come one after the other, which the store answers best.
        let mut order: Vec<&Candidate> = found.iter().collect();
        order.sort_by_key(|candidate| candidate.piece);
        for candidate in order {
            let Some(unit) = self.piece(files, candidate.file, candidate.piece, Some(candidate.mode))? else {
                continue;
            };
            if candidate.score > unit.lexical {
                unit.lexical = candidate.score;
                unit.best = Some(candidate.piece);
            }
        }
        Ok(())
    }

    /// Pieces that have the most words of the question, where nothing else speaks for them.
    pub(super) fn add_together(
        &mut self,
        files: &mut Files<'_>,
        found: &[Candidate],
    ) -> Result<(), FindError> {
        let mut order: Vec<&Candidate> = found.iter().collect();
        order.sort_by_key(|candidate| candidate.piece);
        for candidate in order {
            let before = self.units.len();
            let unit = self.piece(files, candidate.file, candidate.piece, Some(candidate.mode))?;
            if let Some(unit) = unit {
                unit.best.get_or_insert(candidate.piece);
            }
            if let Some(unit) = self.units.get_mut(before) {
                unit.together = true;
            }
        }
        Ok(())
    }

    /// A piece that means something similar.
    pub(super) fn add_meaning(
        &mut self,
        files: &mut Files<'_>,
        file: FileId,
        piece: PieceId,
        similarity: f64,
    ) -> Result<(), FindError> {
        if let Some(unit) = self.piece(files, file, piece, None)? {
            unit.meaning = Some(unit.meaning.map_or(similarity, |known| known.max(similarity)));
            unit.best.get_or_insert(piece);
        }
        Ok(())
    }

    /// A symbol that is called like something in the question.
    pub(super) fn add_name(&mut self, files: &mut Files<'_>, symbol: Symbol) -> Result<(), FindError> {
        if let Some(unit) = self.symbol(files, symbol)? {
            unit.by_name = true;
        }
        Ok(())
    }

    pub(super) fn symbol(
        &mut self,
        files: &mut Files<'_>,
        symbol: Symbol,
    ) -> Result<Option<&mut Unit>, FindError> {
        let key = Key::Symbol(symbol.id);
        if !self.places.contains_key(&key) {
            let Some(known) = files.get(symbol.file)? else { return Ok(None) };
            let extent = known.extent(&symbol);
            self.put(key, Unit::new(known, Some(symbol), extent));
        }
        Ok(self.get(key))
    }

    /// The answer that a piece belongs to.
    pub(super) fn piece(
        &mut self,
        files: &mut Files<'_>,
        file: FileId,
        id: PieceId,
        mode: Option<Mode>,
    ) -> Result<Option<&mut Unit>, FindError> {
        let Some(known) = files.get(file)? else { return Ok(None) };
        let Some(piece) = known.piece(id) else { return Ok(None) };
        let key = key(piece);
        if !self.places.contains_key(&key) {
            let symbol = match piece.symbol {
                Some(symbol) => files.symbol(symbol)?,
                None => None,
            };
            let extent = match &symbol {
                Some(symbol) => known.extent(symbol),
                None => vec![piece.range.clone()],
            };
            self.put(key, Unit::new(known, symbol, extent));
        }
        let mut unit = self.get(key);
        if let (Some(unit), Some(mode)) = (&mut unit, mode) {
            unit.mode = mode;
        }
        Ok(unit)
    }

    pub(super) fn has(&self, key: Key) -> bool {
        self.places.contains_key(&key)
    }

    pub(super) fn put(&mut self, key: Key, unit: Unit) {
        self.places.insert(key, self.units.len());
        self.units.push(unit);
    }

    fn get(&mut self, key: Key) -> Option<&mut Unit> {
        self.places.get(&key).and_then(|at| self.units.get_mut(*at))
    }

    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    pub(super) fn into_units(self) -> Vec<Unit> {
        self.units
    }
}

fn key(piece: &Piece) -> Key {
    piece.symbol.map_or(Key::Piece(piece.id), Key::Symbol)
}
