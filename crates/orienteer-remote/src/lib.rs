//! What is not on this machine: requests that leave it, and what comes back.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`client`] | How does a request leave this machine, and where may it go? |
//! | [`mod@fetch`] | Is this file here with the content that was meant, and if not, how does it get here? |
//! | [`mod@unpack`] | What is in this archive, and may it be written? |
//! | [`data`] | Which data files were fetched, and are they still what they were? |
//!
//! Nothing that was fetched is ever run. Nothing is believed before its SHA-256 is known to be the one that was asked for.

pub mod client;
pub mod data;
pub mod fetch;
pub mod unpack;

pub use client::{Client, ClientError, Proxies};
pub use fetch::{FetchError, Fetched, Wanted, fetch};
pub use unpack::{Limits, UnpackError, unpack};
