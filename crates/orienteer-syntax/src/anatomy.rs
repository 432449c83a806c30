//! Of which parts is a definition made, and where do they begin and end?
//!
//! Outlines say where a definition is; whoever changes it must know more: which comments and attributes belong to it,
//! where its body is, which comma comes with it, and whether it is a part of something that would not stand without
//! it. All of it comes from one parse, together with the places that do not fit the grammar.

mod lead;
mod parts;
mod scan;

use std::ops::Range;

use orienteer_base::{Cancel, Language};
use tree_sitter::Node;

use crate::facts::rows::Mark;
use crate::parse::{Limits, ParseError, Watch, parse_with};
use crate::shown;
use crate::symbols::walk::{Definition, Spot, Witness, walk};
use crate::symbols::{Outline, Symbol, table};

pub use scan::SyntaxError;

/// Everything that whoever changes a text asks about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dissected {
    pub outline: Outline,
    /// Places that do not fit the grammar, in order.
    pub errors: Vec<SyntaxError>,
    /// Strings of several lines, whose lines are content. Documentation is none of them.
    pub strings: Vec<Range<usize>>,
    /// The definition that was asked about.
    pub anatomy: Option<Anatomy>,
}

/// The parts of one definition, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anatomy {
    pub symbol: Symbol,
    /// Comments that are about it: those directly above and those between its attributes.
    pub docs: Vec<Range<usize>>,
    /// Attributes, decorators and annotations in front of it.
    pub attributes: Vec<Range<usize>>,
    /// The definition without what stands in front of it and without the sign behind it.
    pub core: Range<usize>,
    pub body: Option<Body>,
    /// The comma or semicolon behind it.
    pub separator: Option<(Range<usize>, char)>,
    /// The comment behind it that ends its line.
    pub comment_behind: Option<Range<usize>>,
    /// The comma before it.
    pub comma_before: Option<Range<usize>>,
    /// It stands in a list whose entries are separated by commas.
    pub in_commas: bool,
    /// Other names that the same words define, as in `int a, b;`.
    pub shared_with: Vec<String>,
    /// What it is of the thing around it, when that cannot do without: the `type` of a declaration.
    pub part: Option<String>,
}

/// Where a definition's body is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub range: Range<usize>,
    /// Between its signs; the same where it has none.
    pub inner: Range<usize>,
    pub shape: Shape,
    /// A string at its beginning that documents it.
    pub docstring: Option<Range<usize>>,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Between two signs: braces, or `do` and `end`.
    Enclosed,
    /// Statements on lines of their own, as in Python and Ruby.
    Lines,
    /// One expression.
    Expression,
}

impl Anatomy {
    /// Where it begins with everything that belongs to it.
    pub fn start(&self) -> usize {
        let lead = self.docs.iter().chain(&self.attributes).map(|range| range.start);
        lead.chain([self.core.start]).min().unwrap_or(self.core.start)
    }

    /// Where it ends with everything that belongs to it.
    pub fn end(&self) -> usize {
        let sign = self.separator.as_ref().map_or(self.core.end, |(range, _)| range.end);
        self.comment_behind.as_ref().map_or(sign, |comment| comment.end)
    }
}

/// Parses a text and looks at it closely. `name_at`: the definition whose name begins there is taken apart.
pub fn dissect(
    text: &str,
    language: &'static Language,
    name_at: Option<usize>,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Dissected, ParseError> {
    let watch = Watch::start(limits, cancel);
    let table = table::table(language).ok_or(ParseError::NoGrammar { language: language.id })?;
    let parsed = parse_with(text, shown::written, language, &table.grammar, None, &watch)?;
    let scan = scan::scan(&parsed, language, &watch)?;
    if language.id == "markdown" {
        let outline = crate::symbols::markdown::headings(&parsed, limits, &watch)?;
        return Ok(Dissected { outline, errors: scan.errors, strings: scan.strings, anatomy: None });
    }
    let has_errors = parsed.has_errors;
    // Definitions are those that every outline has; what is wrong is wrong as it is written.
    let parsed = if shown::readable(language, text) == shown::written(language, text) {
        parsed
    } else {
        parse_with(text, shown::readable, language, &table.grammar, None, &watch)?
    };
    let mut finder = Finder { name_at, found: None };
    let mut outline = walk(&parsed, table, limits, &watch, &mut finder)?;
    outline.has_errors = has_errors;
    let anatomy = finder.found.and_then(|found| {
        let symbol = outline.symbols.get(found.at)?;
        Some(parts::anatomy(text, language, table, &scan, &outline, symbol, &found))
    });
    Ok(Dissected { outline, errors: scan.errors, strings: scan.strings, anatomy })
}

/// Looks out for one definition.
struct Finder<'t> {
    name_at: Option<usize>,
    found: Option<Found<'t>>,
}

/// The nodes that a definition was found by.
struct Found<'t> {
    at: usize,
    node: Node<'t>,
    body: Option<Node<'t>>,
    above: Vec<Node<'t>>,
}

impl<'t> Witness<'t> for Finder<'t> {
    const LOOKS: bool = true;

    fn meet(&mut self, _: &Mark, _: &Spot<'_, 't>) -> bool {
        true
    }

    fn is_past(&self, _: Node<'t>) -> bool {
        false
    }

    fn define(&mut self, definition: &Definition<'_, 't>) {
        if self.found.is_none() && self.name_at == Some(definition.symbol.name_range.start) {
            self.found = Some(Found {
                at: definition.at,
                node: definition.node,
                body: definition.body,
                above: definition.above.to_vec(),
            });
        }
    }

    fn close(&mut self, _: usize) {}
}
