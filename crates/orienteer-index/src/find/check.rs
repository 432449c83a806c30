//! Does an answer have what it must have, and nothing that it must not?
//!
//! What the store decides is not asked again; this is the rest, and what is found by other ways than words.

use std::collections::HashSet;

use regex::Regex;

use super::conditions::symbol_kind;
use super::error::FindError;
use super::matches::clipped;
use super::narrow::Narrowed;
use super::unit::Unit;
use crate::analyse;
use crate::query::{Filters, Kind, Name, Need, Query, phrase};
use crate::store::{Mode, StoreError, Symbol};

/// Text that must stand in an answer as it is written, or must not.
#[derive(Debug)]
pub(super) struct Exact {
    pub(super) regex: Regex,
    /// The same for a plan over trigrams.
    pub(super) pattern: String,
    pub(super) ignores_case: bool,
}

/// What is asked of each answer.
#[derive(Debug)]
pub(super) struct Checks<'q> {
    filters: &'q Filters,
    only_symbols: bool,
    compare_symbols: bool,
    must_words: Vec<String>,
    not_words: Vec<String>,
    pub(super) must: Vec<Exact>,
    pub(super) not: Vec<Exact>,
}

impl<'q> Checks<'q> {
    pub(super) fn new(query: &'q Query, narrowed: &Narrowed) -> Result<Self, FindError> {
        let mut checks = Self {
            filters: &query.filters,
            only_symbols: narrowed.only_symbols,
            compare_symbols: narrowed.compare_symbols,
            must_words: Vec::new(),
            not_words: Vec::new(),
            must: Vec::new(),
            not: Vec::new(),
        };
        let case = query.filters.case;
        for term in &query.terms {
            match term.need {
                Need::Should => {}
                Need::Must => checks.must_words.extend(term.wholes.iter().cloned()),
                Need::Not if term.wholes.len() == 1 => checks.not_words.extend(term.wholes.iter().cloned()),
                Need::Not => checks.not.push(exact(&term.text, case)?),
            }
        }
        for phrase_of in &query.phrases {
            let list = if phrase_of.need == Need::Not { &mut checks.not } else { &mut checks.must };
            list.push(exact(&phrase_of.text, case)?);
        }
        for expression in &query.expressions {
            let list = if expression.need == Need::Not { &mut checks.not } else { &mut checks.must };
            list.push(Exact {
                regex: expression.regex.clone(),
                pattern: expression.pattern.clone(),
                ignores_case: false,
            });
        }
        Ok(checks)
    }

    /// Whether an answer can be judged only by what its file says.
    pub(super) fn needs_text(&self) -> bool {
        !(self.must.is_empty()
            && self.not.is_empty()
            && self.must_words.is_empty()
            && self.not_words.is_empty())
    }

    /// Whether all texts that must be there are somewhere in this one.
    pub(super) fn are_in(&self, text: &str) -> bool {
        self.must.iter().all(|exact| exact.regex.is_match(text))
    }

    /// By what the index knows.
    pub(super) fn passes(&self, unit: &Unit) -> bool {
        if self.only_symbols && unit.symbol.is_none() {
            return false;
        }
        let of_kind = |kind: &Kind| match kind {
            Kind::Comment => unit.mode == Mode::Comments,
            Kind::Config => unit.mode == Mode::Config,
            Kind::Record => unit.mode == Mode::Records,
            Kind::Text => unit.symbol.is_none(),
            kind => unit.symbol.as_ref().is_some_and(|symbol| symbol_kind(*kind) == Some(symbol.kind)),
        };
        let kinds = &self.filters.kind;
        // Comments are asked for as a mode; what is found in that mode fits whatever it stands in.
        if !kinds.groups.iter().all(|group| group.iter().any(of_kind)) || kinds.none.iter().any(of_kind) {
            return false;
        }
        let signature: Vec<&str> = unit.symbol.iter().map(|symbol| symbol.signature.as_str()).collect();
        if !self.filters.allows_texts(Name::Signature, &signature) {
            return false;
        }
        !self.compare_symbols || self.filters.allows_texts(Name::Symbol, &around(unit))
    }

    /// Whether a filter holds of a definition itself. A piece also passes for what is defined in it.
    pub(super) fn holds_of(&self, symbol: &Symbol) -> bool {
        let filters = self.filters;
        let is = |wanted: Option<bool>, has: bool| wanted.is_none_or(|wanted| wanted == has);
        let visible = match symbol.visibility {
            Some(visibility) => filters.visibility.allows_one(visibility),
            None => filters.visibility.groups.is_empty(),
        };
        visible
            && is(filters.is_async, symbol.flags.is_async)
            && is(filters.is_generator, symbol.flags.is_generator)
            && is(filters.has_doc, !symbol.doc.is_empty())
            && filters.branches.holds(u64::from(symbol.branches))
            && filters.loops.holds(u64::from(symbol.loops))
    }

    /// By the words that the file has, which must be there or must not.
    pub(super) fn passes_words(&self, unit: &Unit, text: &str) -> bool {
        let parts: Vec<&str> =
            unit.extent.iter().filter_map(|range| text.get(clipped(text, range.start, range.end))).collect();
        if self.must_words.is_empty() && self.not_words.is_empty() {
            return true;
        }
        let mut sought: HashSet<&str> = self.must_words.iter().map(String::as_str).collect();
        let mut refused = false;
        let mut look = |text: &str| {
            analyse::words(text, &mut |word| {
                sought.remove(word);
                refused |= self.not_words.iter().any(|not| not == word);
            });
        };
        look(&unit.known.shown);
        if let Some(symbol) = &unit.symbol {
            look(&symbol.name_path);
        }
        parts.into_iter().for_each(look);
        sought.is_empty() && !refused
    }
}

/// The path of a definition and of everything around it.
fn around(unit: &Unit) -> Vec<&str> {
    let Some(symbol) = &unit.symbol else { return Vec::new() };
    let path = symbol.name_path.as_str();
    let inner = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    std::iter::once(path).chain(inner).collect()
}

/// A phrase as it is compared. That it can be was seen when the question was read.
fn exact(text: &str, case: bool) -> Result<Exact, FindError> {
    let (pattern, regex) =
        phrase::compile(text, case).map_err(|error| StoreError::Statement { detail: error.to_string() })?;
    Ok(Exact { regex, pattern, ignores_case: !case })
}
