//! The dialects there are. One folder each; `native` is the contract of Orienteer itself.

mod native;
mod octocode;

use crate::dialect::Dialect;
pub use native::NATIVE;
pub use octocode::OCTOCODE;

/// In the order they are offered.
pub static DIALECTS: &[&Dialect] = &[&NATIVE, &OCTOCODE];

pub fn find(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.name == name)
}
