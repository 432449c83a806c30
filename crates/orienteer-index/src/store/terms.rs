//! Which terms does one file have?
//!
//! Everything that is looked up is a term: the words of pieces, the names of symbols, their kinds, and what they call.
//! A term is a letter that says what it is and a text. Words have lists of pieces, everything else has lists of
//! symbols, where the first number of a file stands for the file itself. All of it is made on the threads that read
//! files; the one that writes only appends.

use orienteer_base::SymbolKind;
use orienteer_syntax::facts::Visibility;

use super::interner::Interner;
use super::lexical::{COLUMN_COUNT, Column};
use super::posting::{Tally, is_plain, put_distance, put_tally};
use super::record::SymbolRecord;
use super::relation::{BETWEEN, Relation, last_part};
use crate::analyse::initials;

/// Longer texts are cut: they are no names.
const LONGEST: usize = 240;

/// What a term is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Word,
    Name,
    Initials,
    Kind,
    Trait,
    Branches,
    Loops,
    Fact(Relation),
}

impl Space {
    pub(super) fn letter(self) -> u8 {
        match self {
            Self::Word => b'w',
            Self::Name => b'n',
            Self::Initials => b'i',
            Self::Kind => b'k',
            Self::Trait => b't',
            Self::Branches => b'b',
            Self::Loops => b'l',
            Self::Fact(relation) => b'A' + relation as u8,
        }
    }

    /// A term as it stands in the index.
    pub(super) fn term(self, text: &str) -> Vec<u8> {
        let mut term = vec![self.letter()];
        term.extend_from_slice(cut(text).as_bytes());
        term
    }
}

pub(super) const ASYNC: &str = "async";
pub(super) const GENERATOR: &str = "generator";
pub(super) const EXPORTED: &str = "exported";
pub(super) const DOCUMENTED: &str = "documented";

pub(super) fn visibility_word(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Public => "public",
        Visibility::Protected => "protected",
        Visibility::Internal => "internal",
        Visibility::Private => "private",
    }
}

/// A count such that texts sort like numbers.
pub(super) fn count_text(count: u32) -> String {
    format!("{:06}", count.min(999_999))
}

pub(super) fn kind_word(kind: SymbolKind) -> &'static str {
    kind.as_str()
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The terms of one file, each with its list as it will stand in the index, but for the distance to what came before.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    pub(super) text: Vec<u8>,
    pub(super) postings: Vec<u8>,
    pub(super) lists: Vec<TermList>,
    /// Words in each piece.
    pub(super) lengths: Vec<u16>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TermList {
    /// As every table has it.
    pub(super) hash: u64,
    pub(super) text: u32,
    pub(super) text_end: u32,
    pub(super) postings: u32,
    pub(super) postings_end: u32,
    /// How many pieces or symbols.
    pub(super) count: u32,
    /// The first and the last of them, counted from the first of the file.
    pub(super) first: u32,
    pub(super) last: u32,
    /// Nothing follows the distance of the first.
    pub(super) plain: bool,
}

impl Terms {
    pub(super) fn text_of(&self, list: &TermList) -> &[u8] {
        self.text.get(list.text as usize..list.text_end as usize).unwrap_or_default()
    }

    /// What follows the first distance.
    pub(super) fn postings_of(&self, list: &TermList) -> &[u8] {
        self.postings.get(list.postings as usize..list.postings_end as usize).unwrap_or_default()
    }
}

/// Gathers the terms of one file after the other. One for each thread.
#[derive(Debug)]
pub struct Collector {
    terms: Interner,
    /// For each term, where it stands in `piece`, if it does.
    seen: Vec<Seen>,
    piece: Vec<(u32, Tally)>,
    pieces: u32,
    words: u32,
    found: Vec<Found>,
    lengths: Vec<u16>,
    scratch: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// One more than the piece.
    piece: u32,
    at: u32,
    /// Postings so far.
    count: u32,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    term: u32,
    number: u32,
    tally: Tally,
}

/// What lists of symbols say of each: nothing.
const MEMBER: Tally = {
    let mut tally = [0; COLUMN_COUNT];
    tally[Column::Body as usize] = 1;
    tally
};

impl Default for Collector {
    fn default() -> Self {
        Self::new()
    }
}

impl Collector {
    pub fn new() -> Self {
        Self {
            terms: Interner::new(),
            seen: Vec::new(),
            piece: Vec::new(),
            pieces: 0,
            words: 0,
            found: Vec::new(),
            lengths: Vec::new(),
            scratch: String::new(),
        }
    }

