//! One file per request: whether it may be asked, what is sent, how the answer is read.

mod calls;
mod code_action;
mod completion;
mod definition;
mod document_symbol;
mod formatting;
mod hover;
mod references;
mod rename;
mod signature_help;
mod types;
mod workspace_symbol;

pub mod check;

pub use calls::{CallItem, Called};
pub use code_action::Action;
pub use completion::Proposal;
pub use document_symbol::Outlined;
pub use formatting::FormatOptions;
pub use hover::Hovered;
pub use rename::Renameable;
pub use signature_help::Signed;
pub use types::TypeItem;
pub use workspace_symbol::{Found, Listed};

use orienteer_base::SymbolKind;
use serde_json::Value;

/// The protocol's numbers for kinds of symbols, in our vocabulary. Several of theirs have no counterpart among
/// definitions (a string, a number, `null`): those are values of keys.
pub(crate) fn symbol_kind(number: u64) -> SymbolKind {
    match number {
        2 => SymbolKind::Module,
        3 => SymbolKind::Namespace,
        4 => SymbolKind::Package,
        5 => SymbolKind::Class,
        6 => SymbolKind::Method,
        7 => SymbolKind::Property,
        8 => SymbolKind::Field,
        9 => SymbolKind::Constructor,
        10 => SymbolKind::Enum,
        11 => SymbolKind::Interface,
        12 => SymbolKind::Function,
        14 => SymbolKind::Constant,
        15..=18 | 20 | 21 => SymbolKind::Key,
        // rust-analyzer's word for an `impl`: it holds definitions and is none itself.
        19 => SymbolKind::Namespace,
        22 => SymbolKind::EnumMember,
        23 => SymbolKind::Struct,
        26 => SymbolKind::TypeParameter,
        _ => SymbolKind::Variable,
    }
}

/// Text of documentation, whichever of the protocol's shapes it has.
pub(crate) fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(object) => object.get("value")?.as_str()?.to_owned(),
        _ => return None,
    };
    Some(text).filter(|text| !text.trim().is_empty())
}
