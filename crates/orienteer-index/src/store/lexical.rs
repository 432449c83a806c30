//! Which pieces hold these words?
//!
//! BM25 over weighted columns. Lists are read whole and added up piece by piece, which for a workspace is quicker than
//! any cleverer way: a question in plain English touches some hundred thousand postings at a few nanoseconds each.

use std::collections::HashSet;
use std::rc::Rc;

use orienteer_base::Cancel;
use rusqlite::Connection;

use super::bits::Bits;
use super::error::StoreError;
use super::fault::Fault;
use super::plan::Plan;
use super::posting::{Postings, Tally};
use super::read::Reader;
use super::record::{Mode, Modes};
use super::row::{FileId, PieceId, SymbolId};
use super::segment::List;
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
}

/// Which columns count in which pieces.
struct Scope {
    /// `None` for all pieces.
    allowed: Option<Bits>,
    weights: [f32; COLUMN_COUNT],
    /// Pieces of which only the comments were asked for.
    comments: Option<Bits>,
    comment_weights: [f32; COLUMN_COUNT],
}

impl Scope {
    #[inline]
    fn weights(&self, piece: u32) -> &[f32; COLUMN_COUNT] {
        match &self.comments {
            Some(comments) if comments.has(piece) => &self.comment_weights,
            _ => &self.weights,
        }
    }

    #[inline]
    fn allows(&self, snapshot: &Snapshot, piece: u32) -> bool {
        match &self.allowed {
            Some(allowed) => allowed.has(piece),
            None => snapshot.has_piece(piece),
        }
    }

    /// Whether the word stands where it counts at all.
    fn counts(&self, piece: u32, tally: &Tally) -> bool {
        self.weights(piece).iter().zip(tally).any(|(weight, count)| *weight > 0.0 && *count > 0)
    }
}

