//! How long is somebody to wait for the index, and what do they get?

use std::sync::Arc;
use std::time::{Duration, Instant};

use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_index::find::FindError;
use orienteer_index::store::StoreError;

use super::Index;
use super::fresh::{Look, View};
use super::job::{Job, words};
use crate::Session;
use crate::blocking::blocking;

/// How often an index may turn out to be unusable, or be replaced, while one question is asked.
const TRIES: usize = 4;

/// How soon a build that takes long is worth asking about again.
const ASK_AGAIN_MS: u64 = 2_000;

/// An answer with the index that it came from and how long it was waited for, or why there is none.
#[derive(Debug)]
pub(super) enum Ready<T> {
    Yes(T, View, Duration),
    No(Problem),
}

/// Why a question to the store has no answer.
#[derive(Debug)]
pub(super) enum Trouble {
    Store(StoreError),
    Problem(Problem),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<FindError> for Trouble {
    fn from(error: FindError) -> Self {
        match error {
            FindError::Store(error) => Self::Store(error),
            FindError::Stopped(stopped) => Self::Problem(stopped.into()),
        }
    }
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

enum Step<T> {
    Done(T, View),
    Wait(Arc<Job>),
    Failed(Problem),
}

impl Session {
    /// Asks the index, as true as it can be made, and waits for one that is being built. Whatever is wrong with the one
    /// that is there heals it and is asked again.
    pub(super) async fn ask_index<T: Send + 'static>(
        &self,
        index: &Arc<Index>,
        wait: Duration,
        cancel: &Cancel,
        ask: impl Fn(&Index, &View, &Cancel) -> Result<T, Trouble> + Send + Sync + 'static,
    ) -> Result<Ready<T>, Problem> {
        let (ask, begun) = (Arc::new(ask), Instant::now());
        let (mut waited, stopping) = (Duration::ZERO, index.stopping.clone());
        for _ in 0..TRIES {
            let (session, index, ask, flag) = (self.clone(), index.clone(), ask.clone(), cancel.clone());
            let step = blocking(cancel, move || {
                let watch = session.watch();
                let look = match index.look(&watch, &flag)? {
                    Look::Ready(view) => match ask(&index, &view, &flag) {
                        Ok(value) => return Ok(Step::Done(value, view)),
                        Err(Trouble::Problem(problem)) => return Err(problem),
                        Err(Trouble::Store(error)) => index.lost(&watch, error)?,
                    },
                    other => other,
                };
                Ok(match look {
                    Look::Wait(job) => Step::Wait(job),
                    Look::Failed(problem) => Step::Failed(problem),
                    // Only ever for an index that is asked; there is none here.
                    Look::Ready(_) => Step::Failed(unusable()),
                })
            });
            let job = match step.await? {
                Step::Done(value, view) => return Ok(Ready::Yes(value, view, waited)),
                Step::Failed(problem) => return Ok(Ready::No(problem)),
                Step::Wait(job) => job,
            };
            match job.wait(wait.saturating_sub(begun.elapsed()), cancel).await {
                Some(Ok(_)) => waited = begun.elapsed(),
                // Somebody else told it to stop; that is no reason to go without.
                Some(Err(problem)) if problem.kind == ErrorKind::Cancelled => {
                    if stopping.is_cancelled() {
                        return Ok(Ready::No(not_ready(&job)));
                    }
                }
                Some(Err(problem)) => return Ok(Ready::No(problem)),
                None => return Ok(Ready::No(not_ready(&job))),
            }
        }
        Ok(Ready::No(unusable()))
    }
}

fn unusable() -> Problem {
    Problem::new(ErrorKind::NotIndexed, "the index was built again and again and could not be used")
        .detail("index_unusable")
}

/// The problem of somebody who could not wait for a build.
pub(super) fn not_ready(job: &Job) -> Problem {
    let progress = job.progress();
    let words = words(&progress);
    let problem = Problem::new(ErrorKind::NotReady, format!("the index is not ready: {words}"))
        .detail("index_building")
        .fact("progress", words)
        .retry_after_ms(ASK_AGAIN_MS);
    match progress.percent() {
        #[allow(clippy::cast_possible_truncation, reason = "from 0 to 100")]
        Some(percent) => problem.fact("percent", percent as i64),
        None => problem,
    }
}
