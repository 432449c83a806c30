//! From what an agent wrote to a pattern that can be tried, or to advice.

use ast_grep_core::matcher::PatternNode;
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::{Language as _, MatchStrictness};
use orienteer_base::question::Strictness;
use orienteer_base::{Cancel, Language};

use super::Pattern;
use super::dialect::Dialect;
use crate::parse::{Limits, Watch};

/// Longer patterns are no patterns but code.
const MAX_BYTES: usize = 16 << 10;
/// The matcher follows a pattern's nesting on the stack, so that has an end.
const MAX_DEPTH: usize = 200;

/// Why a pattern cannot be tried, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("the pattern is empty; write code with holes, such as `foo($A, $$$REST)`")]
    Empty,
    #[error("structural patterns are not supported for {language}")]
    Unsupported {
        language: &'static str,
        /// Ids of the languages that are.
        supported: Vec<&'static str>,
    },
    #[error(
        "the pattern is several {language} nodes and must be one: search for one of them, or wrap them in what encloses them, such as a block"
    )]
    SeveralNodes { language: &'static str },
    #[error(
        "the pattern is not valid {language}: write a whole expression, statement or definition, with `$NAME` (upper case) for one node and `$$$NAME` for several"
    )]
    Invalid { language: &'static str },
    #[error(
        "`$$$` stands for several nodes and needs something around it: use `$NAME` for one node, or write what encloses them"
    )]
    OnlyEllipsis,
    #[error("the pattern is too long or too deeply nested")]
    TooLarge,
}

pub(super) fn compile(
    pattern: &str,
    language: &'static Language,
    strictness: Strictness,
) -> Result<Pattern, PatternError> {
    let watch = Watch::start(&Limits::default(), &Cancel::new());
    let Some(dialect) = Dialect::of(language, watch.clone()) else {
        let supported = crate::grammar::with_patterns().into_iter().map(|language| language.id).collect();
        return Err(PatternError::Unsupported { language: language.id, supported });
    };
    // Indentation means nothing before the first line and does mean something in Python.
    let pattern = pattern.trim();
    if pattern.is_empty() {
        return Err(PatternError::Empty);
    }
    if pattern.len() > MAX_BYTES {
        return Err(PatternError::TooLarge);
    }
    let invalid = PatternError::Invalid { language: language.id };
    let processed = dialect.pre_process_pattern(pattern);
    let parsed = dialect.parse(&processed, &watch).map_err(|_| invalid.clone())?;
    if is_deep(&parsed.tree) {
        return Err(PatternError::TooLarge);
    }
    let mut compiled = ast_grep_core::Pattern::try_new(pattern, dialect.clone()).map_err(|error| {
        use ast_grep_core::PatternError as E;
        match error {
            E::NoContent(_) => PatternError::Empty,
            E::MultipleNode(_) => PatternError::SeveralNodes { language: language.id },
            E::RootMultiMetaVar(_) => PatternError::OnlyEllipsis,
            _ => invalid.clone(),
        }
    })?;
    // An error as the outermost node would fit everything.
    if compiled.has_error() {
        return Err(invalid);
    }
    name_ellipses(&mut compiled.node);
    let compiled = compiled.with_strictness(match strictness {
        Strictness::Cst => MatchStrictness::Cst,
        Strictness::Smart => MatchStrictness::Smart,
        Strictness::Ast => MatchStrictness::Ast,
        Strictness::Relaxed => MatchStrictness::Relaxed,
        Strictness::Signature => MatchStrictness::Signature,
    });
    Ok(Pattern { compiled, dialect, strictness, has_errors: parsed.has_errors })
}

fn is_deep(tree: &tree_sitter::Tree) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0usize;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            if depth > MAX_DEPTH {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// Gives every nameless `$$$` a name of its own that nobody can write. The matcher reaches a nameless one by
/// a way it does not expect when it skips punctuation before it, and fails there where it checks itself.
fn name_ellipses(node: &mut PatternNode) {
    let mut count = 0usize;
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match node {
            PatternNode::MetaVar { meta_var } if *meta_var == MetaVariable::Multiple => {
                *meta_var = MetaVariable::MultiCapture(format!("_{count}"));
                count += 1;
            }
            PatternNode::Internal { children, .. } => open.extend(children),
            _ => {}
        }
    }
}

/// Whether a name was given by [`name_ellipses`]: names that are written never begin like this.
pub(super) fn is_nameless(name: &str) -> bool {
    name.starts_with('_')
}
