//! How a git command runs to its end, or until nobody wants more of it.

use std::io::Read;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use orienteer_base::Cancel;

use super::GitError;

/// The most bytes of an answer that is kept whole.
const MOST_KEPT: usize = 64 << 20;
/// The most bytes kept of what git complains about.
const MOST_SAID: usize = 16 << 10;
const CHUNK: usize = 64 << 10;
const POLL: Duration = Duration::from_millis(10);

/// How a command that was read piece by piece ended.
#[derive(Debug)]
pub struct GitOutput {
    /// `None` when it was stopped.
    pub code: Option<i32>,
    /// What it complained about.
    pub said: String,
    /// Why it was stopped.
    pub stopped: Option<GitEnd>,
}

/// Why a command was stopped before it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitEnd {
    Time,
    Space,
    Enough,
}

/// A whole answer.
#[derive(Debug)]
pub struct GitAnswer {
    pub bytes: Vec<u8>,
    pub code: Option<i32>,
    /// What it complained about.
    pub said: String,
}

impl GitAnswer {
    /// The first line, as text.
    pub fn line(&self) -> String {
        let first = self.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        String::from_utf8_lossy(first).into_owned()
    }

    /// The error of a command that should not have failed.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn failed<T>(&self, command: &str) -> Result<T, GitError> {
        Err(failure(command, &self.said))
    }

    pub(super) fn is_nowhere(&self) -> bool {
        is_nowhere(self.code, &self.said)
    }
}

impl GitOutput {
    /// The error of a command that should not have failed.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn failed<T>(&self, command: &str) -> Result<T, GitError> {
        Err(failure(command, &self.said))
    }

    pub(super) fn is_nowhere(&self) -> bool {
        is_nowhere(self.code, &self.said)
    }
}

fn failure(command: &str, said: &str) -> GitError {
    let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it gave no reason").trim();
    let said = first.trim_start_matches("fatal:").trim().to_owned();
    GitError::Failed { command: command.to_owned(), said }
}

/// Whether git says that there is no repository.
fn is_nowhere(code: Option<i32>, said: &str) -> bool {
    let words = ["not a git repository", "must be run in a work tree", "cannot use bare repository"];
    code.is_some_and(|code| code != 0) && words.iter().any(|words| said.contains(words))
}

/// Runs a command and keeps all it writes. `None` without its folder.
pub(super) fn whole(
    command: Command,
    patience: Duration,
    cancel: &Cancel,
) -> Result<Option<GitAnswer>, GitError> {
    let name = command_word(&command);
    let mut bytes = Vec::new();
    let keep = &mut |chunk: &[u8]| {
        bytes.extend_from_slice(chunk);
        true
    };
    let Some(output) = stream(command, (patience, MOST_KEPT), cancel, keep)? else { return Ok(None) };
    match output.stopped {
        Some(GitEnd::Time) => Err(GitError::TimedOut { command: name, after: patience }),
        Some(_) => Err(GitError::TooMuch { command: name, most: MOST_KEPT }),
        None => Ok(Some(GitAnswer { bytes, code: output.code, said: output.said })),
    }
}

/// Runs a command and gives what it writes piece by piece, until `each` wants no more. `None` without its folder.
pub(super) fn stream(
    mut command: Command,
    (patience, most): (Duration, usize),
    cancel: &Cancel,
    each: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<Option<GitOutput>, GitError> {
    cancel.check()?;
    if !command.get_current_dir().is_some_and(std::path::Path::is_dir) {
        return Ok(None);
    }
    let now = Instant::now();
    // A patience beyond what the clock can count is a year.
    let deadline = now.checked_add(patience).unwrap_or(now + Duration::from_secs(365 * 86_400));
    let lost = |doing| move |source| GitError::Io { doing, source };
    let mut running = Running(command.spawn().map_err(lost("starting it"))?);
    let written = chunks(running.0.stdout.take()).map_err(lost("reading its answer"))?;
    let complaints = complaint(running.0.stderr.take()).map_err(lost("reading its answer"))?;
    let mut output = GitOutput { code: None, said: String::new(), stopped: None };
    let mut size = 0_usize;
    loop {
        cancel.check()?;
        match written.recv_timeout(POLL) {
            Ok(chunk) => {
                size += chunk.len();
                if size > most {
                    output.stopped = Some(GitEnd::Space);
                } else if !each(&chunk) {
                    output.stopped = Some(GitEnd::Enough);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if output.stopped.is_none() && Instant::now() >= deadline {
            output.stopped = Some(GitEnd::Time);
        }
        if output.stopped.is_some() {
            return Ok(Some(output));
        }
    }
    output.code = running.wait(deadline, cancel)?;
    if output.code.is_none() {
        output.stopped = Some(GitEnd::Time);
    }
    // The program has ended, so this pipe has too, unless somebody else holds it.
    output.said = complaints.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
    Ok(Some(output))
}

/// The subcommand, for messages.
fn command_word(command: &Command) -> String {
    let mut rest = command.get_args();
    while let Some(argument) = rest.next() {
        match argument.to_string_lossy() {
            option if option == "-c" => drop(rest.next()),
            option if option.starts_with('-') => {}
            word => return word.into_owned(),
        }
    }
    String::new()
}

/// A child that is ended with its value.
#[derive(Debug)]
struct Running(Child);

impl Running {
    /// The exit code, `None` when the time is over; a signal counts as -1.
    fn wait(&mut self, deadline: Instant, cancel: &Cancel) -> Result<Option<i32>, GitError> {
        let mut pause = Duration::from_micros(100);
        loop {
            let status = self.0.try_wait();
            match status.map_err(|source| GitError::Io { doing: "waiting for its end", source })? {
                Some(status) => return Ok(Some(status.code().unwrap_or(-1))),
                None if Instant::now() >= deadline => return Ok(None),
                None => {
                    cancel.check()?;
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(POLL);
                }
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both do nothing to a child that has ended and was waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Reads a pipe on a thread of its own, because a read cannot be interrupted. The thread ends with the pipe, or when
/// nobody listens any more.
fn chunks(pipe: Option<impl Read + Send + 'static>) -> std::io::Result<Receiver<Vec<u8>>> {
    let (send, receive) = sync_channel(4);
    if let Some(mut pipe) = pipe {
        std::thread::Builder::new().name("git".to_owned()).spawn(move || {
            let mut chunk = vec![0; CHUNK];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                if send.send(chunk[..count].to_vec()).is_err() {
                    return;
                }
            }
        })?;
    }
    Ok(receive)
}

/// Reads all complaints and keeps the beginning. They are read while the answer is: a program that finds a pipe full
/// waits for us while we wait for it.
fn complaint(pipe: Option<impl Read + Send + 'static>) -> std::io::Result<Receiver<String>> {
    let (send, receive) = sync_channel(1);
    if let Some(mut pipe) = pipe {
        std::thread::Builder::new().name("git".to_owned()).spawn(move || {
            let mut said = Vec::new();
            let mut chunk = vec![0; MOST_SAID];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                let room = MOST_SAID - said.len();
                said.extend_from_slice(&chunk[..count.min(room)]);
            }
            // Nobody listens when the answer was not wanted any more.
            let _ = send.send(String::from_utf8_lossy(&said).into_owned());
        })?;
    }
    Ok(receive)
}
