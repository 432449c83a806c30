//! Which kinds of pieces are there?

use orienteer_base::SymbolKind;

/// What a found piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A definition.
    Symbol(SymbolKind),
    Comment,
    /// Prose under a heading.
    Section,
    /// Settings and other data.
    Config,
    /// Text without a grammar, and code between definitions.
    Text,
    /// An entry that somebody put in, such as a finding.
    Record,
}

impl Kind {
    /// Those that are no symbols.
    const OTHERS: [(Self, &'static str); 5] = [
        (Self::Comment, "comment"),
        (Self::Section, "section"),
        (Self::Config, "config"),
        (Self::Text, "text"),
        (Self::Record, "record"),
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Symbol(kind) => kind.as_str(),
            Self::Comment => "comment",
            Self::Section => "section",
            Self::Config => "config",
            Self::Text => "text",
            Self::Record => "record",
        }
    }

    /// Without case; `enum-member` is `enum_member`.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase().replace('-', "_");
        let other = Self::OTHERS.iter().find(|(_, name)| *name == word).map(|(kind, _)| *kind);
        other.or_else(|| SymbolKind::parse(&word).map(Self::Symbol))
    }

    /// All words, those of symbols first.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let symbols = SymbolKind::ALL.iter().map(|kind| kind.as_str());
        symbols.chain(Self::OTHERS.iter().map(|(_, name)| *name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for word in Kind::words() {
            assert_eq!(Kind::parse(word).map(Kind::as_str), Some(word));
        }
        assert_eq!(Kind::parse("Enum-Member"), Some(Kind::Symbol(SymbolKind::EnumMember)));
        assert_eq!(Kind::parse("thing"), None);
    }
}
