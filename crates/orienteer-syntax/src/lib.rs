//! The only room that knows a grammar: bounded parsing, outlines of symbols, structural patterns.
//!
//! Everything here is synchronous and takes text; reading files, storing results and speaking to clients is
//! done elsewhere. Whatever the text is, the work ends within its [`Limits`], stops when told to, and never
//! recurses along the text's nesting.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`mod@grammar`] | Which languages can be parsed? |
//! | [`mod@parse`] | What is the tree of this text, within these limits? |
//! | `shown` | What is a grammar shown of a text that it cannot read as it is? |
//! | `arena` | Where do the trees of many texts lie, one after the other? |
//! | `quick` | What does the parser do where a text can be read in one way only? |
//! | `wide` | In which table does the parser look up what comes next? |
//! | `steps` | Which node comes next? |
//! | [`mod@bound`] | From where can what a name is bound to be reached? |
//! | [`mod@leaf`] | What stands at this place: code, or words about it? |
//! | [`mod@anatomy`] | Of which parts is a definition made, and what does not fit? |
//! | [`mod@symbols`] | What does this text define, and where? |
//! | [`structure`] | Where does code of this shape stand? |

pub mod anatomy;
mod arena;
pub mod bound;
pub mod facts;
mod fields;
pub mod grammar;
pub mod leaf;
pub mod parse;
mod quick;
mod shown;
mod steps;
pub mod structure;
pub mod symbols;
mod wide;

pub use anatomy::{Anatomy, Dissected, SyntaxError, dissect};
pub use arena::Arena;
pub use bound::{Bound, bound_at};
pub use grammar::{grammar, supported};
pub use leaf::{Leaf, leaf_at};
pub use parse::{Limits, ParseError, Parsed, parse, parse_in};
pub use structure::{Pattern, PatternError, StructureMatch};
pub use symbols::{Outline, Symbol, symbols};
