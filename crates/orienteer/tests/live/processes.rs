//! Which processes are there?

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Parent, group and state of a process, from the system's own table.
fn entry(pid: u32) -> Option<(u32, u32, char)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may contain anything.
    let rest = &text[text.rfind(')')? + 2..];
    let mut fields = rest.split(' ');
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    Some((parent, fields.next()?.parse().ok()?, state))
}

fn all() -> Vec<u32> {
    let entries = std::fs::read_dir(Path::new("/proc")).unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

pub(crate) fn is_alive(pid: u32) -> bool {
    entry(pid).is_some_and(|(_, _, state)| state != 'Z')
}

/// The living members of a group.
pub(crate) fn group(id: u32) -> Vec<u32> {
    let member = |pid: &u32| entry(*pid).is_some_and(|(_, group, state)| group == id && state != 'Z');
    all().into_iter().filter(member).collect()
}

pub(crate) fn children(of: u32) -> Vec<u32> {
    let child = |pid: &u32| entry(*pid).is_some_and(|(parent, _, state)| parent == of && state != 'Z');
    all().into_iter().filter(child).collect()
}

/// Nothing is left of servers: neither they nor what they started in their groups.
pub(crate) fn gone(pids: &[u32]) {
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        let left: Vec<u32> = pids.iter().flat_map(|pid| group(*pid)).collect();
        if left.is_empty() && !pids.iter().any(|pid| is_alive(*pid)) {
            return;
        }
        assert!(Instant::now() < until, "still alive: {left:?} of {pids:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn signal(name: &str, pid: u32) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
    assert!(status.unwrap().success(), "kill -{name} {pid}");
}