impl Reader<'_> {
    /// The best pieces for some words, best first; ties by path, then by place.
    pub fn candidates(&self, ask: &Lexical, cancel: &Cancel) -> Result<Vec<Candidate>, StoreError> {
        self.ask(|connection| self.rank(connection, ask, cancel))
    }

    /// In how many pieces each of these words stands, in their order. Pieces that are gone may be counted.
    pub fn frequencies(&self, words: &[String]) -> Result<Vec<u64>, StoreError> {
        self.ask(|connection| words.iter().map(|word| self.count(connection, word)).collect())
    }

    fn count(&self, connection: &Connection, word: &str) -> Result<u64, Fault> {
        let mut count = 0;
        for segment in &self.segments {
            count += u64::from(segment.count(connection, &self.blocks, &Space::Word.term(word))?);
        }
        Ok(count)
    }

    fn rank(&self, connection: &Connection, ask: &Lexical, cancel: &Cancel) -> Result<Vec<Candidate>, Fault> {
        if ask.limit == 0 {
            return Ok(Vec::new());
        }
        let mut scope = self.scope(connection, ask, cancel)?;
        self.narrow(connection, ask, &mut scope, cancel)?;
        let words = self.sought(connection, ask, cancel)?;
        let scores = self.scores(&words, &scope, cancel)?;
        let best = self.best(&scores, ask.limit);
        let parts = if ask.explain {
            self.parts(&words, &scope, &best)?
        } else {
            vec![[0.0; COLUMN_COUNT]; best.len()]
        };
        let mut found = Vec::with_capacity(best.len());
        for ((piece, score), parts) in best.into_iter().zip(parts) {
            let Some(slot) = self.snapshot.slot_of_piece(piece) else { continue };
            let only_comments = scope.comments.as_ref().is_some_and(|comments| comments.has(piece));
            found.push(Candidate {
                piece: PieceId(i64::from(piece)),
                file: slot.id(),
                symbol: None,
                mode: if only_comments { Mode::Comments } else { slot.mode },
                score: f64::from(score),
                parts,
            });
        }
        self.fill_symbols(connection, &mut found)?;
        Ok(found)
    }

    /// Which pieces may be found at all, by what they are.
    fn scope(&self, connection: &Connection, ask: &Lexical, cancel: &Cancel) -> Result<Scope, Fault> {
        let mut weights = ask.weights.0.map(|weight| weight.max(0.0) as f32);
        let mut comment_weights = [0.0; COLUMN_COUNT];
        for column in [Column::Doc, Column::Comment] {
            comment_weights[column as usize] = weights[column as usize];
        }
        if !ask.modes.has(Mode::Comments) {
            weights[Column::Comment as usize] = 0.0;
        }
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
        Ok(Scope { allowed, weights, comments, comment_weights })
    }

    /// Leaves what has all of the words that it must have, and none of those that it must not.
    fn narrow(
        &self,
        connection: &Connection,
        ask: &Lexical,
        scope: &mut Scope,
        cancel: &Cancel,
    ) -> Result<(), Fault> {
        let holding = |words: &[String]| {
            cancel.check()?;
            let mut pieces = Bits::new(self.snapshot.next.piece);
            for word in words {
                for list in self.lists(connection, word)?.iter() {
                    each(list, |piece, tally| {
                        if scope.allows(&self.snapshot, piece) && scope.counts(piece, tally) {
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
        let term = Space::Word.term(word);
        let mut lists = Vec::new();
        for segment in &self.segments {
            lists.extend(segment.find(connection, &self.blocks, &term)?);
        }
        let lists: Rc<[List]> = lists.into();
        self.lists.borrow_mut().insert(word.to_owned(), lists.clone());
        Ok(lists)
    }

    /// The words that count, rarest first.
    fn sought(&self, connection: &Connection, ask: &Lexical, cancel: &Cancel) -> Result<Vec<Sought>, Fault> {
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
                sought.push(Sought { lists, rarity });
            }
        }
        sought.sort_by(|one, other| other.rarity.total_cmp(&one.rarity));
        Ok(sought)
    }

    fn scores(&self, words: &[Sought], scope: &Scope, cancel: &Cancel) -> Result<Vec<f32>, Fault> {
        let mut scores = vec![0.0f32; self.snapshot.next.piece as usize];
        for word in words {
            cancel.check()?;
            for list in word.lists.iter() {
                each(list, |piece, tally| {
                    let Some(score) = scores.get_mut(piece as usize) else { return };
                    let weights = scope.weights(piece);
                    let count: f32 =
                        weights.iter().zip(tally).map(|(weight, count)| weight * f32::from(*count)).sum();
                    if count > 0.0 && scope.allows(&self.snapshot, piece) {
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

    /// The best of them, ties by path and place.
    fn best(&self, scores: &[f32], limit: usize) -> Vec<(u32, f32)> {
        let mut found: Vec<(u32, f32)> = scores
            .iter()
            .enumerate()
            .filter(|(_, score)| **score > 0.0)
            .map(|(piece, score)| (piece as u32, *score))
            .collect();
        if found.len() > limit {
            // All that tie with the last are kept until paths have decided.
            found.select_nth_unstable_by(limit - 1, |one, other| other.1.total_cmp(&one.1));
            let least = found.get(limit - 1).map_or(0.0, |last| last.1);
            found.retain(|one| one.1 >= least);
        }
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
                    for ((part, weight), count) in part.iter_mut().zip(scope.weights(piece)).zip(tally) {
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

    /// Says for each candidate which symbol it belongs to, reading each file's shape once.
    fn fill_symbols(&self, connection: &Connection, found: &mut [Candidate]) -> Result<(), Fault> {
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_unstable_by_key(|at| found[*at].piece);
        let mut known: Option<(FileId, super::outline::Shape)> = None;
        for at in order {
            let candidate = &mut found[at];
            if known.as_ref().is_none_or(|(file, _)| *file != candidate.file) {
                known = Some((candidate.file, self.shape(connection, candidate.file)?));
            }
            let (Some((_, shape)), Some(slot)) = (&known, self.snapshot.slot(candidate.file)) else {
                continue;
            };
            let index = usize::try_from(candidate.piece.0 - candidate.file.0).unwrap_or(usize::MAX);
            candidate.symbol = shape
                .pieces
                .get(index)
                .filter(|piece| piece.symbol > 0)
                .map(|piece| SymbolId(i64::from(slot.symbols.start + piece.symbol)));
        }
        Ok(())
    }
}

#[inline]
fn each(list: &List, mut each: impl FnMut(u32, &Tally)) -> Result<(), Fault> {
    let mut postings = Postings::new(&list.postings);
    while let Some(posting) = postings.step() {
        let (piece, tally) = posting.ok_or(Fault::Damage("list of a word"))?;
        each(piece, &tally);
    }
    Ok(())
}
