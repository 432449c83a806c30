//! Named facts about outlines and patterns, and texts that mean harm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod anatomy;
mod facts;
mod facts_hostile;
mod facts_managed;
mod facts_native;
mod facts_script;
mod hostile;
mod pieces;
mod properties;
mod samples;
mod shown;
mod structure;
mod structure_languages;
mod support;
mod symbols_data;
mod symbols_detail;
mod symbols_managed;
mod symbols_native;
mod symbols_script;
