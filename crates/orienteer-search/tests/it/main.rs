//! Facts about searching, reading and listing, on trees that are made for them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cancelling;
mod listing;
mod narrowing;
mod paging;
mod reading;
mod ripgrep;
mod structure;
mod support;
mod text;
mod words;
