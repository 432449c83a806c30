//! Which pieces hold these words?
//!
//! BM25 over weighted columns. Lists are read whole and added up piece by piece, which for a workspace is quicker than
//! any cleverer way: a question in plain English touches some hundred thousand postings at a few nanoseconds each.

use std::collections::HashSet;
use std::rc::Rc;

use orienteer_base::Cancel;
use rusqlite::Connection;

use super::bits::Bits;
use super::columns::Columns;
use super::error::StoreError;
use super::fault::Fault;
use super::plan::Plan;
use super::posting::{Postings, Tally};
use super::read::Reader;
use super::record::{Mode, Modes};
use super::row::{FileId, PieceId, SymbolId};
use super::scores::Scores;
use super::segment::{List, Place};
use super::snapshot::Snapshot;
use super::terms::Space;

/// What a piece is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// Names of the symbol and of what it stands in.
    Symbol,
    Path,
    Signature,
    /// The documentation of the symbol.
    Doc,
    Body,
    /// Comments that document nothing.
    Comment,
}

pub(crate) const COLUMN_COUNT: usize = 6;

/// In the order of [`Weights`] and of [`Candidate::parts`].
pub const COLUMNS: [Column; COLUMN_COUNT] =
    [Column::Symbol, Column::Path, Column::Signature, Column::Doc, Column::Body, Column::Comment];

/// How soon more of the same word stops counting.
const SATURATION: f32 = 1.2;
/// How much the length of a piece counts.
const LENGTH: f32 = 0.75;
/// Of a longer question the rarest words count.
const MOST_WORDS: usize = 64;
/// More words than this are not even looked up; [`Lexical::overlooked`] tells how many.
const MOST_LOOKED_UP: usize = 16 << 10;

/// So many words of a question are not looked up twice: enough for all of a usual one in all their forms.
const MOST_PLACES: usize = 256;
/// In how many ways pieces are ranked at once: by words, by words with other weights, and by how many of the question's own
/// words they have.
pub(super) const WAYS: usize = 3;
/// So much of what those words tell together has to be there.
const MOST_OF_THEM: f32 = 0.5;

/// How much a word counts in each column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights(pub [f64; COLUMN_COUNT]);

impl Default for Weights {
    fn default() -> Self {
        Self([8.0, 3.0, 4.0, 3.0, 1.0, 1.0])
    }
}

/// A question by words. All of them are words of the analyser.
#[derive(Debug, Clone, Default)]
pub struct Lexical {
    /// Any of them; the more and the rarer, the better.
    pub words: Vec<String>,
    /// So many of them, from the first, are the question's own; the others are forms of those.
    pub own: usize,
    /// All of them: each entry is a group of which one is enough.
    pub must: Vec<Vec<String>>,
    /// None of them.
    pub not: Vec<String>,
    pub modes: Modes,
    pub plan: Plan,
    pub weights: Weights,
    /// At most this many, the best.
    pub limit: usize,
    /// Fill [`Candidate::parts`], which costs time.
    pub explain: bool,
}

impl Lexical {
    /// Every word once, in order.
    fn unique(&self) -> impl Iterator<Item = &String> {
        let mut seen = HashSet::new();
        self.words.iter().chain(self.must.iter().flatten()).filter(move |word| seen.insert(word.as_str()))
    }

    /// How many words are so far behind in a very long question that nobody looks for them.
    pub fn overlooked(&self) -> usize {
        self.unique().count().saturating_sub(MOST_LOOKED_UP)
    }
}

/// A piece that holds some of the words.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub piece: PieceId,
    pub file: FileId,
    pub symbol: Option<SymbolId>,
    /// [`Mode::Comments`] where only comments were asked for.
    pub mode: Mode,
    /// Weighted BM25, higher is better.
    pub score: f64,
    /// What each column would give alone; zeros unless asked for.
    pub parts: [f64; COLUMN_COUNT],
}

/// A word with all its lists.
struct Sought {
    lists: Rc<[List]>,
    rarity: f32,
    /// It is one of the question's own.
    own: bool,
}

/// Which pieces count, and of which only the comments.
struct Scope {
    /// `None` for all pieces.
    allowed: Option<Bits>,
    comments: Option<Bits>,
}

impl Scope {
    #[inline]
    fn is_of_comments(&self, piece: u32) -> bool {
        self.comments.as_ref().is_some_and(|comments| comments.has(piece))
    }

