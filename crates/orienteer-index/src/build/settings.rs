//! Which settings was an index built with?
//!
//! Files are told apart by their content. What is made of the same content depends on rules and limits, so an index that
//! was made by others is made anew.

use super::Build;

/// Where they are remembered.
pub(super) const SETTINGS: &str = "settings";

/// Raised whenever something else is taken from the same files: words, symbols, facts, flags.
const EXTRACTION: u32 = 2;

impl Build {
    /// All settings that change what is kept of a file, as one word.
    pub(super) fn settings(&self) -> String {
        let options = &self.options;
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{EXTRACTION} {:?} {}", options.limits, options.hidden).as_bytes());
        for rule in options.rules.iter() {
            hasher.update(format!("\n{rule:?}").as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}
