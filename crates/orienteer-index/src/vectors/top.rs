//! Which of many are the best?

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::vector::Vector;

/// Something with its similarity. Greater is better; of two that are equally similar the lower number is.
#[derive(Debug, Clone, Copy)]
pub struct Scored {
    pub id: u64,
    pub score: f32,
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.id.cmp(&self.id))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scored {}

/// Keeps the best of what it is given, in whatever order that comes.
#[derive(Debug)]
pub(super) struct Top {
    limit: usize,
    /// The worst on top.
    kept: BinaryHeap<Reverse<Scored>>,
}

impl Top {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, kept: BinaryHeap::new() }
    }

    /// Whether it would be kept: asked before anything that costs more.
    pub(super) fn wants(&self, scored: Scored) -> bool {
        self.kept.len() < self.limit || self.kept.peek().is_some_and(|Reverse(worst)| scored > *worst)
    }

    pub(super) fn offer(&mut self, scored: Scored) {
        if self.wants(scored) {
            if self.kept.len() >= self.limit {
                self.kept.pop();
            }
            self.kept.push(Reverse(scored));
        }
    }

    /// The best first.
    pub(super) fn finish(self) -> Vec<Scored> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse(scored)| scored).collect()
    }
}

/// The nearest of a few vectors that are in no file, such as those of files changed since.
pub fn rank<'v>(
    query: &Vector,
    others: impl IntoIterator<Item = (u64, &'v Vector)>,
    limit: usize,
) -> Vec<Scored> {
    let mut top = Top::new(limit);
    for (id, other) in others {
        top.offer(Scored { id, score: query.similarity(other) });
    }
    top.finish()
}

/// One list of several, the best first.
pub fn merge(lists: impl IntoIterator<Item = Vec<Scored>>, limit: usize) -> Vec<Scored> {
    let mut top = Top::new(limit);
    lists.into_iter().flatten().for_each(|scored| top.offer(scored));
    top.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(id: u64, score: f32) -> Scored {
        Scored { id, score }
    }

    #[test]
    fn the_best_come_first_and_ties_by_number() {
        let lists = [vec![scored(5, 0.5), scored(9, 0.9)], vec![scored(2, 0.5), scored(7, 0.1)]];
        let ids = |limit| merge(lists.clone(), limit).iter().map(|scored| scored.id).collect::<Vec<_>>();
        assert_eq!(ids(10), [9, 2, 5, 7]);
        assert_eq!(ids(2), [9, 2]);
        assert!(ids(0).is_empty());
    }

    #[test]
    fn the_order_in_which_they_come_does_not_matter() {
        let mut all: Vec<Scored> = (0..50).map(|id| scored(id, (id % 7) as f32)).collect();
        let forward = merge([all.clone()], 10);
        all.reverse();
        assert_eq!(merge([all], 10), forward);
        assert_eq!(forward[0], scored(6, 6.0));
    }

    #[test]
    fn a_few_extra_vectors_are_ranked() {
        let vector = |numbers: &[f32]| Vector::quantised(numbers).unwrap();
        let (one, two, three) = (vector(&[1.0, 0.0]), vector(&[1.0, 1.0]), vector(&[-1.0, 0.0]));
        let found = rank(&one, [(1, &three), (2, &two), (3, &one)], 2);
        assert_eq!(found.iter().map(|scored| scored.id).collect::<Vec<_>>(), [3, 2]);
    }
}
