//! Which files, symbols and pieces pass the filters?
//!
//! Every condition is a set of numbers of symbols, in which the first number of a file stands for the file itself, and
//! for everything in it that belongs to no symbol. A condition on files is all numbers of those files.

use std::sync::Arc;

use orienteer_base::{Cancel, Language, SymbolKind};
use orienteer_syntax::facts::Visibility;
use rusqlite::Connection;

use super::bits::Bits;
use super::error::StoreError;
use super::fault::Fault;
use super::posting::Postings;
use super::read::Reader;
use super::record::FileFlags;
use super::relation::{NamesLike, Relation};
use super::row::{FileId, Piece, Symbol, SymbolId};
use super::snapshot::Slot;
use super::terms::{
    ASYNC, DOCUMENTED, EXPORTED, GENERATOR, Space, count_text, fact_prefix, kind_word, name_of_fact,
    visibility_word,
};

/// Files, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSet(Vec<i64>);

impl FileSet {
    pub fn new(files: impl IntoIterator<Item = FileId>) -> Self {
        let mut files: Vec<i64> = files.into_iter().map(|file| file.0).collect();
        files.sort_unstable();
        files.dedup();
        Self(files)
    }

    pub fn has(&self, file: FileId) -> bool {
        self.0.binary_search(&file.0).is_ok()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = FileId> {
        self.0.iter().copied().map(FileId)
    }
}

/// One condition. Those on symbols hold for a piece when they hold for the symbol it belongs to, or for one that is
/// defined in it and has no piece of its own.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    // Of files.
    Languages(Vec<&'static Language>),
    /// Paths that begin with one of these.
    PathPrefix(Vec<Vec<u8>>),
    /// All of these flags.
    Flags(FileFlags),
    /// Nanoseconds since 1970.
    ModifiedSince(i64),
    // Of symbols.
    Kinds(Vec<SymbolKind>),
    Visibility(Vec<Visibility>),
    Async(bool),
    Generator(bool),
    Exported(bool),
    /// At least, at most.
    Branches(u32, u32),
    Loops(u32, u32),
    Documented(bool),
    /// A name in this relation. Relations of files hold for everything in the file.
    Fact(Relation, NamesLike),
    /// Any of these symbols.
    Symbols(Vec<SymbolId>),
    // Of both.
    Not(Box<Condition>),
    Any(Vec<Condition>),
}

/// All of these must hold, for the same symbol.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Only these files, where something else than the store chose them: globs, git.
    pub files: Option<Arc<FileSet>>,
    pub conditions: Vec<Condition>,
}

impl Plan {
    pub fn is_empty(&self) -> bool {
        self.files.is_none() && self.conditions.is_empty()
    }
}

/// The numbers of symbols that pass; `None` for all.
#[derive(Debug, Default)]
pub(super) struct Passing {
    some: Option<Bits>,
    /// These do not, nor do pieces that belong to them.
    none: Option<Bits>,
}

impl Passing {
    pub(super) fn has(&self, symbol: u32) -> bool {
        self.some.as_ref().is_none_or(|some| some.has(symbol)) && !self.is_refused(symbol)
    }

    fn is_refused(&self, symbol: u32) -> bool {
        self.none.as_ref().is_some_and(|none| none.has(symbol))
    }
}

