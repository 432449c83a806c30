//! Which answers were given a moment ago?
//!
//! Agents ask for the same things again and again; these few come without a thread for the disk.

use std::collections::HashMap;

use super::Kept;

const MOST_ANSWERS: usize = 128;
const MOST_BYTES: usize = 8 << 20;

#[derive(Debug, Default)]
pub(super) struct Recent {
    answers: HashMap<[u8; 32], (Kept, u64)>,
    bytes: usize,
    /// Counts uses.
    now: u64,
}

impl Recent {
    pub(super) fn find(&mut self, key: &[u8; 32]) -> Option<Kept> {
        self.now += 1;
        let (kept, used) = self.answers.get_mut(key)?;
        *used = self.now;
        Some(kept.clone())
    }

    pub(super) fn keep(&mut self, key: [u8; 32], kept: Kept) {
        self.forget(&key);
        // A large one would push out all others, and is not what the time is lost with.
        if kept.body.len() > MOST_BYTES / 8 {
            return;
        }
        self.now += 1;
        self.bytes += kept.body.len();
        self.answers.insert(key, (kept, self.now));
        while self.answers.len() > MOST_ANSWERS || self.bytes > MOST_BYTES {
            let oldest = self.answers.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| *key);
            let Some(oldest) = oldest else { break };
            self.forget(&oldest);
        }
    }

    pub(super) fn forget(&mut self, key: &[u8; 32]) {
        if let Some((kept, _)) = self.answers.remove(key) {
            self.bytes -= kept.body.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn kept(bytes: usize) -> Kept {
        Kept { headers: Vec::new(), body: Arc::new(vec![0; bytes]), moved: None, confirmed: 0 }
    }

    fn key(number: usize) -> [u8; 32] {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&number.to_le_bytes());
        key
    }

    #[test]
    fn few_are_kept_and_those_that_were_used_stay() {
        let mut recent = Recent::default();
        for number in 0..1000 {
            recent.keep(key(number), kept(100));
            assert!(recent.find(&key(0)).is_some());
        }
        assert_eq!((recent.answers.len(), recent.bytes), (MOST_ANSWERS, MOST_ANSWERS * 100));
        assert!(recent.find(&key(1)).is_none() && recent.find(&key(999)).is_some());
        for number in 0..100 {
            recent.keep(key(number), kept(1 << 20));
            assert!(recent.bytes <= MOST_BYTES);
        }
        recent.keep(key(5), kept(2 << 20));
        assert!(recent.find(&key(5)).is_none(), "too large, and the older one is gone, too");
    }
}
