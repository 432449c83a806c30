//! Engines of other folders: for dialects whose clients name a repository or a file anywhere in each call.
//!
//! One engine per folder, so that trust, roots, servers and indexes of one never count in another; a bounded number of
//! them, the least recently used that nobody is using goes first.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use orienteer_base::{ErrorKind, Problem};
use orienteer_engine::Session;

use crate::config::Config;

/// Opens a folder.
pub type Make = Box<dyn Fn(&Path) -> Result<Room, String> + Send + Sync>;

/// A folder that is worked in: what is in force there, and the session made from it.
#[derive(Debug)]
pub struct Room {
    pub config: Config,
    pub session: Session,
}

/// How many folders are kept at once unless a dialect says otherwise.
pub const USUAL: usize = 8;

/// See the module.
pub struct Elsewhere {
    make: Make,
    most: usize,
    folders: Mutex<Folders>,
    /// How many had to go for another.
    gone: AtomicU64,
}

#[derive(Default)]
struct Folders {
    /// The most recently used last.
    held: Vec<Held>,
    /// Folders that somebody opens at this moment; whoever else wants one of them waits for that one alone.
    opening: Vec<(PathBuf, Arc<Opening>)>,
    /// Everything was stopped, and nothing is started any more.
    closed: bool,
}

type Opening = OnceLock<Result<Arc<Room>, Problem>>;

struct Held {
    root: PathBuf,
    room: Arc<Room>,
}

/// A session that is not taken away while somebody has this.
#[derive(Debug, Clone)]
pub struct Lent(Arc<Room>);

impl Lent {
    /// What is in force in its folder.
    pub fn config(&self) -> &Config {
        &self.0.config
    }
}

impl std::ops::Deref for Lent {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.0.session
    }
}

impl Elsewhere {
    pub fn new(make: Make, most: usize) -> Self {
        Self { make, most: most.max(1), folders: Mutex::default(), gone: AtomicU64::new(0) }
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
        self.folders().held.iter().map(|held| (held.root.clone(), Lent(held.room.clone()))).collect()
    }

    /// The most recently used folder whose session is like that. Each is kept only as long as it is looked at, so that
    /// looking takes none of them its turn to go.
    pub fn find(&self, is_wanted: impl Fn(&Session) -> bool) -> Option<PathBuf> {
        let held: Vec<Weak<Room>> =
            self.folders().held.iter().rev().map(|held| Arc::downgrade(&held.room)).collect();
        let mut held = held.iter().filter_map(Weak::upgrade);
        held.find(|room| is_wanted(&room.session)).map(|room| room.session.roots().workspace().to_owned())
    }

    fn folders(&self) -> MutexGuard<'_, Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of a folder. Blocks on its first use.
    pub fn session(&self, root: &Path) -> Result<Lent, Problem> {
        let root = std::fs::canonicalize(root).map_err(|error| {
            let message = format!("`{}` cannot be used as a folder: {error}", root.display());
            Problem::new(ErrorKind::NotFound, message).detail("no_such_path")
        })?;
        let opening = {
            let mut folders = self.folders();
            if let Some(room) = folders.touch(&root) {
                let gone = trim(&mut folders.held, self.most);
                drop(folders);
                self.let_go(gone);
                return Ok(Lent(room));
            }
            if folders.closed {
                return Err(stopping());
            }
            folders.opening(&root)
        };
        // Nothing is locked meanwhile: opening one folder may take long, and others are asked for at the same time.
        let made = opening.get_or_init(|| self.open(&root)).clone();
        let mut folders = self.folders();
        folders.opening.retain(|(_, other)| !Arc::ptr_eq(other, &opening));
        let room = made?;
        if folders.closed {
            drop(folders);
            self.stop(room);
            return Err(stopping());
        }
        // The first of those who waited keeps it for all.
        if folders.touch(&root).is_none() {
            folders.held.push(Held { root, room: room.clone() });
        }
        let gone = trim(&mut folders.held, self.most);
        drop(folders);
        self.let_go(gone);
        Ok(Lent(room))
    }

    fn open(&self, root: &Path) -> Result<Arc<Room>, Problem> {
        (self.make)(root).map(Arc::new).map_err(|cause| {
            let message = format!("`{}` cannot be worked in: {cause}", root.display());
            Problem::new(ErrorKind::InvalidParams, message).detail("unusable_root")
        })
    }

    fn stop(&self, room: Arc<Room>) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { room.session.shut_down().await });
        }
    }

    fn let_go(&self, gone: Vec<Held>) {
        self.gone.fetch_add(gone.len() as u64, Ordering::Relaxed);
        for gone in gone {
            tracing::info!(root = %gone.root.display(), "least recently used: let go");
            self.stop(gone.room);
        }
    }

    /// Stops everything that was started anywhere.
    pub async fn shut_down(&self) {
        let held = {
            let mut folders = self.folders();
            folders.closed = true;
            std::mem::take(&mut folders.held)
        };
        for held in held {
            held.room.session.shut_down().await;
        }
    }
}

