//! How is a fact about code written and asked for?
//!
//! A fact is a relation and a name as the code has it. Its term begins with the last part of the name in lower case, by
//! which it is looked up, and ends with the name itself, so that whoever asks for more (a path, a case, an expression)
//! can compare it.

use std::fmt;
use std::sync::Arc;

/// How a name belongs to a symbol or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    Calls,
    Uses,
    Throws,
    Reads,
    Writes,
    Extends,
    Decorator,
    /// The name of a parameter.
    Parameter,
    /// The type of a parameter.
    ParameterType,
    Returns,
    /// A module, of a file.
    Imports,
    /// A name taken from a module, of a file.
    ImportedName,
    /// Of a file.
    Exports,
    /// `source`, `sink`, `flow`, a tag of the risk rules, or both as `flow:sql`.
    Risk,
    /// `key=value` of a record, of a file.
    Meta,
}

impl Relation {
    pub const ALL: &[Self] = &[
        Self::Calls,
        Self::Uses,
        Self::Throws,
        Self::Reads,
        Self::Writes,
        Self::Extends,
        Self::Decorator,
        Self::Parameter,
        Self::ParameterType,
        Self::Returns,
        Self::Imports,
        Self::ImportedName,
        Self::Exports,
        Self::Risk,
        Self::Meta,
    ];

    /// Whether it is kept of files instead of symbols.
    pub fn is_of_files(self) -> bool {
        matches!(self, Self::Imports | Self::ImportedName | Self::Exports | Self::Meta)
    }
}

/// Which names of a relation are meant.
#[derive(Debug, Clone, PartialEq)]
pub enum NamesLike {
    /// Any of these as its last part, in any case: `readFile` for `fs.readFile`.
    Last(Vec<String>),
    /// Those that pass a test, as they are written. Where the last part of all of them is known, only those with that
    /// part, in any case, are tested, which is much quicker.
    Test { last: Option<String>, test: NameTest },
}

/// A question to a name.
#[derive(Clone)]
pub struct NameTest(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl NameTest {
    pub fn new(test: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(test))
    }

    pub fn passes(&self, name: &str) -> bool {
        (self.0)(name)
    }
}

impl fmt::Debug for NameTest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("NameTest")
    }
}

impl PartialEq for NameTest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Between the last part and the name itself.
pub(super) const BETWEEN: char = '\0';

/// The last part of a name: its last run of letters, digits, `_` and `$`, before what stands in brackets at its end.
pub(super) fn last_part(name: &str) -> &str {
    let whole = if name.ends_with(is_letter) {
        name
    } else {
        name.split(['<', '(', '[', '{']).next().unwrap_or_default().trim_end_matches(|c| !is_letter(c))
    };
    let start = whole
        .rfind(|c| !is_letter(c))
        .map_or(0, |at| at + whole[at..].chars().next().map_or(1, char::len_utf8));
    match whole.get(start..) {
        Some(last) if !last.is_empty() => last,
        // An operator, for example.
        _ => name,
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_last_part() {
        for (name, last) in [
            ("readFile", "readFile"),
            ("fs.readFile", "readFile"),
            ("Vec::<u8>::new", "new"),
            ("Vec<u8>", "Vec"),
            ("a->b", "b"),
            ("empty?", "empty"),
            ("std::Base<T, U>", "Base"),
            ("größe.Ändern", "Ändern"),
            ("日本.語", "語"),
            ("+", "+"),
            ("", ""),
        ] {
            assert_eq!(last_part(name), last, "{name}");
        }
    }
}
