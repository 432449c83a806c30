//! Which plans are kept, for whom and how long?
//!
//! A plan belongs to a workspace root. It is applied once: whoever asks again is told that it was, and under which
//! number it can be undone.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use orienteer_base::answer::Warning;
use orienteer_base::edit::{Carry, Planned, PlannedFile, PlannedOperation};
use orienteer_base::error::cut;
use orienteer_base::sha256::Sha256;
use orienteer_base::{Cancel, ErrorKind, Problem, Roots};
use orienteer_edit::{Operation, Plan};

use crate::Session;

/// How long a plan can be applied.
const LIFETIME: Duration = Duration::from_secs(30 * 60);

/// Plans that are kept, and what they may hold together; the oldest goes first.
const MOST: usize = 64;
const MOST_BYTES: usize = 256 << 20;

/// Plans whose end is remembered, so that a second try is told what became of the first.
const REMEMBERED: usize = 256;

/// What was warned of when a plan was shown, and in how many places the old name stays as text.
type Shown = (Vec<Warning>, Option<usize>);

#[derive(Debug)]
struct Kept {
    id: String,
    root: PathBuf,
    plan: Arc<Plan>,
    title: String,
    told: Shown,
    until: Instant,
    /// Somebody carries it out right now.
    claimed: bool,
}

#[derive(Debug)]
struct Done {
    id: String,
    root: PathBuf,
    journal_id: String,
}

#[derive(Debug, Default)]
struct State {
    made: u64,
    /// The oldest first.
    kept: VecDeque<Kept>,
    done: VecDeque<Done>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    secret: RandomState,
    state: Mutex<State>,
}

/// A plan as it is kept.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) plan: Arc<Plan>,
    pub(crate) title: String,
    told: Shown,
}

impl From<&Kept> for Stored {
    fn from(kept: &Kept) -> Self {
        Self { plan: kept.plan.clone(), title: kept.title.clone(), told: kept.told.clone() }
    }
}

impl Plans {
    fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        state.kept.retain(|kept| kept.until > now || kept.claimed);
        state
    }

    /// Keeps a plan and names it: its id, and until when it counts in milliseconds since 1970.
    pub(crate) fn keep(&self, root: &Path, plan: Arc<Plan>, title: String) -> Result<(String, u64), Problem> {
        let bytes = plan.bytes();
        if bytes > MOST_BYTES {
            let message = format!("the change is too large to be kept: {} MB", bytes >> 20);
            return Err(Problem::new(ErrorKind::TooLarge, message).detail("plan_too_large"));
        }
        let mut state = self.lock();
        state.made += 1;
        let id = self.name(&plan, state.made);
        let held = |state: &State| state.kept.iter().map(|kept| kept.plan.bytes()).sum::<usize>();
        while state.kept.len() >= MOST || held(&state) + bytes > MOST_BYTES {
            // One that is being carried out stays until it is done.
            let Some(oldest) = state.kept.iter().position(|kept| !kept.claimed) else { break };
            state.kept.remove(oldest);
        }
        let until = Instant::now() + LIFETIME;
        let root = root.to_path_buf();
        let told = Default::default();
        state.kept.push_back(Kept { id: id.clone(), root, plan, title, told, until, claimed: false });
        let expires = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() + LIFETIME;
        Ok((id, u64::try_from(expires.as_millis()).unwrap_or(u64::MAX)))
    }

    /// A name that nobody can guess and that no other plan has.
    fn name(&self, plan: &Plan, made: u64) -> String {
        let mut sum = Sha256::new();
        sum.update(&self.secret.hash_one(made).to_le_bytes());
        sum.update(&made.to_le_bytes());
        for change in &plan.changes {
            sum.update(change.path.as_os_str().as_encoded_bytes());
            for digest in
                [change.before, change.after.as_ref().map(|after| after.digest)].into_iter().flatten()
            {
                sum.update(&digest.0);
            }
        }
        let digest: String = sum.finish().to_string().chars().take(16).collect();
        format!("plan-{digest}")
    }

    /// A plan that can be applied, left where it is.
    pub(crate) fn look(&self, root: &Path, id: &str) -> Result<Stored, Problem> {
        let state = self.lock();
        let kept = state.kept.iter().find(|kept| kept.root == root && kept.id == id);
        match kept {
            Some(kept) if !kept.claimed => Ok(kept.into()),
            Some(_) => Err(being_applied(id)),
            None => Err(state.missing(root, id)),
        }
    }

    fn note(&self, root: &Path, id: &str, told: Shown) {
        let mut state = self.lock();
        if let Some(kept) = state.kept.iter_mut().find(|kept| kept.root == root && kept.id == id) {
            kept.told = told;
        }
    }

    /// Takes a plan to carry it out: nobody else can until it is given back.
    pub(crate) fn claim(&self, root: &Path, id: &str) -> Result<Stored, Problem> {
        let mut state = self.lock();
        let Some(kept) = state.kept.iter_mut().find(|kept| kept.root == root && kept.id == id) else {
            return Err(state.missing(root, id));
        };
        if std::mem::replace(&mut kept.claimed, true) {
            return Err(being_applied(id));
        }
        Ok((&*kept).into())
    }

    /// Gives a plan back: for good when it was carried out, to be tried again when it was not.
    pub(crate) fn give_back(&self, root: &Path, id: &str, journal_id: Option<&str>) {
        let mut state = self.lock();
        let Some(at) = state.kept.iter().position(|kept| kept.root == root && kept.id == id) else { return };
        match journal_id {
            None => state.kept[at].claimed = false,
            Some(journal_id) => {
                state.kept.remove(at);
                if state.done.len() >= REMEMBERED {
                    state.done.pop_front();
                }
                let (id, journal_id) = (id.to_owned(), journal_id.to_owned());
                state.done.push_back(Done { id, root: root.to_path_buf(), journal_id });
            }
        }
    }
}

