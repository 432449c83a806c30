//! Language servers: which one, where, alive, ready, in step with the disk, and what they say.
//!
//! A [`Fleet`] holds all servers of the process. [`Fleet::lease`] finds the one for a file; a [`Lease`] is asked
//! questions, one method per request. Every answer says which process gave it, what the process was told before,
//! and whether it was ready.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`definition`], [`catalog`] | Which servers are there, and what is true of each? |
//! | [`project`] | Which folder is the project of a file? |
//! | [`program`] | Which program is the server, and in which environment? |
//! | `sought` | Which programs are there, and which were missing lately? |
//! | [`fleet`] | Which server has a file, and how many may live? |
//! | `server` | Is it started, crashed, given up? |
//! | `start` | How does it come up? |
//! | `live` | How is it asked, kept in step and waited for? |
//! | `documents` | What has it been told about the disk? |
//! | `silence` | Does an empty list of findings mean that nothing is wrong? |
//! | [`library`] | Of which files outside the roots may be shown what they say? |
//! | `limits` | How many does it list at most, without saying so? |
//! | [`mod@searches`] | Into which files does it look for the uses of a name, where it does not look everywhere? |
//! | `sentinel` | Has somebody installed or removed dependencies? |
//! | `ready` | Is it ready for this kind of question? |
//! | `published` | What has it said is wrong? |
//! | `wire`, `frame`, `inbound` | What goes over the pipes? |
//! | `capability` | What can it do, and what can we? |
//! | [`text`], `position`, `uri` | Where in which file is this? |
//! | [`command`] | How is one request asked and its answer read? |
//! | `workspace_edit`, `proposal`, `capture` | What does it want to change, and is that about the files as they are? |
//! | `simulate`, `turn` | What would it say about texts that are not on disk? |
//! | `quirk` | What is true of one server only? |

pub mod catalog;
pub mod command;
pub mod definition;
pub mod failure;
pub mod fleet;
pub mod library;
pub mod program;
pub mod project;
pub mod searches;
pub mod text;
pub mod uri;

mod capability;
mod capture;
mod documents;
mod frame;
mod inbound;
mod items;
mod latency;
mod lease;
mod limits;
mod live;
mod message;
mod order;
mod position;
mod proposal;
mod published;
mod quirk;
mod reading;
mod ready;
mod recalled;
mod sentinel;
mod server;
mod silence;
mod simulate;
mod sought;
mod start;
mod surroundings;
mod turn;
mod uses;
mod wire;
mod workspace_edit;

pub use definition::Definition;
pub use failure::Failure;
pub use fleet::{Fleet, FleetSpec};
pub use latency::Latency;
pub use lease::{Heard, Lease, Spot};
pub use live::{Patience, Seen};
pub use quirk::typescript::configuration_in as typescript_configuration_in;
pub use server::{LastError, Life, Status};
pub use simulate::Simulated;
pub use uses::Uses;
pub use workspace_edit::Proposed;