fn stopping() -> Problem {
    Problem::new(ErrorKind::Cancelled, "the server is being stopped; no folder is opened any more")
}

impl Folders {
    /// The session of a folder that is held, which is now the most recently used.
    fn touch(&mut self, root: &Path) -> Option<Arc<Room>> {
        let at = self.held.iter().position(|held| held.root == root)?;
        let known = self.held.remove(at);
        let room = known.room.clone();
        self.held.push(known);
        Some(room)
    }

    /// Where everybody who wants this folder meets.
    fn opening(&mut self, root: &Path) -> Arc<Opening> {
        if let Some((_, known)) = self.opening.iter().find(|(other, _)| other == root) {
            return known.clone();
        }
        let new = Arc::<Opening>::default();
        self.opening.push((root.to_owned(), new.clone()));
        new
    }
}

/// Takes out the least recently used that nobody uses. Nobody else can get hold of one meanwhile: that takes the lock.
fn trim(held: &mut Vec<Held>, most: usize) -> Vec<Held> {
    let mut gone = Vec::new();
    while held.len() > most {
        let Some(at) = held.iter().position(|held| Arc::strong_count(&held.room) == 1) else { break };
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
    use std::sync::mpsc;
    use std::time::Duration;

    use orienteer_engine::process::{Environment, Launcher, ReaperCommand};
    use orienteer_engine::{Engine, EngineSpec, SessionSpec};

    use super::*;
    use crate::config::Given;

    fn make(root: &Path) -> Result<Room, String> {
        let given = Given { current_folder: root.to_path_buf(), ..Given::default() };
        let config = Config::load(&given).map_err(|error| error.to_string())?;
        let roots = config.roots.clone();
        let launcher = Launcher::new(ReaperCommand::new("none"));
        let environment = Environment::from_pairs::<String, String>([]);
        let engine = Engine::new(EngineSpec::new(roots.clone(), environment, launcher, std::env::temp_dir()));
        Ok(Room { config, session: engine.session(SessionSpec { roots, read_only: false }) })
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
        assert!(first.roots().workspace().ends_with("a") && first.config().roots.workspace().ends_with("a"));
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
    async fn a_folder_that_takes_long_to_open_keeps_nobody_else_waiting() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["slow", "quick"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let (began, begun) = mpsc::channel();
        let (go, gone) = mpsc::channel::<()>();
        let (gone, opened) = (Mutex::new(gone), Arc::new(AtomicU64::new(0)));
        let counted = opened.clone();
        let make_slowly = move |root: &Path| {
            counted.fetch_add(1, Ordering::Relaxed);
            if root.ends_with("slow") {
                began.send(()).unwrap();
                gone.lock().unwrap().recv().unwrap();
            }
            make(root)
        };
        let elsewhere = Arc::new(Elsewhere::new(Box::new(make_slowly), 2));
        let (runtime, path) = (tokio::runtime::Handle::current(), folder.path().to_owned());
        let at = |name: &'static str| {
            let (elsewhere, root) = (elsewhere.clone(), path.join(name));
            runtime.spawn_blocking(move || elsewhere.session(&root).unwrap())
        };
        let slow = [at("slow"), at("slow"), at("slow")];
        tokio::task::spawn_blocking(move || begun.recv().unwrap()).await.unwrap();
        let quick = tokio::time::timeout(Duration::from_secs(20), at("quick")).await;
        assert!(quick.expect("it waits for nobody").unwrap().roots().workspace().ends_with("quick"));
        assert_eq!(names(&elsewhere), ["quick"]);
        go.send(()).unwrap();
        let mut sessions = Vec::new();
        for slow in slow {
            sessions.push(slow.await.unwrap());
        }
        assert!(
            sessions.iter().all(|session| Arc::ptr_eq(&session.0, &sessions[0].0)),
            "one for all of them"
        );
        assert_eq!(opened.load(Ordering::Relaxed), 2);
        assert_eq!(names(&elsewhere), ["quick", "slow"]);
        elsewhere.shut_down().await;
        let late = elsewhere.session(&path.join("quick")).unwrap_err();
        assert_eq!(late.kind, ErrorKind::Cancelled, "nothing is started any more");
    }

    #[tokio::test]
    async fn looking_for_a_folder_keeps_none_from_going() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let elsewhere = Elsewhere::new(Box::new(make), 2);
        let at = |name: &str| elsewhere.session(&folder.path().join(name)).unwrap();
        drop((at("a"), at("b")));
        let found = elsewhere.find(|session| {
            // Somebody else needs room while this one is looked at.
            if session.roots().workspace().ends_with("b") {
                drop(at("c"));
            }
            session.roots().workspace().ends_with("b")
        });
        assert!(found.unwrap().ends_with("b"));
        assert_eq!(names(&elsewhere), ["b", "c"], "the one that was not looked at went");
        assert_eq!(elsewhere.find(|session| session.roots().workspace().ends_with("a")), None);
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
