//! What the tests share: shell scripts as children, and waiting for a condition with a deadline.

use std::path::Path;
use std::time::{Duration, Instant};

use orienteer_process::{Environment, ProcessSpec};

/// An environment in which the usual tools are found.
pub(crate) fn environment() -> Environment {
    Environment::default().with("PATH", "/usr/local/bin:/usr/bin:/bin")
}

/// A specification that runs a shell script in the root folder.
pub(crate) fn sh(script: &str) -> ProcessSpec {
    ProcessSpec::new("sh", "/", environment()).arg("-c").arg(script)
}

/// Waits until `condition` holds, and fails the test when that takes too long.
pub(crate) async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "waited too long until {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether a process runs. One that ended counts as gone even if nobody has waited for it: whoever
/// inherits orphans in a container need not wait for them.
pub(crate) fn is_alive(pid: u32) -> bool {
    if cfg!(target_os = "linux") {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        let state = stat.rsplit_once(") ").map(|(_, rest)| &rest[..1]);
        return !matches!(state, Some("Z" | "X"));
    }
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::test_kill_process(pid).is_ok()
}

/// Sends one signal to one process.
pub(crate) fn send(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// The process id that a script wrote to a file, once it has.
pub(crate) async fn pid_in(path: &Path) -> u32 {
    let read = || std::fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'));
    eventually("a script wrote its process id", || read().is_some()).await;
    read().unwrap().trim().parse().unwrap()
}
