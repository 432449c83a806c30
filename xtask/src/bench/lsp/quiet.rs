//! Waiting until servers have nothing to do: some check files in the background long after they answered, and whoever
//! was asked last would look slower.

use std::time::{Duration, Instant};

const STEP: Duration = Duration::from_millis(250);
/// So many steps in a row without work.
const STEPS: usize = 4;
const LONGEST: Duration = Duration::from_secs(60);
/// Ticks of the processor in a step that are no work: a hundred make a second.
const FEW: u64 = 2;

/// Waits until the processes and all that they started are idle.
pub(super) fn wait(pids: &[u32]) {
    let until = Instant::now() + LONGEST;
    let ticks = || pids.iter().map(|pid| ticks(*pid)).sum::<u64>();
    let mut before = ticks();
    let mut quiet = 0;
    while quiet < STEPS && Instant::now() < until {
        std::thread::sleep(STEP);
        let now = ticks();
        quiet = if now.saturating_sub(before) <= FEW { quiet + 1 } else { 0 };
        before = now;
    }
}

/// Ticks that a process and all that it started have run.
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Behind the name, which may hold anything: state is the first, user and system time are 11 and 12 from 0.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let own = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or_default();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    own(11) + own(12) + children.map(ticks).sum::<u64>()
}
