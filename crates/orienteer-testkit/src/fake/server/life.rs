//! The start of the process, and what is noted of every message.

use std::ffi::OsStr;
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};

use super::faults::Faults;
use super::journal::shortened;
use super::shared::Shared;
use crate::fake::START;

/// Everything the script wants before the first message is read.
#[allow(clippy::zombie_processes, reason = "the child is to be left behind")]
pub(super) fn start(shared: &Shared, faults: &mut Faults) {
    let script = &shared.script;
    shared.journal.note("start", json!({}));
    if !script.start_stderr.is_empty() {
        shared.stderr(&format!("{}\n", script.start_stderr.trim_end()));
    }
    if script.grandchild {
        let mut command = Command::new("sleep");
        let command = command.arg("1000").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("`sleep` starts");
        shared.journal.note("grandchild", json!({ "child": child.id() }));
    }
    faults.due(shared, START, &Value::Null).strike(shared);
    if !script.early_stdout.is_empty() {
        shared.wire.raw(script.early_stdout.as_bytes());
    }
}

pub(super) fn note_received(shared: &Shared, message: &Value) {
    let method = message["method"].as_str().unwrap_or_default();
    let kind = if message.get("id").is_some() { "request" } else { "notification" };
    let mut fields =
        json!({ "kind": kind, "method": method, "params": shortened(method, &message["params"]) });
    if let Some(id) = message.get("id") {
        fields["id"] = id.clone();
    }
    shared.journal.note("received", fields);
}

/// A shell that ignores signals passes that on to the program it becomes: std cannot ignore them by itself.
#[cfg(unix)]
pub(super) fn restart_without_signals(script: &OsStr) -> ExitCode {
    use std::os::unix::process::CommandExt;
    let own = std::env::current_exe().expect("our own path");
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", r#"trap '' TERM INT HUP; exec "$0" "$1" --signals-are-ignored"#])
        .arg(own)
        .arg(script);
    super::refuse(&command.exec().to_string())
}

#[cfg(not(unix))]
pub(super) fn restart_without_signals(_script: &OsStr) -> ExitCode {
    super::refuse("signals can be ignored on Unix only")
}
