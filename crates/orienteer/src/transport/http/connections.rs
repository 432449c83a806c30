//! Open connections, bounded in two rooms: those that have shown that they may ask, and those that have not.
//!
//! Opening connections and saying nothing costs nothing, so whoever does it must get in nobody's way: in a
//! full room of the unproven the oldest goes, and it never takes a place of the proven.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio_util::sync::CancellationToken;

/// All open connections.
#[derive(Debug)]
pub(super) struct Connections {
    most_unproven: usize,
    most_proven: usize,
    open: Mutex<Open>,
}

/// Later connections have higher numbers.
#[derive(Debug, Default)]
struct Open {
    entered: u64,
    unproven: BTreeMap<u64, CancellationToken>,
    proven: BTreeMap<u64, Proven>,
}

#[derive(Debug)]
struct Proven {
    push_out: CancellationToken,
    activity: Activity,
}

/// What a connection is open for, in the order in which they may be closed for the sake of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Activity {
    /// Since then nothing was asked.
    Idle(Instant),
    /// Since then a client listens for what may happen; it may come back for that.
    Listening(Instant),
    /// An answer is being made or sent.
    Answering,
}

impl Connections {
    pub(super) fn new(most_unproven: usize, most_proven: usize) -> Self {
        Self { most_unproven, most_proven, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new connection.
    pub(super) fn enter(self: &Arc<Self>) -> Place {
        let mut open = self.open();
        if open.unproven.len() >= self.most_unproven {
            open.push_out_oldest();
        }
        open.entered += 1;
        let (number, push_out) = (open.entered, CancellationToken::new());
        open.unproven.insert(number, push_out.clone());
        Place { number, push_out, connections: self.clone() }
    }

    /// How many there ever were.
    pub(super) fn entered(&self) -> u64 {
        self.open().entered
    }

    /// Closes one that can be spared.
    pub(super) fn make_room(&self) {
        let mut open = self.open();
        if !open.push_out_oldest() {
            open.push_out_spare();
        }
    }
}

impl Open {
    fn push_out_oldest(&mut self) -> bool {
        let oldest = self.unproven.pop_first();
        oldest.inspect(|(_, push_out)| push_out.cancel()).is_some()
    }

    /// Closes the proven one that waits longest. One that is being answered is never closed.
    fn push_out_spare(&mut self) -> bool {
        let spare = self.proven.iter().filter(|(_, one)| one.activity != Activity::Answering);
        let Some(number) = spare.min_by_key(|(_, one)| one.activity).map(|(number, _)| *number) else {
            return false;
        };
        self.proven.remove(&number).inspect(|one| one.push_out.cancel()).is_some()
    }
}

/// The place of one connection, given up when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    number: u64,
    push_out: CancellationToken,
    connections: Arc<Connections>,
}

impl Place {
    /// Its connection has shown that it may ask, and is active so long as what is returned lives. `None` where
    /// there is no room for it.
    pub(super) fn prove(self: &Arc<Self>, activity: Activity) -> Option<Active> {
        let mut open = self.connections.open();
        if let Some(known) = open.proven.get_mut(&self.number) {
            known.activity = activity;
            return Some(Active { place: self.clone() });
        }
        if !open.unproven.contains_key(&self.number)
            || (open.proven.len() >= self.connections.most_proven && !open.push_out_spare())
        {
            return None;
        }
        open.unproven.remove(&self.number);
        open.proven.insert(self.number, Proven { push_out: self.push_out.clone(), activity });
        Some(Active { place: self.clone() })
    }

    pub(super) fn is_proven(&self) -> bool {
        self.connections.open().proven.contains_key(&self.number)
    }

    /// Returns when another connection needs the place.
    pub(super) async fn pushed_out(&self) {
        self.push_out.cancelled().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        open.unproven.remove(&self.number);
        open.proven.remove(&self.number);
    }
}

/// A request of a proven connection.
#[derive(Debug)]
pub(super) struct Active {
    place: Arc<Place>,
}

impl Drop for Active {
    fn drop(&mut self) {
        if let Some(known) = self.place.connections.open().proven.get_mut(&self.place.number) {
            known.activity = Activity::Idle(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(connections: &Arc<Connections>, count: usize) -> Vec<Arc<Place>> {
        (0..count).map(|_| Arc::new(connections.enter())).collect()
    }

    fn gone(places: &[Arc<Place>]) -> Vec<bool> {
        places.iter().map(|place| place.push_out.is_cancelled()).collect()
    }

    #[test]
    fn the_oldest_of_the_unproven_goes_and_never_a_proven_one() {
        let connections = Arc::new(Connections::new(2, 2));
        let places = places(&connections, 1);
        let asking = places[0].prove(Activity::Answering).unwrap();
        let others: Vec<_> = (0..4).map(|_| Arc::new(connections.enter())).collect();
        assert_eq!(gone(&others), [true, true, false, false]);
        assert!(others[0].prove(Activity::Answering).is_none(), "too late");
        drop(asking);
        let _more: Vec<_> = (0..4).map(|_| connections.enter()).collect();
        assert_eq!(gone(&places), [false], "idle, and still apart");
    }

    #[test]
    fn among_the_proven_only_one_that_is_not_answered_makes_room() {
        let connections = Arc::new(Connections::new(8, 3));
        let places = places(&connections, 5);
        let answered = places[0].prove(Activity::Answering).unwrap();
        let _listening = places[1].prove(Activity::Listening(Instant::now())).unwrap();
        drop(places[2].prove(Activity::Answering).unwrap());
        let _fourth = places[3].prove(Activity::Answering).unwrap();
        assert_eq!(gone(&places), [false, false, true, false, false], "the idle one first");
        let fifth = places[4].prove(Activity::Answering).unwrap();
        assert_eq!(gone(&places), [false, true, true, false, false], "then one that only listens");
        let late = Arc::new(connections.enter());
        assert!(late.prove(Activity::Answering).is_none() && !late.is_proven(), "answers are never cut");
        drop((answered, fifth));
        assert!(late.prove(Activity::Answering).is_some());
        assert_eq!(gone(&places), [true, true, true, false, false]);
    }

    #[test]
    fn a_closed_connection_gives_its_place_back() {
        let connections = Arc::new(Connections::new(1, 1));
        for _ in 0..3 {
            let place = Arc::new(connections.enter());
            assert!(place.prove(Activity::Answering).is_some());
        }
        let open = connections.open();
        assert_eq!((open.unproven.len(), open.proven.len(), open.entered), (0, 0, 3));
    }
}
