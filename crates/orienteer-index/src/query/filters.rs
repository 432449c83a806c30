//! What must hold of a piece besides its words?
//!
//! The query box and structured filters end up in the same value, so nothing below knows where a filter came from.

mod merge;
mod spell;

use std::collections::BTreeMap;
use std::time::SystemTime;

use orienteer_base::Language;
use orienteer_syntax::facts::{Field, Visibility};

use super::kind::Kind;
use super::pattern::Pattern;
use super::table::{Counted, Name, Row};
use crate::risk::Role;

/// Everything that was asked for by name. All of it must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// Filters over texts, by name; see [`Filters::texts`].
    pub(super) texts: BTreeMap<Name, Wanted<Pattern>>,
    pub lang: Wanted<&'static Language>,
    pub kind: Wanted<Kind>,
    pub visibility: Wanted<Visibility>,
    pub risk: Wanted<Risk>,
    pub meta: Wanted<Meta>,
    pub is_async: Option<bool>,
    pub is_generator: Option<bool>,
    pub has_doc: Option<bool>,
    /// Whether the grammar could not read all of the file.
    pub errors: Option<bool>,
    pub churn: Span,
    pub branches: Span,
    pub loops: Span,
    /// Changed at this moment or later.
    pub modified_after: Option<SystemTime>,
    /// Whether capitals and small letters differ, in words and in texts.
    pub case: bool,
    pub test: Option<Presence>,
    pub generated: Option<Presence>,
    pub vendored: Option<Presence>,
}

/// Values of one filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted<T> {
    /// One of each group must match. No group is empty.
    pub groups: Vec<Vec<T>>,
    /// None of these may match.
    pub none: Vec<T>,
    /// The group that takes in further values written without a mark.
    pub(super) plain: Option<usize>,
}

impl<T> Default for Wanted<T> {
    fn default() -> Self {
        Self { groups: Vec::new(), none: Vec::new(), plain: None }
    }
}

impl<T> Wanted<T> {
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.none.is_empty()
    }

    /// Whether something fits that has these values (a function has many calls and one kind).
    pub fn allows<V>(&self, values: &[V], matches: impl Fn(&T, &V) -> bool) -> bool {
        let any = |wanted: &T| values.iter().any(|value| matches(wanted, value));
        self.groups.iter().all(|group| group.iter().any(any)) && !self.none.iter().any(any)
    }

    /// All values, wanted or not.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.groups.iter().flatten().chain(&self.none)
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.groups.iter_mut().flatten().chain(&mut self.none)
    }

    fn append(&mut self, other: Self) {
        self.groups.extend(other.groups);
        self.none.extend(other.none);
    }
}

impl<T: PartialEq + Copy> Wanted<T> {
    /// Whether something that has one value of this sort fits.
    pub fn allows_one(&self, value: T) -> bool {
        self.allows(&[value], |wanted, value| wanted == value)
    }
}

/// `source`, `sink`, `flow`, or a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Risk {
    Role(Role),
    Tag(String),
}

/// What a record must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    pub key: String,
    /// `None`: the key with any value.
    pub value: Option<String>,
}

/// What happens to pieces of a sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// They count as others do.
    Include,
    Exclude,
    Only,
}

impl Presence {
    pub(super) const WORDS: [(Self, &'static str); 3] =
        [(Self::Include, "include"), (Self::Exclude, "exclude"), (Self::Only, "only")];

    pub fn allows(self, is_of_the_sort: bool) -> bool {
        match self {
            Self::Include => true,
            Self::Exclude => !is_of_the_sort,
            Self::Only => is_of_the_sort,
        }
    }
}

/// Bounds of a number, both inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    pub least: Option<u64>,
    pub most: Option<u64>,
}

impl Span {
    pub fn is_empty(self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    pub fn holds(self, number: u64) -> bool {
        self.least.is_none_or(|least| number >= least) && self.most.is_none_or(|most| number <= most)
    }

    fn narrow(&mut self, other: Self) {
        self.least = self.least.max(other.least);
        self.most = [self.most, other.most].into_iter().flatten().min();
    }
}

impl Filters {
    /// The filters over texts that are set, in a fixed order. How a text is compared is in the pattern.
    pub fn texts(&self) -> impl Iterator<Item = (Name, &Wanted<Pattern>)> {
        self.texts.iter().map(|(name, wanted)| (*name, wanted))
    }

    pub fn text(&self, name: Name) -> Option<&Wanted<Pattern>> {
        self.texts.get(&name)
    }

    /// Whether a piece that has these texts passes one filter; `true` where the filter is not set.
    pub fn allows_texts<S: AsRef<str>>(&self, name: Name, texts: &[S]) -> bool {
        self.text(name)
            .is_none_or(|wanted| wanted.allows(texts, |pattern, text| pattern.matches(text.as_ref())))
    }

    pub fn is_empty(&self) -> bool {
        *self == Self { case: self.case, ..Self::default() }
    }

    /// What the tables of a language must fill, so that an answer means something.
    pub fn needs(&self) -> Vec<Field> {
        let mut fields: Vec<Field> = self.names().into_iter().flat_map(|row| row.needs).copied().collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// The filters that are set, in the order of the table.
    pub fn names(&self) -> Vec<&'static Row> {
        super::table::ROWS.iter().filter(|row| self.has(row.name)).collect()
    }

    fn has(&self, name: Name) -> bool {
        match name {
            Name::Lang => !self.lang.is_empty(),
            Name::Kind => !self.kind.is_empty(),
            Name::Visibility => !self.visibility.is_empty(),
            Name::Risk => !self.risk.is_empty(),
            Name::Meta => !self.meta.is_empty(),
            Name::IsAsync => self.is_async.is_some(),
            Name::IsGenerator => self.is_generator.is_some(),
            Name::HasDoc => self.has_doc.is_some(),
            Name::Lint => self.errors.is_some(),
            Name::ChurnMin => self.churn.least.is_some(),
            Name::ChurnMax => self.churn.most.is_some(),
            Name::BranchesMin => self.branches.least.is_some(),
            Name::BranchesMax => self.branches.most.is_some(),
            Name::LoopsMin => self.loops.least.is_some(),
            Name::LoopsMax => self.loops.most.is_some(),
            Name::ModifiedAfter => self.modified_after.is_some(),
            // Kept as the other one.
            Name::ModifiedSince => false,
            Name::Case => self.case,
            Name::Test => self.test.is_some(),
            Name::Generated => self.generated.is_some(),
            Name::Vendored => self.vendored.is_some(),
            text => self.texts.contains_key(&text),
        }
    }

    pub(super) fn span(&mut self, counted: Counted) -> &mut Span {
        match counted {
            Counted::Churn => &mut self.churn,
            Counted::Branches => &mut self.branches,
            Counted::Loops => &mut self.loops,
        }
    }
}
