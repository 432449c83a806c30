//! Giving memory back.
//!
//! The C library of most Linux systems makes a heap for each thread. Each of them grows to the largest answer that its
//! thread ever made and keeps it, because something small lies above. Few heaps for all threads, large blocks outside
//! of them, and giving back what is free whenever nobody asks: after a thousand questions about a large project that is
//! less than half the memory, and no slower.

use std::sync::Arc;
use std::time::Duration;

use crate::router::Router;

mod program;

/// How often somebody looks whether there is something to give back.
const OFTEN: Duration = Duration::from_secs(1);
/// So many looks later, parts of the program are let go even when there is no pause between questions: each of them costs
/// some microseconds when it is needed again.
const AT_LAST: u32 = 4;

/// For whoever has just let go of much. Takes some milliseconds.
pub(crate) fn give_back() {
    heap::give_back();
}

/// Called first of all, while there is only one thread.
pub(crate) fn prepare() {
    heap::prepare();
}

/// Gives back what questions have left behind. Never ends.
pub(crate) async fn keep_small(router: Arc<Router>) {
    let (mut tidied, mut kept, mut looks) = (0, 0, 0);
    loop {
        tokio::time::sleep(OFTEN).await;
        let answered = router.answered();
        looks += 1;
        let heap = answered != tidied;
        let program = answered != kept && (router.queue().is_idle() || looks >= AT_LAST);
        tidied = answered;
        if program {
            (kept, looks) = (answered, 0);
        }
        let work = move || {
            if heap {
                heap::give_back();
            }
            if program {
                program::let_go();
            }
        };
        if heap || program {
            let _ = tokio::task::spawn_blocking(work).await;
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(
    unsafe_code,
    reason = "the C library offers this by no other way, and neither call touches memory of ours"
)]
mod heap {
    /// With one heap, threads that parse files for the index wait for each other half of the time.
    const HEAPS: libc::c_int = 3;
    /// Blocks from this size on are mapped by themselves and given back when they are freed.
    const LARGE: libc::c_int = 256 << 10;
    /// So much may be free at the end of the heap before a single call gives it back: it would be wanted again at once.
    const SPARE: libc::c_int = 8 << 20;

    pub(super) fn prepare() {
        // SAFETY: plain settings of the allocator, made before any other thread is started.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, HEAPS);
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, SPARE);
        }
    }

    pub(super) fn give_back() {
        // SAFETY: it releases free pages only, under the allocator's own lock.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod heap {
    pub(super) fn prepare() {}

    pub(super) fn give_back() {}
}
