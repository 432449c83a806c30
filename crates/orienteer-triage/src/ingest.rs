//! What of a file is new?

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;

use orienteer_base::triage::{Finding, Format, Ingested, ItemError};
use orienteer_base::{Cancel, Stopped};
use serde_json::{Value, json};

use crate::error::TriageError;
use crate::input::{self, Found};
use crate::pages::{Lists, Pages};
use crate::store::{BATCH, Put, Store};
use crate::{meta, source};

/// Findings of one file.
pub const MOST_FINDINGS: usize = 500_000;
/// Items whose mistakes are told; how many there were is always told.
const MOST_DETAILS: usize = 100;
const MOST_NOTES: usize = 50;

/// What to do with a file.
#[derive(Debug, Clone, Default)]
pub struct Ingest {
    /// `None`: told by the items themselves.
    pub source: Option<Format>,
    pub meta: BTreeMap<String, String>,
    pub keep_raw: bool,
    pub dry_run: bool,
    /// The name of the file says that every line is an item.
    pub lines: bool,
}

/// Takes a file in.
pub fn ingest(
    store: &Store,
    file: impl Read,
    wanted: &Ingest,
    cancel: &Cancel,
) -> Result<Ingested, TriageError> {
    let mut run = Run {
        store,
        wanted,
        cancel,
        around: wanted.meta.get("repo").map_or(Value::Null, |repo| json!({ "full_name": repo })),
        done: Ingested { dry_run: wanted.dry_run, ..Ingested::default() },
        formats: BTreeMap::new(),
        seen: HashMap::new(),
        pages: Pages::default(),
        lists: Lists::default(),
        owners: BTreeSet::new(),
        batch: Vec::with_capacity(BATCH),
        failed: None,
        items: 0,
        recognised: 0,
    };
    let told = input::pieces(file, wanted.lines, cancel, &mut |piece| run.take(piece));
    // What went wrong while writing is the reason why reading stopped.
    if let Some(error) = run.failed.take() {
        return Err(error);
    }
    let told = told?;
    if wanted.source.is_none() && run.recognised == 0 && (run.items > 0 || told.is_some()) {
        let first = run.done.details.first().map(|detail| detail.reason.clone()).or(told);
        let (items, first) = (run.items.max(1), first.unwrap_or_default());
        return Err(TriageError::Unrecognised { items, first, legal: Format::words() });
    }
    if let Some(reason) = told {
        run.error(None, reason);
        run.done.total += 1;
    }
    run.tell_unfinished();
    run.flush()?;
    if !wanted.dry_run {
        store.tidy(cancel)?;
    }
    let mut done = run.done;
    done.formats = run.formats.into_iter().collect();
    done.formats.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    done.folder = store.folder().display().to_string();
    Ok(done)
}

struct Run<'r> {
    store: &'r Store,
    wanted: &'r Ingest,
    cancel: &'r Cancel,
    /// What is known of where alerts come from when the file does not say.
    around: Value,
    done: Ingested,
    formats: BTreeMap<Format, usize>,
    /// The place of each id in the order of ids.
    seen: HashMap<String, Option<usize>>,
    pages: Pages,
    lists: Lists,
    /// Whose entries the object has that is being read.
    owners: BTreeSet<String>,
    batch: Vec<(Finding, Option<Value>)>,
    failed: Option<TriageError>,
    items: usize,
    recognised: usize,
}

