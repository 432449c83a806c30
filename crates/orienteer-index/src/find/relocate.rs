//! Where does a definition stand in a file that has changed since it was indexed?

use std::ops::Range;

use orienteer_base::{Cancel, Language};
use orienteer_syntax::facts::examine;
use orienteer_syntax::{Limits, symbols};

/// A definition of the text as it is now.
#[derive(Debug, Clone)]
pub(super) struct Moved {
    pub(super) name_path: String,
    /// How many with the same path stand before it.
    pub(super) nth: u32,
    pub(super) range: Range<usize>,
    pub(super) name_range: Range<usize>,
    pub(super) signature: String,
}

/// All definitions of a text; none where it cannot be parsed.
pub(super) fn outline(text: &str, language: &'static Language, cancel: &Cancel) -> Vec<Moved> {
    let Ok(outline) = symbols(text, language, &Limits::default(), cancel) else { return Vec::new() };
    let mut all: Vec<Moved> = Vec::with_capacity(outline.symbols.len());
    let mut seen = std::collections::HashMap::<String, u32>::new();
    for symbol in outline.symbols {
        let nth = seen.entry(symbol.name_path.clone()).or_default();
        all.push(Moved {
            nth: *nth,
            range: symbol.range,
            name_range: symbol.name_range,
            signature: symbol.signature,
            name_path: symbol.name_path,
        });
        *nth += 1;
    }
    all
}

/// All comments of a text; none where it cannot be parsed.
pub(super) fn comments(text: &str, language: &'static Language, cancel: &Cancel) -> Vec<Range<usize>> {
    examine(text, language, &Limits::default(), cancel).map(|examined| examined.comments).unwrap_or_default()
}
