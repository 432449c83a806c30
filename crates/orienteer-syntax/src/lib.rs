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
//! | [`mod@symbols`] | What does this text define, and where? |
//! | [`structure`] | Where does code of this shape stand? |

pub mod facts;
mod fields;
pub mod grammar;
pub mod parse;
pub mod structure;
pub mod symbols;

pub use grammar::{grammar, supported};
pub use parse::{Limits, ParseError, Parsed, parse};
pub use structure::{Pattern, PatternError, StructureMatch};
pub use symbols::{Outline, Symbol, symbols};
