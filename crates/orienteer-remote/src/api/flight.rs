//! Is somebody asking this already?
//!
//! The work runs as a task of its own, so that who asked first may leave without taking it away from the others. When the
//! last one has left, it ends.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::{ApiError, Reply};

type Outcome = Option<Result<Reply, ApiError>>;
/// What is asked, and how much of it may come.
type Key = ([u8; 32], usize);
type Waiting = Arc<watch::Sender<Outcome>>;

#[derive(Debug, Default)]
pub(super) struct Flights(Arc<Mutex<HashMap<Key, Waiting>>>);

impl Flights {
    /// The outcome of this work, or of the same that is under way.
    pub(super) async fn join<W>(&self, key: Key, work: W) -> Result<Reply, ApiError>
    where
        W: Future<Output = Result<Reply, ApiError>> + Send + 'static,
    {
        let mut outcome = {
            let mut flights = lock(&self.0);
            match flights.get(&key) {
                Some(waiting) => waiting.subscribe(),
                None => {
                    let (sender, outcome) = watch::channel(None);
                    let sender = Arc::new(sender);
                    flights.insert(key, Arc::clone(&sender));
                    let landing = Landing { flights: Arc::clone(&self.0), key, sender };
                    tokio::spawn(fly(landing, work));
                    outcome
                }
            }
        };
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Err(ApiError::Abandoned)),
            Err(_) => Err(ApiError::Abandoned),
        }
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.0).len()
    }

    /// How many wait for them.
    pub(super) fn waiting(&self) -> usize {
        lock(&self.0).values().map(|waiting| waiting.receiver_count()).sum()
    }
}

async fn fly<W>(landing: Landing, work: W)
where
    W: Future<Output = Result<Reply, ApiError>>,
{
    tokio::pin!(work);
    loop {
        tokio::select! {
            outcome = &mut work => {
                landing.sender.send_replace(Some(outcome));
                return;
            }
            () = landing.sender.closed() => {
                let mut flights = lock(&landing.flights);
                // Somebody may have joined since. With the entry gone, nobody can.
                if landing.sender.receiver_count() == 0 {
                    flights.remove(&landing.key);
                    return;
                }
            }
        }
    }
}

/// Takes the entry away however the work ends, by a panic, too.
#[derive(Debug)]
struct Landing {
    flights: Arc<Mutex<HashMap<Key, Waiting>>>,
    key: Key,
    sender: Waiting,
}

impl Drop for Landing {
    fn drop(&mut self) {
        let mut flights = lock(&self.flights);
        // Another may stand in its place already.
        if flights.get(&self.key).is_some_and(|waiting| Arc::ptr_eq(waiting, &self.sender)) {
            flights.remove(&self.key);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
