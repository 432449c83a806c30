//! Which files satisfy a plan?

use std::collections::HashMap;

use orienteer_base::Cancel;

use super::format::Entry;
use super::plan::{Need, Plan};
use super::{TrigramError, Trigrams};

/// What it takes to open and search a file, and to read one posting or to begin a list, in nanoseconds.
const OPENING: u64 = 30_000;
const POSTING: u64 = 3;
const LIST: u64 = 3_000;

/// Which files may match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Candidates {
    /// Nothing can be said.
    Everything,
    /// Places in [`Trigrams::files`], sorted.
    Files(Vec<u32>),
}

impl Trigrams {
    /// Which files may match a plan. Every file that matches is among them.
    pub fn candidates(&self, plan: &Plan, cancel: &Cancel) -> Result<Candidates, TrigramError> {
        if plan.is_everything() {
            return Ok(Candidates::Everything);
        }
        let trigrams = plan.need.trigrams();
        let entries =
            self.entries(&trigrams, cancel)?.into_iter().map(|entry| (entry.trigram, entry)).collect();
        let evaluation = Evaluation { trigrams: self, entries, whole_files: plan.across_lines, cancel };
        let mut found = evaluation.run(&plan.need)?;
        if !plan.across_lines {
            self.owners(&mut found);
        }
        Ok(Candidates::Files(union(vec![found, self.always().to_vec()])))
    }
}

struct Evaluation<'a> {
    trigrams: &'a Trigrams,
    /// Trigrams of the plan that some file has.
    entries: HashMap<u32, Entry>,
    /// A match may lie in several pieces, so lists are of files. Otherwise they are of pieces.
    whole_files: bool,
    cancel: &'a Cancel,
}

impl Evaluation<'_> {
    fn run(&self, need: &Need) -> Result<Vec<u32>, TrigramError> {
        self.cancel.check()?;
        match need {
            Need::Trigram(trigram) => {
                let Some(entry) = self.entries.get(trigram) else { return Ok(Vec::new()) };
                let mut list = self.trigrams.pieces(entry)?;
                if self.whole_files {
                    self.trigrams.owners(&mut list);
                }
                Ok(list)
            }
            Need::All(needs) => self.all(needs),
            Need::Any(needs) => {
                let mut found = Vec::new();
                for need in needs.iter().filter(|need| self.most(need) > 0) {
                    found.push(self.run(need)?);
                }
                Ok(union(found))
            }
        }
    }

    /// How many there are of what lists are of.
    fn count(&self) -> u32 {
        if self.whole_files { self.trigrams.len() as u32 } else { self.trigrams.piece_count() }
    }

    /// The shortest lists come first, and the rest only as long as it saves more time than it takes.
    fn all(&self, needs: &[Need]) -> Result<Vec<u32>, TrigramError> {
        let mut ordered: Vec<(u64, &Need)> = needs.iter().map(|need| (self.most(need), need)).collect();
        ordered.sort_by_key(|(most, _)| *most);
        let mut ordered = ordered.into_iter();
        let Some((most, first)) = ordered.next() else {
            return Ok((0..self.count()).collect());
        };
        let mut found = if most == 0 { Vec::new() } else { self.run(first)? };
        // Trigrams of one word come together. When lists drop less than they would by chance, those that follow are
        // expected to do no better.
        let mut doubt = 1;
        for (most, need) in ordered {
            let (before, count) = (found.len() as u64, u64::from(self.count()));
            let dropped = before * count.saturating_sub(most) / count.max(1) / doubt;
            if dropped * OPENING <= most * POSTING + LIST {
                break;
            }
            let other = self.run(need)?;
            intersect(&mut found, &other);
            if (before - found.len() as u64) * 2 < dropped {
                doubt *= 4;
            }
        }
        Ok(found)
    }

    /// How many satisfy a need at most.
    fn most(&self, need: &Need) -> u64 {
        let all = u64::from(self.count());
        match need {
            Need::Trigram(trigram) => {
                self.entries.get(trigram).map_or(0, |entry| u64::from(entry.count).min(all))
            }
            Need::All(needs) => needs.iter().map(|need| self.most(need)).min().unwrap_or(all),
            Need::Any(needs) => needs.iter().map(|need| self.most(need)).sum::<u64>().min(all),
        }
    }
}

/// Keeps what is in both of two sorted lists.
fn intersect(list: &mut Vec<u32>, other: &[u32]) {
    let mut rest = other;
    list.retain(|file| {
        rest = &rest[rest.partition_point_near(file)..];
        rest.first() == Some(file)
    });
}

/// Finding a place that is mostly close.
trait Near {
    fn partition_point_near(&self, file: &u32) -> usize;
}

impl Near for [u32] {
    /// Doubles the step until it is past the place: as fast as going through where lists are equally long, and much
    /// faster where one is short.
    fn partition_point_near(&self, file: &u32) -> usize {
        let mut step = 1;
        while self.get(step).is_some_and(|here| here < file) {
            step *= 2;
        }
        let from = step / 2;
        let end = self.len().min(step + 1);
        from.min(end) + self[from.min(end)..end].partition_point(|here| here < file)
    }
}

/// Everything that is in one of some sorted lists.
fn union(mut lists: Vec<Vec<u32>>) -> Vec<u32> {
    lists.retain(|list| !list.is_empty());
    if lists.len() < 2 {
        return lists.pop().unwrap_or_default();
    }
    let mut all = lists.concat();
    // Sorted lists one behind the other, which the stable sort is made for.
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn sets_are_sets(
            one in prop::collection::btree_set(0_u32..200, 0..80),
            other in prop::collection::btree_set(0_u32..2_000, 0..80),
        ) {
            let list = |set: &BTreeSet<u32>| set.iter().copied().collect::<Vec<u32>>();
            for (one, other) in [(&one, &other), (&other, &one)] {
                let mut both = list(one);
                intersect(&mut both, &list(other));
                prop_assert_eq!(both, one.intersection(other).copied().collect::<Vec<_>>());
                prop_assert_eq!(union(vec![list(one), vec![], list(other)]), list(&(one | other)));
            }
        }
    }
}
