//! Where are records kept, and how do several processes write them?
//!
//! ```text
//! <folder of the workspace>/
//!   lock                           held while records are written
//!   findings/<id>.json, <id>.md
//!   decisions/<id>.json, <id>.md   <id> is that of the finding and a number
//!   packs/<id>.json, <id>.md
//! ```
//!
//! A record is written beside its place, made durable, and put there by a rename: whoever reads sees the old one or the new
//! one, whole, whatever happens to the writer. Readers take no lock. Only the JSON file counts; the Markdown file is made
//! from it, for people and for searches.

mod file;
mod lock;
mod read;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use orienteer_base::triage::{Decision, Finding};
use orienteer_base::{Cancel, units};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use read::{Known, Snapshot};

use crate::error::TriageError;
use crate::{id, markdown};
use file::Pending;
use lock::Lock;
use read::Cache;

/// The shape of files.
pub(crate) const SCHEMA_VERSION: u32 = 1;
/// Findings that are written under one lock: others get their turn in between.
pub(crate) const BATCH: usize = 2_000;

/// A finding as it stands on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FindingFile {
    pub(crate) schema_version: u32,
    pub(crate) kind: Kind,
    #[serde(flatten)]
    pub(crate) finding: Finding,
    pub(crate) first_seen: String,
    pub(crate) updated: String,
    /// As the source wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) raw: Option<Value>,
}

/// A decision as it stands on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DecisionFile {
    pub(crate) schema_version: u32,
    pub(crate) kind: Kind,
    #[serde(flatten)]
    pub(crate) decision: Decision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Finding,
    Decision,
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    Written,
    Updated,
    Unchanged,
}

