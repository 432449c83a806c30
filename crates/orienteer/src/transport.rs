//! Raw frames: where bytes become messages and messages become bytes.

pub mod framing;
pub mod http;
pub mod stdio;
