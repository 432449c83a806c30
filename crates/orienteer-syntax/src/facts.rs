//! What is a text made of? Definitions with everything that can be asked about them, imports, comments, and pieces that
//! cover every byte once.
//!
//! One parse and one walk serve all of it; each language is a table of node kinds in a file of its own under `facts/`.
//! What a language's table does not fill is not empty but unknown: [`support`] says which.
//!
//! | list | what counts |
//! | --- | --- |
//! | calls | what is called, as written, without arguments: `fs.readFile`, `Vec::new`, `println!`; the end of a chain: `a.b().c()` gives `a.b` and `c`; making an object calls its type |
//! | uses | types, and names with a capital, which are constants, classes and variants in most languages |
//! | throws | `throw`, `raise`, Java's `throws`, Rust's panicking macros and named values in `Err(…)`, Go's `panic`; what is only thrown on is left out |
//! | reads, writes | fields (`self.x`, `this.x`, `other.x`) and names that the function does not declare itself; parameters and local variables are left out. What a method is called on is read |
//! | branches | `if` and its like, each case of a choice but the default, `?:`, `&&`, `||`, `??`, handlers of exceptions |
//! | loops | `for`, `while`, `loop`, `do`, and each `for` of a comprehension |

mod doc;
pub(crate) mod gather;
mod head;
mod lead;
mod names;
mod pieces;
mod plain;
pub(crate) mod rows;
pub(crate) mod table;
mod written;

mod bash;
mod c;
mod csharp;
mod go;
mod java;
mod kotlin;
mod lua;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod script;
mod swift;

use std::ops::Range;

use orienteer_base::{Cancel, Language};

use tree_sitter::{Language as Grammar, Tree};

use crate::arena::Arena;
use crate::parse::{Limits, ParseError, Watch, parse_with};
use crate::quick::Words;
use crate::shown;
use crate::symbols::table::Table;
use crate::symbols::{self, Outline};

pub use plain::plain_pieces;

/// Everything known about a text, from one parse.
pub fn examine(
    text: &str,
    language: &'static Language,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Examined, ParseError> {
    let table = table_of(language)?;
    take_apart(text, language, table, (&table.grammar, None), limits, cancel).map(|(examined, _)| examined)
}

/// The same for one of many texts.
pub fn examine_in(
    arena: &mut Arena,
    text: &str,
    language: &'static Language,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Examined, ParseError> {
    let table = table_of(language)?;
    let (grammar, words) = arena.wides.grammar(language.id, &table.grammar, text.len());
    let _entered = arena.enter();
    let (examined, tree) = take_apart(text, language, table, (&grammar, words.as_deref()), limits, cancel)?;
    // Taking it apart block by block would take as long as a tenth of the parsing, and it is gone with the next line.
    std::mem::forget(tree);
    Ok(examined)
}

fn table_of(language: &'static Language) -> Result<&'static Table, ParseError> {
    symbols::table::table(language).ok_or(ParseError::NoGrammar { language: language.id })
}

fn take_apart(
    text: &str,
    language: &'static Language,
    table: &'static Table,
    (grammar, words): (&Grammar, Option<&Words>),
    limits: &Limits,
    cancel: &Cancel,
) -> Result<(Examined, Tree), ParseError> {
    let watch = Watch::start(limits, cancel);
    let parsed = parse_with(text, shown::readable, language, grammar, words, &watch)?;
    let examined = {
        let mut gather = gather::Gather::new(text, table, table::rules(language.id));
        let mut outline = if language.id == "markdown" {
            symbols::markdown::headings(&parsed, limits, &watch)?
        } else {
            symbols::walk::walk(&parsed, table, limits, &watch, &mut gather)?
        };
        outline.has_errors = parsed.has_errors;
        gather.finish(&outline);
        let pieces = pieces::pieces(text, &outline.symbols, &gather.starts);
        let gather::Gather { facts, outside, imports, exports, lead, .. } = gather;
        Examined { outline, facts, outside, imports, exports, comments: lead.comments, pieces }
    };
    Ok((examined, parsed.tree))
}

/// Which questions are answered for a language. What is not among them is unknown, not absent.
pub fn support(language: &Language) -> &'static [Field] {
    match crate::grammar::grammar(language) {
        Some(_) => table::rules(language.id).support,
        None => &[],
    }
}

/// Everything known about one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examined {
    pub outline: Outline,
    /// One for each symbol of the outline, in its order.
    pub facts: Vec<Facts>,
    /// Of what stands outside of every definition. Its documentation is that of the text as a whole.
    pub outside: Facts,
    pub imports: Vec<Import>,
    /// Names that other files can import, where the language has a list of them.
    pub exports: Vec<String>,
    /// Comments, neighbouring line comments joined.
    pub comments: Vec<Range<usize>>,
    /// Every byte once, in order.
    pub pieces: Vec<Piece>,
}

/// What can be asked about one definition besides its name and place. Names are as written, without arguments:
/// `fs.readFile`, `Vec::new`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The comment or string that documents it, without its marks.
    pub doc: Option<String>,
    pub visibility: Option<Visibility>,
    pub is_async: bool,
    pub is_generator: bool,
    /// Decorators, attributes, annotations.
    pub decorators: Vec<String>,
    pub parameters: Vec<Parameter>,
    pub return_type: Option<String>,
    /// Base classes, interfaces, traits.
    pub extends: Vec<String>,
    /// Of its own body: what stands in a definition inside it belongs to that one. Each name once, in order.
    pub calls: Vec<String>,
    /// Types and constants that are named.
    pub uses: Vec<String>,
    pub throws: Vec<String>,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
    pub branches: u32,
    pub loops: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub type_name: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    Public,
    Protected,
    /// Inside a package, a crate, an assembly.
    Internal,
    Private,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The module, file or package, as written.
    pub module: String,
    /// Names taken from it; empty for the whole.
    pub names: Vec<String>,
    pub range: Range<usize>,
}

/// A part of a text that is found and shown as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub range: Range<usize>,
    /// The symbol that it belongs to, as an index into the outline; `None` for what stands between definitions.
    pub symbol: Option<usize>,
}

/// Which questions a language's tables can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    Doc,
    Visibility,
    Async,
    Generator,
    Decorators,
    Parameters,
    ReturnType,
    Extends,
    Imports,
    Exports,
    Calls,
    Uses,
    Throws,
    Reads,
    Writes,
    Branches,
    Loops,
}
