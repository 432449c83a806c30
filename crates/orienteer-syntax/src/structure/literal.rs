//! What a text must contain to have a match at all.
//!
//! Only named leaves count. The matcher compares them by text in every strictness but `signature`, and never
//! skips them. Keywords and punctuation are compared by kind alone: a parser that recovers from an error
//! invents them where the text has none, some languages write them in either case, and an ellipsis before
//! them makes them optional.

use ast_grep_core::matcher::PatternNode;
use orienteer_base::question::Strictness;

/// The longest piece that must occur; the first of equal ones.
pub(super) fn longest(node: &PatternNode, strictness: Strictness) -> Option<String> {
    if strictness == Strictness::Signature {
        return None;
    }
    let mut best: Option<&str> = None;
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match node {
            PatternNode::Terminal { text, is_named: true, .. } => {
                // A leaf over several lines or with blanks at its ends is compared exactly, too, but line
                // ends are the first thing to differ between a file and what is searched for in it.
                let piece = text.lines().map(str::trim).max_by_key(|line| line.len()).unwrap_or_default();
                if piece.len() > best.map_or(0, str::len) {
                    best = Some(piece);
                }
            }
            PatternNode::Internal { children, .. } => open.extend(children.iter().rev()),
            _ => {}
        }
    }
    best.map(str::to_owned)
}
