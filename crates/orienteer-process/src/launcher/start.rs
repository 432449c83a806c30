//! How does a specification become a live process?

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use process_wrap::tokio::CommandWrap;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use crate::error::ProcessError;
use crate::group::{ExitWatch, Group, contain};
use crate::reaper::Reaper;
use crate::spec::ProcessSpec;
use crate::supervisor::Leader;

/// A child that was just started, with our ends of its pipes.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) leader: Leader,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

/// Finds the program and starts it in a group of its own, with both outputs piped.
pub(crate) fn start(
    spec: &ProcessSpec,
    stdin: Stdio,
    reaper: Option<&Arc<Reaper>>,
) -> Result<Started, ProcessError> {
    // The system reports a missing folder and a missing program with the same words, so we look first.
    if !spec.cwd.is_dir() {
        return Err(ProcessError::NoFolder { program: spec.program_name(), cwd: spec.cwd.clone() });
    }
    // The program is looked up here rather than by the system so that the child's PATH decides and not
    // ours, and so that an error can say where we looked.
    let Some(path) = spec.environment.which(&spec.program, &spec.cwd).into_iter().next() else {
        let looked_in = spec.environment.folders_for(Path::new(&spec.program), &spec.cwd);
        return Err(ProcessError::NotFound { program: spec.program_name(), looked_in });
    };
    // The reaper has to be there first: the other way round, a child could be left behind while the
    // reaper starts.
    if let Some(reaper) = reaper {
        reaper.ensure_started();
    }
    start_at(&path, spec, stdin, reaper).map_err(|source| ProcessError::Spawn { path, source })
}

fn start_at(
    path: &Path,
    spec: &ProcessSpec,
    stdin: Stdio,
    reaper: Option<&Arc<Reaper>>,
) -> io::Result<Started> {
    let exit_watch = ExitWatch::new()?;
    let environment = spec.environment.clone().for_a_child();
    let mut command = CommandWrap::with_new(path, |command| {
        command
            .args(&spec.args)
            .current_dir(&spec.cwd)
            .env_clear()
            .envs(environment.iter())
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    contain(&mut command);
    let mut child = command.spawn()?;
    let pid = child.id().ok_or_else(|| io::Error::other("the child has no process id"))?;
    // From here on the group is ended whatever happens.
    let group = Group::new(pid, reaper);
    tracing::debug!(pid, program = %path.display(), "started a child");
    let (stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());
    Ok(Started { leader: Leader::new(pid, child, group, exit_watch), stdin, stdout, stderr })
}
