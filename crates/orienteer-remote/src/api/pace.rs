//! May this host be asked now, and how soon again after a failure?

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use reqwest::Url;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::limit::{Verdict, verdict};
use super::send::Received;
use super::{Bucket, Request};

/// So many requests of one kind at a time. Hosts take more, but count it against us.
const SIDE_BY_SIDE: usize = 8;
const MOST_LANES: usize = 256;

/// How patient we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// One question may take so long, with everything that is tried.
    pub total: Duration,
    /// A limit that ends within this time is waited for.
    pub patient: Duration,
    /// Attempts after the first.
    pub retries: u32,
    /// Before the second attempt; doubles.
    pub first_pause: Duration,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(60),
            patient: Duration::from_secs(3),
            retries: 2,
            first_pause: Duration::from_millis(250),
        }
    }
}

impl Pacing {
    /// Twice as long each time, and up to a half more, so that many who failed together do not return together.
    pub(super) fn pause(&self, failed: u32) -> Duration {
        let pause = self.first_pause.saturating_mul(1 << failed.min(6));
        let chance = RandomState::new().hash_one(failed) % 512;
        pause + pause.mul_f64(chance as f64 / 1024.0)
    }
}

/// What one account may ask of one host in one bucket.
#[derive(Debug)]
pub(super) struct Lane {
    gate: Semaphore,
    state: Mutex<State>,
    /// Of all buckets of this account: who was too fast is left alone everywhere.
    account: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    until: Option<Instant>,
    secondary: bool,
    /// Limited so often in a row.
    limited: u32,
}

impl Lane {
    fn new(account: Arc<Mutex<State>>) -> Self {
        Self { gate: Semaphore::new(SIDE_BY_SIDE), state: Mutex::default(), account }
    }

    /// A place among those who ask at the same time. The gate is never closed.
    pub(super) async fn enter(&self) -> Option<SemaphorePermit<'_>> {
        self.gate.acquire().await.ok()
    }

    /// How long the host wants to be left alone from now.
    pub(super) fn wait(&self) -> Option<(Duration, bool)> {
        let own = lock(&self.state).wait();
        own.max(lock(&self.account).wait())
    }

    /// Remembers what an answer says about limits.
    pub(super) fn note(&self, received: &Received) -> Verdict {
        let mut state = lock(&self.state);
        let verdict = verdict(received, SystemTime::now(), state.limited);
        match verdict {
            Verdict::Fine => state.limited = 0,
            Verdict::LastOne { wait } => {
                state.limited = 0;
                state.block(wait, false);
            }
            Verdict::Limited { wait, secondary } => {
                state.limited = state.limited.saturating_add(1);
                state.block(wait, secondary);
                if secondary {
                    lock(&self.account).block(wait, true);
                }
            }
        }
        verdict
    }
}

impl State {
    fn wait(&self) -> Option<(Duration, bool)> {
        let wait = self.until?.saturating_duration_since(Instant::now());
        (!wait.is_zero()).then_some((wait, self.secondary))
    }

    /// Of two answers the stricter counts: they may have been overtaken on the way.
    fn block(&mut self, wait: Duration, secondary: bool) {
        let until = Instant::now().checked_add(wait);
        if until > self.until {
            self.until = until;
            self.secondary = secondary;
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct Key {
    host: String,
    bucket: Bucket,
    who: Option<[u8; 32]>,
}

/// All lanes.
#[derive(Debug, Default)]
pub(super) struct Lanes(Mutex<HashMap<Key, Arc<Lane>>>);

impl Lanes {
    pub(super) fn of(&self, request: &Request, url: &Url) -> Arc<Lane> {
        let who = request.credential.as_ref().filter(|credential| credential.fits(url));
        let who = who.map(crate::credential::Credential::fingerprint);
        let key = Key { host: url.authority().to_owned(), bucket: request.bucket, who };
        let mut lanes = lock(&self.0);
        if let Some(lane) = lanes.get(&key) {
            return Arc::clone(lane);
        }
        if lanes.len() >= MOST_LANES {
            // Lanes that nobody uses and nobody must wait for say nothing.
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1 || lane.wait().is_some());
            if lanes.len() >= MOST_LANES {
                lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
            }
        }
        let mut same = lanes.iter().filter(|(other, _)| other.host == key.host && other.who == key.who);
        let account = same.next().map_or_else(Arc::default, |(_, lane)| Arc::clone(&lane.account));
        let lane = Arc::new(Lane::new(account));
        lanes.insert(key, Arc::clone(&lane));
        lane
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.0).len()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_differ() {
        let pacing = Pacing { first_pause: Duration::from_millis(100), ..Pacing::default() };
        for failed in 0..20 {
            let least = Duration::from_millis(100) * (1 << failed.min(6));
            let pause = pacing.pause(failed);
            assert!(pause >= least && pause < least * 3 / 2, "{failed}: {pause:?}");
        }
        let pauses: std::collections::HashSet<_> = (0..100).map(|_| pacing.pause(0)).collect();
        assert!(pauses.len() > 10, "{pauses:?}");
    }

    #[test]
    fn there_are_never_many_lanes() {
        let lanes = Lanes::default();
        for port in 1..=2000_u16 {
            let url = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
            lanes.of(&Request::new(&url, "x"), &url);
        }
        assert!(lanes.len() <= MOST_LANES, "{}", lanes.len());
    }
}
