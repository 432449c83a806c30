//! Changes of files: planned, previewed, applied all or nothing, undone.
//!
//! Whoever wants to change files says so to an [`Overlay`], which reads each file once and applies the changes to
//! what it read. What comes out is a [`Plan`]: for each path what was there, by SHA-256, and what shall be there.
//! A [`Journal`] applies exactly that, or nothing: it first writes down, outside the tree, what it is about to do
//! and what was there before, so that a process that is killed leaves nothing that the next one cannot put right.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`text`] | Do these edits fit this text, and what comes out? |
//! | [`overlay`] | What would the files be after all these changes? |
//! | [`plan`] | What was there, what shall be there? |
//! | `diff` | How does a person see it? |
//! | [`journal`] | How is it done, undone and recovered? |
//! | `folder` | How is a file replaced in one instant, and where nobody can put a link? |
//! | [`error`] | Why was it not done? |

pub mod error;
pub mod journal;
pub mod overlay;
pub mod plan;
pub mod text;

mod diff;
mod folder;

pub use error::{EditError, Moved};
pub use journal::{Applied, Journal, Undo};
pub use overlay::{Existing, Overlay};
pub use plan::{Change, Operation, Plan, Preview};
pub use text::{TextEdit, Unfit};
