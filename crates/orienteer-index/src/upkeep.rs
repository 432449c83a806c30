//! What does it take on disk, and how does it stay small?
//!
//! Whatever removes something can be asked first what it would remove. Only files of ours are ever touched, and nothing in
//! or below a folder called `triage`: what people decided is not ours to throw away.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `upkeep/status` | How is the index of a workspace? |
//! | `upkeep/compact` | What would compacting give back? |
//! | `upkeep/remove` | How is the index of a workspace removed? |
//! | `upkeep/gc` | Which of many indexes are too old or too much? |
//! | `upkeep/artifacts` | Which files are there? |

mod artifacts;
mod compact;
mod gc;
mod remove;
mod status;

pub use artifacts::{Artifact, artifacts};
pub use compact::{Compacted, compact};
pub use gc::{Collected, GcLimits, Item, Why, gc};
pub use remove::{Removed, clean};
pub use status::{Status, status};
