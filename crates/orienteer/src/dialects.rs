//! The dialects there are. One folder each; `native` is the contract of Orienteer itself.

mod native;
mod octocode;
mod pairofcleats;
mod pyright;
mod swissarmyhammer;

use crate::dialect::Dialect;
pub use native::NATIVE;
pub use octocode::OCTOCODE;
pub use pairofcleats::PAIROFCLEATS;
pub use pyright::PYRIGHT;
pub use swissarmyhammer::SWISSARMYHAMMER;

/// In the order they are offered.
pub static DIALECTS: &[&Dialect] = &[&NATIVE, &OCTOCODE, &PAIROFCLEATS, &PYRIGHT, &SWISSARMYHAMMER];

/// Files of other systems in a project of which a part counts only when the user trusts it.
pub const FILES: &[&str] = &[pairofcleats::FILE, swissarmyhammer::FILE];

pub fn find(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.name == name)
}
