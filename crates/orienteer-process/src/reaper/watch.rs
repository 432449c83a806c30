//! What does the reaper itself do?

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgrp, kill_process_group, test_kill_process_group};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

/// How long the groups may take to end before they are ended by force.
const GRACE: Duration = Duration::from_millis(500);

/// How often we look whether they have.
const STEP: Duration = Duration::from_millis(10);

/// The whole program of the reaper: to be called, and nothing else, when the host finds itself started
/// by the [`ReaperCommand`](crate::ReaperCommand) that it gave to its launcher.
///
/// It reads the list of groups from standard input until that closes, ends the groups that are left on
/// the list, and returns.
pub fn reaper_main() -> ExitCode {
    // A reaper that was told to end would leave the children unguarded, and it ends with its host
    // anyway. One that can be told to end is still better than none, so an error changes nothing.
    let _deaf = ignore_signals();
    end(read_groups(io::stdin().lock()));
    ExitCode::SUCCESS
}

/// Makes the polite signals meaningless to us. A signal that has a handler does no harm, and this handler
/// only makes a note that nobody reads, because the runtime is never run.
fn ignore_signals() -> io::Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    {
        let _context = runtime.enter();
        for kind in
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()]
        {
            // The handler stays when the stream of notes is dropped.
            drop(signal(kind)?);
        }
    }
    Ok(runtime)
}

/// Reads lines until the host is gone, and yields the groups that it left behind.
fn read_groups(mut input: impl BufRead) -> HashSet<Pid> {
    let mut groups = HashSet::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        // An error means the same as the end: the host cannot be heard any more.
        if !matches!(input.read_until(b'\n', &mut line), Ok(count) if count > 0) {
            return groups;
        }
        match parse(&line) {
            Some((true, group)) => groups.insert(group),
            Some((false, group)) => groups.remove(&group),
            None => false,
        };
    }
}

/// A line's meaning: whether the group begins, and which group it is.
///
/// A line without its end is not trusted, since a number that lost a digit names somebody else. Nor is a
/// number below two: the system reads those as "everybody" or "my own group".
fn parse(line: &[u8]) -> Option<(bool, Pid)> {
    let line = str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (begins, number) = match line.split_at_checked(1)? {
        ("+", number) => (true, number),
        ("-", number) => (false, number),
        _ => return None,
    };
    let number = number.parse::<i32>().ok().filter(|&number| number > 1)?;
    Some((begins, Pid::from_raw(number)?))
}

/// Asks the groups to end, and ends those by force that do not.
fn end(mut groups: HashSet<Pid>) {
    let own = getpgrp();
    groups.retain(|&group| {
        // A stopped process cannot act on the request before it is woken.
        group != own && exists(kill_process_group(group, Signal::TERM)) && {
            exists(kill_process_group(group, Signal::CONT))
        }
    });
    let deadline = Instant::now() + GRACE;
    while !groups.is_empty() && Instant::now() < deadline {
        sleep(STEP);
        // A group that has gone is forgotten at once, for its number may soon belong to somebody else.
        groups.retain(|&group| exists(test_kill_process_group(group)));
    }
    for group in groups {
        // There is nobody left who could be told that this failed.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn exists(signalled: Result<(), Errno>) -> bool {
    signalled != Err(Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(input: impl AsRef<[u8]>) -> Vec<i32> {
        let groups = read_groups(input.as_ref());
        let mut numbers: Vec<i32> = groups.iter().map(|group| group.as_raw_nonzero().get()).collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn groups_come_and_go() {
        assert_eq!(left("+12\n+34\n-12\n+56\n-99\n"), [34, 56]);
        assert_eq!(left(""), [0; 0]);
    }

    #[test]
    fn dangerous_and_broken_lines_are_passed_over() {
        assert_eq!(left(b"+0\n+1\n+-1\n+-7\nx5\n+\n\n+\xff\n+99999999999\n+12\n+345"), [12]);
    }
}
