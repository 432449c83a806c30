//! What does the one build that runs do, and who waits for it?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use orienteer_base::{Cancel, Problem};
use orienteer_index::build::{Phase, Progress, Report};
use tokio::sync::watch;

/// What a build came to.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) report: Report,
    /// Why nothing could be written; what was there can be asked.
    pub(super) frozen: Option<Problem>,
}

/// How a build ended.
pub(super) type Ended = Result<Arc<Done>, Problem>;

/// What is known about a build from outside.
#[derive(Debug, Clone)]
struct Heard {
    progress: Progress,
    ended: Option<Ended>,
}

/// A build on a thread of its own. There is one at a time; whoever wants one waits for that.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) cancel: Cancel,
    /// Makes everything anew.
    pub(super) fresh: bool,
    /// It goes on when nobody waits.
    wanted: AtomicBool,
    waiting: AtomicUsize,
    heard: watch::Sender<Heard>,
}

impl Job {
    pub(super) fn new(fresh: bool, wanted: bool) -> Self {
        let progress = Progress {
            phase: Phase::Waiting,
            done: 0,
            found: 0,
            bytes_done: 0,
            bytes_found: 0,
            counted: false,
        };
        Self {
            cancel: Cancel::new(),
            fresh,
            wanted: AtomicBool::new(wanted),
            waiting: AtomicUsize::new(0),
            heard: watch::Sender::new(Heard { progress, ended: None }),
        }
    }

    pub(super) fn tell(&self, progress: &Progress) {
        self.heard.send_modify(|heard| heard.progress = *progress);
    }

    pub(super) fn end(&self, ended: Ended) {
        self.heard.send_modify(|heard| heard.ended = Some(ended));
    }

    pub(super) fn progress(&self) -> Progress {
        self.heard.borrow().progress
    }

    /// Lets it go on when those who wait go away.
    pub(super) fn want(&self) {
        self.wanted.store(true, Ordering::SeqCst);
    }

    /// Waits for the end, saying meanwhile how far it is; `None` when it takes longer.
    pub(super) async fn wait(self: &Arc<Self>, patience: Duration, cancel: &Cancel) -> Option<Ended> {
        let _here = Claim::new(self.clone());
        self.hear(patience, cancel).await
    }

    async fn hear(&self, patience: Duration, cancel: &Cancel) -> Option<Ended> {
        let until = tokio::time::Instant::now() + patience;
        let mut heard = self.heard.subscribe();
        loop {
            {
                let now = heard.borrow_and_update();
                if now.ended.is_some() {
                    return now.ended.clone();
                }
                cancel.say(words(&now.progress));
            }
            // Said here and not left to a timer: whoever has no time left hears so at once.
            if tokio::time::Instant::now() >= until {
                return None;
            }
            match tokio::time::timeout_at(until, heard.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return None,
            }
        }
    }
}

/// Somebody who wants the end of a build. One that only they want ends with the last of them.
#[derive(Debug)]
pub(super) struct Claim(Arc<Job>);

impl Claim {
    pub(super) fn new(job: Arc<Job>) -> Self {
        job.waiting.fetch_add(1, Ordering::SeqCst);
        Self(job)
    }

    pub(super) fn job(&self) -> &Arc<Job> {
        &self.0
    }

    /// Waits for the end, and lets the build go on alone when that takes longer. `None` says that it does go on: it is
    /// wanted before this claim on it ends, so nobody who leaves can stop it.
    pub(super) async fn wait_and_leave(self, patience: Duration, cancel: &Cancel) -> Option<Ended> {
        let ended = self.0.hear(patience, cancel).await;
        if ended.is_none() {
            self.0.want();
            // Told to stop by somebody else, it does not go on whoever wants it.
            if self.0.cancel.is_cancelled() {
                return Some(Err(orienteer_base::Stopped.into()));
            }
            // It may have ended between the last look and now.
            return self.0.heard.borrow().ended.clone();
        }
        ended
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let last = self.0.waiting.fetch_sub(1, Ordering::SeqCst) == 1;
        if last && !self.0.wanted.load(Ordering::SeqCst) {
            self.0.cancel.cancel();
        }
    }
}

