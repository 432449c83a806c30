//! Which vectors are nearest to this one?

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use orienteer_base::Cancel;

use super::super::error::VectorsError;
use super::super::top::{Scored, Top, merge};
use super::super::vector::{Vector, dot};
use super::VectorFile;

/// Fewer blocks are ranked in less time than a thread takes to start.
const BLOCKS_PER_THREAD: usize = 8;
const MOST_THREADS: usize = 16;

impl VectorFile {
    /// The `limit` nearest of those that `keep` lets pass, the best first; of equally near ones the lower number first.
    /// All vectors are looked at, so the answer is exact, and it does not depend on the number of threads. `keep` is
    /// asked only about what would get into the answer.
    pub fn scan(
        &self,
        query: &Vector,
        limit: usize,
        threads: usize,
        cancel: &Cancel,
        keep: impl Fn(u64) -> bool + Sync,
    ) -> Result<Vec<Scored>, VectorsError> {
        if query.dims() != self.dims() {
            return Err(VectorsError::Dimensions { found: query.dims(), expected: self.dims() });
        }
        if limit == 0 {
            return Ok(Vec::new());
        }
        let next = AtomicUsize::new(0);
        let part = || self.scan_part(query, limit, &next, cancel, &keep);
        let threads = threads.min(self.blocks.len() / BLOCKS_PER_THREAD).clamp(1, MOST_THREADS);
        if threads == 1 {
            return part();
        }
        let parts: Result<Vec<_>, _> = thread::scope(|scope| {
            let others: Vec<_> =
                (1..threads).map(|_| thread::Builder::new().spawn_scoped(scope, part)).collect();
            let ours = part();
            // A thread that could not be started leaves its blocks to the others.
            let others = others.into_iter().flatten();
            std::iter::once(ours)
                .chain(
                    others.map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
                )
                .collect()
        });
        Ok(merge(parts?, limit))
    }

    /// Takes block after block until none is left.
    fn scan_part(
        &self,
        query: &Vector,
        limit: usize,
        next: &AtomicUsize,
        cancel: &Cancel,
        keep: &(impl Fn(u64) -> bool + Sync),
    ) -> Result<Vec<Scored>, VectorsError> {
        let mut top = Top::new(limit);
        let mut buffer = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= self.blocks.len() {
                return Ok(top.finish());
            }
            cancel.check()?;
            for row in self.read(at, &mut buffer)?.iter() {
                let score = dot(query.codes(), row.codes) as f32 * (query.scale() * row.scale);
                let scored = Scored { id: row.id, score };
                if top.wants(scored) && keep(row.id) {
                    top.offer(scored);
                }
            }
        }
    }
}
