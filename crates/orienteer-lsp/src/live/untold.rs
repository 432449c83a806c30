//! What has the watcher said that the server has not heard?

use std::path::PathBuf;
use std::sync::Arc;

use orienteer_watch::{Changes, Cursor, Watch};

use crate::surroundings::Watches;

/// See the module.
#[derive(Debug)]
pub(crate) struct Untold {
    pub(crate) cursor: Cursor,
    pub(crate) changes: Vec<Changes>,
    /// The same for folders outside the project.
    pub(super) beside: Vec<(PathBuf, Arc<Watch>, Cursor)>,
}

impl Untold {
    pub(super) fn look_beside(&mut self, beside: &Option<(Watches, Vec<PathBuf>)>) {
        let Some((watches, bases)) = beside else { return };
        for base in bases {
            if !self.beside.iter().any(|(known, _, _)| known == base) {
                let watch = watches.now(base);
                let cursor = watch.cursor();
                self.beside.push((base.clone(), watch, cursor));
            }
        }
        for (_, watch, cursor) in &mut self.beside {
            self.changes.push(watch.changes(cursor));
        }
    }
}
