//! How much does each column of a piece count?

use super::lexical::{COLUMN_COUNT, Column, Weights};
use super::posting::Tally;
use super::record::{Mode, Modes};

/// How much each column counts, in whole pieces and where only comments do.
#[derive(Debug)]
pub(super) struct Columns {
    whole: [f32; COLUMN_COUNT],
    comments: [f32; COLUMN_COUNT],
}

impl Columns {
    pub(super) fn new(weights: &Weights, modes: Modes) -> Self {
        let mut whole = weights.0.map(|weight| weight.max(0.0) as f32);
        let mut comments = [0.0; COLUMN_COUNT];
        for column in [Column::Doc, Column::Comment] {
            comments[column as usize] = whole[column as usize];
        }
        if !modes.has(Mode::Comments) {
            whole[Column::Comment as usize] = 0.0;
        }
        Self { whole, comments }
    }

    #[inline]
    pub(super) fn of(&self, only_comments: bool) -> &[f32; COLUMN_COUNT] {
        if only_comments { &self.comments } else { &self.whole }
    }

    /// How often a word stands where it counts, by weight.
    #[inline]
    pub(super) fn count(&self, only_comments: bool, tally: &Tally) -> f32 {
        self.of(only_comments).iter().zip(tally).map(|(weight, count)| weight * f32::from(*count)).sum()
    }
}
