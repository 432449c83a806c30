//! Kinds of symbols, one vocabulary for grammars, the index and language servers.

use serde::Serialize;

/// Normalised over all languages; clients filter by these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    Class,
    Constant,
    Constructor,
    Enum,
    EnumMember,
    Field,
    Function,
    Heading,
    Interface,
    Key,
    Macro,
    Method,
    Module,
    Namespace,
    Package,
    Property,
    Struct,
    Trait,
    TypeAlias,
    TypeParameter,
    Union,
    Variable,
}

impl SymbolKind {
    pub const ALL: &[Self] = &[
        Self::Class,
        Self::Constant,
        Self::Constructor,
        Self::Enum,
        Self::EnumMember,
        Self::Field,
        Self::Function,
        Self::Heading,
        Self::Interface,
        Self::Key,
        Self::Macro,
        Self::Method,
        Self::Module,
        Self::Namespace,
        Self::Package,
        Self::Property,
        Self::Struct,
        Self::Trait,
        Self::TypeAlias,
        Self::TypeParameter,
        Self::Union,
        Self::Variable,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Constant => "constant",
            Self::Constructor => "constructor",
            Self::Enum => "enum",
            Self::EnumMember => "enum_member",
            Self::Field => "field",
            Self::Function => "function",
            Self::Heading => "heading",
            Self::Interface => "interface",
            Self::Key => "key",
            Self::Macro => "macro",
            Self::Method => "method",
            Self::Module => "module",
            Self::Namespace => "namespace",
            Self::Package => "package",
            Self::Property => "property",
            Self::Struct => "struct",
            Self::Trait => "trait",
            Self::TypeAlias => "type_alias",
            Self::TypeParameter => "type_parameter",
            Self::Union => "union",
            Self::Variable => "variable",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip_and_are_unique() {
        for kind in SymbolKind::ALL {
            assert_eq!(SymbolKind::parse(kind.as_str()), Some(*kind));
        }
    }
}
