//! What is known about the files that a question touches?
//!
//! A question looks at a file from several sides: its row, its pieces, its text. Each is read once.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use orienteer_base::{Cancel, LineIndex};

use super::check::Checks;
use super::error::FindError;
use super::means::{Means, Now, read_now};
use super::relocate::{self, Moved};
use super::stands::Stands;
use crate::store::{File, FileFlags, FileId, Piece, PieceId, Reader, Symbol, SymbolId};

/// A file of the index, and what it says.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) file: Arc<File>,
    pub(super) shown: String,
    pub(super) pieces: Arc<[Piece]>,
    /// Not there before it was read, or because there was no room to keep it.
    pub(super) now: RefCell<Option<Option<Now>>>,
    /// Its path in small letters, between slashes, with and without its extension.
    as_place: OnceCell<[String; 2]>,
    lines: OnceCell<LineIndex>,
    moved: OnceCell<Vec<Moved>>,
    comments: OnceCell<Vec<Range<usize>>>,
    stands: OnceCell<Option<Stands>>,
}

impl Known {
    /// The pieces that a range of bytes touches, an empty one too. None where only the beginning of a file was indexed
    /// and this stands behind it.
    pub(super) fn pieces_at(&self, range: &Range<usize>) -> &[Piece] {
        let first = self.pieces.partition_point(|piece| piece.range.end <= range.start);
        let end = range.end.max(range.start + 1);
        let after = self.pieces.partition_point(|piece| piece.range.start < end);
        self.pieces.get(first..after.max(first)).unwrap_or_default()
    }

    /// What names of folders and files are looked for in.
    pub(super) fn as_place(&self) -> &[String; 2] {
        self.as_place.get_or_init(|| {
            let path = self.shown.to_lowercase();
            let stem = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
            [format!("/{path}/"), format!("/{stem}/")]
        })
    }

    /// Where the lines of its text begin.
    pub(super) fn lines(&self, text: &str) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(text))
    }

    pub(super) fn piece(&self, id: PieceId) -> Option<&Piece> {
        let index = usize::try_from(id.0 - self.file.id.0).ok()?;
        self.pieces.get(index)
    }

    /// The bytes of a symbol's own pieces, or of the symbol where it has none.
    pub(super) fn extent(&self, symbol: &Symbol) -> Vec<Range<usize>> {
        let own = self.pieces.iter().filter(|piece| piece.symbol == Some(symbol.id));
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for piece in own {
            match ranges.last_mut() {
                Some(last) if last.end == piece.range.start => last.end = piece.range.end,
                _ => ranges.push(piece.range.clone()),
            }
        }
        if ranges.is_empty() {
            ranges.push(symbol.range.clone());
        }
        ranges
    }
}

/// Files that have changed and are parsed again for one question; the others are marked as stale.
const MOST_PARSED: usize = 24;

/// So much text is kept for one question; what is needed again beyond it is read again.
const MOST_KEPT: usize = 192 << 20;

/// The files of one question.
pub(super) struct Files<'q> {
    pub(super) reader: &'q Reader<'q>,
    pub(super) means: &'q Means<'q>,
    root: &'q Path,
    pub(super) cancel: &'q Cancel,
    known: HashMap<FileId, Option<Rc<Known>>>,
    parsed: Cell<usize>,
    /// Bytes of text that are kept.
    kept: Cell<usize>,
    /// Where files are read into that are only looked through, by each of two threads.
    pub(super) bytes: RefCell<(Vec<u8>, Vec<u8>)>,
    /// Paths of files that would have had to be read and could not be.
    unread: RefCell<BTreeSet<String>>,
}

impl<'q> Files<'q> {
    pub(super) fn new(
        reader: &'q Reader<'q>,
        means: &'q Means<'q>,
        root: &'q Path,
        cancel: &'q Cancel,
    ) -> Self {
        Self {
            reader,
            means,
            root,
            cancel,
            known: HashMap::new(),
            parsed: Cell::new(0),
            kept: Cell::new(0),
            bytes: RefCell::default(),
            unread: RefCell::default(),
        }
    }

