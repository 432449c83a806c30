//! What is each piece worth to a question, and which are worth most?

use super::lexical::WAYS;

/// So many are gathered before the best of them are chosen.
const LEAST_ROOM: usize = 1 << 10;
/// Many pieces have the same words of a question: among those the better one counts.
const BETTER: f32 = 1e-3;

/// Numbers for each piece. Nearly every posting changes the first two and few of them the third, which therefore lie apart.
#[derive(Debug, Default)]
pub(super) struct Scores {
    pub(super) words: Vec<Words>,
    /// With the other weights.
    pub(super) others: Vec<f32>,
}

/// What the words of a piece are worth.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Words {
    pub(super) score: f32,
    /// How much of the question's own words it has, however often and at whatever length.
    pub(super) own: f32,
}

impl Scores {
    /// So many noughts.
    pub(super) fn reset(&mut self, length: usize) {
        self.words.clear();
        self.words.resize(length, Words::default());
        self.others.clear();
        self.others.resize(length, 0.0);
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        size_of_val::<[_]>(&self.words) + size_of_val::<[_]>(&self.others)
    }

    /// The best pieces in each of the ways, at most so many and some that tie with the last of them, in no order. In the
    /// last way they have to have at least so much.
    pub(super) fn best(&self, limits: [usize; WAYS], least_own: f32) -> [Vec<(u32, f32)>; WAYS] {
        let [mut by_words, mut by_others, mut by_own] = limits.map(Best::new);
        for (piece, words) in (0..).zip(&self.words) {
            by_words.add(piece, words.score);
            if words.own > 0.0 && words.own >= least_own {
                by_own.add(piece, words.own + BETTER * words.score);
            }
        }
        if by_others.limit > 0 {
            for (piece, score) in (0..).zip(&self.others) {
                by_others.add(piece, *score);
            }
        }
        [by_words, by_others, by_own].map(Best::finish)
    }
}

/// The best so far.
struct Best {
    found: Vec<(u32, f32)>,
    limit: usize,
    room: usize,
    least: f32,
}

impl Best {
    fn new(limit: usize) -> Self {
        let least = if limit == 0 { f32::INFINITY } else { 0.0 };
        Self { found: Vec::new(), limit, room: limit.saturating_mul(4).max(LEAST_ROOM), least }
    }

    #[inline]
    fn add(&mut self, piece: u32, score: f32) {
        if score > 0.0 && score >= self.least {
            self.found.push((piece, score));
            if self.found.len() >= self.room {
                self.cut();
                self.room = self.room.max(2 * self.found.len());
            }
        }
    }

    /// Leaves the best, and all that tie with the last of them until paths have decided.
    fn cut(&mut self) {
        if self.found.len() <= self.limit || self.limit == 0 {
            return;
        }
        self.found.select_nth_unstable_by(self.limit - 1, |one, other| other.1.total_cmp(&one.1));
        let least = self.found.get(self.limit - 1).map_or(0.0, |last| last.1);
        self.found.retain(|one| one.1 >= least);
        self.least = self.least.max(least);
    }

    fn finish(mut self) -> Vec<(u32, f32)> {
        self.cut();
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(count: u32) -> Scores {
        let mut scores = Scores::default();
        scores.reset(count as usize);
        for (at, words) in (0u32..).zip(&mut scores.words) {
            *words = Words { score: (at % 7_919) as f32, own: (at % 4) as f32 };
        }
        for (at, other) in (0u32..).zip(&mut scores.others) {
            *other = if at.is_multiple_of(1_000) { 1.0 } else { 0.0 };
        }
        scores
    }

    fn pieces(mut found: Vec<(u32, f32)>) -> Vec<u32> {
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        found.into_iter().map(|one| one.0).collect()
    }

    #[test]
    fn the_best_of_many_are_kept_with_all_that_tie_with_the_last() {
        let [words, others, own] = scores(15_838).best([3, 2, 2], 3.0);
        assert_eq!(pieces(words), [7_918, 15_837, 7_917, 15_836], "two of each, and three were asked for");
        assert_eq!(pieces(others).len(), 16, "all are alike");
        assert_eq!(pieces(own), [15_835, 7_915], "of those with the most words the better ones");
    }

    #[test]
    fn what_nobody_asks_for_is_not_gathered() {
        let [words, others, own] = scores(5_000).best([0, 0, 3], 4.0);
        assert!(words.is_empty() && others.is_empty() && own.is_empty(), "none has four");
        let mut scores = scores(10);
        assert_eq!(scores.bytes(), 120);
        scores.reset(20);
        assert_eq!((scores.bytes(), scores.words[9].score, scores.others[0]), (240, 0.0, 0.0));
    }
}
