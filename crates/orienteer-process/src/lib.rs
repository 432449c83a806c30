//! Running other programs.
//!
//! This crate is the only place in the product that starts or reaps a process. Language servers,
//! compilers, formatters, version control and package managers all go through a [`Launcher`], so that
//! four promises are kept in one place:
//!
//! * A child gets the environment it was given and nothing else.
//! * A child cannot fill our memory or block on a full pipe: output is drained at once and kept bounded.
//! * A child never outlives its purpose: a time-out, a cancellation, a dropped future or a dropped
//!   [`Child`] ends its whole process group, and so does the end of the group's leader.
//! * A child never outlives us, not even when we are killed without a chance to clean up.
//!
//! The crate reads no environment variable, home or current folder of its own: everything arrives in
//! structs. It never prints. It needs a Tokio runtime with its I/O and time drivers enabled.
//!
//! Where to look:
//!
//! * `environment`: which variables does a child see? `environment/allowed`: which ones by default?
//!   `environment/which`: where on the `PATH` is a program?
//! * `spec`: what is to be run?
//! * `launcher`: who runs it? `launcher/start`: how does a specification become a live process?
//! * `run`: how does a program run to its end?
//! * `child`: how does the caller hold a long-lived child? `child/input`: how is its stdin closed from
//!   outside? `child/memory`: how much memory does it use?
//! * `group`: how is a whole process group signalled without ever hitting a stranger? (`group/unix`,
//!   `group/windows`)
//! * `supervisor`: who notices that a child ended, and what happens then?
//! * `output`: how is output drained? `output/capture`: what is kept of a finite run? `output/tail`:
//!   what is kept of an endless stream?
//! * `reaper`: what ends the children when we are killed? `reaper/connection`: how do we talk to the
//!   reaper? `reaper/watch`: what does the reaper itself do?
//! * `git`: how is git asked about a repository without starting anything that the repository names?
//! * `error`: what can go wrong, and what should the reader do about it?

mod child;
mod environment;
mod error;
mod git;
mod group;
mod launcher;
mod output;
mod reaper;
mod run;
mod spec;
mod supervisor;

pub use child::{Child, ChildInput};
pub use environment::{DEFAULT_ALLOWED, Environment};
pub use error::ProcessError;
pub use git::{Git, GitAnswer, GitEnd, GitError, GitOutput, Repository};
pub use launcher::Launcher;
pub use output::Captured;
pub use reaper::{Reaper, ReaperCommand, reaper_main};
pub use run::Finished;
pub use spec::ProcessSpec;
pub use tokio::process::ChildStdout;
pub use tokio_util::sync::CancellationToken;
