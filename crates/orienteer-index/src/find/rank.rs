//! In which order are answers told, and which are left out because another says the same?

use std::collections::HashMap;

use super::score::Score;
use super::unit::Unit;
use crate::store::FileId;

/// So many of one file among the first; more of them come later.
const MOST_OF_A_FILE: usize = 4;
/// What counts as the first.
const FIRST: usize = 20;

/// An answer with its score.
#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) unit: Unit,
    pub(super) score: Score,
}

/// Best first; ties by path, then by place. Of two that share bytes the better one stays.
pub(super) fn order(mut found: Vec<Ranked>, one_file_may_fill: bool) -> Vec<Ranked> {
    found.sort_by(|one, other| {
        other
            .score
            .total
            .total_cmp(&one.score.total)
            .then_with(|| one.unit.known.file.path.cmp(&other.unit.known.file.path))
            .then_with(|| one.unit.start().cmp(&other.unit.start()))
            // A container begins where its first member does at times.
            .then_with(|| {
                one.unit
                    .symbol
                    .as_ref()
                    .map(|symbol| symbol.id)
                    .cmp(&other.unit.symbol.as_ref().map(|symbol| symbol.id))
            })
    });
    let mut kept: Vec<Ranked> = Vec::with_capacity(found.len());
    let mut of_file: HashMap<FileId, Vec<usize>> = HashMap::new();
    for ranked in found {
        let others = of_file.entry(ranked.unit.file()).or_default();
        if others
            .iter()
            .any(|at| kept.get(*at).is_some_and(|other: &Ranked| other.unit.overlaps(&ranked.unit)))
        {
            continue;
        }
        others.push(kept.len());
        kept.push(ranked);
    }
    if one_file_may_fill { kept } else { spread(kept) }
}

/// Lets other files have a say among the first.
fn spread(found: Vec<Ranked>) -> Vec<Ranked> {
    let mut counts: HashMap<FileId, usize> = HashMap::new();
    let (mut first, mut later) = (Vec::with_capacity(found.len()), Vec::new());
    for ranked in found {
        let count = counts.entry(ranked.unit.file()).or_default();
        if first.len() < FIRST && *count >= MOST_OF_A_FILE {
            later.push(ranked);
            continue;
        }
        if first.len() == FIRST {
            // Those that had to wait come next, then the rest.
            first.append(&mut later);
        }
        *count += 1;
        first.push(ranked);
    }
    first.append(&mut later);
    first
}
