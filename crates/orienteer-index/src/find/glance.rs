//! What do the parts of files say that may be answers?
//!
//! Judging a hundred places means opening about as many files, each for some lines of it. Every file is opened once for all
//! its places, and where there are many of them, a second thread takes its share: the system answers one while the words of
//! the other are counted.

use std::collections::HashMap;
use std::ops::Range;

use super::Question;
use super::error::FindError;
use super::known::Files;
use super::matches::Matches;
use super::means::PartsOf;
use super::shared::shared;
use super::unit::Unit;
use super::words::Words;
use crate::store::{File, FileId};

/// Fewer files than this are read sooner than a thread has begun.
const MANY: usize = 12;

/// The words of the question in each place, where parts of its file say what is needed; `None` where the whole file has to
/// be read.
pub(super) fn glance(
    question: &Question<'_>,
    files: &Files<'_>,
    units: &[Unit],
    needs_text: &dyn Fn(&Unit) -> bool,
) -> Result<Vec<Option<Matches>>, FindError> {
    let mut seen: Vec<Option<Matches>> = Vec::new();
    seen.resize_with(units.len(), || None);
    let Some(parts) = question.means.parts else { return Ok(seen) };
    let mut sheets: Vec<Sheet<'_>> = Vec::new();
    let mut known: HashMap<FileId, usize> = HashMap::new();
    for (at, unit) in units.iter().enumerate() {
        if needs_text(unit) || !files.has_parts(&unit.known) {
            continue;
        }
        let sheet = *known.entry(unit.file()).or_insert_with(|| {
            sheets.push(Sheet { file: &unit.known.file, ranges: Vec::new(), places: Vec::new() });
            sheets.len() - 1
        });
        if let Some(sheet) = sheets.get_mut(sheet) {
            let before = sheet.ranges.len();
            sheet.ranges.extend(unit.looked_at());
            sheet.places.push((at, before..sheet.ranges.len()));
        }
    }
    let (words, cancel) = (&question.words, question.cancel);
    let found = shared(&sheets, MANY, (&mut (), &mut ()), cancel, |sheet, ()| sheet.read(parts, words));
    question.cancel.check()?;
    for (at, matches) in found.into_iter().flat_map(|(_, matches)| matches) {
        if let Some(place) = seen.get_mut(at) {
            *place = Some(matches);
        }
    }
    Ok(seen)
}

/// A file, and what of it is looked at.
struct Sheet<'u> {
    file: &'u File,
    ranges: Vec<Range<usize>>,
    /// For each place, which of them are its own, and which number it has.
    places: Vec<(usize, Range<usize>)>,
}

impl Sheet<'_> {
    /// The words in each place, under its number; none where parts alone cannot be read.
    fn read(&self, parts: &PartsOf<'_>, words: &Words) -> Vec<(usize, Matches)> {
        let Some(texts) = parts(self.file, &self.ranges) else { return Vec::new() };
        let places = self.places.iter().map(|(at, own)| {
            let ranges = self.ranges.get(own.clone()).unwrap_or_default();
            let texts = texts.get(own.clone()).unwrap_or_default();
            let parts = ranges.iter().zip(texts).map(|(range, text)| (range.start, text.as_str()));
            (*at, Matches::of_parts(parts, words))
        });
        places.collect()
    }
}
