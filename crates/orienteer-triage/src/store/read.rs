//! What stands in the records now?

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use orienteer_base::Cancel;
use orienteer_base::triage::{Decision, Finding};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{DecisionFile, FindingFile, Kind, SCHEMA_VERSION, Store};
use crate::error::TriageError;
use crate::id;

/// A record is not longer: an item that is kept as it came has a limit of its own.
const LARGEST: u64 = 32 << 20;

/// A finding and when it was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub finding: Finding,
    pub first_seen: String,
    pub updated: String,
    /// What the source wrote is kept.
    pub has_raw: bool,
    /// For questions about when it changed.
    pub modified: Option<SystemTime>,
}

/// Everything at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub findings: BTreeMap<String, Arc<Known>>,
    /// By finding, oldest first.
    pub decisions: BTreeMap<String, Vec<Arc<Decision>>>,
    /// Files that are no records, and why.
    pub unreadable: Vec<(String, String)>,
}

/// What tells one state of a file from another. A rename brings another file to the place, so its number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    number: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let number = 0;
        Self { modified: metadata.modified().ok(), length: metadata.len(), number }
    }
}

/// A record, or why there is none.
type Outcome<T> = Result<Arc<T>, String>;

/// What was read before, by name of file.
#[derive(Debug, Default)]
pub(super) struct Cache {
    findings: HashMap<String, (Stamp, Outcome<Known>)>,
    decisions: HashMap<String, (Stamp, Outcome<Decision>)>,
}

/// Without what the source wrote, which may be long.
#[derive(Deserialize)]
struct Slim {
    schema_version: u32,
    kind: Kind,
    #[serde(flatten)]
    finding: Finding,
    #[serde(default)]
    first_seen: String,
    #[serde(default)]
    updated: String,
    #[serde(default)]
    raw: Option<IgnoredAny>,
}

pub(super) fn snapshot(
    store: &Store,
    cache: &Mutex<Cache>,
    cancel: &Cancel,
) -> Result<Snapshot, TriageError> {
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    let Cache { findings, decisions } = &mut *cache;
    let mut snapshot = Snapshot::default();
    let mut unreadable = Vec::new();
    refresh(&store.findings(), findings, cancel, |name, path, metadata| {
        let slim: Slim = parse(path)?;
        if slim.schema_version > SCHEMA_VERSION || slim.kind != Kind::Finding || slim.finding.id != name {
            return Err("it is no finding of this name, or of a newer version".to_owned());
        }
        Ok(Known {
            finding: slim.finding,
            first_seen: slim.first_seen,
            updated: slim.updated,
            has_raw: slim.raw.is_some(),
            modified: metadata.modified().ok(),
        })
    })?;
    refresh(&store.decisions(), decisions, cancel, |name, path, _| {
        let file: DecisionFile = parse(path)?;
        let fits = id::parse_decision(name) == Some((file.decision.finding.as_str(), file.decision.sequence));
        if file.schema_version > SCHEMA_VERSION || file.kind != Kind::Decision || !fits {
            return Err("it is no decision of this name, or of a newer version".to_owned());
        }
        Ok(file.decision)
    })?;
    for (name, (_, read)) in findings.iter() {
        match read {
            Ok(known) => drop(snapshot.findings.insert(name.clone(), known.clone())),
            Err(reason) => unreadable.push((format!("findings/{name}.json"), reason.clone())),
        }
    }
    for (name, (_, read)) in decisions.iter() {
        match read {
            Ok(decision) => {
                snapshot.decisions.entry(decision.finding.clone()).or_default().push(decision.clone());
            }
            Err(reason) => unreadable.push((format!("decisions/{name}.json"), reason.clone())),
        }
    }
    snapshot.decisions.values_mut().for_each(|history| history.sort_by_key(|one| one.sequence));
    unreadable.sort();
    snapshot.unreadable = unreadable;
    Ok(snapshot)
}

/// Reads what is new or different, and forgets what is gone.
fn refresh<T>(
    folder: &Path,
    known: &mut HashMap<String, (Stamp, Outcome<T>)>,
    cancel: &Cancel,
    read: impl Fn(&str, &Path, &Metadata) -> Result<T, String>,
) -> Result<(), TriageError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            known.clear();
            return Ok(());
        }
        Err(error) => return Err(TriageError::disk(folder, "read")(error)),
    };
    let mut now = HashMap::with_capacity(known.len());
    for entry in entries {
        cancel.check()?;
        let entry = entry.map_err(TriageError::disk(folder, "read"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".json").filter(|name| !name.starts_with('.')) else { continue };
        // Gone since the folder was read.
        let Ok(metadata) = entry.metadata() else { continue };
        let stamp = Stamp::of(&metadata);
        let value = match known.remove(name) {
            Some((before, value)) if before == stamp => value,
            _ => read(name, &entry.path(), &metadata).map(Arc::new),
        };
        now.insert(name.to_owned(), (stamp, value));
    }
    *known = now;
    Ok(())
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, String> {
    let bytes = bytes(path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| format!("it cannot be read: {error}"))
}

fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A record with everything in it; `None` when it is not there, or when it is none: it will be written anew.
pub(super) fn finding_file(path: &Path) -> Result<Option<FindingFile>, TriageError> {
    Ok(whole(path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// The same for a decision. One that cannot be read is an error: what a person decided is not written over.
pub(super) fn decision_file(path: &Path) -> Result<Option<DecisionFile>, TriageError> {
    whole(path)?
        .map(|bytes| {
            serde_json::from_slice(&bytes)
                .map_err(|error| TriageError::disk(path, "read")(std::io::Error::other(error)))
        })
        .transpose()
}

fn whole(path: &Path) -> Result<Option<Vec<u8>>, TriageError> {
    match bytes(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TriageError::disk(path, "read")(error)),
    }
}
