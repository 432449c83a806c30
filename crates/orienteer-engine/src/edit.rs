//! Changing code. Every way to change something ends in a plan, and one place keeps plans or carries them out.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `plans` | Which plans are kept, for whom and how long? |
//! | `exact` | Which name is meant, without any doubt? |
//! | `rename` | What would another name change? |
//! | `left_behind` | Where does the old name still stand as text? |
//! | `actions` | What does a server offer to do here? |
//! | `symbol` | What would change if this definition were another one? |
//! | `format`, `formatter` | What would this code look like as it is usually written, and who knows? |
//! | `apply` | How is a plan carried out, and who is told? |
//! | `undo` | How is it taken back? |
//! | `findings` | What do checkers say about files before and after? |
//! | `simulate` | What would they say? |
//! | `settle` | Was a change cut short by the end of a process? |

mod actions;
mod apply;
mod exact;
mod findings;
mod format;
mod formatter;
mod left_behind;
mod plans;
mod rename;
mod settle;
mod simulate;
mod symbol;
mod undo;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use orienteer_base::answer::Warning;
use orienteer_base::{ErrorKind, Problem};
use orienteer_edit::Journal;
use orienteer_lsp::{Failure, Lease, Seen};

use crate::Session;
use crate::failure::problem;
use actions::Offered;
use plans::Plans;

/// How soon a server that is not ready, or not well, is worth asking again.
const ASK_AGAIN_MS: u64 = 3_000;

/// What the engine holds of changes. Bound to roots, never to a connection.
#[derive(Debug)]
pub(crate) struct Edits {
    /// Without it nothing is changed: there would be no way back.
    journal: Option<Arc<Journal>>,
    plans: Plans,
    offered: Offered,
    /// What was put right and nobody has been told yet.
    untold: Mutex<Vec<Warning>>,
}

impl Edits {
    pub(crate) fn new(journal_folder: Option<PathBuf>) -> Self {
        Self {
            journal: journal_folder.map(|folder| Arc::new(Journal::new(folder))),
            plans: Plans::default(),
            offered: Offered::default(),
            untold: Mutex::default(),
        }
    }
}

impl Session {
    /// Whether this session may change files at all; the journal it is done with.
    pub(crate) fn may_write(&self) -> Result<Arc<Journal>, Problem> {
        if self.read_only() {
            return Err(Problem::new(ErrorKind::ReadOnly, "this session is read-only: nothing is changed"));
        }
        self.engine().edits.journal.clone().ok_or_else(|| {
            let message = "there is no folder for the journal, and without a way back nothing is changed";
            Problem::new(ErrorKind::NotEnabled, message).detail("no_journal")
        })
    }
}

/// What changes files must come from a server that knows all of the project: a part of a change breaks the rest.
pub(crate) fn require_whole(lease: &Lease, seen: &Seen) -> Result<(), Problem> {
    if !seen.ready {
        let (server, doing) = (lease.server_id().to_owned(), seen.busy_with.clone());
        return Err(problem(Failure::NotReady { server, doing, retry_after_ms: ASK_AGAIN_MS }));
    }
    let Some(complaint) = seen.complaint.as_ref().or(seen.unlisted.as_ref()) else { return Ok(()) };
    let message = format!(
        "the language server `{}` does not see all of the project, so a change could miss a part of it: {complaint}",
        lease.server_id()
    );
    Err(Problem::new(ErrorKind::NotReady, message)
        .detail("server_degraded")
        .fact("server_id", lease.server_id())
        .retry_after_ms(ASK_AGAIN_MS))
}
