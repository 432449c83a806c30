//! How are filters written so that equal ones look equal?

use std::time::{SystemTime, UNIX_EPOCH};

use orienteer_syntax::facts::Visibility;

use super::{Filters, Meta, Presence, Risk, Wanted};
use crate::query::table::{Name, Row};
use crate::query::value::visibility_word;

impl Filters {
    /// Every filter in a fixed spelling: equal filters give equal texts, so this serves as part of a cache's key, and
    /// shows people what was understood.
    pub fn spelled(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut push = |row: &Row, value: String| all.push(format!("{}:{value}", row.word));
        for row in self.names() {
            let flag = |flag: Option<bool>| flag.is_some_and(|flag| flag).to_string();
            let number = |number: Option<u64>| number.unwrap_or_default().to_string();
            let sort = |presence: Option<Presence>| presence.map_or("include", Presence::word).to_owned();
            match row.name {
                Name::Lang => spell(&self.lang, |language| language.id.to_owned(), |value| push(row, value)),
                Name::Kind => spell(&self.kind, |kind| kind.as_str().to_owned(), |value| push(row, value)),
                Name::Visibility => {
                    let word = |visibility: &Visibility| visibility_word(*visibility).to_owned();
                    spell(&self.visibility, word, |value| push(row, value));
                }
                Name::Risk => spell(&self.risk, Risk::word, |value| push(row, value)),
                Name::Meta => spell(&self.meta, Meta::word, |value| push(row, value)),
                Name::IsAsync => push(row, flag(self.is_async)),
                Name::IsGenerator => push(row, flag(self.is_generator)),
                Name::HasDoc => push(row, flag(self.has_doc)),
                Name::Lint => {
                    push(row, if self.errors == Some(true) { "errors" } else { "clean" }.to_owned())
                }
                Name::ChurnMin => push(row, number(self.churn.least)),
                Name::ChurnMax => push(row, number(self.churn.most)),
                Name::BranchesMin => push(row, number(self.branches.least)),
                Name::BranchesMax => push(row, number(self.branches.most)),
                Name::LoopsMin => push(row, number(self.loops.least)),
                Name::LoopsMax => push(row, number(self.loops.most)),
                Name::ModifiedAfter | Name::ModifiedSince => push(row, seconds(self.modified_after)),
                Name::Case => push(row, "true".to_owned()),
                Name::Test => push(row, sort(self.test)),
                Name::Generated => push(row, sort(self.generated)),
                Name::Vendored => push(row, sort(self.vendored)),
                name => {
                    if let Some(wanted) = self.texts.get(&name) {
                        spell(wanted, |pattern| format!("{:?}", pattern.text()), |value| push(row, value));
                    }
                }
            }
        }
        all
    }
}

impl Presence {
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(presence, _)| *presence == self).map_or("include", |(_, word)| word)
    }
}

impl Risk {
    fn word(&self) -> String {
        match self {
            Self::Role(role) => role.as_str().to_owned(),
            Self::Tag(tag) => tag.clone(),
        }
    }
}

impl Meta {
    fn word(&self) -> String {
        match &self.value {
            Some(value) => format!("{:?}={value:?}", self.key),
            None => format!("{:?}", self.key),
        }
    }
}

fn seconds(moment: Option<SystemTime>) -> String {
    match moment.map(|moment| moment.duration_since(UNIX_EPOCH)) {
        None => String::new(),
        Some(Ok(since)) => format!("{}s", since.as_secs()),
        Some(Err(before)) => format!("-{}s", before.duration().as_secs()),
    }
}

fn spell<T>(wanted: &Wanted<T>, word: impl Fn(&T) -> String, mut push: impl FnMut(String)) {
    let mut groups: Vec<String> = wanted.groups.iter().map(|group| sorted(group, &word)).collect();
    groups.sort_unstable();
    groups.dedup();
    groups.into_iter().for_each(&mut push);
    if !wanted.none.is_empty() {
        push(format!("not {}", sorted(&wanted.none, &word)));
    }
}

fn sorted<T>(values: &[T], word: impl Fn(&T) -> String) -> String {
    let mut words: Vec<String> = values.iter().map(word).collect();
    words.sort_unstable();
    words.dedup();
    words.join(",")
}
