//! Engines of other folders: for dialects whose clients name a repository or a file anywhere in each call.
//!
//! One engine per folder, so that trust, roots, servers and indexes of one never count in another; a bounded number of
//! them, the least recently used that nobody is using goes first.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use orienteer_base::{ErrorKind, Problem};
use orienteer_engine::Session;

/// Makes the session of a folder.
pub type Make = Box<dyn Fn(&Path) -> Result<Session, String> + Send + Sync>;

/// How many folders are kept at once unless a dialect says otherwise.
pub const USUAL: usize = 8;

/// See the module.
pub struct Elsewhere {
    make: Make,
    most: usize,
    /// The most recently used last.
    held: Mutex<Vec<Held>>,
    /// How many had to go for another.
    gone: AtomicU64,
}

struct Held {
    root: PathBuf,
    session: Arc<Session>,
}

/// A session that is not taken away while somebody has this.
#[derive(Debug, Clone)]
pub struct Lent(Arc<Session>);

impl std::ops::Deref for Lent {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.0
    }
}

impl Elsewhere {
    pub fn new(make: Make, most: usize) -> Self {
        Self { make, most: most.max(1), held: Mutex::default(), gone: AtomicU64::new(0) }
    }

    pub fn most(&self) -> usize {
        self.most
    }

    /// How many had to go for another so far.
    pub fn gone(&self) -> u64 {
        self.gone.load(Ordering::Relaxed)
    }

    /// The folders that are held now, the most recently used last, with their sessions.
    pub fn held(&self) -> Vec<(PathBuf, Lent)> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().map(|held| (held.root.clone(), Lent(held.session.clone()))).collect()
    }

    /// The session of a folder. Blocks on its first use.
    pub fn session(&self, root: &Path) -> Result<Lent, Problem> {
        let root = std::fs::canonicalize(root).map_err(|error| {
            let message = format!("`{}` cannot be used as a folder: {error}", root.display());
            Problem::new(ErrorKind::NotFound, message).detail("no_such_path")
        })?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = held.iter().position(|held| held.root == root) {
            let known = held.remove(at);
            let session = known.session.clone();
            held.push(known);
            let gone = trim(&mut held, self.most);
            drop(held);
            self.let_go(gone);
            return Ok(Lent(session));
        }
        let made = (self.make)(&root).map_err(|cause| {
            let message = format!("`{}` cannot be worked in: {cause}", root.display());
            Problem::new(ErrorKind::InvalidParams, message).detail("unusable_root")
        })?;
        let session = Arc::new(made);
        held.push(Held { root, session: session.clone() });
        let gone = trim(&mut held, self.most);
        drop(held);
        self.let_go(gone);
        Ok(Lent(session))
    }

    fn let_go(&self, gone: Vec<Held>) {
        self.gone.fetch_add(gone.len() as u64, Ordering::Relaxed);
        for gone in gone {
            tracing::info!(root = %gone.root.display(), "least recently used: let go");
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move { gone.session.shut_down().await });
            }
        }
    }

    /// Stops everything that was started anywhere.
    pub async fn shut_down(&self) {
        let held = std::mem::take(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner));
        for held in held {
            held.session.shut_down().await;
        }
    }
}

/// Takes out the least recently used that nobody uses. Nobody else can get hold of one meanwhile: that takes the lock.
fn trim(held: &mut Vec<Held>, most: usize) -> Vec<Held> {
    let mut gone = Vec::new();
    while held.len() > most {
        let Some(at) = held.iter().position(|held| Arc::strong_count(&held.session) == 1) else { break };
        gone.push(held.remove(at));
    }
    gone
}

impl std::fmt::Debug for Elsewhere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Elsewhere").field("most", &self.most).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use orienteer_base::Roots;
    use orienteer_engine::process::{Environment, Launcher, ReaperCommand};
    use orienteer_engine::{Engine, EngineSpec, SessionSpec};

    use super::*;

    fn make(root: &Path) -> Result<Session, String> {
        let roots = Roots::new(root, &[]).map_err(|error| error.to_string())?;
        let launcher = Launcher::new(ReaperCommand::new("none"));
        let environment = Environment::from_pairs::<String, String>([]);
        let engine = Engine::new(EngineSpec::new(roots.clone(), environment, launcher, std::env::temp_dir()));
        Ok(engine.session(SessionSpec { roots, read_only: false }))
    }

    fn names(elsewhere: &Elsewhere) -> Vec<String> {
        let held = elsewhere.held();
        held.iter().map(|(root, _)| root.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    #[tokio::test]
    async fn the_least_recently_used_goes_unless_somebody_uses_it() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c", "d"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let elsewhere = Elsewhere::new(Box::new(make), 2);
        let at = |name: &str| elsewhere.session(&folder.path().join(name)).unwrap();
        let first = at("a");
        drop((at("b"), at("a")));
        assert_eq!(names(&elsewhere), ["b", "a"], "asked again is used again");
        drop(at("c"));
        assert_eq!((names(&elsewhere), elsewhere.gone()), (vec!["a".to_owned(), "c".to_owned()], 1));
        drop(at("d"));
        assert_eq!(names(&elsewhere), ["a", "d"], "the first is in use");
        assert!(first.roots().workspace().ends_with("a"));
        let second = at("d");
        drop(at("b"));
        assert_eq!(names(&elsewhere), ["a", "d", "b"], "nobody is taken anything away");
        drop((first, second));
        drop(at("c"));
        assert_eq!(names(&elsewhere), ["b", "c"]);
        elsewhere.shut_down().await;
        assert_eq!(names(&elsewhere), [] as [String; 0]);
    }

    #[tokio::test]
    async fn what_is_no_folder_is_an_error_and_nothing_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = Elsewhere::new(Box::new(make), 2);
        let missing = elsewhere.session(&folder.path().join("nope")).unwrap_err();
        assert_eq!((missing.kind, missing.detail), (ErrorKind::NotFound, Some("no_such_path")));
        std::fs::write(folder.path().join("file"), "").unwrap();
        let file = elsewhere.session(&folder.path().join("file")).unwrap_err();
        assert_eq!((file.kind, file.detail), (ErrorKind::InvalidParams, Some("unusable_root")));
        assert_eq!(names(&elsewhere), [] as [String; 0]);
    }
}
