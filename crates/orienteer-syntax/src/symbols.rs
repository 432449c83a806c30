//! What a text defines: a flat outline in document order, one vocabulary for all languages.
//!
//! Each language is a table of node kinds in a file of its own under `symbols/`; walking the tree, nesting,
//! paths and signatures are done once, in `walk`, for all of them.

pub(crate) mod extent;
pub(crate) mod rules;
mod signature;
pub(crate) mod table;
pub(crate) mod walk;

mod bash;
mod c;
mod csharp;
mod css;
mod dart;
mod data;
mod elixir;
mod go;
mod haskell;
mod html;
mod java;
mod kotlin;
mod lua;
pub(crate) mod markdown;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod script;
mod solidity;
mod swift;
mod zig;

use std::ops::Range;

use orienteer_base::{Cancel, Language, SymbolKind};

use crate::parse::{Limits, ParseError, Watch, parse_with};
use crate::shown;

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// As written, without quotes or sigils; a very long one is cut.
    pub name: String,
    pub kind: SymbolKind,
    /// The names from the outermost container to this one, joined with `/`. A method written away from its
    /// type (an `impl` block, a Go receiver, `A::b` in C++) has the path it would have inside.
    pub name_path: String,
    /// Bytes of the whole definition.
    pub range: Range<usize>,
    /// Bytes of the name.
    pub name_range: Range<usize>,
    /// The containing symbol, as an index into the outline. It stands later in the outline where a method
    /// was written before its type.
    pub parent: Option<usize>,
    /// The definition up to its body on one line, cut where it is long.
    pub signature: String,
}

/// All definitions of one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// In document order.
    pub symbols: Vec<Symbol>,
    /// There are more symbols than these: too many, or nested too deeply.
    pub truncated: bool,
    /// Some of the text did not fit the grammar.
    pub has_errors: bool,
}

/// The outline of a text.
pub fn symbols(
    text: &str,
    language: &'static Language,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Outline, ParseError> {
    if let Some((scripts, language)) = shown::scripts(language, text) {
        return symbols(&scripts, language, limits, cancel);
    }
    let watch = Watch::start(limits, cancel);
    let table = table::table(language).ok_or(ParseError::NoGrammar { language: language.id })?;
    let parsed = parse_with(text, shown::readable, language, &table.grammar, None, &watch)?;
    let mut outline = if language.id == "markdown" {
        markdown::headings(&parsed, limits, &watch)?
    } else {
        walk::walk(&parsed, table, limits, &watch, &mut ())?
    };
    outline.has_errors = parsed.has_errors;
    Ok(outline)
}