    #[inline]
    fn allows(&self, snapshot: &Snapshot, piece: u32) -> bool {
        match &self.allowed {
            Some(allowed) => allowed.has(piece),
            None => snapshot.has_piece(piece),
        }
    }
}

impl Reader<'_> {
    /// The best pieces for some words, best first; ties by path, then by place.
    pub fn candidates(&self, ask: &Lexical, cancel: &Cancel) -> Result<Vec<Candidate>, StoreError> {
        let [found, ..] = self.candidates_and(ask, (Weights([0.0; COLUMN_COUNT]), 0), 0, cancel)?;
        Ok(found)
    }

    /// The same; the best that there are with other weights, at most so many; and at most so many of those that have
    /// the most of the question's own words. What a question costs is going through the lists, which is done once.
    pub fn candidates_and(
        &self,
        ask: &Lexical,
        others: (Weights, usize),
        together: usize,
        cancel: &Cancel,
    ) -> Result<[Vec<Candidate>; WAYS], StoreError> {
        self.ask(|connection| self.rank(connection, ask, others.0, [ask.limit, others.1, together], cancel))
    }

    /// In how many pieces each of these words stands, in their order. Pieces that are gone may be counted.
    pub fn frequencies(&self, words: &[String]) -> Result<Vec<u64>, StoreError> {
        self.ask(|connection| words.iter().map(|word| self.count(connection, word)).collect())
    }

    fn count(&self, connection: &Connection, word: &str) -> Result<u64, Fault> {
        Ok(self.places(connection, word)?.iter().map(|place| u64::from(place.count)).sum())
    }

    fn rank(
        &self,
        connection: &Connection,
        ask: &Lexical,
        others: Weights,
        limits: [usize; WAYS],
        cancel: &Cancel,
    ) -> Result<[Vec<Candidate>; WAYS], Fault> {
        let mut found = [const { Vec::new() }; WAYS];
        if limits == [0; WAYS] {
            return Ok(found);
        }
        let mut scope = self.scope(connection, ask, cancel)?;
        self.narrow(connection, ask, &mut scope, cancel)?;
        let words = self.sought(connection, ask, cancel)?;
        let [own, others] = [&ask.weights, &others].map(|weights| Columns::new(weights, ask.modes));
        let scores = self.scores(&words, &scope, &own, &others, cancel)?;
        let told: f32 = words.iter().filter(|word| word.own).map(|word| word.rarity).sum();
        let best = scores.best(limits, MOST_OF_THEM * told);
        let columns = [&own, &others, &own];
        for (((found, best), limit), columns) in found.iter_mut().zip(best).zip(limits).zip(columns) {
            let best = self.in_order(best, limit);
            let parts = if ask.explain {
                self.parts(&words, &scope, columns, &best)?
            } else {
                vec![[0.0; COLUMN_COUNT]; best.len()]
            };
            for ((piece, score), parts) in best.into_iter().zip(parts) {
                let Some(slot) = self.snapshot.slot_of_piece(piece) else { continue };
                found.push(Candidate {
                    piece: PieceId(i64::from(piece)),
                    file: slot.id(),
                    symbol: None,
                    mode: if scope.is_of_comments(piece) { Mode::Comments } else { slot.mode },
                    score: f64::from(score),
                    parts,
                });
            }
            self.fill_symbols(connection, found)?;
        }
        self.kept().scores.give_back(scores);
        Ok(found)
    }

    /// Which pieces may be found at all, by what they are.
    fn scope(&self, connection: &Connection, ask: &Lexical, cancel: &Cancel) -> Result<Scope, Fault> {
        let mut allowed = None;
        let mut comments = None;
        if ask.modes != Modes::ALL {
            let mut wanted = Bits::new(self.snapshot.next.piece);
            let mut only_comments = Bits::new(self.snapshot.next.piece);
            for slot in &self.snapshot.slots {
                if ask.modes.has(slot.mode) {
                    wanted.insert_range(slot.pieces.clone());
                } else if ask.modes.has(Mode::Comments) {
                    wanted.insert_range(slot.pieces.clone());
                    only_comments.insert_range(slot.pieces.clone());
                }
            }
            allowed = Some(wanted);
            comments = ask.modes.has(Mode::Comments).then_some(only_comments);
        }
        if !ask.plan.is_empty() {
            let passing = self.passing(connection, &ask.plan, cancel)?;
            let pieces = self.passing_pieces(connection, &passing, cancel)?;
            match &mut allowed {
                Some(allowed) => allowed.keep(&pieces),
                allowed => *allowed = Some(pieces),
            }
        }
        Ok(Scope { allowed, comments })
    }

    /// Leaves what has all of the words that it must have, and none of those that it must not.
    fn narrow(
        &self,
        connection: &Connection,
        ask: &Lexical,
        scope: &mut Scope,
        cancel: &Cancel,
    ) -> Result<(), Fault> {
        let columns = Columns::new(&ask.weights, ask.modes);
        let holding = |words: &[String]| {
            cancel.check()?;
            let mut pieces = Bits::new(self.snapshot.next.piece);
            for word in words {
                for list in self.lists(connection, word)?.iter() {
                    each(list, |piece, tally| {
                        if scope.allows(&self.snapshot, piece)
                            && columns.count(scope.is_of_comments(piece), tally) > 0.0
                        {
                            pieces.insert(piece);
                        }
                    })?;
                }
            }
            Ok::<_, Fault>(pieces)
        };
        let mut allowed: Option<Bits> = None;
        for group in &ask.must {
            let pieces = holding(group)?;
            match &mut allowed {
                Some(allowed) => allowed.keep(&pieces),
                allowed => *allowed = Some(pieces),
            }
        }
        let refused = if ask.not.is_empty() { None } else { Some(holding(&ask.not)?) };
        if let Some(required) = allowed {
            scope.allowed = Some(required);
        }
        if let Some(refused) = refused {
            let mut left = match scope.allowed.take() {
                Some(allowed) => allowed,
                None => {
                    let mut all = Bits::new(self.snapshot.next.piece);
                    self.snapshot.slots.iter().for_each(|slot| all.insert_range(slot.pieces.clone()));
                    all
                }
            };
            left.take_away(&refused);
            scope.allowed = Some(left);
        }
        Ok(())
    }

    fn lists(&self, connection: &Connection, word: &str) -> Result<Rc<[List]>, Fault> {
        if let Some(known) = self.lists.borrow().get(word) {
            return Ok(known.clone());
        }
        let places = self.places(connection, word)?;
        let lists = places.iter().map(|place| place.list(connection, self.kept()));
        let lists: Rc<[List]> = lists.collect::<Result<_, _>>()?;
        self.lists.borrow_mut().insert(word.to_owned(), lists.clone());
        Ok(lists)
    }

    /// Where the lists of a word stand.
    fn places(&self, connection: &Connection, word: &str) -> Result<Rc<[Place]>, Fault> {
        if let Some(known) = self.places.borrow().get(word) {
            return Ok(known.clone());
        }
        let term = Space::Word.term(word);
        let mut places = Vec::new();
        for segment in &self.segments {
            places.extend(segment.place(connection, self.kept(), &term)?);
        }
        let places: Rc<[Place]> = places.into();
        // Each of them holds on to a block.
        let mut known = self.places.borrow_mut();
        if known.len() < MOST_PLACES {
            known.insert(word.to_owned(), places.clone());
        }
        Ok(places)
    }

    /// The words that count, rarest first.
    fn sought(&self, connection: &Connection, ask: &Lexical, cancel: &Cancel) -> Result<Vec<Sought>, Fault> {
        let own: HashSet<&String> = ask.words.iter().take(ask.own).collect();
        let mut words: Vec<&String> = ask.unique().take(MOST_LOOKED_UP).collect();
        // Of many only the lists of the rarest are read, wherever in the question they stand.
        if words.len() > MOST_WORDS {
            let mut counted = Vec::with_capacity(words.len());
            for word in words {
                cancel.check()?;
                counted.push((self.count(connection, word)?, word));
            }
            counted.retain(|(count, _)| *count > 0);
            counted.sort_by_key(|(count, _)| *count);
            words = counted.into_iter().take(MOST_WORDS).map(|(_, word)| word).collect();
        }
        let total = self.snapshot.pieces.max(1) as f32;
        let mut sought = Vec::with_capacity(words.len());
        for word in words {
            cancel.check()?;
            let lists = self.lists(connection, word)?;
            let count: u32 = lists.iter().map(|list| list.count).sum();
            let count = (count as f32).min(total);
            let rarity = (1.0 + (total - count + 0.5) / (count + 0.5)).ln();
            if !lists.is_empty() {
                sought.push(Sought { lists, rarity, own: own.contains(word) });
            }
        }
        sought.sort_by(|one, other| other.rarity.total_cmp(&one.rarity));
        Ok(sought)
    }

    /// What each piece is worth.
    fn scores(
        &self,
        words: &[Sought],
        scope: &Scope,
        own: &Columns,
        others: &Columns,
        cancel: &Cancel,
    ) -> Result<Scores, Fault> {
        let mut scores = self.kept().scores.take(self.snapshot.next.piece as usize);
        let Scores { words: by_words, others: by_others } = &mut scores;
        for word in words {
            cancel.check()?;
            let own_rarity = if word.own { word.rarity } else { 0.0 };
            for list in word.lists.iter() {
                each(list, |piece, tally| {
                    let at = piece as usize;
                    let Some(score) = by_words.get_mut(at) else { return };
                    if !scope.allows(&self.snapshot, piece) {
                        return;
                    }
                    let only_comments = scope.is_of_comments(piece);
                    let count = own.count(only_comments, tally);
                    if count > 0.0 {
                        score.score += word.rarity * self.saturate(piece, count);
                        score.own += own_rarity;
                    }
                    let count = others.count(only_comments, tally);
                    if count > 0.0
                        && let Some(score) = by_others.get_mut(at)
                    {
                        *score += word.rarity * self.saturate(piece, count);
                    }
                })?;
            }
        }
        Ok(scores)
    }

    #[inline]
    fn saturate(&self, piece: u32, count: f32) -> f32 {
        let relative = self.snapshot.length(piece) / self.snapshot.average;
        count * (SATURATION + 1.0) / (count + SATURATION * (1.0 - LENGTH + LENGTH * relative))
    }

    /// The first of them, best first, ties by path and place.
    fn in_order(&self, mut found: Vec<(u32, f32)>, limit: usize) -> Vec<(u32, f32)> {
        let path = |piece: u32| self.snapshot.slot_of_piece(piece).map(|slot| &slot.path);
        found.sort_unstable_by(|one, other| {
            other.1.total_cmp(&one.1).then_with(|| path(one.0).cmp(&path(other.0))).then(one.0.cmp(&other.0))
        });
        found.truncate(limit);
        found
    }

    /// What each column gives alone.
    fn parts(
        &self,
        words: &[Sought],
        scope: &Scope,
        columns: &Columns,
        best: &[(u32, f32)],
    ) -> Result<Vec<[f64; COLUMN_COUNT]>, Fault> {
        let mut places: Vec<(u32, usize)> =
            best.iter().enumerate().map(|(at, (piece, _))| (*piece, at)).collect();
        places.sort_unstable();
        let mut parts = vec![[0.0; COLUMN_COUNT]; best.len()];
        for word in words {
            for list in word.lists.iter() {
                each(list, |piece, tally| {
                    let Ok(at) = places.binary_search_by_key(&piece, |place| place.0) else { return };
                    let Some(part) = places.get(at).and_then(|place| parts.get_mut(place.1)) else { return };
                    let weights = columns.of(scope.is_of_comments(piece));
                    for ((part, weight), count) in part.iter_mut().zip(weights).zip(tally) {
                        let count = weight * f32::from(*count);
                        if count > 0.0 {
                            *part += f64::from(word.rarity * self.saturate(piece, count));
                        }
                    }
                })?;
            }
        }
        Ok(parts)
    }

    /// Says for each candidate which symbol it belongs to.
    fn fill_symbols(&self, connection: &Connection, found: &mut [Candidate]) -> Result<(), Fault> {
        for candidate in found {
            let Some(slot) = self.snapshot.slot(candidate.file) else { continue };
            let pieces = self.pieces_of_slot(connection, slot)?;
            let index = usize::try_from(candidate.piece.0 - candidate.file.0).unwrap_or(usize::MAX);
            candidate.symbol = pieces.get(index).and_then(|piece| piece.symbol);
        }
        Ok(())
    }
}

#[inline]
fn each(list: &List, mut each: impl FnMut(u32, &Tally)) -> Result<(), Fault> {
    let mut postings = Postings::new(list.postings());
    while let Some(posting) = postings.step() {
        let (piece, tally) = posting.ok_or(Fault::Damage("list of a word"))?;
        each(piece, &tally);
    }
    Ok(())
}
