//! Signals, by the shell's own `kill`: std has none, and a test helper needs no crate for it.

use std::process::{Command, Stdio};

/// SIGKILL to a process, or to a whole group when the number is negative.
#[cfg(unix)]
pub(crate) fn kill(target: &str) {
    let script = format!("kill -9 {target}");
    let mut command = Command::new("/bin/sh");
    let _ = command
        .args(["-c", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

/// There are no groups to be had without a crate: the tree of the process.
#[cfg(not(unix))]
pub(crate) fn kill(target: &str) {
    let mut command = Command::new("taskkill");
    let command = command.args(["/F", "/T", "/PID", target.trim_start_matches('-')]);
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
}
