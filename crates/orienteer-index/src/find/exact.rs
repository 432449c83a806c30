//! Where does a text stand exactly as it was asked for?
//!
//! Trigrams tell which files may have it; those are read. A file that is not what was indexed is read as it is now.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use orienteer_base::Cancel;

use super::check::Exact;
use super::error::{Failed, FindError};
use super::known::{Files, Known};
use super::means::Glimpse;
use super::places::Places;
use super::pool::Pool;
use super::{Note, Question};
use crate::query::Need;
use crate::store::{FileFlags, FileId, FileSet, PieceId, Plan, Reader, Sketch};
use crate::trigram::{self, Candidates, Reading, Trigrams};

/// Files that are read for one question, and bytes.
const MOST_READ: usize = 6_000;
const MOST_BYTES: usize = 1 << 30;
/// Pieces whose words decide which files are read first.
const MOST_RANKED: usize = 256;
/// Answers that are ranked among each other. Files that come later are ranked behind them, so that a page shows the
/// same whichever other pages were asked for.
pub(super) const BLOCK: usize = 240;
/// So many files are read whatever their words are, where words were asked for beside the text.
const FEW: usize = 8;
/// Files that are looked into together.
const AHEAD: usize = 32;
/// Files whose pieces are put to the filters together.
const TOGETHER: usize = 128;

/// A search through files, block by block.
pub(super) struct Search {
    order: Vec<FileId>,
    /// How many of them have been read.
    at: usize,
    bytes: usize,
    /// The next files, looked into; `None` for what is not in the index.
    ahead: VecDeque<Option<(Rc<Known>, Option<Glimpse>)>>,
    /// Pieces of the next files that pass the filters, up to which file; `None` where there are none.
    passing: Option<HashSet<PieceId>>,
    judged: usize,
    cut: bool,
}

impl Search {
    pub(super) fn new(
        question: &Question<'_>,
        reader: &Reader<'_>,
        notes: &mut Vec<Note>,
    ) -> Result<Self, FindError> {
        let order = candidates(question, reader, notes)?;
        Ok(Self { order, at: 0, bytes: 0, ahead: VecDeque::new(), passing: None, judged: 0, cut: false })
    }

    /// All files have been read, or as many as may be.
    pub(super) fn has_ended(&self) -> bool {
        self.at >= self.order.len() || self.is_spent()
    }

    fn is_spent(&self) -> bool {
        self.at >= MOST_READ || self.bytes >= MOST_BYTES
    }

    /// There may be more than was found.
    pub(super) fn is_partial(&self) -> bool {
        self.cut || self.at < self.order.len()
    }

    /// The next answers: those of whole files.
    pub(super) fn block(
        &mut self,
        question: &Question<'_>,
        files: &mut Files<'_>,
    ) -> Result<Pool, FindError> {
        let mut pool = Pool::default();
        while pool.len() < BLOCK && !self.is_spent() {
            if self.at >= self.order.len() {
                break;
            }
            question.cancel.check()?;
            self.judge(question, files.reader)?;
            self.look_ahead(question, files)?;
            self.at += 1;
            let Some((known, glimpse)) = self.ahead.pop_front().flatten() else { continue };
            let now = match glimpse {
                Some(Glimpse::Has(now)) => now,
                Some(Glimpse::Lacks(bytes)) => {
                    self.bytes = self.bytes.saturating_add(bytes);
                    continue;
                }
                None => {
                    files.missed(&known);
                    continue;
                }
            };
            self.bytes = self.bytes.saturating_add(now.text.len());
            let Some(stands) = files.stands(&known, &now, &question.checks)? else { continue };
            files.keep(&known, Some(&now));
            let places = Places::new(question, files, &known, &now, stands, self.passing.as_ref());
            self.cut |= !places.add(&mut pool)?;
        }
        Ok(pool)
    }

    /// Looks into the next files, unless that was done.
    fn look_ahead(&mut self, question: &Question<'_>, files: &mut Files<'_>) -> Result<(), FindError> {
        if !self.ahead.is_empty() {
            return Ok(());
        }
        let mut known = Vec::new();
        for id in self.order.iter().skip(self.at).take(AHEAD) {
            match files.get(*id)? {
                Some(one) => known.push(one),
                // Not in the index; nothing stands behind it in this round.
                None if known.is_empty() => {
                    self.ahead.push_back(None);
                    return Ok(());
                }
                None => break,
            }
        }
        let checks = &question.checks;
        let seen = files.glimpses(&known, &|text| checks.are_in(text));
        // What was not looked at because nobody waits any more is not told as unreadable.
        question.cancel.check()?;
        self.ahead = known.into_iter().zip(seen).map(Some).collect();
        Ok(())
    }

