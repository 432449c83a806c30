//! What is kept as long as it holds and there is room, and for whom?

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::time::Instant;

use crate::live::Moment;

/// What an entry costs besides its key and its value.
const ENTRY_BYTES: usize = 120;

/// Of one server. When it is full, the half that was used longest ago goes.
#[derive(Debug)]
pub(crate) struct Shelf<K, V> {
    most_bytes: usize,
    held: HashMap<K, Held<V>>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Held<V> {
    /// What the server had been told when it gave it.
    moment: Moment,
    /// When it was asked.
    since: Instant,
    value: V,
    bytes: usize,
    used: u64,
}

impl<K: Hash + Eq, V: Clone> Shelf<K, V> {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, held: HashMap::new(), bytes: 0, clock: 0 }
    }

    pub(super) fn has<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.held.contains_key(key)
    }

    /// What still holds at this moment, unless something has happened since it was asked for; what does not is forgotten.
    pub(super) fn get_unless<Q: Hash + Eq + ?Sized>(
        &mut self,
        key: &Q,
        moment: Moment,
        has_happened: impl FnOnce(Instant) -> bool,
    ) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.clock += 1;
        let held = self.held.get_mut(key)?;
        if held.moment == moment && !has_happened(held.since) {
            held.used = self.clock;
            return Some(held.value.clone());
        }
        self.forget(key);
        None
    }

    pub(super) fn forget<Q: Hash + Eq + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Some(old) = self.held.remove(key) {
            self.bytes -= old.bytes;
        }
    }

    /// `bytes`: of the key and the value.
    pub(super) fn keep(&mut self, key: K, moment: Moment, since: Instant, value: V, bytes: usize) {
        self.clock += 1;
        // One large entry is not worth all others.
        if bytes > self.most_bytes / 8 {
            return;
        }
        let bytes = bytes + ENTRY_BYTES;
        let held = Held { moment, since, value, bytes, used: self.clock };
        self.bytes += bytes;
        if let Some(old) = self.held.insert(key, held) {
            self.bytes -= old.bytes;
        }
        if self.bytes > self.most_bytes {
            let mut used: Vec<u64> = self.held.values().map(|held| held.used).collect();
            used.sort_unstable();
            let middle = used.get(used.len() / 2).copied().unwrap_or_default();
            self.held.retain(|_, held| held.used > middle);
            self.bytes = self.held.values().map(|held| held.bytes).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Moment = Moment { epoch: 1, version: Some(1), opened: 1 };
    const ROOM: usize = 1 << 20;

    #[test]
    fn what_was_given_before_something_was_told_is_forgotten() {
        for later in
            [Moment { epoch: 2, ..NOW }, Moment { version: Some(2), ..NOW }, Moment { opened: 2, ..NOW }]
        {
            let mut shelf: Shelf<&str, u8> = Shelf::new(ROOM);
            let since = Instant::now();
            shelf.keep("a", NOW, since, 7, 10);
            assert_eq!(shelf.get_unless("a", NOW, |asked| asked != since), Some(7));
            assert_eq!(shelf.get_unless("a", later, |_| false), None);
            assert!(!shelf.has("a"));
            assert_eq!(shelf.bytes, 0);
        }
    }

    #[test]
    fn as_much_as_there_is_room_for_is_kept_and_what_was_used_last_stays() {
        let mut shelf: Shelf<u32, u32> = Shelf::new(ROOM);
        for number in 0..300 {
            shelf.keep(number, NOW, Instant::now(), number, 10_000);
            assert!(shelf.bytes <= ROOM);
            assert!(shelf.get_unless(&0, NOW, |_| false).is_some(), "it is used all the time");
        }
        assert_eq!(shelf.bytes, shelf.held.len() * (10_000 + ENTRY_BYTES));
        assert!(shelf.has(&299) && !shelf.has(&1));
        shelf.keep(1000, NOW, Instant::now(), 0, ROOM / 8 + 1);
        assert!(!shelf.has(&1000), "too large");
        shelf.keep(299, NOW, Instant::now(), 5, 20_000);
        assert_eq!(shelf.get_unless(&299, NOW, |_| false), Some(5));
        assert_eq!(shelf.get_unless(&299, NOW, |_| true), None);
        assert!(!shelf.has(&299), "something happened");
        assert_eq!(shelf.bytes, shelf.held.len() * (10_000 + ENTRY_BYTES));
    }
}