impl Run<'_> {
    fn take(&mut self, piece: Found<'_>) -> Result<(), Stopped> {
        self.cancel.advance(1);
        let (value, around) = match piece {
            Found::Piece(value, around) => (value, around),
            Found::Bad(reason) => {
                self.bad(reason);
                return Ok(());
            }
            Found::Around(fields) => {
                let owners = std::mem::take(&mut self.owners);
                self.lists.add(owners, source::has_more(fields));
                return Ok(());
            }
        };
        let Some(format) = self.wanted.source.or_else(|| source::recognise(&value)) else {
            let kind = source::kind(&value);
            self.bad(format!(
                "it is {kind} in no shape that is known; `source` may be one of {}",
                Format::words().join(", ")
            ));
            return Ok(());
        };
        self.recognised += 1;
        if !around.is_null() {
            self.owners.insert(source::owner(format, &value));
        }
        let known = self.around.is_null() || source::says_where(format, around);
        let around = if known { around } else { &self.around };
        let given = source::read(format, &value, around, self.wanted.keep_raw);
        self.done.partial |= given.partial;
        for (of, page) in given.pages {
            self.pages.add(of, page);
        }
        for note in given.notes {
            if self.done.notes.len() < MOST_NOTES && !self.done.notes.contains(&note) {
                self.done.notes.push(note);
            }
        }
        for (finding, raw) in given.findings {
            match finding {
                Err(reason) => self.bad(reason),
                Ok(finding) => {
                    let raw = raw.filter(|raw| self.is_small(raw));
                    self.good(finding, raw, format)?;
                }
            }
        }
        Ok(())
    }

    /// A record that grows too large for whoever reads it is no use.
    fn is_small(&mut self, raw: &Value) -> bool {
        let small = raw.to_string().len() <= input::MOST_ITEM_BYTES;
        if !small {
            let most = input::MOST_ITEM_BYTES;
            self.note(&format!("an item has more than {most} bytes; it is not kept as it came"));
        }
        small
    }

    /// Findings on other pages are neither gone nor fixed.
    fn tell_unfinished(&mut self) {
        let pages = self.pages.unfinished().map(str::to_owned);
        let unfinished: Vec<String> = pages.chain(self.lists.unfinished()).take(MOST_NOTES).collect();
        for of in unfinished {
            self.done.partial = true;
            self.note(&format!("there are more pages of {of}, which are not in this file"));
        }
    }

    fn note(&mut self, note: &str) {
        if !self.done.notes.iter().any(|known| known == note) {
            self.done.notes.push(note.to_owned());
        }
    }

    fn good(&mut self, mut finding: Finding, raw: Option<Value>, format: Format) -> Result<(), Stopped> {
        if self.items >= MOST_FINDINGS {
            self.done.partial = true;
            self.note(&format!("only the first {MOST_FINDINGS} items were taken in; split the file"));
            return Ok(());
        }
        self.items += 1;
        self.done.total += 1;
        *self.formats.entry(format).or_default() += 1;
        meta::lay_over(&mut finding, &self.wanted.meta);
        meta::tell_apart(&mut finding, &self.wanted.meta);
        if !finding.warnings.is_empty() {
            self.done.with_warnings += 1;
        }
        if let Some(waiting) = self.seen.get(&finding.id) {
            self.done.duplicates += 1;
            match *waiting {
                // Still to be written: the last one counts.
                Some(at) => {
                    if let Some(place) = self.batch.get_mut(at) {
                        *place = (finding, raw);
                    }
                    return Ok(());
                }
                None => return self.again(finding, raw),
            }
        }
        self.done.ids.push(finding.id.clone());
        self.seen.insert(finding.id.clone(), Some(self.batch.len()));
        self.batch.push((finding, raw));
        if self.batch.len() >= BATCH { self.flush_or_stop() } else { Ok(()) }
    }

    /// Says again, otherwise, what was written before. It was counted then.
    fn again(&mut self, finding: Finding, raw: Option<Value>) -> Result<(), Stopped> {
        match self.store.put(&[(finding, raw)], self.wanted.dry_run, self.cancel) {
            Ok(_) => Ok(()),
            Err(error) => self.fail(error),
        }
    }

    fn bad(&mut self, reason: String) {
        self.error(Some(self.items), reason);
        self.items += 1;
        self.done.total += 1;
    }

    fn error(&mut self, index: Option<usize>, reason: String) {
        self.done.errors += 1;
        if self.done.details.len() < MOST_DETAILS {
            self.done.details.push(ItemError { index, reason });
        }
    }

    fn flush_or_stop(&mut self) -> Result<(), Stopped> {
        match self.flush() {
            Ok(()) => Ok(()),
            Err(error) => self.fail(error),
        }
    }

    fn fail(&mut self, error: TriageError) -> Result<(), Stopped> {
        self.failed = Some(error);
        Err(Stopped)
    }

    fn flush(&mut self) -> Result<(), TriageError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.batch);
        for put in self.store.put(&batch, self.wanted.dry_run, self.cancel)? {
            match put {
                Put::Written => self.done.written += 1,
                Put::Updated => self.done.updated += 1,
                Put::Unchanged => self.done.unchanged += 1,
            }
        }
        for (finding, _) in batch {
            self.seen.insert(finding.id, None);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_too_many_items_is_taken_in_as_a_part() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path().join("records"));
        let (wanted, cancel) = (Ingest::default(), Cancel::new());
        let mut run = Run {
            store: &store,
            wanted: &wanted,
            cancel: &cancel,
            around: Value::Null,
            done: Ingested::default(),
            formats: BTreeMap::new(),
            seen: HashMap::new(),
            pages: Pages::default(),
            lists: Lists::default(),
            owners: BTreeSet::new(),
            batch: Vec::new(),
            failed: None,
            items: MOST_FINDINGS - 1,
            recognised: 0,
        };
        let item = |key: &str| json!({ "key": key, "title": "x" });
        assert!(run.take(Found::Piece(item("last"), &Value::Null)).is_ok());
        assert!(!run.done.partial);
        assert!(run.take(Found::Piece(item("beyond"), &Value::Null)).is_ok());
        assert!(run.done.partial && run.batch.len() == 1);
        assert!(run.done.notes[0].contains("500000"), "{:?}", run.done.notes);
    }
}
