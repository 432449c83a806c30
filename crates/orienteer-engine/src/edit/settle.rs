//! Was a change cut short by the end of a process?

use std::sync::{MutexGuard, PoisonError};

use orienteer_base::Cancel;
use orienteer_base::answer::Warning;
use orienteer_edit::EditError;
use orienteer_edit::journal::Settled;

use crate::Session;
use crate::blocking::{blocking, quick};

impl Session {
    /// Puts right what a process that ended in the middle of a change left behind, before anybody looks at the files.
    /// What is to be told about it is told once. It waits while another process changes files of the workspace;
    /// otherwise it is one look at an empty folder.
    pub async fn settle(&self) -> Vec<Warning> {
        if self.engine().edits.journal.is_none() {
            return std::mem::take(&mut *self.untold());
        }
        let (session, cancel) = (self.clone(), Cancel::new());
        let pending = self.engine().edits.journal.as_ref().is_some_and(|journal| journal.is_pending());
        let work = move || Ok(session.settle_now());
        // Putting files right, or waiting for somebody who changes them, takes its time.
        let settled = if pending { blocking(&cancel, work).await } else { quick(&cancel, true, work).await };
        settled.unwrap_or_else(|problem| vec![Warning::new("recovery_failed", problem.message)])
    }

    /// The same at the start: whoever asks first is told.
    pub fn settle_early(&self) {
        let found = self.settle_now();
        self.tell_later(found);
    }

    /// Takes away what processes that were killed left beside files of the user and of ours. Nobody waits for that.
    pub fn sweep(&self) {
        let session = self.clone();
        let sweep = move || {
            let journal = &session.engine().edits.journal;
            let beside_files = journal.as_ref().map_or(0, |journal| journal.sweep(session.roots()));
            let records = session.triage_store().ok().map(|store| store.tidy(&Cancel::new()));
            match records.transpose() {
                Ok(records) if beside_files + records.unwrap_or(0) > 0 => {
                    tracing::info!(beside_files, records, "took away what killed processes had left");
                }
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "what a killed process left beside records stays"),
            }
        };
        if let Err(error) = std::thread::Builder::new().name("sweep".to_owned()).spawn(sweep) {
            tracing::warn!(%error, "nothing is swept");
        }
    }

    /// Keeps what could not be told: the answer was an error.
    pub fn tell_later(&self, warnings: Vec<Warning>) {
        let mut untold = self.untold();
        for warning in warnings {
            if !untold.contains(&warning) {
                untold.push(warning);
            }
        }
    }

    fn settle_now(&self) -> Vec<Warning> {
        let edits = &self.engine().edits;
        let Some(journal) = &edits.journal else { return Vec::new() };
        let found = match journal.settle(self.roots()) {
            Ok(settled) => settled.iter().map(|settled| self.tell(settled)).collect(),
            Err(EditError::Busy) => {
                let message = "another process is changing files of this workspace right now: look again when it is done";
                vec![Warning::new("files_changing", message)]
            }
            Err(error) => {
                let problem = error.problem(self.roots());
                tracing::error!(%problem, "a change that was cut short could not be put right");
                let message = format!(
                    "a change that was cut short could not be put right, so some files may be new and others old: {problem}"
                );
                vec![Warning::new("recovery_failed", message)]
            }
        };
        self.tell_later(found);
        std::mem::take(&mut *self.untold())
    }

    fn untold(&self) -> MutexGuard<'_, Vec<Warning>> {
        self.engine().edits.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, settled: &Settled) -> Warning {
        let (id, title) = (&settled.journal_id, &settled.title);
        if settled.finished {
            let message =
                format!("the change `{id}` ({title}) had been made when its process ended; it counts");
            return Warning::new("recovered", message);
        }
        let mut message =
            format!("the change `{id}` ({title}) was cut short when its process ended and was taken back");
        if let Some(folder) = settled.kept_in.as_ref().filter(|_| !settled.left.is_empty()) {
            let names: Vec<String> =
                settled.left.iter().take(10).map(|path| self.roots().show(path)).collect();
            message.push_str(&format!(
                "; these were changed meanwhile and left as they are: {}; what they were is in {}",
                names.join(", "),
                folder.display()
            ));
        }
        Warning::new("recovered", message)
    }
}