/// `indexing 1234 of 5678 files, 21 %`
pub(super) fn words(progress: &Progress) -> String {
    let Progress { phase, done, found, counted, .. } = progress;
    match phase {
        Phase::Waiting => "waiting for the index".to_owned(),
        Phase::Reading if !counted => format!("indexing {done} of at least {found} files"),
        Phase::Reading => match progress.percent() {
            Some(percent) => format!("indexing {done} of {found} files, {percent:.0} %"),
            None => format!("indexing {done} of {found} files"),
        },
        Phase::Writing => {
            format!("indexing {found} files: writing, {:.0} %", progress.percent().unwrap_or(92.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(phase: Phase, counted: bool) -> Progress {
        Progress { phase, done: 1234, found: 5678, bytes_done: 23, bytes_found: 100, counted }
    }

    #[test]
    fn progress_has_counts_and_a_percentage() {
        assert_eq!(words(&progress(Phase::Reading, true)), "indexing 1234 of 5678 files, 21 %");
        assert_eq!(words(&progress(Phase::Reading, false)), "indexing 1234 of at least 5678 files");
        assert!(words(&progress(Phase::Writing, true)).contains(" %"));
    }

    #[tokio::test]
    async fn whoever_waits_hears_progress_and_the_end() {
        let job = Arc::new(Job::new(false, true));
        let other = job.clone();
        let cancel = Cancel::new();
        job.tell(&progress(Phase::Reading, true));
        let waiting = async {
            assert!(job.wait(Duration::from_millis(10), &cancel).await.is_none());
            assert_eq!(cancel.note().as_deref(), Some("indexing 1234 of 5678 files, 21 %"));
            other.end(Err(Problem::new(orienteer_base::ErrorKind::InternalError, "no")));
            job.wait(Duration::from_secs(5), &cancel).await
        };
        assert_eq!(waiting.await.unwrap().unwrap_err().message, "no");
        assert!(!job.cancel.is_cancelled(), "somebody wants it whoever waits");
    }

    #[tokio::test]
    async fn a_build_that_nobody_wants_any_more_is_stopped() {
        let job = Arc::new(Job::new(false, false));
        let cancel = Cancel::new();
        {
            let first = job.wait(Duration::from_secs(60), &cancel);
            tokio::pin!(first);
            let _ = tokio::time::timeout(Duration::from_millis(5), &mut first).await;
            assert!(job.wait(Duration::ZERO, &cancel).await.is_none());
            assert!(!job.cancel.is_cancelled(), "one still waits");
        }
        assert!(job.cancel.is_cancelled());
    }

    #[tokio::test]
    async fn a_build_that_was_waited_for_long_enough_goes_on_alone() {
        for patience in [Duration::ZERO, Duration::from_millis(5)] {
            let (job, cancel) = (Arc::new(Job::new(false, false)), Cancel::new());
            assert!(Claim::new(job.clone()).wait_and_leave(patience, &cancel).await.is_none());
            assert!(!job.cancel.is_cancelled(), "nobody waits any more, and it goes on");
            // Who comes and goes later changes nothing about that.
            assert!(job.wait(Duration::ZERO, &cancel).await.is_none());
            assert!(!job.cancel.is_cancelled());
        }
    }

    #[tokio::test]
    async fn a_build_that_was_told_to_stop_is_not_said_to_go_on() {
        let (job, cancel) = (Arc::new(Job::new(false, false)), Cancel::new());
        job.cancel.cancel();
        let ended = Claim::new(job).wait_and_leave(Duration::ZERO, &cancel).await;
        assert_eq!(ended.unwrap().unwrap_err().kind, orienteer_base::ErrorKind::Cancelled);
    }

    #[test]
    fn a_build_whose_asker_went_away_before_waiting_is_stopped() {
        let job = Arc::new(Job::new(false, false));
        drop(Claim::new(job.clone()));
        assert!(job.cancel.is_cancelled());
    }
}
