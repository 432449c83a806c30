//! Security findings: taken in, decided about, backed with evidence from the code.
//!
//! Records belong to a workspace and live in the user's data folder, not in a cache: what a person decided must survive
//! every clean-up.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `triage/pack` | What does this repository say about a finding? |
//! | `triage/search` | Which records answer a search? |

mod pack;
mod search;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use orienteer_base::answer::Warning;
use orienteer_base::triage::{
    DecideQuery, Decided, Findings, IngestQuery, Ingested, ListQuery, ListedFinding, Shown, Status,
};
use orienteer_base::{Answer, Cancel, Completeness, ErrorKind, Problem, Reason, Source};
use orienteer_triage::{Ingest, Snapshot, Store, decide, list};

use crate::Session;
use crate::blocking::blocking;
use crate::index::folder_of_workspace;

/// The records of all workspaces.
#[derive(Debug, Default)]
pub(crate) struct Triage {
    folder: Option<PathBuf>,
    stores: Mutex<HashMap<PathBuf, Arc<Store>>>,
}

impl Triage {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, stores: Mutex::default() }
    }

    fn store(&self, root: &Path) -> Option<Arc<Store>> {
        let folder = self.folder.as_ref()?;
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(Store::new(folder_of_workspace(folder, root)));
        Some(stores.entry(root.to_path_buf()).or_insert_with(make).clone())
    }
}

impl Session {
    /// The records of the workspace, or why there are none.
    pub(crate) fn triage_store(&self) -> Result<Arc<Store>, Problem> {
        self.engine().triage.store(self.roots().workspace()).ok_or_else(|| {
            let message = "there is no data folder of the user, so that records cannot be kept";
            Problem::new(ErrorKind::NotEnabled, message).detail("no_triage_folder")
        })
    }

    fn may_triage(&self) -> Result<Arc<Store>, Problem> {
        if self.read_only() {
            return Err(Problem::new(ErrorKind::ReadOnly, "this session is read-only: no record is written"));
        }
        self.triage_store()
    }

    /// Takes in what a source says. Good items are written whatever is wrong with others.
    pub async fn triage_ingest(&self, query: IngestQuery, cancel: &Cancel) -> Result<Ingested, Problem> {
        let store = if query.dry_run { self.triage_store()? } else { self.may_triage()? };
        let (session, flag) = (self.clone(), cancel.clone());
        blocking(cancel, move || {
            let path = query.file.absolute();
            let unreadable = |reason: &dyn std::fmt::Display| {
                let message = format!("{} could not be read: {reason}", query.file.shown());
                Problem::invalid("input_path", "unreadable_input", message)
            };
            // Opening alone does something to pipes and devices.
            let metadata = path.metadata().map_err(|error| unreadable(&error))?;
            if !metadata.is_file() {
                return Err(unreadable(&"it is no file"));
            }
            let file = session.roots().open_path(&query.file).map_err(|error| unreadable(&error))?;
            let name = query.file.shown().to_ascii_lowercase();
            let wanted = Ingest {
                source: query.source,
                meta: query.meta,
                keep_raw: query.keep_raw,
                dry_run: query.dry_run,
                lines: name.ends_with(".jsonl") || name.ends_with(".ndjson"),
            };
            Ok(orienteer_triage::ingest(&store, file, &wanted, &flag)?)
        })
        .await
    }

    /// Writes down what somebody decided about a finding.
    pub async fn triage_decide(&self, query: DecideQuery, cancel: &Cancel) -> Result<Decided, Problem> {
        let store = self.may_triage()?;
        let flag = cancel.clone();
        blocking(cancel, move || {
            let now = SystemTime::now();
            let (decision, history) = decide::decide(&store, &query, now, &flag)?;
            let snapshot = store.snapshot(&flag)?;
            let finding = listed(&snapshot, &decision.finding, now)?;
            let mut notes = Vec::new();
            if decision.justification.is_none() && decision.status != Status::Fix {
                notes.push("nobody will know why: `justification` is empty".to_owned());
            }
            if decision.expires.is_none() && matches!(decision.status, Status::Accept | Status::Defer) {
                notes.push("without `expires` this is never looked at again".to_owned());
            }
            if finding.finding.closed_at_source {
                notes.push("the source says that this finding is closed already".to_owned());
            }
            let file_path = store.decision_path(&decision.id).display().to_string();
            Ok(Decided { finding, history: history.len(), file_path, notes, decision })
        })
        .await
    }

    /// Findings that fit, worst first.
    pub async fn triage_list(&self, query: ListQuery, cancel: &Cancel) -> Result<Answer<Findings>, Problem> {
        let store = self.triage_store()?;
        let flag = cancel.clone();
        let found = blocking(cancel, move || {
            let snapshot = store.snapshot(&flag)?;
            Ok(list::list(&snapshot, &query, SystemTime::now(), &flag)?)
        })
        .await?;
        let mut answer = Answer::new((), Completeness::Complete, Source::Index);
        tell_unreadable(&found.unreadable, &mut answer);
        Ok(answer.map(|()| found))
    }

    /// One finding with its history.
    pub async fn triage_show(&self, finding: &str, cancel: &Cancel) -> Result<Answer<Shown>, Problem> {
        let store = self.triage_store()?;
        let (flag, written) = (cancel.clone(), finding.to_owned());
        let engine = self.clone();
        blocking(cancel, move || {
            let snapshot = store.snapshot(&flag)?;
            let id = decide::find(&snapshot, &written)?;
            let finding = listed(&snapshot, &id, SystemTime::now())?;
            let history =
                snapshot.decisions.get(&id).into_iter().flatten().map(|one| (**one).clone()).collect();
            let (json, shown) = store.finding_paths(&id);
            let has_raw = snapshot.findings.get(&id).is_some_and(|known| known.has_raw);
            for path in [&json, &shown] {
                if let Ok(real) = path.canonicalize() {
                    engine.engine().admit(&real);
                }
            }
            let mut answer = Answer::new((), Completeness::Complete, Source::Index);
            let unreadable: Vec<String> =
                snapshot.unreadable.iter().map(|(name, why)| format!("{name}: {why}")).collect();
            tell_unreadable(&unreadable, &mut answer);
            Ok(answer.map(|()| Shown {
                finding,
                history,
                json_path: json.display().to_string(),
                markdown_path: shown.display().to_string(),
                has_raw,
            }))
        })
        .await
    }
}

pub(crate) fn listed(snapshot: &Snapshot, id: &str, now: SystemTime) -> Result<ListedFinding, Problem> {
    let known = snapshot.findings.get(id).ok_or_else(|| {
        Problem::new(ErrorKind::NotFound, format!("the finding `{id}` is gone")).detail("no_such_finding")
    })?;
    Ok(decide::listed(known, list::last(snapshot, id), now))
}

/// A record that cannot be read may be the one that somebody looks for.
fn tell_unreadable(unreadable: &[String], answer: &mut Answer<()>) {
    if !unreadable.is_empty() {
        answer.completeness = Completeness::partial(Reason::Unreadable);
        let named: Vec<&str> = unreadable.iter().take(5).map(String::as_str).collect();
        let message = format!("{} records could not be read: {}", unreadable.len(), named.join("; "));
        answer.warnings.push(Warning::new("unreadable_records", message));
    }
}
