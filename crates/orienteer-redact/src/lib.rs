//! Hiding the values of secrets in text that is about to be shown.
//!
//! Only the secret value is replaced, by `[REDACTED:kind]`; names, quotes, punctuation and line ends
//! stay, so line numbers keep their meaning.  Text without secrets comes back borrowed and unaltered.
//!
//! The work is done in two steps: one walk over the text finds keywords (`ghp_`, `password`, `://`),
//! and only a rule whose keyword was seen has its expression compiled and run, on that line alone.

mod compiled;
mod judge;
mod keywords;
mod marker;
mod pem;
mod redactor;
mod rules;
mod scan;
mod span;

pub use redactor::{Finding, Options, Redacted, Redactor};

/// Every kind that can appear in a marker, with a short description of it.
pub fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    let tables = rules::all().map(|rule| (rule.kind, rule.about));
    let mut seen: Vec<&'static str> = Vec::new();
    pem::KINDS.iter().copied().chain(tables).filter(move |(kind, _)| {
        let fresh = !seen.contains(kind);
        seen.push(kind);
        fresh
    })
}
