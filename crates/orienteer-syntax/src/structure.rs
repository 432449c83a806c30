//! Code of a shape: a pattern written as code with holes, and where it fits.
//!
//! `$A` stands for one node and `$$$ARGS` for any number of them; the same name twice means the same code
//! twice. `$_` and `$$$` are holes without a name.

mod compile;
mod dialect;
mod document;
mod literal;

use std::ops::{ControlFlow, Range};

use ast_grep_core::Matcher;
use ast_grep_core::matcher::{MatcherExt, NodeMatch};
use ast_grep_core::meta_var::MetaVariable;
use orienteer_base::question::Strictness;
use orienteer_base::{Cancel, Language};

pub use compile::PatternError;
use dialect::Dialect;
use document::Document;

use crate::parse::{Limits, ParseError, Watch};

/// A pattern, ready to be tried on many texts.
#[derive(Debug, Clone)]
pub struct Pattern {
    compiled: ast_grep_core::Pattern,
    dialect: Dialect,
    strictness: Strictness,
    has_errors: bool,
}

/// One place where the pattern fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureMatch {
    /// Bytes of the code that fits.
    pub range: Range<usize>,
    /// What stands in the holes, by name without `$`, in order of name. A hole for several nodes has the
    /// text from the first to the last, with whatever is between.
    pub captures: Vec<(String, String)>,
}

impl Pattern {
    pub fn compile(
        pattern: &str,
        language: &'static Language,
        strictness: Strictness,
    ) -> Result<Self, PatternError> {
        compile::compile(pattern, language, strictness)
    }

    pub fn language(&self) -> &'static Language {
        self.dialect.language
    }

    /// Some of the pattern did not fit the grammar. It may still match, but seldom what was meant.
    pub fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// A piece of text that every text with a match contains, where there is one for certain. A text without
    /// it need not be parsed.
    pub fn literals(&self) -> Option<String> {
        literal::longest(&self.compiled.node, self.strictness)
    }

    /// Calls `f` with every match, outer before inner and earlier before later, until it breaks.
    pub fn find(
        &self,
        text: &str,
        limits: &Limits,
        cancel: &Cancel,
        f: &mut dyn FnMut(StructureMatch) -> ControlFlow<()>,
    ) -> Result<(), ParseError> {
        let watch = Watch::start(limits, cancel);
        let parsed = self.dialect.parse(text, &watch)?;
        let root = ast_grep_core::AstGrep::doc(Document::new(
            text,
            parsed.tree,
            self.dialect.clone(),
            watch.clone(),
        ));
        let kinds = self.compiled.potential_kinds();
        let top = root.root();
        for (visited, node) in top.dfs().enumerate() {
            if visited.is_multiple_of(1024) {
                watch.check()?;
            }
            if kinds.as_ref().is_some_and(|kinds| !kinds.contains(node.kind_id().into())) {
                continue;
            }
            let found = self.compiled.match_node(node);
            // A matcher that ran out of time saw nodes without children; what it says then means nothing.
            watch.check()?;
            let Some(found) = found else { continue };
            if f(described(text, &found)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn described(text: &str, found: &NodeMatch<'_, Document>) -> StructureMatch {
    let piece =
        |start: usize, end: usize| text.get(start..end.min(text.len())).unwrap_or_default().to_owned();
    let env = found.get_env();
    let mut captures = Vec::new();
    for variable in env.get_matched_variables() {
        match variable {
            MetaVariable::Capture(name, _) => {
                if let Some(node) = env.get_match(&name) {
                    let range = node.range();
                    captures.push((name, piece(range.start, range.end)));
                }
            }
            MetaVariable::MultiCapture(name) if !compile::is_nameless(&name) => {
                let nodes = env.get_multiple_matches(&name);
                let covered = match (nodes.first(), nodes.last()) {
                    (Some(first), Some(last)) => piece(first.range().start, last.range().end),
                    _ => String::new(),
                };
                captures.push((name, covered));
            }
            _ => {}
        }
    }
    captures.sort();
    let range = found.range();
    let end = range.end.min(text.len());
    StructureMatch { range: range.start.min(end)..end, captures }
}