    /// `None` for a file that is not in the index.
    pub(super) fn get(&mut self, id: FileId) -> Result<Option<Rc<Known>>, FindError> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let known = match self.reader.file(id)? {
            Some(file) => {
                let pieces = self.reader.pieces_of(&file)?;
                let shown = file.path.shown();
                Some(Rc::new(Known {
                    file,
                    shown,
                    pieces,
                    now: RefCell::default(),
                    as_place: OnceCell::new(),
                    lines: OnceCell::new(),
                    moved: OnceCell::new(),
                    comments: OnceCell::new(),
                    stands: OnceCell::new(),
                }))
            }
            None => None,
        };
        self.known.insert(id, known.clone());
        Ok(known)
    }

    pub(super) fn symbol(&self, id: SymbolId) -> Result<Option<Symbol>, FindError> {
        Ok(self.reader.symbol(id)?)
    }

    /// What the file says now, kept for the rest of the question if there is room.
    pub(super) fn now(&self, known: &Known) -> Option<Now> {
        let now = self.glance(known);
        self.keep(known, now.as_ref());
        now
    }

    /// Whether parts of the file may be read alone: not where the whole text is at hand, or where its bytes are not those
    /// of the file. Where the text is as long as the file, they are: any other encoding is longer or shorter.
    pub(super) fn has_parts(&self, known: &Known) -> bool {
        let whole = known.pieces.last().map(|last| last.range.end as u64);
        known.now.borrow().is_none() && whole == Some(known.file.stamp.size)
    }

    /// The same, but not kept: most files that are searched have nothing.
    pub(super) fn glance(&self, known: &Known) -> Option<Now> {
        if let Some(now) = &*known.now.borrow() {
            return now.clone();
        }
        match self.means.text {
            Some(text) => text(&known.file),
            None => read_now(self.root, &known.file),
        }
    }

    pub(super) fn keep(&self, known: &Known, now: Option<&Now>) {
        let mut place = known.now.borrow_mut();
        let kept = self.kept.get() + now.map_or(0, |now| now.text.len());
        if place.is_none() && kept <= MOST_KEPT {
            self.kept.set(kept);
            *place = Some(now.cloned());
        }
    }

    /// What the file says, for whoever has to look at it; what could not be read is remembered. Nothing is written in
    /// what is no text.
    pub(super) fn needed(&self, known: &Known) -> Option<Now> {
        if known.file.flags.has(FileFlags::BINARY) {
            return Some(Now { text: "".into(), same: true });
        }
        let now = self.now(known);
        if now.is_none() {
            self.missed(known);
        }
        now
    }

    pub(super) fn missed(&self, known: &Known) {
        self.unread.borrow_mut().insert(known.shown.clone());
    }

    /// Files that had to be read and could not be.
    pub(super) fn unread(&self) -> Vec<String> {
        self.unread.borrow().iter().cloned().collect()
    }

    /// Where the comments of a file stand in its text as it is now; none where it cannot be told.
    pub(super) fn comments<'k>(&self, known: &'k Known, now: &Now) -> Result<&'k [Range<usize>], FindError> {
        if let Some(comments) = known.comments.get() {
            return Ok(comments);
        }
        let comments = match known.file.language {
            _ if now.same => self.reader.comments_of(&known.file)?,
            Some(language) if self.may_parse() => relocate::comments(&now.text, language, self.cancel),
            _ => Vec::new(),
        };
        Ok(known.comments.get_or_init(|| comments))
    }

    /// Where the exact texts of the question stand in the file; `None` where it lacks one of them.
    pub(super) fn stands<'k>(
        &self,
        known: &'k Known,
        now: &Now,
        checks: &Checks<'_>,
    ) -> Result<Option<&'k Stands>, FindError> {
        if let Some(stands) = known.stands.get() {
            return Ok(stands.as_ref());
        }
        let pieces = now.same.then_some(known);
        let stands = Stands::of(&now.text, pieces, checks, self.cancel)?;
        Ok(known.stands.get_or_init(|| stands).as_ref())
    }

    fn may_parse(&self) -> bool {
        self.parsed.replace(self.parsed.get() + 1) < MOST_PARSED
    }

    /// The definitions of a file that is not what was indexed; none where it cannot be told.
    pub(super) fn moved<'k>(&self, known: &'k Known) -> &'k [Moved] {
        known.moved.get_or_init(|| {
            let (Some(now), Some(language)) = (self.now(known), known.file.language) else {
                return Vec::new();
            };
            if !self.may_parse() {
                return Vec::new();
            }
            relocate::outline(&now.text, language, self.cancel)
        })
    }
}
