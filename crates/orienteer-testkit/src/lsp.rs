//! A language client without any code of ours, to ask real servers directly and to drive the fake one.

mod capabilities;
mod client;
mod frames;
mod incoming;

pub use capabilities::full_capabilities;
pub use client::{Notice, RawClient};
pub(crate) use frames::read_frame;
