//! How are the trigrams of many files collected in little memory?
//!
//! A collector holds some millions of pairs of trigram and file. When it is full they are sorted and written down as
//! a run, in memory while there are few and into a file without a name when there are many. At the end all runs are
//! read side by side, one trigram after the other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::path::Path;

use super::varint;

/// A trigram and a file that has it, in one number that sorts by trigram.
pub(super) fn pair(trigram: u32, file: u32) -> u64 {
    u64::from(trigram) << 32 | u64::from(file)
}

/// Sorts pairs by trigram. They come file by file, and files keep their order, so two passes over the 24 bits of the
/// trigram are enough.
pub(super) fn sort(pairs: &mut Vec<u64>, spare: &mut Vec<u64>) {
    const HALF: usize = 1 << 12;
    spare.clear();
    spare.resize(pairs.len(), 0);
    for shift in [32, 44] {
        let digit = |pair: u64| (pair >> shift) as usize % HALF;
        let mut starts = vec![0_usize; HALF];
        for pair in pairs.iter() {
            starts[digit(*pair)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for pair in pairs.iter() {
            let start = &mut starts[digit(*pair)];
            spare[*start] = *pair;
            *start += 1;
        }
        std::mem::swap(pairs, spare);
    }
}

/// Sorted pairs, written down.
#[derive(Debug)]
pub(super) struct Run {
    /// Its lowest file; runs that are read in this order mostly give sorted lists.
    pub(super) first: u32,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Memory(Vec<u8>),
    Disk(File),
}

impl Run {
    /// Writes down sorted pairs: for each trigram how far it is from the one before, how many files, how many bytes
    /// they take, and the gaps between them.
    pub(super) fn new(pairs: &[u64]) -> Self {
        let mut bytes = Vec::with_capacity(pairs.len() + pairs.len() / 2);
        let mut files = Vec::new();
        let mut before = 0;
        for group in pairs.chunk_by(|one, other| one >> 32 == other >> 32) {
            let trigram = group[0] >> 32;
            files.clear();
            let mut next = 0;
            for pair in group {
                let file = *pair & u64::from(u32::MAX);
                varint::put(&mut files, file - next);
                next = file + 1;
            }
            varint::put(&mut bytes, trigram - before);
            varint::put(&mut bytes, group.len() as u64);
            varint::put(&mut bytes, files.len() as u64);
            bytes.extend_from_slice(&files);
            before = trigram;
        }
        let first = pairs.iter().map(|pair| *pair as u32).min().unwrap_or(0);
        Self { first, place: Place::Memory(bytes) }
    }

    /// How much memory it takes.
    pub(super) fn memory(&self) -> usize {
        match &self.place {
            Place::Memory(bytes) => bytes.len(),
            Place::Disk(_) => 0,
        }
    }

    /// Moves it to the disk. The file has no name, so it is gone with us, however we end.
    pub(super) fn spill(&mut self, folder: &Path) -> io::Result<()> {
        if let Place::Memory(bytes) = &self.place {
            let mut file = tempfile::tempfile_in(folder)?;
            file.write_all(bytes)?;
            self.place = Place::Disk(file);
        }
        Ok(())
    }

    fn read(self) -> io::Result<RunReader> {
        const BUFFER: usize = 64 << 10;
        let source: Box<dyn Read> = match self.place {
            Place::Memory(bytes) => Box::new(Cursor::new(bytes)),
            Place::Disk(mut file) => {
                file.rewind()?;
                Box::new(file)
            }
        };
        let source = BufReader::with_capacity(BUFFER, source);
        Ok(RunReader { source, trigram: 0, count: 0, files: Vec::new() })
    }
}

struct RunReader {
    source: BufReader<Box<dyn Read>>,
    trigram: u32,
    count: u32,
    files: Vec<u8>,
}

impl RunReader {
    /// Goes to the next trigram; false when there is none.
    fn advance(&mut self) -> io::Result<bool> {
        let Some(step) = self.number()? else { return Ok(false) };
        let (Some(count), Some(length)) = (self.number()?, self.number()?) else { return Err(broken()) };
        self.trigram += step;
        self.count = count;
        self.files.resize(length as usize, 0);
        self.source.read_exact(&mut self.files)?;
        Ok(true)
    }

    /// `None` at the end.
    fn number(&mut self) -> io::Result<Option<u32>> {
        let mut bytes = [0; 10];
        for at in 0..bytes.len() {
            if self.source.read(&mut bytes[at..=at])? == 0 {
                return if at == 0 { Ok(None) } else { Err(broken()) };
            }
            if bytes[at] < 0x80 {
                return varint::take_u32(&mut &bytes[..=at]).map(Some).ok_or_else(broken);
            }
        }
        Err(broken())
    }

    fn append(&self, list: &mut Vec<u32>) -> io::Result<()> {
        let (mut rest, mut next) = (&self.files[..], 0_u32);
        for _ in 0..self.count {
            let gap = varint::take_u32(&mut rest).ok_or_else(broken)?;
            let file = next.checked_add(gap).ok_or_else(broken)?;
            list.push(file);
            next = file.saturating_add(1);
        }
        Ok(())
    }
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what was written down for a while came back changed")
}

/// All runs side by side.
pub(super) struct Merge {
    runs: Vec<RunReader>,
    /// The trigram that each run stands at, lowest first.
    heads: BinaryHeap<Reverse<(u32, usize)>>,
}

impl Merge {
    pub(super) fn new(mut runs: Vec<Run>) -> io::Result<Self> {
        runs.sort_by_key(|run| run.first);
        let mut merge = Self { runs: Vec::new(), heads: BinaryHeap::new() };
        for run in runs {
            let mut reader = run.read()?;
            if reader.advance()? {
                merge.heads.push(Reverse((reader.trigram, merge.runs.len())));
                merge.runs.push(reader);
            }
        }
        Ok(merge)
    }

    /// The next trigram, with its files appended to `list` in no particular order.
    pub(super) fn next(&mut self, list: &mut Vec<u32>) -> io::Result<Option<u32>> {
        let Some(&Reverse((trigram, _))) = self.heads.peek() else { return Ok(None) };
        while let Some(&Reverse((head, at))) = self.heads.peek()
            && head == trigram
        {
            let run = &mut self.runs[at];
            run.append(list)?;
            if run.advance()? {
                // Replacing the top is cheaper than taking it off and putting another on.
                if let Some(mut top) = self.heads.peek_mut() {
                    *top = Reverse((run.trigram, at));
                }
            } else {
                self.heads.pop();
            }
        }
        Ok(Some(trigram))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_sorted_by_trigram_and_files_keep_their_order() {
        let mut pairs: Vec<u64> = Vec::new();
        for file in 0..200_u32 {
            for step in 0..50_u32 {
                pairs.push(pair((step * 2_654_435 + file * 97) & 0xff_ffff, file));
            }
        }
        let mut sorted = pairs.clone();
        sorted.sort();
        sort(&mut pairs, &mut Vec::new());
        assert_eq!(pairs, sorted);
        sort(&mut Vec::new(), &mut Vec::new());
    }

    #[test]
    fn runs_are_read_side_by_side_from_memory_and_disk() {
        let folder = tempfile::tempdir().unwrap();
        let one = Run::new(&[pair(5, 0), pair(5, 300), pair(0xff_ffff, 2)]);
        let mut other = Run::new(&[pair(4, 7), pair(5, 1)]);
        other.spill(folder.path()).unwrap();
        assert_eq!((other.memory(), one.memory() > 0), (0, true));
        let mut merge = Merge::new(vec![other, one, Run::new(&[])]).unwrap();
        let mut all = Vec::new();
        let mut list = Vec::new();
        while let Some(trigram) = merge.next(&mut list).unwrap() {
            list.sort_unstable();
            all.push((trigram, std::mem::take(&mut list)));
        }
        assert_eq!(all, [(4, vec![7]), (5, vec![0, 1, 300]), (0xff_ffff, vec![2])]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file has no name");
    }
}
