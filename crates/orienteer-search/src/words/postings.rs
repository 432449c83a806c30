//! Which files hold this hash?
//!
//! Asking every file's own set costs a wait for memory for every file. Here the pairs of hash and file are kept
//! together by hash instead: a look-up reads one bucket of a few kilobytes from end to end.

/// A pair is one number: the file below, the rest of the hash above. The bucket is the hash's first bits.
const FILE_BITS: u32 = 20;
const BUCKET_BITS: u32 = 12;
const FILE_MASK: u32 = (1 << FILE_BITS) - 1;
/// This many pairs of forgotten files may stay before they are swept out; sweeping looks at every pair.
const LITTER: usize = 1 << 16;

/// A file's number; it may stand for another file once the file was removed.
pub(super) type FileId = u32;

#[derive(Debug)]
pub(super) struct Postings {
    buckets: Vec<Vec<u32>>,
    /// How many words each file has; `None` for a number that stands for no file.
    files: Vec<Option<u32>>,
    free: Vec<FileId>,
    /// Removed, with pairs that are still in the buckets.
    litter: Vec<FileId>,
    litter_pairs: usize,
    live_pairs: usize,
    bytes: usize,
}

impl Postings {
    pub(super) fn new() -> Self {
        Self {
            buckets: Vec::new(),
            files: Vec::new(),
            free: Vec::new(),
            litter: Vec::new(),
            litter_pairs: 0,
            live_pairs: 0,
            bytes: 0,
        }
    }

    /// Memory of the buckets, room to grow included.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// At most what another file with so many words adds to [`Postings::bytes`].
    pub(super) fn cost(words: usize) -> usize {
        size_of::<u32>() * (words + words / 2) + size_of::<(Option<u32>, FileId)>()
    }

    /// Takes the words of a file; `None` when there is no number left for it.
    pub(super) fn add(&mut self, words: &[u32]) -> Option<FileId> {
        if self.free.is_empty() && self.files.len() > FILE_MASK as usize {
            self.sweep();
        }
        let file = match self.free.pop() {
            Some(file) => file,
            None if self.files.len() > FILE_MASK as usize => return None,
            None => {
                self.files.push(None);
                (self.files.len() - 1) as FileId
            }
        };
        if self.buckets.is_empty() {
            self.buckets = vec![Vec::new(); 1 << BUCKET_BITS];
            self.bytes = size_of::<Vec<u32>>() << BUCKET_BITS;
        }
        self.files[file as usize] = Some(words.len() as u32);
        for word in words {
            let bucket = &mut self.buckets[bucket(*word)];
            if bucket.len() == bucket.capacity() {
                // Doubling would leave half of the memory unused on average.
                let before = bucket.capacity();
                bucket.reserve_exact(before / 8 + 4);
                self.bytes += size_of::<u32>() * (bucket.capacity() - before);
            }
            bucket.push(key(*word) | file);
        }
        self.live_pairs += words.len();
        Some(file)
    }

    pub(super) fn remove(&mut self, file: FileId) {
        let Some(words) = self.files.get_mut(file as usize).and_then(Option::take) else { return };
        self.litter.push(file);
        self.live_pairs -= words as usize;
        self.litter_pairs += words as usize;
        if self.litter_pairs > LITTER + self.live_pairs / 2 || self.live_pairs == 0 {
            self.sweep();
        }
    }

    /// The files that may hold the hash, each once, in order of their numbers.
    pub(super) fn find(&self, word: u32) -> Vec<FileId> {
        let key = key(word);
        let pairs = self.buckets.get(bucket(word)).map(Vec::as_slice).unwrap_or_default();
        let mut found: Vec<FileId> = pairs
            .iter()
            .filter(|pair| **pair & !FILE_MASK == key)
            .map(|pair| pair & FILE_MASK)
            .filter(|file| self.files[*file as usize].is_some())
            .collect();
        found.sort_unstable();
        // Two words of one file may share the bits that are kept.
        found.dedup();
        found
    }

    /// Drops the pairs of removed files, whose numbers are free then.
    fn sweep(&mut self) {
        if self.live_pairs == 0 {
            self.buckets = Vec::new();
        }
        self.bytes = size_of::<Vec<u32>>() * self.buckets.len();
        for bucket in &mut self.buckets {
            bucket.retain(|pair| self.files[(pair & FILE_MASK) as usize].is_some());
            bucket.shrink_to(bucket.len() + bucket.len() / 8);
            self.bytes += size_of::<u32>() * bucket.capacity();
        }
        self.free.append(&mut self.litter);
        self.litter_pairs = 0;
    }
}

fn bucket(word: u32) -> usize {
    (word >> (32 - BUCKET_BITS)) as usize
}

/// The bits of a hash that the bucket does not tell and that fit beside the file.
fn key(word: u32) -> u32 {
    word << FILE_BITS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_is_used_again_only_when_nothing_remembers_it() {
        let mut postings = Postings::new();
        let (one, two) = (postings.add(&[1, 2, 3]), postings.add(&[2]));
        assert_eq!((one, two), (Some(0), Some(1)));
        postings.remove(0);
        assert_eq!((postings.find(1), postings.find(2)), (vec![], vec![1]));
        assert_eq!(postings.add(&[9]), Some(2), "0 still has pairs in the buckets");
        postings.sweep();
        assert_eq!(postings.add(&[7]), Some(0));
        assert_eq!((postings.find(1), postings.find(7)), (vec![], vec![0]));
    }

    #[test]
    fn an_empty_table_costs_nothing() {
        let mut postings = Postings::new();
        let file = postings.add(&(0..100_000).map(|word| word * 40_000).collect::<Vec<u32>>()).unwrap();
        assert!(postings.bytes() > 400_000);
        postings.remove(file);
        assert_eq!((postings.bytes(), postings.find(40_000)), (0, vec![]));
    }

    proptest! {
        #[test]
        fn whatever_comes_and_goes_nothing_is_missed(
            steps in prop::collection::vec((any::<bool>(), 0..8_usize, prop::collection::vec(0..40_u32, 0..20)), 0..60)
        ) {
            let mut postings = Postings::new();
            let mut files: Vec<(FileId, Vec<u32>)> = Vec::new();
            for (add, at, words) in steps {
                if add || files.is_empty() {
                    // Spread as hashes are: over the buckets and over the bits beside the file.
                    let words: Vec<u32> = words.iter().map(|word| word.wrapping_mul(0x9e37_79b1)).collect();
                    files.push((postings.add(&words).unwrap(), words));
                } else {
                    let (file, _) = files.swap_remove(at % files.len());
                    postings.remove(file);
                }
                for word in (0..40_u32).map(|word| word.wrapping_mul(0x9e37_79b1)) {
                    let found = postings.find(word);
                    for (file, words) in &files {
                        prop_assert!(!words.contains(&word) || found.contains(file));
                    }
                    prop_assert!(found.iter().all(|file| files.iter().any(|(known, _)| known == file)));
                }
            }
        }
    }
}