    /// A word of the piece that is being gathered. Words of paths do not make a piece longer: each of them has them.
    #[inline]
    pub fn word(&mut self, column: Column, word: &str) {
        let term = self.terms.intern(b'w', word.as_bytes());
        self.words += u32::from(column != Column::Path);
        let index = term as usize;
        if index >= self.seen.len() {
            self.seen.resize(index + 1, Seen::default());
        }
        let seen = &mut self.seen[index];
        if seen.piece != self.pieces + 1 {
            *seen = Seen { piece: self.pieces + 1, at: self.piece.len() as u32, count: seen.count };
            self.piece.push((term, [0; COLUMN_COUNT]));
        }
        let tally = &mut self.piece[seen.at as usize].1;
        let count = &mut tally[column as usize];
        *count = count.saturating_add(1);
    }

    /// Ends a piece.
    pub fn end_piece(&mut self) {
        for (term, tally) in self.piece.drain(..) {
            self.seen[term as usize].count += 1;
            self.found.push(Found { term, number: self.pieces, tally });
        }
        self.lengths.push(u16::try_from(self.words).unwrap_or(u16::MAX));
        self.pieces += 1;
        self.words = 0;
    }

    /// A term of a symbol, or of the file itself, which has the number 0. Symbols come in order for each term.
    pub(crate) fn member(&mut self, space: Space, text: &str, number: u32) {
        self.long_member(space, cut(text), number);
    }

    fn long_member(&mut self, space: Space, text: &str, number: u32) {
        if text.is_empty() {
            return;
        }
        let term = self.terms.intern(space.letter(), text.as_bytes());
        let index = term as usize;
        if index >= self.seen.len() {
            self.seen.resize(index + 1, Seen::default());
        }
        let seen = &mut self.seen[index];
        // `at` holds the last symbol here.
        if seen.count > 0 && seen.at == number {
            return;
        }
        *seen = Seen { piece: 0, at: number, count: seen.count + 1 };
        self.found.push(Found { term, number, tally: MEMBER });
    }

    /// A term that is looked up in any case.
    pub(crate) fn folded(&mut self, space: Space, text: &str, number: u32) {
        if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
            return self.member(space, text, number);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        fold_into(cut(text), &mut scratch);
        self.member(space, &scratch, number);
        self.scratch = scratch;
    }

    /// What a symbol is found by besides the words around it. Its number is one more than its index in the file.
    pub fn symbol(&mut self, number: u32, symbol: &SymbolRecord) {
        self.name(&symbol.name, &symbol.name_path, number);
        // Most names of one part can be told without taking them apart.
        let one_part = symbol.name.bytes().all(|byte| byte.is_ascii_lowercase());
        if !one_part && let Some(initials) = initials(&symbol.name) {
            self.folded(Space::Initials, &initials, number);
        }
        self.member(Space::Kind, kind_word(symbol.kind), number);
        if let Some(visibility) = symbol.visibility {
            self.member(Space::Trait, visibility_word(visibility), number);
        }
        for (holds, word) in [
            (symbol.is_async, ASYNC),
            (symbol.is_generator, GENERATOR),
            (symbol.is_exported, EXPORTED),
            (!symbol.doc.is_empty(), DOCUMENTED),
        ] {
            if holds {
                self.member(Space::Trait, word, number);
            }
        }
        for (space, count) in [(Space::Branches, symbol.branches), (Space::Loops, symbol.loops)] {
            if count > 0 {
                self.member(space, &count_text(count), number);
            }
        }
        if !symbol.return_type.is_empty() {
            self.fact(Relation::Returns, &symbol.return_type, number);
        }
    }

