//! Which of these files say what is wanted?
//!
//! Most files that trigrams name are read whole, and many of them lack it after all.

use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::known::{Files, Known};
use super::means::{Glimpse, Wanted};
use super::shared::shared;
use crate::store::File;

/// Fewer files than this are read sooner than a thread has begun.
const MANY: usize = 4;

/// Bytes of text that are held at the same time: more than that, and the rest is left for later.
const MOST_BYTES: usize = 8 << 20;

impl Files<'_> {
    /// What came of looking into each file, from the first on; `None` where it cannot be read or is no text. Nothing is kept,
    /// and at least one is looked at.
    pub(super) fn glimpses(&self, all: &[Rc<Known>], wanted: Wanted<'_>) -> Vec<Option<Glimpse>> {
        let mut seen: Vec<Option<Option<Glimpse>>> = vec![None; all.len()];
        let mut unread: Vec<(usize, &File)> = Vec::new();
        for (at, known) in all.iter().enumerate() {
            if self.means.glimpse.is_some() && known.now.borrow().is_none() {
                unread.push((at, &known.file));
            } else {
                seen[at] = Some(self.glance(known).map(|now| {
                    let lacks = Glimpse::Lacks(now.text.len());
                    if wanted(&now.text) { Glimpse::Has(now) } else { lacks }
                }));
            }
        }
        if let Some(glimpse) = self.means.glimpse {
            let (mine, others) = &mut *self.bytes.borrow_mut();
            // A file may have grown since it was indexed: what counts is what was read.
            let held = AtomicUsize::new(0);
            let look = |(_, file): &(usize, &File), bytes: &mut Vec<u8>| {
                if held.load(Ordering::Relaxed) > MOST_BYTES {
                    return None;
                }
                let came = glimpse(file, bytes, wanted);
                if let Some(Glimpse::Has(now)) = &came {
                    held.fetch_add(now.text.len(), Ordering::Relaxed);
                }
                Some(came)
            };
            let looked = shared(&unread, MANY, (mine, others), self.cancel, look);
            let panicked = unread.len() - looked.len();
            for (number, came) in looked {
                seen[unread[number].0] = came;
            }
            // What the other thread fell over cannot be read; it would be looked at for ever.
            if panicked > 0 && !self.cancel.is_cancelled() {
                return seen.into_iter().map(Option::flatten).collect();
            }
        }
        seen.into_iter().map_while(|came| came).collect()
    }
}
