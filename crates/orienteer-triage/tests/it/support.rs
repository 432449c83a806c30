//! A store in a folder that goes away.

use std::path::{Path, PathBuf};

use orienteer_base::Cancel;
use orienteer_base::triage::{Finding, Format, Ingested};
use orienteer_triage::{Ingest, Snapshot, Store, TriageError, ingest};
use serde_json::Value;

pub(crate) struct Place {
    temp: tempfile::TempDir,
    pub(crate) store: Store,
}

impl Place {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path().join("records"));
        Self { temp, store }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.temp.path().join("records")
    }

    pub(crate) fn take(&self, text: &str) -> Ingested {
        self.take_as(text, None).unwrap()
    }

    pub(crate) fn take_as(&self, text: &str, source: Option<Format>) -> Result<Ingested, TriageError> {
        let wanted = Ingest { source, ..Ingest::default() };
        ingest(&self.store, text.as_bytes(), &wanted, &Cancel::new())
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.store.snapshot(&Cancel::new()).unwrap()
    }

    /// The findings of a report, in the order of the report.
    pub(crate) fn findings(&self, report: &Value) -> Vec<Finding> {
        let done = self.take(&report.to_string());
        assert_eq!(done.errors, 0, "{:?}", done.details);
        let snapshot = self.snapshot();
        done.ids.iter().map(|id| snapshot.findings[id].finding.clone()).collect()
    }
}

/// The one finding of a report.
pub(crate) fn only(report: &Value) -> Finding {
    let mut findings = Place::new().findings(report);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.remove(0)
}

/// Every file below a folder, relative, sorted.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path().strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// A finding in the generic shape.
pub(crate) fn generic(key: &str, title: &str) -> Value {
    serde_json::json!({ "key": key, "title": title, "severity": "high" })
}
