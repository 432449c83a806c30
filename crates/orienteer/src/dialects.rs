//! The dialects there are. One folder each; `native` is the contract of Orienteer itself.

mod native;

use crate::dialect::Dialect;
pub use native::NATIVE;

/// In the order they are offered.
pub static DIALECTS: &[&Dialect] = &[&NATIVE];

pub fn find(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.name == name)
}
