//! Which definition inside an answer says it?
//!
//! A small definition shares the piece of what it stands in. Where a sentence of the question stands inside it word by
//! word, it is the answer, and what is around it is not.

use super::error::FindError;
use super::known::Files;
use super::matches::Matches;
use super::means::Now;
use super::unit::Unit;
use super::words::{LEAST_RUN, Words};
use crate::store::{Mode, Symbol};
use orienteer_base::SymbolKind;

/// Makes an answer the innermost function that holds the longest stretch of the question. Says whether it is another
/// one now.
pub(super) fn narrow(
    files: &Files<'_>,
    words: &Words,
    unit: &mut Unit,
    now: &Now,
    matches: &Matches,
) -> Result<bool, FindError> {
    let said_so = words.is_sentence && matches.run >= LEAST_RUN && unit.exact.is_empty() && !unit.by_name;
    // The index knows what is inside a file as it was.
    let (Some(outer), true) = (&unit.symbol, said_so && now.same && unit.mode == Mode::Code) else {
        return Ok(false);
    };
    let said = &matches.run_at;
    let inside = |symbol: &Symbol| {
        let function =
            matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor);
        let range = &symbol.range;
        function && symbol.id != outer.id && range.start <= said.start && said.end <= range.end
    };
    let around =
        |symbol: &Symbol| outer.range.start <= symbol.range.start && symbol.range.end <= outer.range.end;
    let all = files.reader.symbols_of(&unit.known.file)?;
    let inner = all.into_iter().filter(|symbol| inside(symbol) && around(symbol));
    let Some(inner) = inner.min_by_key(|symbol| symbol.range.len()) else { return Ok(false) };
    unit.extent = vec![inner.range.clone()];
    unit.best = None;
    unit.symbol = Some(inner);
    Ok(true)
}