/// Told of every step that changes something on disk.
pub type Witness = Arc<dyn Fn(&'static str) + Send + Sync>;

/// The records of one workspace.
pub struct Store {
    folder: PathBuf,
    witness: Option<Witness>,
    cache: Mutex<Cache>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Store {
    /// Nothing is made before something is written.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, witness: None, cache: Mutex::default() }
    }

    /// For tests that end a process at every step.
    #[must_use]
    pub fn with_witness(mut self, witness: Witness) -> Self {
        self.witness = Some(witness);
        self
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn findings(&self) -> PathBuf {
        self.folder.join("findings")
    }

    pub(crate) fn decisions(&self) -> PathBuf {
        self.folder.join("decisions")
    }

    /// Where a pack about a finding goes: the JSON file and the Markdown file.
    pub fn pack_paths(&self, finding: &str) -> (PathBuf, PathBuf) {
        let folder = self.folder.join("packs");
        (folder.join(format!("{finding}.json")), folder.join(format!("{finding}.md")))
    }

    /// The files of a finding.
    pub fn finding_paths(&self, finding: &str) -> (PathBuf, PathBuf) {
        let folder = self.findings();
        (folder.join(format!("{finding}.json")), folder.join(format!("{finding}.md")))
    }

    pub fn decision_path(&self, decision: &str) -> PathBuf {
        self.decisions().join(format!("{decision}.json"))
    }

    fn step(&self, name: &'static str) {
        if let Some(witness) = &self.witness {
            witness(name);
        }
    }

    /// Writes findings that are new or different. `dry_run` only says what they are.
    pub(crate) fn put(
        &self,
        batch: &[(Finding, Option<Value>)],
        dry_run: bool,
        cancel: &Cancel,
    ) -> Result<Vec<Put>, TriageError> {
        let _lock = if dry_run { None } else { Some(self.locked(cancel)?) };
        let now = units::show_time(std::time::SystemTime::now());
        let mut puts = Vec::with_capacity(batch.len());
        let mut pending = Vec::new();
        for (finding, raw) in batch {
            cancel.check()?;
            let path = self.finding_paths(&finding.id).0;
            let there = read::finding_file(&path)?;
            let put = match &there {
                None => Put::Written,
                Some(there) if there.finding == *finding && (raw.is_none() || there.raw == *raw) => {
                    Put::Unchanged
                }
                Some(_) => Put::Updated,
            };
            puts.push(put);
            if put == Put::Unchanged || dry_run {
                continue;
            }
            let first_seen = there.map_or_else(|| now.clone(), |there| there.first_seen);
            let file = FindingFile {
                schema_version: SCHEMA_VERSION,
                kind: Kind::Finding,
                finding: finding.clone(),
                first_seen,
                updated: now.clone(),
                // What is kept is what the record was made from, or nothing.
                raw: raw.clone(),
            };
            // A page without a decision that stands on disk would mislead: it stays as it was until that can be read.
            let page = match self.history(&finding.id) {
                Ok(history) => {
                    let page = markdown::finding(&file.finding, &file.first_seen, &file.updated, &history);
                    Some(Pending::text(self, &path.with_extension("md"), &page)?)
                }
                Err(_) => None,
            };
            pending.push((Pending::json(self, &path, &file)?, page));
        }
        file::settle(self, pending)?;
        Ok(puts)
    }

    /// Writes a decision, which `make` makes from those before it.
    pub(crate) fn decide(
        &self,
        finding: &str,
        cancel: &Cancel,
        make: impl FnOnce(&Finding, &[Decision]) -> Result<Decision, TriageError>,
    ) -> Result<(Decision, Vec<Decision>), TriageError> {
        let _lock = self.locked(cancel)?;
        let (json, shown) = self.finding_paths(finding);
        let Some(about) = read::finding_file(&json)? else {
            return Err(TriageError::NoSuchFinding { id: finding.to_owned(), candidates: Vec::new() });
        };
        let mut history = self.listed_history(finding)?;
        let decision = make(&about.finding, &history)?;
        history.push(decision.clone());
        let file =
            DecisionFile { schema_version: SCHEMA_VERSION, kind: Kind::Decision, decision: decision.clone() };
        let path = self.decision_path(&decision.id);
        // Where locks mean nothing (some network disks do not keep them), nobody's decision is written over either.
        if path.exists() {
            return Err(TriageError::Busy);
        }
        let text = markdown::decision(&decision, &about.finding);
        let page = markdown::finding(&about.finding, &about.first_seen, &about.updated, &history);
        file::settle(
            self,
            vec![(
                Pending::json(self, &path, &file)?,
                Some(Pending::text(self, &path.with_extension("md"), &text)?),
            )],
        )?;
        // The decision stands whether or not the finding's page can be written.
        if let Ok(page) = Pending::text(self, &shown, &page) {
            page.show(self);
        }
        Ok((decision, history))
    }

    /// Writes a pack.
    pub fn put_pack(
        &self,
        finding: &str,
        json: &str,
        text: &str,
        cancel: &Cancel,
    ) -> Result<Vec<PathBuf>, TriageError> {
        if !id::is_finding(finding) {
            return Err(TriageError::NoSuchFinding { id: finding.to_owned(), candidates: Vec::new() });
        }
        let _lock = self.locked(cancel)?;
        let (json_path, text_path) = self.pack_paths(finding);
        let pending = (Pending::text(self, &json_path, json)?, Some(Pending::text(self, &text_path, text)?));
        file::settle(self, vec![pending])?;
        Ok(vec![json_path, text_path])
    }

    fn locked(&self, cancel: &Cancel) -> Result<Lock, TriageError> {
        for folder in [self.folder.clone(), self.findings(), self.decisions(), self.folder.join("packs")] {
            file::make_folder(self, &folder)?;
        }
        let lock = Lock::take(&self.folder.join("lock"), cancel)?;
        Ok(lock)
    }

    /// Removes what killed writers left beside records. Whether anything was there.
    pub fn tidy(&self, cancel: &Cancel) -> Result<usize, TriageError> {
        if !self.folder.exists() {
            return Ok(0);
        }
        let _lock = self.locked(cancel)?;
        Ok([self.findings(), self.decisions(), self.folder.join("packs")]
            .iter()
            .map(|folder| file::sweep(folder))
            .sum())
    }

    /// Decisions about a finding, oldest first, as they stand on disk now.
    pub(crate) fn history(&self, finding: &str) -> Result<Vec<Decision>, TriageError> {
        let mut history = Vec::new();
        for sequence in 1.. {
            let path = self.decision_path(&id::of_decision(finding, sequence));
            match read::decision_file(&path)? {
                Some(file) => history.push(file.decision),
                None => break,
            }
        }
        Ok(history)
    }

    /// The same by what the folder holds, so that a gap that somebody made does not hide what comes behind it.
    fn listed_history(&self, finding: &str) -> Result<Vec<Decision>, TriageError> {
        let folder = self.decisions();
        let entries = std::fs::read_dir(&folder).map_err(TriageError::disk(&folder, "read"))?;
        let mut history = Vec::new();
        for entry in entries {
            let name =
                entry.map_err(TriageError::disk(&folder, "read"))?.file_name().to_string_lossy().into_owned();
            let about = name.strip_suffix(".json").and_then(id::parse_decision);
            if about.is_some_and(|(about, _)| about == finding) {
                history.extend(read::decision_file(&folder.join(&name))?.map(|file| file.decision));
            }
        }
        history.sort_by_key(|decision| decision.sequence);
        Ok(history)
    }

    /// Everything, as it is on disk now.
    pub fn snapshot(&self, cancel: &Cancel) -> Result<Snapshot, TriageError> {
        read::snapshot(self, &self.cache, cancel)
    }
}
