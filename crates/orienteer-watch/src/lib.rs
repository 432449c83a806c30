//! What changed on disk below a root since you last asked?
//!
//! The answer includes everything that any other program did before the question was asked: edits, new and
//! deleted files, renames of files and folders, a `git checkout`, a file replaced with its old time kept.
//!
//! - **Events are hints, stat is the truth.** One watcher delivers raw events; each names a path to look at
//!   again. What happened to it is told by comparing its [`Stamp`] with the one in our snapshot.
//! - **The barrier.** Before an answer a cookie file is renamed in a folder of ours that the *same* watcher
//!   watches. inotify keeps one queue per watcher and a program's event is in it before its system call returns,
//!   so once the cookie's event came out, every earlier event has come out too. No sleeping, no debouncing.
//! - **The floor.** Where that proof cannot be had (no cookie seen in time, an overflow, too many folders, a
//!   network file system, an operating system whose event order we have not shown), all files are looked at.
//!   [`Changes::how`] says which way it was.
//! - **Nothing runs while nobody asks.** Events are collected, at most one entry per path; the looking is done
//!   by whoever asks. There is no thread of ours beside the watcher's own.
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
//! | `inbox` | What did the watcher say since the last look? |
//! | `cookie` | Have all events before now arrived? |
//! | `stamp` | Is this still the file that was read? |

mod changes;
mod cookie;
mod filesystem;
mod inbox;
mod options;
mod planter;
mod rules;
mod settle;
mod stamp;
mod state;
mod table;
mod walk;
pub mod watch;

pub use changes::{Changes, How, Unwatched};
pub use options::Options;
pub use stamp::{Stamp, stamp};
pub use table::Cursor;
pub use watch::Watch;
