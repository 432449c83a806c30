//! How is a plan carried out, and who is told?

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::edit::{AppliedEdits, ApplyQuery};
use orienteer_base::{Answer, Cancel, Completeness, Digest, Problem, Roots, Source};
use orienteer_edit::{Applied, EditError, Journal, Moved, Plan};

use super::findings::Sides;
use crate::Session;
use crate::blocking::blocking;
use crate::servers::Life;

/// How long a server may take to hear of changed files.
const TELLING: Duration = Duration::from_secs(5);

/// A file that cannot be hashed within this is another one than before.
const LARGEST: u64 = 1 << 30;

/// What is done on the thread that carries a change out.
type Work = Box<dyn FnOnce(&Journal, &Roots) -> Result<Applied, EditError> + Send>;

impl Session {
    /// Applies exactly a plan that was made before, or tells what checkers would say of it.
    pub async fn apply(&self, query: ApplyQuery, cancel: &Cancel) -> Result<Answer<AppliedEdits>, Problem> {
        self.may_write()?;
        let stored = self.engine().edits.plans.look(self.roots().workspace(), &query.plan_id)?;
        if query.simulate {
            return self.simulate(&stored.plan, query.wait, cancel).await;
        }
        if !query.diagnostics {
            let written = self.write(stored.plan, stored.title, Some(query.plan_id), cancel).await?;
            let mut answer = Answer::new((), Completeness::Complete, Source::Text);
            answer.warnings = self.tell_servers(&written.files, cancel).await;
            return Ok(answer.map(|()| self.applied(written)));
        }
        self.still_fits(&stored.plan, cancel).await?;
        let sides = Sides::of(&stored.plan);
        let before = self.findings(&sides.before, query.wait, cancel).await?;
        let written = self.write(stored.plan.clone(), stored.title, Some(query.plan_id), cancel).await?;
        let warnings = self.tell_servers(&written.files, cancel).await;
        let mut applied = self.applied(written);
        // The change is made: whatever goes wrong with the check now must not hide that.
        let mut answer = match self.findings(&sides.after, query.wait, cancel).await {
            Ok(after) => {
                let (answer, delta) = sides.compare(before, after, self.roots());
                applied.diagnostics_delta = Some(delta);
                answer
            }
            Err(problem) => {
                let delta = sides.unknown(self.roots(), &problem.message);
                applied.diagnostics_delta = Some(delta);
                super::findings::unchecked()
            }
        };
        answer.warnings.extend(warnings);
        Ok(answer.map(|()| applied))
    }

    fn applied(&self, written: Applied) -> AppliedEdits {
        AppliedEdits {
            applied: true,
            journal_id: Some(written.journal_id),
            undone: written.undone,
            files: written.files.iter().map(|path| self.roots().show(path)).collect(),
            diagnostics_delta: None,
        }
    }

    /// Carries a plan out. Once begun it goes on to its end, whoever stops waiting; a kept plan is marked as done by the
    /// same thread.
    pub(crate) async fn write(
        &self,
        plan: Arc<Plan>,
        title: String,
        kept_as: Option<String>,
        cancel: &Cancel,
    ) -> Result<Applied, Problem> {
        let work: Work = Box::new(move |journal, roots| journal.apply(&plan, &title, roots));
        self.journalled(work, kept_as, cancel).await
    }

    /// Work of the journal, on a thread of its own.
    pub(super) async fn journalled(
        &self,
        work: Work,
        kept_as: Option<String>,
        cancel: &Cancel,
    ) -> Result<Applied, Problem> {
        let journal = self.may_write()?;
        let (session, flag) = (self.clone(), cancel.clone());
        blocking(cancel, move || {
            flag.check()?;
            let (plans, root) = (&session.engine().edits.plans, session.roots().workspace());
            if let Some(id) = &kept_as {
                plans.claim(root, id)?;
            }
            let done = work(&journal, session.roots());
            if let Some(id) = &kept_as {
                plans.give_back(root, id, done.as_ref().ok().map(|done| done.journal_id.as_str()));
            }
            done.map_err(|error| error.problem(session.roots()))
        })
        .await
    }

    /// Makes the servers that run already see what was changed. None is started for it: one that starts later reads the
    /// files as they are.
    pub(crate) async fn tell_servers(&self, files: &[PathBuf], cancel: &Cancel) -> Vec<Warning> {
        let fleet = &self.engine().fleet;
        let states = fleet.states(false);
        let runs = |id: &str, root: &Path| {
            states
                .iter()
                .any(|state| state.life == Life::Running && state.server_id == id && state.root == root)
        };
        let mut installed = HashMap::new();
        let mut samples: BTreeMap<(String, PathBuf), &PathBuf> = BTreeMap::new();
        for file in files {
            if let Some((id, root)) = fleet.home(file, &mut installed)
                && runs(&id, &root)
            {
                samples.entry((id, root)).or_insert(file);
            }
        }
        let patience = &self.patience(Some(TELLING), cancel);
        let telling = samples.into_iter().map(|((id, _), file)| async move {
            let told = async {
                let lease = self.lease(file).await?;
                // No file has to be opened for it: the barrier tells everything that changed.
                lease.open(&[], patience).await
            };
            let failed = |what: String| {
                let message = format!("the change is made, but `{id}` has not heard of it yet: {what}");
                Warning::new("server_not_told", message)
            };
            match tokio::time::timeout(TELLING, told).await {
                Ok(Ok(_)) => None,
                Ok(Err(failure)) => Some(failed(failure.to_string())),
                Err(_) => Some(failed("it did not listen in time".to_owned())),
            }
        });
        futures::future::join_all(telling).await.into_iter().flatten().collect()
    }

    /// Whether the files are still those that a plan was made for.
    pub(super) async fn still_fits(&self, plan: &Arc<Plan>, cancel: &Cancel) -> Result<(), Problem> {
        let (plan, spec, flag) = (plan.clone(), self.spec(), cancel.clone());
        blocking(cancel, move || {
            let mut moved = Vec::new();
            for change in &plan.changes {
                flag.check()?;
                if let Some(how) = compare(&change.path, change.before, &spec.roots, &flag) {
                    moved.push((change.path.clone(), how));
                }
            }
            if moved.is_empty() {
                Ok(())
            } else {
                Err(EditError::Stale { files: moved }.problem(&spec.roots))
            }
        })
        .await
    }
}

/// What became of a file since it was seen; `None` when it is the same.
pub(super) fn compare(path: &Path, seen: Option<Digest>, roots: &Roots, cancel: &Cancel) -> Option<Moved> {
    let there = std::fs::symlink_metadata(path);
    match (seen, there) {
        (None, Err(_)) => None,
        (None, Ok(_)) => Some(Moved::Appeared),
        (Some(_), Err(_)) => Some(Moved::Missing),
        (Some(_), Ok(data)) if !data.is_file() => Some(Moved::NotAFile),
        (Some(seen), Ok(_)) => {
            let now = roots.open(path).ok();
            let now = now.and_then(|mut file| Digest::of(&mut file, LARGEST, cancel).ok());
            (now != Some(seen)).then_some(Moved::Changed)
        }
    }
}

#[cfg(test)]
mod tests;