impl State {
    fn missing(&self, root: &Path, id: &str) -> Problem {
        let shown = cut(id);
        if let Some(done) = self.done.iter().find(|done| done.root == root && done.id == id) {
            let message =
                format!("`{shown}` was applied already, as `{}`; nothing was done again", done.journal_id);
            return Problem::new(ErrorKind::StalePlan, message)
                .field("plan_id")
                .detail("already_applied")
                .fact("journal_id", done.journal_id.clone());
        }
        let minutes = LIFETIME.as_secs() / 60;
        let message = format!(
            "there is no plan `{shown}`; plans count for {minutes} minutes in the process that made them: make it again, \
             on the command line with `dry_run` false"
        );
        Problem::new(ErrorKind::NotFound, message).field("plan_id").detail("no_such_plan")
    }
}

fn being_applied(id: &str) -> Problem {
    let message = format!("`{}` is being applied by another call right now", cut(id));
    Problem::new(ErrorKind::StalePlan, message).field("plan_id").detail("already_applied")
}

impl Session {
    /// A plan that is kept, as it was shown when it was made. Once it is carried out it is gone.
    pub fn kept_plan(&self, plan_id: &str) -> Result<Planned, Problem> {
        self.may_write()?;
        let stored = self.engine().edits.plans.look(self.roots().workspace(), plan_id)?;
        let (warnings, unconfirmed_total) = stored.told;
        let planned = describe(&stored.plan, self.roots());
        Ok(Planned { title: stored.title, warnings, unconfirmed_total, ..planned })
    }

    /// Keeps what a plan was shown with, for [`Session::kept_plan`].
    pub fn note_plan(&self, planned: &Planned) {
        if let Some(id) = &planned.plan_id {
            let told = (planned.warnings.clone(), planned.unconfirmed_total);
            self.engine().edits.plans.note(self.roots().workspace(), id, told);
        }
    }

    /// The one door of every change: keeps the plan for `apply_edits`, or carries it out at once.
    pub(crate) async fn propose(
        &self,
        plan: Plan,
        title: String,
        carry: Carry,
        cancel: &Cancel,
    ) -> Result<Planned, Problem> {
        self.may_write()?;
        cancel.check()?;
        let mut planned = describe(&plan, self.roots());
        planned.title = title.clone();
        if plan.is_empty() {
            return Ok(planned);
        }
        let plan = Arc::new(plan);
        match carry {
            Carry::Preview => {
                let (id, expires) = self.engine().edits.plans.keep(self.roots().workspace(), plan, title)?;
                (planned.plan_id, planned.expires_at_ms) = (Some(id), Some(expires));
            }
            Carry::Apply => {
                let written = self.write(plan, title, None, cancel).await?;
                planned.warnings = self.tell_servers(&written.files, cancel).await;
                (planned.applied, planned.journal_id) = (true, Some(written.journal_id));
            }
        }
        Ok(planned)
    }
}

