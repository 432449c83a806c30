//! What an agent points at: a place, a name, or both.

use crate::{RootedPath, SymbolKind};

/// The target fields of a call, checked one by one; what they mean together is decided by the engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    pub file: Option<RootedPath>,
    /// 1-based.
    pub line: Option<u32>,
    /// 1-based, in Unicode scalar values.
    pub column: Option<u32>,
    /// Plain, or a path: `Type::method`, `Type.method`, `Type/method`.
    pub symbol_name: Option<String>,
    pub symbol_kind: Option<SymbolKind>,
    /// Which of several on the same line, 1-based.
    pub occurrence: Option<u32>,
    /// From an earlier answer.
    pub symbol_id: Option<String>,
}
