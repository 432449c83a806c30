//! Which of these files say what is wanted?
//!
//! Most files that trigrams name are read whole, and many of them lack it after all.

use std::rc::Rc;

use super::known::{Files, Known};
use super::means::{Glimpse, Wanted};
use super::shared::shared;
use crate::store::File;

/// Fewer files than this are read sooner than a thread has begun.
const MANY: usize = 4;

impl Files<'_> {
    /// What came of looking into each file; `None` where it cannot be read or is no text. Nothing is kept.
    pub(super) fn glimpses(&self, all: &[Rc<Known>], wanted: Wanted<'_>) -> Vec<Option<Glimpse>> {
        let mut seen = vec![None; all.len()];
        let mut unread: Vec<(usize, &File)> = Vec::new();
        for (at, known) in all.iter().enumerate() {
            if self.means.glimpse.is_some() && known.now.borrow().is_none() {
                unread.push((at, &known.file));
            } else if let Some(now) = self.glance(known) {
                let lacks = Glimpse::Lacks(now.text.len());
                seen[at] = Some(if wanted(&now.text) { Glimpse::Has(now) } else { lacks });
            }
        }
        if let Some(glimpse) = self.means.glimpse {
            let (mine, others) = &mut *self.bytes.borrow_mut();
            let look = |(_, file): &(usize, &File), bytes: &mut Vec<u8>| glimpse(file, bytes, wanted);
            for (number, came) in shared(&unread, MANY, (mine, others), self.cancel, look) {
                seen[unread[number].0] = came;
            }
        }
        seen
    }
}