/// A plan as it is shown.
pub(crate) fn describe(plan: &Plan, roots: &Roots) -> Planned {
    let file = |preview: &orienteer_edit::Preview| PlannedFile {
        file_path: roots.show(&preview.path),
        new_path: preview.new_path.as_ref().map(|path| roots.show(path)),
        before_sha256: preview.before,
        edits: preview.edits,
        diff: preview.diff.clone(),
    };
    let operation = |operation: &Operation| match operation {
        Operation::Create { path } => PlannedOperation::Create { file_path: roots.show(path) },
        Operation::Rename { from, to } => {
            PlannedOperation::Rename { file_path: roots.show(from), new_path: roots.show(to) }
        }
        Operation::Delete { path } => PlannedOperation::Delete { file_path: roots.show(path) },
    };
    Planned {
        files: plan.previews.iter().map(file).collect(),
        operations: plan.operations.iter().map(operation).collect(),
        ..Planned::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_edit::Change;

    fn plan(path: &str) -> Arc<Plan> {
        let change = Change { path: PathBuf::from(path), before: None, after: None };
        Arc::new(Plan { changes: vec![change], ..Plan::default() })
    }

    fn keep(plans: &Plans, path: &str) -> String {
        plans.keep(Path::new("/a"), plan(path), "a change".to_owned()).unwrap().0
    }

    fn detail<T>(result: Result<T, Problem>) -> (ErrorKind, Option<&'static str>) {
        result.map(|_| ()).map_err(|problem| (problem.kind, problem.detail)).unwrap_err()
    }

    #[test]
    fn a_plan_is_applied_once_and_a_second_try_is_told_so() {
        let plans = Plans::default();
        let root = Path::new("/a");
        let id = keep(&plans, "/a/x");
        assert!(plans.look(root, &id).is_ok());
        assert_eq!(plans.claim(root, &id).unwrap().title, "a change");
        let claimed = (ErrorKind::StalePlan, Some("already_applied"));
        assert_eq!(detail(plans.claim(root, &id)), claimed, "two at once");
        plans.give_back(root, &id, None);
        assert!(plans.claim(root, &id).is_ok(), "it failed and can be tried again");
        plans.give_back(root, &id, Some("17"));
        let problem = plans.claim(root, &id).unwrap_err();
        assert_eq!((problem.kind, problem.detail), claimed);
        assert!(problem.message.contains("`17`"), "{problem}");
    }

    #[test]
    fn a_plan_of_another_root_is_none_and_the_same_change_twice_has_two_names() {
        let plans = Plans::default();
        let id = keep(&plans, "/a/x");
        assert_ne!(id, keep(&plans, "/a/x"));
        assert_eq!(id.len(), "plan-".len() + 16);
        let unknown = (ErrorKind::NotFound, Some("no_such_plan"));
        assert_eq!(detail(plans.look(Path::new("/b"), &id)), unknown);
        assert_eq!(detail(plans.claim(Path::new("/a"), "plan-0")), unknown);
        let other = Plans::default();
        assert_ne!(keep(&other, "/a/x"), id, "another process names it otherwise");
    }

    #[test]
    fn the_oldest_plans_make_room() {
        let plans = Plans::default();
        let first = keep(&plans, "/a/0");
        let ids: Vec<String> = (1..=MOST).map(|at| keep(&plans, &format!("/a/{at}"))).collect();
        let unknown = (ErrorKind::NotFound, Some("no_such_plan"));
        assert_eq!(detail(plans.look(Path::new("/a"), &first)), unknown);
        assert!(ids.iter().all(|id| plans.look(Path::new("/a"), id).is_ok()));
    }

    #[test]
    fn an_expired_plan_is_none() {
        let plans = Plans::default();
        let id = keep(&plans, "/a/x");
        plans.state.lock().unwrap().kept[0].until = Instant::now();
        assert_eq!(detail(plans.look(Path::new("/a"), &id)), (ErrorKind::NotFound, Some("no_such_plan")));
    }
}
