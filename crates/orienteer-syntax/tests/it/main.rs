//! Named facts about outlines and patterns, and texts that mean harm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod hostile;
mod properties;
mod structure;
mod structure_languages;
mod support;
mod symbols_data;
mod symbols_detail;
mod symbols_managed;
mod symbols_native;
mod symbols_script;
