//! What changed on disk below a root since you last asked?
//!
//! The answer includes everything that any other program did before the question was asked: edits, new and
//! deleted files, renames of files and folders, a `git checkout`, a file replaced with its old time kept.
//!
//! - **Events are hints, stat is the truth.** The kernel names paths to look at again. What happened to one is told by
//!   comparing its [`Stamp`] with the one in our snapshot.
//! - **The barrier is the queue.** inotify keeps one queue for everything that is watched, and an event is in it before the
//!   system call that made it returns. So whoever empties the queue has everything that happened before: one system call
//!   when nothing has. No other thread to wait for, no sleeping, no debouncing.
//! - **The floor.** Where that does not hold (events lost, too many folders, a network file system, a system on which it
//!   was not shown), all files are looked at. [`Changes::how`] says which way it was.
//! - **Nothing is looked at while nobody asks.** Events are collected, at most one entry per path.
//!
//! Not told: links (they are not followed, and are no files of the tree), a file changed through another hard
//! link outside the root, writes through a memory map before the file is closed or its times change.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`watch`] | What changed? Who waits for what, and which way is taken? |
//! | `state` | What do we know, and how is it made true again? |
//! | `settle` | Which files did these hints touch? |
//! | `walk` | Which files are there, all of them? |
//! | `table` | Which files do we know, and what has each cursor not been told? |
//! | `rules` | Which names count? |
//! | `planter` | Which folders are watched? |
//! | `inbox` | What happened since the last look? |
//! | `queue` | What did the kernel say, and about which paths? |
//! | `collector` | Who empties the kernel's queue while nobody asks? |
//! | `proof` | Does this system tell of a change before the call that made it returns? |
//! | `stamp` | Is this still the file that was read? |

mod changes;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod collector;
mod filesystem;
mod inbox;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod nowhere;
mod options;
mod planter;
mod proof;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod queue;
mod rules;
mod settle;
mod stamp;
mod state;
mod table;
mod walk;
pub mod watch;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
use nowhere::{self as collector, self as queue};

pub use changes::{Changes, How, Unwatched};
pub use options::Options;
pub use stamp::{Stamp, stamp};
pub use table::Cursor;
pub use watch::Watch;
