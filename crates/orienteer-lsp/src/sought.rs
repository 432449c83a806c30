//! Which programs were looked for lately, and what came of it?

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::definition::Definition;
use crate::failure::Failure;
use crate::program::{self, Found};
use crate::surroundings::{Surroundings, missing_failure};

/// A program that was not found is looked for again after this time: somebody may have installed it.
const MISSING_FOR: Duration = Duration::from_secs(3);

/// By somebody who can do without it, the longer it has been missing the later, and at the latest after this.
const MISSING_AT_MOST: Duration = Duration::from_secs(60);

/// By server and project.
#[derive(Debug, Default)]
pub(crate) struct Sought(Mutex<HashMap<(String, PathBuf), Arc<Place>>>);

#[derive(Debug, Default)]
struct Place {
    /// Held while somebody looks: several first calls look once.
    looking: tokio::sync::Mutex<()>,
    last: Mutex<Option<Looked>>,
}

/// How somebody fared.
#[derive(Debug, Clone)]
struct Looked {
    at: Instant,
    result: Result<Found, Failure>,
    /// Since when it is known to be missing, if it is.
    missing: Instant,
}

impl Sought {
    fn lock(&self) -> MutexGuard<'_, HashMap<(String, PathBuf), Arc<Place>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, definition: &Definition, root: &Path) -> Arc<Place> {
        self.lock().entry((definition.id.clone(), root.to_path_buf())).or_default().clone()
    }

    /// Programs are looked for again by whoever needs one next.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }
}

impl Place {
    fn last(&self) -> Option<Looked> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was found, unless it may be otherwise now.
    fn still(&self) -> Option<Result<Found, Failure>> {
        let Looked { at, result, .. } = self.last()?;
        let holds = match &result {
            Ok(found) => found.path.exists(),
            Err(_) => at.elapsed() < MISSING_FOR,
        };
        holds.then_some(result)
    }

    fn note(&self, result: Result<Found, Failure>) {
        let at = Instant::now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = last.take().filter(|last| last.result.is_err()).map_or(at, |last| last.missing);
        *last = Some(Looked { at, result, missing });
    }
}

impl Looked {
    /// Whether somebody who can do without it should look again.
    fn is_old(&self) -> bool {
        let known = self.at.saturating_duration_since(self.missing);
        self.at.elapsed() >= known.clamp(MISSING_FOR, MISSING_AT_MOST)
    }
}

impl Surroundings {
    /// The program of a server, probed once.
    pub(crate) async fn find(&self, definition: &Definition, root: &Path) -> Result<Found, Failure> {
        let place = self.sought.place(definition, root);
        if let Some(result) = place.still() {
            return result;
        }
        let _looking = place.looking.lock().await;
        match place.still() {
            Some(result) => result,
            None => self.look_for(definition, root, &place).await,
        }
    }

    /// The same for somebody who can do without: a program that was missing is looked for beside the question, because
    /// starting a candidate to see what it is takes longer than many an answer.
    pub(crate) async fn find_or_do_without(
        self: &Arc<Self>,
        definition: &Arc<Definition>,
        root: &Path,
    ) -> Result<Found, Failure> {
        let place = self.sought.place(definition, root);
        let Some(last) = place.last().filter(|last| last.result.is_err()) else {
            return self.find(definition, root).await;
        };
        if last.is_old() {
            let (here, definition, root) = (self.clone(), definition.clone(), root.to_path_buf());
            tokio::spawn(async move {
                // Somebody else is at it.
                let Ok(_looking) = place.looking.try_lock() else { return };
                if place.still().is_none() {
                    drop(here.look_for(&definition, &root, &place).await);
                }
            });
        }
        last.result
    }

    async fn look_for(&self, definition: &Definition, root: &Path, place: &Place) -> Result<Found, Failure> {
        let (roots, environment, launcher) = (&self.roots, &self.environment, &self.launcher);
        let (policy, state) = (self.local_programs, &self.state_folder);
        let found = program::find(definition, root, roots, environment, launcher, policy, state);
        let result = found.await.map_err(|missing| missing_failure(definition, missing));
        place.note(result.clone());
        result
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_has_been_missing_for_long_is_looked_for_less_often() {
        let now = Instant::now();
        let ago = |seconds: u64| now.checked_sub(Duration::from_secs(seconds)).expect("a while ago");
        let failure = Failure::File { path: "p".to_owned(), reason: "r".to_owned() };
        let is_old = |missing: u64, at: u64| {
            Looked { at: ago(at), result: Err(failure.clone()), missing: ago(missing) }.is_old()
        };
        assert!(is_old(4, 4) && !is_old(2, 2), "just missed");
        assert!(!is_old(20, 8) && is_old(20, 12));
        assert!(!is_old(9_000, 50) && is_old(9_000, 61));
    }

    #[test]
    fn it_is_missing_since_it_was_missed_first() {
        let place = Place::default();
        let failure = || Err(Failure::File { path: "p".to_owned(), reason: "r".to_owned() });
        place.note(failure());
        let first = place.last().unwrap().at;
        place.note(failure());
        assert_eq!(place.last().unwrap().missing, first);
        place.note(Ok(Found::default()));
        place.note(failure());
        assert!(place.last().unwrap().missing > first, "it was there in between");
    }
}