    /// A name is followed by what it stands in, so that `Type::method` is found without reading every `method`.
    fn name(&mut self, name: &str, path: &str, number: u32) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        fold_into(cut(name), &mut scratch);
        scratch.retain(|c| c != BETWEEN);
        scratch.push(BETWEEN);
        let container = path.strip_suffix(name).and_then(|rest| rest.strip_suffix('/'));
        let container = container.and_then(|containers| containers.rsplit('/').next()).unwrap_or_default();
        fold_into(cut(container), &mut scratch);
        self.long_member(Space::Name, &scratch, number);
        self.scratch = scratch;
    }

    /// A fact about a symbol, or about the file, which has the number 0.
    pub fn fact(&mut self, relation: Relation, name: &str, number: u32) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        fact_into(name, &mut scratch);
        self.member(Space::Fact(relation), &scratch, number);
        self.scratch = scratch;
    }

    /// The terms of the file, and a fresh start.
    pub fn finish(&mut self) -> Terms {
        let mut order = self.order();
        let mut terms = Terms {
            text: Vec::with_capacity(self.found.len() * 4),
            postings: Vec::with_capacity(self.found.len() * 2),
            lists: Vec::with_capacity(self.terms.len()),
            lengths: std::mem::take(&mut self.lengths),
        };
        let mut at = 0;
        for term in 0..self.terms.len() {
            let count = self.seen.get(term).map_or(0, |seen| seen.count as usize);
            let list = order.get_mut(at..at + count).unwrap_or_default();
            at += count;
            let (Some(first), Some(last)) = (list.first().copied(), list.last()) else { continue };
            let (text, postings) = (terms.text.len() as u32, terms.postings.len() as u32);
            terms.text.extend_from_slice(self.terms.get(term as u32));
            let mut previous = first.number;
            for found in list.iter() {
                let plain = is_plain(&found.tally);
                if found.number != first.number {
                    put_distance(&mut terms.postings, previous, found.number, plain);
                    previous = found.number;
                }
                if !plain {
                    put_tally(&mut terms.postings, &found.tally);
                }
            }
            terms.lists.push(TermList {
                hash: self.terms.hash(term as u32),
                text,
                text_end: terms.text.len() as u32,
                postings,
                postings_end: terms.postings.len() as u32,
                count: count as u32,
                first: first.number,
                last: last.number,
                plain: is_plain(&first.tally),
            });
        }
        self.reset();
        terms
    }

    /// Everything found, by term; within a term in the order it was found.
    fn order(&self) -> Vec<Found> {
        let mut starts = Vec::with_capacity(self.seen.len());
        let mut sum = 0;
        for seen in &self.seen {
            starts.push(sum);
            sum += seen.count as usize;
        }
        let mut order = vec![Found { term: 0, number: 0, tally: MEMBER }; self.found.len()];
        for found in &self.found {
            let start = &mut starts[found.term as usize];
            if let Some(slot) = order.get_mut(*start) {
                *slot = *found;
            }
            *start += 1;
        }
        order
    }

    /// Forgets a file that was begun.
    pub fn reset(&mut self) {
        self.terms.clear();
        self.seen.clear();
        self.piece.clear();
        self.found.clear();
        self.lengths.clear();
        self.pieces = 0;
        self.words = 0;
    }
}

/// The text of a fact: what it is looked up by, then the name itself where that is not the same. Runs of white space
/// count as one blank.
fn fact_into(name: &str, out: &mut String) {
    if is_untidy(name) {
        let tidy: Vec<&str> =
            name.split(|c: char| c.is_whitespace() || c == BETWEEN).filter(|part| !part.is_empty()).collect();
        return fact_into(&tidy.join(" "), out);
    }
    let last = last_part(name);
    fold_into(last, out);
    let same = out.as_str() == name;
    if !out.is_empty() {
        out.push(BETWEEN);
    }
    if !same {
        out.push_str(name);
    }
}

/// Whether a name has white space that does not count, or what stands between two texts. Asked for every fact of every file.
fn is_untidy(name: &str) -> bool {
    let mut before = 0;
    name.bytes().any(|byte| {
        let is_second_blank = byte == b' ' && before == b' ';
        before = byte;
        is_second_blank || matches!(byte, b'\0' | b'\t' | b'\n' | b'\r')
    })
}

/// What all names that are these letters begin with.
pub(super) fn name_prefix(folded: &str) -> Vec<u8> {
    let mut term = Space::Name.term(folded);
    term.push(0);
    term
}

/// What a term of a name says: the name and what it stands in, both in lower case.
pub(super) fn name_of_term(term: &[u8]) -> (&str, &str) {
    let text = term.get(1..).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    text.split_once(BETWEEN).unwrap_or((text, ""))
}

/// What a term of a fact says: the name itself.
pub(super) fn name_of_fact(text: &str) -> &str {
    match text.split_once(BETWEEN) {
        Some((last, "")) => last,
        Some((_, name)) => name,
        None => text,
    }
}

/// What all terms of facts with this last part begin with.
pub(super) fn fact_prefix(relation: Relation, last: &str) -> Vec<u8> {
    let mut text = fold(last_part(last));
    text.push(BETWEEN);
    Space::Fact(relation).term(&text)
}

/// In lower case, the same when it is put in and when it is asked for.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(cut(text), &mut folded);
    folded
}

fn fold_into(text: &str, out: &mut String) {
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            out.extend(c.to_lowercase());
        }
    }
}
