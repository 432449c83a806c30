//! What is found in real trees, whatever happens to them and to the index.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, reason = "the tests start themselves again, to be killed")]

mod building;
mod cancelling;
mod damage;
mod filters;
mod finding_ask;
mod finding_comments;
mod finding_exactly;
mod finding_filters;
mod finding_gaps;
mod finding_messages;
mod finding_pages;
mod finding_parts;
mod hostile;
mod model;
mod names;
mod processes;
mod processes_disk;
mod support;
mod updating;
mod upkeep;
mod words;