    /// Filters on definitions pass some pieces of a file and not others.
    fn judge(&mut self, question: &Question<'_>, reader: &Reader<'_>) -> Result<(), FindError> {
        let conditions = &question.narrowed.plan.conditions;
        if conditions.is_empty() || self.at < self.judged {
            return Ok(());
        }
        let next = self.order.iter().copied().skip(self.at).take(TOGETHER);
        self.judged = self.at + TOGETHER;
        let plan = Plan { files: Some(Arc::new(FileSet::new(next))), conditions: conditions.clone() };
        let pieces = reader.pieces_where(&plan, usize::MAX, question.cancel)?;
        self.passing = Some(pieces.into_iter().map(|piece| piece.id).collect());
        Ok(())
    }
}

/// The files that may have it, those first that are likely to be the best answers.
fn candidates(
    question: &Question<'_>,
    reader: &Reader<'_>,
    notes: &mut Vec<Note>,
) -> Result<Vec<FileId>, FindError> {
    let Question { means, narrowed, words, checks, cancel, .. } = question;
    let numbers = match means.trigrams {
        Some(trigrams) => match by_trigrams(trigrams, &checks.must, cancel) {
            Ok(numbers) => numbers,
            Err(Failed::Stopped(stopped)) => return Err(stopped.into()),
            Err(Failed::Unusable(reason)) => {
                notes.push(Note {
                    kind: "no_trigrams",
                    message: format!("every file is read, because {reason}"),
                });
                None
            }
        },
        None => None,
    };
    let passing = reader.files_where(&narrowed.plan, cancel)?;
    let readable = |file: &Sketch<'_>| {
        let may = match (&numbers, file.trigrams) {
            (Some(numbers), Some(number)) => numbers.contains(&number),
            _ => true,
        };
        may && !file.flags.has(FileFlags::BINARY) && narrowed.takes(file.mode) && passing.has(file.id)
    };
    let mut kept: Vec<Sketch<'_>> = reader.sketches().filter(readable).collect();
    let last = FileFlags::TEST.with(FileFlags::GENERATED).with(FileFlags::MINIFIED).with(FileFlags::VENDORED);
    kept.sort_by(|one, other| {
        one.flags.any(last).cmp(&other.flags.any(last)).then_with(|| one.path.cmp(other.path))
    });
    let ids: Vec<FileId> = kept.iter().map(|file| file.id).collect();
    // One file has many places at times, so that a block may end long before the files do.
    let has_words = question.ask.query.terms.iter().any(|term| term.need != Need::Not);
    let few = if has_words { FEW } else { BLOCK };
    if words.is_empty() || ids.len() <= few {
        return Ok(ids);
    }
    let mut lexical = words.lexical(MOST_RANKED, &means.scales);
    lexical.modes = narrowed.modes;
    lexical.plan = Plan {
        files: Some(Arc::new(FileSet::new(ids.iter().copied()))),
        conditions: narrowed.plan.conditions.clone(),
    };
    let ranked = reader.candidates(&lexical, cancel)?;
    let mut seen = HashSet::new();
    let mut best: Vec<FileId> = ranked.iter().map(|candidate| candidate.file).collect();
    let put_last: HashSet<FileId> =
        kept.iter().filter(|file| file.flags.any(last)).map(|file| file.id).collect();
    best.sort_by_key(|file| put_last.contains(file));
    Ok(best.into_iter().chain(ids).filter(|file| seen.insert(*file)).collect())
}

/// The numbers of files that may have all of these; `None` when nothing can be told.
fn by_trigrams(trigrams: &Trigrams, must: &[Exact], cancel: &Cancel) -> Result<Option<HashSet<u32>>, Failed> {
    let mut numbers: Option<HashSet<u32>> = None;
    for exact in must {
        let plan = trigram::Plan::of_text(&exact.pattern, exact.ignores_case);
        let Candidates::Files(places) = trigrams.candidates(&plan, cancel)? else { continue };
        let found = places.into_iter().filter_map(|place| trigrams.file(place)).map(|file| file.id);
        numbers = Some(match numbers {
            Some(known) => found.filter(|number| known.contains(number)).collect(),
            None => found.collect(),
        });
    }
    // A search of bytes ends at the first NUL, and so do the trigrams; a text goes on behind it. What is no text at all
    // is left out later.
    if let Some(numbers) = &mut numbers {
        let binary = trigrams.files().filter(|file| file.reading == Reading::Binary);
        numbers.extend(binary.map(|file| file.id));
    }
    Ok(numbers)
}
