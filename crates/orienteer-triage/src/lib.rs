//! Security findings and what was decided about them: read from what tools write, kept as records, told again.
//!
//! Everything here is synchronous and can be cancelled. It knows nothing of language servers, clients and the index.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `input` | Which pieces does a file have? |
//! | `source` | How does each source write a finding down? |
//! | [`ecosystem`], [`cvss`] | What is an ecosystem called; which score does a vector have? |
//! | `meta` | What is known about all findings of a file? |
//! | `pages` | Is a list that came in pages here to its end? |
//! | [`id`] | What is a record called? |
//! | [`store`] | Where are records kept, and how do several processes write them? |
//! | [`mod@ingest`] | What of a file is new? |
//! | [`decide`] | May this be decided, and does it still hold? |
//! | [`list`] | Which findings fit? |
//! | [`manifest`] | Which lines of a manifest or a lock file bring a package in? |
//! | [`module`] | How does code name a package, and how does it import it? |
//! | [`markdown`], [`pack`] | How is a record told to people? |

pub mod cvss;
pub mod decide;
pub mod ecosystem;
mod error;
pub mod id;
pub mod ingest;
mod input;
pub mod list;
pub mod manifest;
pub mod markdown;
mod meta;
pub mod module;
pub mod pack;
mod pages;
mod source;
pub mod store;

pub use error::TriageError;
pub use ingest::{Ingest, ingest};
pub use store::{Known, Snapshot, Store, Witness};
