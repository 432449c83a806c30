//! What passes filters, when nothing else was asked for?

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::Question;
use super::error::FindError;
use super::known::Files;
use super::pool::Pool;
use super::unit::{Key, Unit};
use crate::store::{FileSet, Mode, Modes, Piece, Plan, Symbol};

/// Definitions that are looked at before the list ends.
const MOST: usize = 20_000;

/// Everything that passes, by path and place, as far as a page needs it. Says whether there may be more.
pub(super) fn gather(
    question: &Question<'_>,
    files: &mut Files<'_>,
    wanted: usize,
    pool: &mut Pool,
) -> Result<bool, FindError> {
    let narrowed = question.narrowed;
    let mut plan = narrowed.plan.clone();
    if narrowed.modes != Modes::ALL {
        let fits = files.reader.sketches().filter(|file| {
            narrowed.takes(file.mode) && plan.files.as_ref().is_none_or(|files| files.has(file.id))
        });
        plan.files = Some(Arc::new(FileSet::new(fits.map(|file| file.id))));
    }
    // What is checked answer by answer may leave few of many.
    let (mut limit, mut done) = (wanted.saturating_add(1), 0);
    let mut seen: HashSet<Key> = HashSet::new();
    loop {
        let rows = rows(question, files, &plan, limit)?;
        let looked = rows.len();
        for row in rows.into_iter().skip(done) {
            question.cancel.check()?;
            let key = row.key();
            if !seen.insert(key) {
                continue;
            }
            if let Some(unit) = row.unit(files)?
                && let Some(unit) = passing(question, files, unit)?
            {
                pool.put(key, unit);
            }
        }
        done = looked;
        if looked < limit || pool.len() > wanted || limit >= MOST {
            return Ok(looked >= limit);
        }
        limit = limit.saturating_mul(4).min(MOST);
    }
}

/// Something that passes the filters of the store.
enum Row {
    Symbol(Symbol),
    Piece(Piece),
}

/// The first of them, in a fixed order.
fn rows(
    question: &Question<'_>,
    files: &Files<'_>,
    plan: &Plan,
    limit: usize,
) -> Result<Vec<Row>, FindError> {
    if question.narrowed.only_symbols {
        let symbols = files.reader.symbols_where(plan, limit, question.cancel)?;
        return Ok(symbols.into_iter().map(Row::Symbol).collect());
    }
    let pieces = files.reader.pieces_where(plan, limit, question.cancel)?;
    Ok(pieces.into_iter().map(Row::Piece).collect())
}

impl Row {
    fn key(&self) -> Key {
        match self {
            Self::Symbol(symbol) => Key::Symbol(symbol.id),
            Self::Piece(piece) => piece.symbol.map_or(Key::Piece(piece.id), Key::Symbol),
        }
    }

    fn unit(self, files: &mut Files<'_>) -> Result<Option<Unit>, FindError> {
        let (file, range, symbol) = match self {
            Self::Symbol(symbol) => (symbol.file, symbol.range.clone(), Some(symbol)),
            Self::Piece(Piece { file, range, symbol: Some(symbol), .. }) => {
                (file, range, files.symbol(symbol)?)
            }
            Self::Piece(Piece { file, range, symbol: None, .. }) => (file, range, None),
        };
        let Some(known) = files.get(file)? else { return Ok(None) };
        let extent = symbol.as_ref().map_or_else(|| vec![range], |symbol| known.extent(symbol));
        Ok(Some(Unit::new(known, symbol, extent)))
    }
}

/// The answer as it passes, if it does: as what it is, or for the comments in it.
fn passing(question: &Question<'_>, files: &Files<'_>, mut unit: Unit) -> Result<Option<Unit>, FindError> {
    let known = unit.known.clone();
    for (mode, _) in question.narrowed.ways(&known.file, &[]) {
        unit.mode = mode;
        if !question.allows(&unit) || (mode == Mode::Comments && !has_comment(files, &unit)?) {
            continue;
        }
        if !question.checks.needs_text() {
            return Ok(Some(unit));
        }
        let Some(now) = files.needed(&known) else { return Ok(None) };
        if !now.same {
            super::move_to(files, &mut unit);
        }
        unit.checked = question.passes_text(files, &unit, &now)?;
        return Ok(unit.checked.then_some(unit));
    }
    Ok(None)
}

fn has_comment(files: &Files<'_>, unit: &Unit) -> Result<bool, FindError> {
    let comments = files.reader.comments_of(&unit.known.file)?;
    let inside = |comment: &Range<usize>| {
        unit.extent.iter().any(|range| comment.start < range.end && range.start < comment.end)
    };
    Ok(comments.iter().any(inside))
}
