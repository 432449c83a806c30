//! Who runs a program?

mod start;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::child::Child;
use crate::error::ProcessError;
use crate::reaper::{Reaper, ReaperCommand};
use crate::run::{self, Finished};
use crate::spec::ProcessSpec;

pub(crate) use start::start;

/// Starts programs. A host makes one of these and clones it wherever a program has to be run; the clones
/// share one reaper.
#[derive(Clone, Debug)]
pub struct Launcher {
    reaper: Option<Arc<Reaper>>,
}

impl Launcher {
    /// A launcher whose children do not survive us. The reaper is started before the first child is, so
    /// a host that runs nothing starts nothing.
    pub fn new(reaper: ReaperCommand) -> Self {
        Self { reaper: Some(Arc::new(Reaper::new(reaper))) }
    }

    /// A launcher whose children survive us when we are killed, on systems other than Windows. It is for
    /// tests and for short-lived helpers that cannot play the reaper.
    pub fn without_reaper() -> Self {
        Self { reaper: None }
    }

    /// The reaper, if this launcher was made with one.
    pub fn reaper(&self) -> Option<&Arc<Reaper>> {
        self.reaper.as_ref()
    }

    /// Runs a program to its end, in a process group of its own.
    ///
    /// Both outputs are drained as they come, whatever their size, and kept up to the limits of `spec`.
    /// When the program ends, so does whatever it left running in its group. The time-out of `spec` and
    /// `cancel` end the whole group, first politely and then by force. Dropping the future ends it by
    /// force.
    ///
    /// # Errors
    ///
    /// See [`ProcessError`]. An exit status other than zero is not an error.
    ///
    /// # Panics
    ///
    /// Panics outside of a Tokio runtime.
    pub async fn run(
        &self,
        spec: &ProcessSpec,
        cancel: &CancellationToken,
    ) -> Result<Finished, ProcessError> {
        run::run(spec, cancel, self.reaper.as_ref()).await
    }

    /// Starts a long-lived child with pipes to talk to it, in a process group of its own.
    ///
    /// # Errors
    ///
    /// [`ProcessError::NotFound`], [`ProcessError::NoFolder`] or [`ProcessError::Spawn`].
    ///
    /// # Panics
    ///
    /// Panics outside of a Tokio runtime.
    pub fn spawn(&self, spec: &ProcessSpec) -> Result<Child, ProcessError> {
        Child::spawn(spec, self.reaper.as_ref())
    }
}
