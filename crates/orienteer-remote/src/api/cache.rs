//! Which answer was given to this question before, and how old is it?
//!
//! Nothing here can fail a question: a cache that cannot be read is empty, a damaged one is made again. What is kept is
//! for its owner's eyes only, and holds no credential: keys are digests.

mod recent;
mod store;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use self::recent::Recent;
use self::store::Store;
use super::Reply;

/// How much is kept, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheLimits {
    pub bytes: u64,
    pub age: Duration,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self { bytes: 256 << 20, age: Duration::from_secs(30 * 24 * 3600) }
    }
}

/// An answer that was kept.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Arc<Vec<u8>>,
    pub(super) moved: Option<String>,
    /// When the host gave it, or said that it is still right; in milliseconds since 1970.
    pub(super) confirmed: i64,
}

impl Kept {
    pub(super) fn new(reply: &Reply) -> Self {
        let (headers, body) = (reply.headers.clone(), Arc::clone(&reply.body));
        Self { headers, body, moved: reply.moved.clone(), confirmed: now() }
    }

    /// A clock that was set back makes answers old, not eternal.
    pub(super) fn age(&self) -> Duration {
        match u64::try_from(now() - self.confirmed) {
            Ok(age) => Duration::from_millis(age),
            Err(_) => Duration::MAX - Duration::from_secs(1),
        }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Answers, on disk or in memory. Clones share it.
#[derive(Debug, Clone)]
pub struct Cache {
    store: Arc<Mutex<Store>>,
    recent: Arc<Mutex<Recent>>,
    age: Duration,
}

impl Cache {
    /// In a folder that is made when it is missing. Several processes may use the same.
    pub fn open(folder: &Path, limits: CacheLimits) -> Self {
        Self::new(Store::open(Some(folder.join("answers.sqlite")), limits), limits)
    }

    /// Until the process ends.
    pub fn in_memory(limits: CacheLimits) -> Self {
        Self::new(Store::open(None, limits), limits)
    }

    fn new(store: Store, limits: CacheLimits) -> Self {
        Self { store: Arc::new(Mutex::new(store)), recent: Arc::default(), age: limits.age }
    }

    pub(super) async fn find(&self, key: [u8; 32]) -> Option<Kept> {
        let recent = self.recent().find(&key).filter(|kept| kept.age() < self.age);
        if recent.is_some() {
            return recent;
        }
        let found = self.with(move |store| store.find(&key)).await.flatten()?;
        self.recent().keep(key, found.clone());
        Some(found)
    }

    pub(super) async fn keep(&self, key: [u8; 32], kept: Kept) {
        self.recent().keep(key, kept.clone());
        self.with(move |store| store.keep(&key, &kept)).await;
    }

    /// The host says that nothing has changed.
    pub(super) async fn confirm(&self, key: [u8; 32]) {
        self.recent().forget(&key);
        self.with(move |store| store.confirm(&key)).await;
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many answers, and their bytes.
    pub(super) async fn size(&self) -> (u64, u64) {
        self.with(|store| store.size()).await.unwrap_or_default()
    }

    /// The disk may be slow: it must not hold up others on this thread.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Store) -> T + Send + 'static,
    ) -> Option<T> {
        let store = Arc::clone(&self.store);
        let work = move || work(&mut store.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(work).await.ok()
    }
}

#[cfg(test)]
mod tests;