impl Reader<'_> {
    pub(super) fn passing(
        &self,
        connection: &Connection,
        plan: &Plan,
        cancel: &Cancel,
    ) -> Result<Passing, Fault> {
        let mut passing = Passing::default();
        if let Some(files) = &plan.files {
            passing.some = Some(self.of_files(|slot| files.has(slot.id())));
        }
        for condition in &plan.conditions {
            cancel.check()?;
            match condition {
                Condition::Not(refused) => {
                    let refused = self.set(connection, refused, cancel)?;
                    match &mut passing.none {
                        Some(none) => none.add(&refused),
                        none => *none = Some(refused),
                    }
                }
                wanted => {
                    let wanted = self.set(connection, wanted, cancel)?;
                    match &mut passing.some {
                        Some(some) => some.keep(&wanted),
                        some => *some = Some(wanted),
                    }
                }
            }
        }
        Ok(passing)
    }

    fn of_files(&self, wanted: impl Fn(&Slot) -> bool) -> Bits {
        let mut set = Bits::new(self.snapshot.next.symbol);
        for slot in self.snapshot.slots.iter().filter(|slot| wanted(slot)) {
            set.insert_range(slot.symbols.clone());
        }
        set
    }

    fn set(&self, connection: &Connection, condition: &Condition, cancel: &Cancel) -> Result<Bits, Fault> {
        let holds = |space: Space, word: &str, wanted: bool| {
            let set = self.terms(connection, &[space.term(word)])?;
            Ok::<_, Fault>(if wanted { set } else { self.others(&set) })
        };
        Ok(match condition {
            Condition::Languages(languages) => {
                self.of_files(|slot| slot.language.is_some_and(|language| languages.contains(&language)))
            }
            Condition::PathPrefix(prefixes) => {
                self.of_files(|slot| prefixes.iter().any(|prefix| slot.path.starts_with(prefix)))
            }
            Condition::Flags(flags) => self.of_files(|slot| slot.flags.has(*flags)),
            Condition::ModifiedSince(since) => self.of_files(|slot| slot.modified >= *since),
            Condition::Kinds(kinds) => {
                let terms: Vec<_> = kinds.iter().map(|kind| Space::Kind.term(kind_word(*kind))).collect();
                self.terms(connection, &terms)?
            }
            Condition::Visibility(wanted) => {
                let terms: Vec<_> =
                    wanted.iter().map(|one| Space::Trait.term(visibility_word(*one))).collect();
                self.terms(connection, &terms)?
            }
            Condition::Async(wanted) => holds(Space::Trait, ASYNC, *wanted)?,
            Condition::Generator(wanted) => holds(Space::Trait, GENERATOR, *wanted)?,
            Condition::Exported(wanted) => holds(Space::Trait, EXPORTED, *wanted)?,
            Condition::Branches(least, most) => self.counted(connection, Space::Branches, *least, *most)?,
            Condition::Loops(least, most) => self.counted(connection, Space::Loops, *least, *most)?,
            Condition::Documented(wanted) => holds(Space::Trait, DOCUMENTED, *wanted)?,
            Condition::Fact(relation, names) => {
                let set = self.facts(connection, *relation, names)?;
                self.widen(*relation, set)
            }
            Condition::Symbols(symbols) => {
                let mut set = Bits::new(self.snapshot.next.symbol);
                symbols
                    .iter()
                    .filter_map(|id| u32::try_from(id.0).ok())
                    .for_each(|number| set.insert(number));
                set
            }
            Condition::Not(refused) => self.others(&self.set(connection, refused, cancel)?),
            Condition::Any(conditions) => {
                let mut any = Bits::new(self.snapshot.next.symbol);
                for condition in conditions {
                    cancel.check()?;
                    any.add(&self.set(connection, condition, cancel)?);
                }
                any
            }
        })
    }

    /// Symbols and files with such a name in a relation.
    fn facts(&self, connection: &Connection, relation: Relation, names: &NamesLike) -> Result<Bits, Fault> {
        let mut set = Bits::new(self.snapshot.next.symbol);
        match names {
            NamesLike::Last(lasts) => {
                for last in lasts {
                    set.add(&self.scan(connection, &fact_prefix(relation, last), |_| true)?);
                }
            }
            NamesLike::Test { last, test } => {
                let prefix = match last {
                    Some(last) => fact_prefix(relation, last),
                    None => Space::Fact(relation).term(""),
                };
                set.add(&self.scan(connection, &prefix, |term| {
                    let text = term.get(1..).and_then(|text| std::str::from_utf8(text).ok());
                    text.is_some_and(|text| test.passes(name_of_fact(text)))
                })?);
            }
        }
        Ok(set)
    }

    fn others(&self, set: &Bits) -> Bits {
        let mut others = Bits::full(self.snapshot.next.symbol);
        others.take_away(set);
        others
    }

    /// What is true of a file is true of everything in it.
    fn widen(&self, relation: Relation, set: Bits) -> Bits {
        if relation.is_of_files() { self.of_files(|slot| set.has(slot.symbols.start)) } else { set }
    }

    /// Symbols whose count lies between two others. None are in the lists of those that have none.
    fn counted(&self, connection: &Connection, space: Space, least: u32, most: u32) -> Result<Bits, Fault> {
        let (low, high) = (space.term(&count_text(least)), space.term(&count_text(most)));
        if least > 0 {
            return self.scan(connection, &space.term(""), |term| term >= &low[..] && term <= &high[..]);
        }
        let more = self.scan(connection, &space.term(""), |term| term > &high[..])?;
        Ok(self.others(&more))
    }

    /// Symbols in the lists of any of these terms.
    fn terms(&self, connection: &Connection, terms: &[Vec<u8>]) -> Result<Bits, Fault> {
        let mut set = Bits::new(self.snapshot.next.symbol);
        for segment in &self.segments {
            for term in terms {
                if let Some(list) = segment.find(connection, self.kept(), term)? {
                    gather(list.postings(), &mut set)?;
                }
            }
        }
        Ok(set)
    }

    /// Symbols in the lists of terms that begin like this.
    fn scan(
        &self,
        connection: &Connection,
        prefix: &[u8],
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Bits, Fault> {
        let mut set = Bits::new(self.snapshot.next.symbol);
        for segment in &self.segments {
            segment.scan(connection, prefix, &mut |term, entry| {
                if wanted(term) {
                    gather(entry.list(connection)?.postings(), &mut set)?;
                }
                Ok(true)
            })?;
        }
        Ok(set)
    }

    /// The pieces that pass.
    pub(super) fn passing_pieces(
        &self,
        connection: &Connection,
        passing: &Passing,
        cancel: &Cancel,
    ) -> Result<Bits, Fault> {
        let mut pieces = Bits::new(self.snapshot.next.piece);
        for (at, slot) in self.snapshot.slots.iter().enumerate() {
            if at.is_multiple_of(256) {
                cancel.check()?;
            }
            let all = passing.some.as_ref().is_none_or(|some| some.has_all(slot.symbols.clone()));
            let refused = passing.none.as_ref().is_some_and(|none| none.has_any(slot.symbols.clone()));
            if all && !refused {
                pieces.insert_range(slot.pieces.clone());
                continue;
            }
            if !passing.some.as_ref().is_none_or(|some| some.has_any(slot.symbols.clone())) {
                continue;
            }
            let shape = self.shape(connection, slot.id())?;
            let own = |number: u32| slot.symbols.start + number;
            for (piece, number) in shape.pieces.iter().zip(slot.pieces.clone()) {
                if passing.has(own(piece.symbol)) {
                    pieces.insert(number);
                }
            }
            for (symbol, home) in shape.homes.iter().enumerate() {
                let Some(piece) = shape.pieces.get(*home as usize) else { continue };
                if passing.has(own(symbol as u32 + 1)) && !passing.is_refused(own(piece.symbol)) {
                    pieces.insert(slot.pieces.start + home);
                }
            }
        }
        Ok(pieces)
    }

    /// Symbols that pass a plan, in order of files and places, at most `limit`.
    pub fn symbols_where(
        &self,
        plan: &Plan,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<Symbol>, StoreError> {
        self.ask(|connection| {
            let passing = self.passing(connection, plan, cancel)?;
            let mut found = Vec::new();
            for slot in self.by_path() {
                for number in slot.symbols.start + 1..slot.symbols.end {
                    if !passing.has(number) {
                        continue;
                    }
                    if found.len() == limit {
                        return Ok(found);
                    }
                    found.extend(self.load_symbol(connection, SymbolId(i64::from(number)))?);
                }
                cancel.check()?;
            }
            Ok(found)
        })
    }

    /// Files that pass a plan: conditions on symbols hold where one of the file's symbols passes all of them.
    pub fn files_where(&self, plan: &Plan, cancel: &Cancel) -> Result<FileSet, StoreError> {
        self.ask(|connection| {
            let passing = self.passing(connection, plan, cancel)?;
            let has = |slot: &&Slot| slot.symbols.clone().any(|number| passing.has(number));
            Ok(FileSet::new(self.snapshot.slots.iter().filter(has).map(Slot::id)))
        })
    }

    /// Pieces that pass a plan, in order of files and places, at most `limit`: what filters without words ask for.
    pub fn pieces_where(&self, plan: &Plan, limit: usize, cancel: &Cancel) -> Result<Vec<Piece>, StoreError> {
        self.ask(|connection| {
            let passing = self.passing(connection, plan, cancel)?;
            let pieces = self.passing_pieces(connection, &passing, cancel)?;
            let mut found = Vec::new();
            for slot in self.by_path() {
                if !pieces.has_any(slot.pieces.clone()) {
                    continue;
                }
                let own = self.pieces_of_slot(connection, slot)?;
                let passes = |piece: &Piece| u32::try_from(piece.id.0).is_ok_and(|number| pieces.has(number));
                found.extend(own.iter().filter(|piece| passes(piece)).cloned());
                if found.len() >= limit {
                    break;
                }
                cancel.check()?;
            }
            found.truncate(limit);
            Ok(found)
        })
    }

    /// Symbols that mention a name in one of these relations as the last part, in any case, in order.
    pub fn mentions(
        &self,
        name: &str,
        relations: &[Relation],
        plan: &Plan,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<SymbolId>, StoreError> {
        self.ask(|connection| {
            let passing = self.passing(connection, plan, cancel)?;
            let mut set = Bits::new(self.snapshot.next.symbol);
            for relation in relations {
                set.add(&self.facts(connection, *relation, &NamesLike::Last(vec![name.to_owned()]))?);
            }
            let wanted = |number: &u32| self.snapshot.has_symbol(*number) && passing.has(*number);
            Ok(set.iter().filter(wanted).take(limit).map(|number| SymbolId(i64::from(number))).collect())
        })
    }

    /// Files in the order of their paths. A build puts them in so; changes come behind.
    pub(super) fn by_path(&self) -> Vec<&Slot> {
        let mut slots: Vec<&Slot> = self.snapshot.slots.iter().collect();
        slots.sort_by(|one, other| one.path.cmp(&other.path));
        slots
    }
}

fn gather(postings: &[u8], set: &mut Bits) -> Result<(), Fault> {
    let mut postings = Postings::new(postings);
    while let Some(posting) = postings.step() {
        let (number, _) = posting.ok_or(Fault::Damage("list of a term"))?;
        set.insert(number);
    }
    Ok(())
}
