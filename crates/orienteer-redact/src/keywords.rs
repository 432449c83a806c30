//! The one walk over the text that says which rules are worth running where.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::{pem, rules};

/// What a keyword stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Rule(u16),
    PrivateKey,
}

#[derive(Debug)]
pub(crate) struct Keywords {
    automaton: Option<AhoCorasick>,
    meanings: Vec<Vec<Meaning>>,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(Keywords::build);

/// The table of all rules' keywords, built at first use.
pub(crate) fn keywords() -> &'static Keywords {
    &KEYWORDS
}

impl Keywords {
    fn build() -> Self {
        let mut words: Vec<&'static str> = Vec::new();
        let mut meanings: Vec<Vec<Meaning>> = Vec::new();
        let mut add = |word: &'static str, meaning: Meaning| match words.iter().position(|had| *had == word) {
            Some(at) => meanings[at].push(meaning),
            None => {
                words.push(word);
                meanings.push(vec![meaning]);
            }
        };
        add(pem::KEYWORD, Meaning::PrivateKey);
        for (index, rule) in rules::all().enumerate() {
            let Ok(index) = u16::try_from(index) else { break };
            for word in rule.keywords {
                add(word, Meaning::Rule(index));
            }
        }
        // Overlapping search needs the standard match kind; the full automaton costs some hundred
        // kilobytes once and is several times faster than the compact one.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(&words)
            .ok();
        Self { automaton, meanings }
    }

    /// Calls `seen` for every keyword in `text`, in the order in which they end.
    pub(crate) fn each(&self, text: &str, mut seen: impl FnMut(usize, Meaning)) {
        let Some(automaton) = &self.automaton else { return };
        for found in automaton.find_overlapping_iter(text) {
            let Some(meanings) = self.meanings.get(found.pattern().as_usize()) else { continue };
            for meaning in meanings {
                seen(found.start(), *meaning);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_keywords_are_all_seen() {
        let mut seen = 0;
        keywords().each("AUTH_TOKEN=GHP_", |_, _| seen += 1);
        assert!(seen >= 2, "{seen}");
    }
}
