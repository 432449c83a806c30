//! What is not on this machine: requests that leave it, and what comes back.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`api`] | How is one question asked of another machine, as rarely and as politely as possible? |
//! | [`client`] | How does a request leave this machine, and where may it go? |
//! | [`mod@fetch`] | Is this file here with the content that was meant, and if not, how does it get here? |
//! | [`mod@unpack`] | What is in this archive, and may it be written? |
//! | [`data`] | Which data files were fetched, and are they still what they were? |
//! | [`host`] | Which forge is meant, and under which address does it answer? |
//! | [`credential`], [`secret`] | Which token belongs to this host, and may it be sent there? |
//! | [`packages`] | Which package is meant, and what does its registry say about it? |
//! | [`remote`] | Who answers this question about what is not on this machine? |
//! | [`forge`] | How is a forge asked, whichever it is? |
//! | [`mod@reference`] | Which commit does a branch, a tag or a commit mean? |
//! | [`part`], [`text`] | Which part of a text was asked for, and is it text? |
//! | [`path`] | May this path be asked for, and how is it written in an address? |
//!
//! Nothing that was fetched is ever run. Nothing is believed before its SHA-256 is known to be the one that was asked for.

pub mod api;
pub mod client;
pub mod credential;
pub mod data;
pub mod fetch;
pub mod forge;
mod held;
pub mod host;
pub mod packages;
pub mod part;
pub mod path;
mod problem;
pub mod reference;
pub mod remote;
pub mod secret;
pub mod text;
pub mod unpack;

pub use api::{Api, ApiError, Cache, CacheLimits, Pacing};
pub use client::{Client, ClientError, Proxies};
pub use credential::{Credential, Credentials, Known, Scheme, Source, netrc};
pub use fetch::{FetchError, Fetched, Wanted, fetch};
pub use host::{Host, HostSpec, Hosts};
pub use packages::{CargoRegistry, NpmRegistries, PythonIndexes, RegistrySpec, Tokens};
pub use remote::{Remote, RemoteSpec};
pub use secret::Secret;
pub use unpack::{Limits, UnpackError, unpack};
