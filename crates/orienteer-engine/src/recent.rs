//! What was found wrong with a file a moment ago, and still is.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use orienteer_base::ask::{CheckScope, DiagnosticsQuery};
use orienteer_base::code::{CheckState, Diagnostics};
use orienteer_base::{Answer, Cancel, Problem, RootedPath};
use orienteer_watch::{Cursor, Watch};

use crate::Session;
use crate::blocking::blocking;

/// Files whose findings are kept.
const MOST_FILES: usize = 64;

/// By path.
#[derive(Debug, Default)]
pub(crate) struct Recent(Mutex<HashMap<PathBuf, Kept>>);

#[derive(Debug)]
struct Kept {
    at: Instant,
    watch: Arc<Watch>,
    /// Since before the checkers were asked.
    since: Cursor,
    answer: Answer<Diagnostics>,
}

impl Kept {
    /// Whether nothing has changed, here or in any other file: what is wrong with one may be the fault of another.
    fn is_true(&mut self, longest: Duration) -> bool {
        if self.at.elapsed() >= longest {
            return false;
        }
        let changes = self.watch.changes(&mut self.since);
        changes.complete && changes.is_empty()
    }
}

impl Session {
    /// All findings about one file or folder, asked for once as long as nothing changes, and at the latest again after
    /// `longest`. Only whole answers are kept.
    pub async fn recent_diagnostics(
        &self,
        path: RootedPath,
        longest: Duration,
        query: DiagnosticsQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Diagnostics>, Problem> {
        let (session, key) = (self.clone(), path.absolute().to_path_buf());
        let looked = blocking(cancel, move || {
            let kept = session.engine().recent.lock().remove(&key);
            let Some(mut kept) = kept.filter(|kept| kept.at.elapsed() < longest) else {
                let watch = session.workspace().watch();
                let since = watch.cursor();
                return Ok(Err((watch, since)));
            };
            if kept.is_true(longest) {
                let answer = kept.answer.clone();
                session.engine().recent.keep(key, kept);
                return Ok(Ok(answer));
            }
            Ok(Err((kept.watch, kept.since)))
        });
        let (watch, since) = match looked.await? {
            Ok(answer) => return Ok(answer),
            Err(from) => from,
        };
        let key = path.absolute().to_path_buf();
        let query = DiagnosticsQuery { scope: CheckScope::Files(vec![path]), ..query };
        let answer = self.diagnostics(query, cancel).await?;
        if answer.completeness.is_complete() && answer.value.state != CheckState::Pending {
            let kept = Kept { at: Instant::now(), watch, since, answer: answer.clone() };
            self.engine().recent.keep(key, kept);
        }
        Ok(answer)
    }
}

impl Recent {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, key: PathBuf, kept: Kept) {
        let mut all = self.lock();
        if all.len() >= MOST_FILES && !all.contains_key(&key) {
            let oldest = all.iter().min_by_key(|(_, kept)| kept.at).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| all.remove(&oldest));
        }
        all.insert(key, kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_base::code::Summary;
    use orienteer_base::{Completeness, Source};
    use orienteer_testkit::{Tree, tree};
    use orienteer_watch::Options;

    const LONG: Duration = Duration::from_secs(600);

    fn kept(tree: &Tree) -> Kept {
        let watch = Watch::start(tree.root(), Options::new(tree.beside("ours")));
        let since = watch.cursor();
        let found = Diagnostics {
            state: CheckState::Clean,
            rows: Vec::new(),
            total: 0,
            summary: Summary::default(),
            files_checked: 1,
            pending_files: Vec::new(),
            delta: None,
        };
        Kept {
            at: Instant::now(),
            watch,
            since,
            answer: Answer::new(found, Completeness::Complete, Source::Lsp),
        }
    }

    #[test]
    fn what_is_kept_is_asked_for_again_when_its_time_is_over() {
        let tree = tree("//- /a.rs\nfn a() {}\n");
        let mut kept = kept(&tree);
        assert!(kept.is_true(LONG));
        assert!(!kept.is_true(Duration::ZERO));
    }

    #[test]
    fn any_change_ends_it() {
        for change in ["a.rs", "b.rs"] {
            let tree = tree("//- /a.rs\nfn a() {}\n");
            let mut kept = kept(&tree);
            assert!(kept.is_true(LONG));
            tree.write(change, "fn other() {}\n");
            assert!(!kept.is_true(LONG), "{change}");
        }
    }

    #[test]
    fn only_so_many_are_kept() {
        let tree = tree("//- /a.rs\nfn a() {}\n");
        let recent = Recent::default();
        for number in 0..MOST_FILES + 5 {
            recent.keep(PathBuf::from(number.to_string()), kept(&tree));
        }
        assert_eq!(recent.lock().len(), MOST_FILES);
        assert!(!recent.lock().contains_key(&PathBuf::from("0")), "the oldest went first");
    }
}
