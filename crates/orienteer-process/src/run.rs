//! How does a program run to its end?

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::error::ProcessError;
use crate::launcher::start;
use crate::output::{Capture, Captured, drain, lock};
use crate::reaper::Reaper;
use crate::spec::ProcessSpec;
use crate::supervisor::Supervised;

/// What came of a program that ran to its end.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// How long it took.
    pub duration: Duration,
}

/// Why we stopped waiting.
enum Outcome {
    Ended(io::Result<ExitStatus>),
    Cancelled,
    TimedOut(Duration),
}

pub(crate) async fn run(
    spec: &ProcessSpec,
    cancel: &CancellationToken,
    reaper: Option<&Arc<Reaper>>,
) -> Result<Finished, ProcessError> {
    if cancel.is_cancelled() {
        return Err(ProcessError::Cancelled { program: spec.program_name() });
    }
    let begin = Instant::now();
    let stdin = if spec.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    let started = start(spec, stdin, reaper)?;
    let stdout = Arc::new(Mutex::new(Capture::new(spec.stdout_limit)));
    let stderr = Arc::new(Mutex::new(Capture::new(spec.stderr_limit)));

    // Each stream has a task of its own: a child may write megabytes to one output before it touches
    // the other, or before it has read its input.
    let mut drains = JoinSet::new();
    if let (Some(pipe), Some(bytes)) = (started.stdin, spec.stdin.clone()) {
        drains.spawn(feed(pipe, bytes));
    }
    if let Some(pipe) = started.stdout {
        let sink = Arc::clone(&stdout);
        drains.spawn(async move { drain(pipe, &sink).await });
    }
    if let Some(pipe) = started.stderr {
        let sink = Arc::clone(&stderr);
        drains.spawn(async move { drain(pipe, &sink).await });
    }
    let process = Supervised::new(started.leader, drains);

    match wait(&process, spec, cancel).await {
        Outcome::Ended(Ok(status)) => Ok(Finished {
            status,
            stdout: lock(&stdout).take(),
            stderr: lock(&stderr).take(),
            duration: begin.elapsed(),
        }),
        Outcome::Ended(Err(source)) => {
            Err(ProcessError::Io { program: spec.program_name(), doing: "waiting for its end", source })
        }
        Outcome::Cancelled => {
            end(&process).await;
            Err(ProcessError::Cancelled { program: spec.program_name() })
        }
        Outcome::TimedOut(after) => {
            end(&process).await;
            let stderr_tail = lock(&stderr).last_words();
            Err(ProcessError::TimedOut { program: spec.program_name(), after, stderr_tail })
        }
    }
}

/// Waits for whatever comes first. A program that has ended counts as ended, even if the time was up in
/// the same moment: its result is there, so the caller may have it.
async fn wait(process: &Supervised, spec: &ProcessSpec, cancel: &CancellationToken) -> Outcome {
    let time_out = async {
        match spec.timeout {
            Some(after) => {
                tokio::time::sleep(after).await;
                after
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        status = process.wait() => Outcome::Ended(status),
        () = cancel.cancelled() => Outcome::Cancelled,
        after = time_out => Outcome::TimedOut(after),
    }
}

/// Ends the group. How exactly it ended no longer matters to the caller.
async fn end(process: &Supervised) {
    if let Err(error) = process.end().await {
        tracing::warn!(pid = process.pid(), %error, "a child did not end when it was killed");
    }
}

/// Writes the input and closes it. A child need not read its input to the end, so failing to deliver it
/// is no error of the run.
async fn feed(mut pipe: ChildStdin, bytes: Vec<u8>) {
    if let Err(error) = pipe.write_all(&bytes).await {
        tracing::debug!(%error, "a child did not read all of its input");
    }
}
