//! How is the program run, so that it does nothing else and ends in time?
//!
//! A child of ours needs no reaper here: git writes to a pipe that ends with us, and it starts nothing of its own.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use orienteer_base::Cancel;

use super::{Git, GitError};

/// The most bytes of an answer that is kept whole.
const MOST_KEPT: usize = 64 << 20;
/// The most bytes kept of what git complains about.
const MOST_SAID: usize = 16 << 10;
const CHUNK: usize = 64 << 10;
const POLL: Duration = Duration::from_millis(10);

/// Configuration that stands above the repository's: it may name programs, and none of them is started; it may also
/// change what commands print.
const GUARDS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.follow=false",
    "blame.ignoreRevsFile=",
    "color.ui=false",
    "safe.bareRepository=explicit",
];

/// Nothing is locked, asked for, or fetched: a partial clone would start what its configuration names as a transport.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    // Complaints are told apart by their words.
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
];

/// What a command said in the end.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) said: String,
    /// It was stopped because time or space ran out, or because nobody wanted more.
    pub(super) cut: Option<Cut>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    Time,
    Space,
    Enough,
}

/// A whole answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) bytes: Vec<u8>,
    pub(super) code: Option<i32>,
    pub(super) said: String,
}

impl Answer {
    /// The first line, as text.
    pub(super) fn line(&self) -> String {
        let first = self.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        String::from_utf8_lossy(first).into_owned()
    }

    pub(super) fn failed<T>(&self, command: &str) -> Result<T, GitError> {
        Err(failure(command, &self.said))
    }
}

pub(super) fn failure(command: &str, said: &str) -> GitError {
    let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it gave no reason").trim();
    let said = first.trim_start_matches("fatal:").trim().to_owned();
    if said.contains("dubious ownership") {
        return GitError::Untrusted { said };
    }
    GitError::Failed { command: command.to_owned(), said }
}

/// Whether git says that there is no repository.
pub(super) fn is_nowhere(said: &str) -> bool {
    ["not a git repository", "must be run in a work tree", "cannot use bare repository"]
        .iter()
        .any(|words| said.contains(words))
}

/// Whether a variable would point git to another repository, index, program or configuration.
pub(super) fn is_gits_own(name: &OsStr) -> bool {
    name.to_string_lossy().get(..4).is_some_and(|start| start.eq_ignore_ascii_case("GIT_"))
}

/// The program on the `PATH`. Only absolute folders count: others would be looked for inside the repository.
pub(super) fn find(environment: &[(OsString, OsString)]) -> Option<PathBuf> {
    let is_path =
        |name: &OsStr| if cfg!(windows) { name.eq_ignore_ascii_case("PATH") } else { name == "PATH" };
    let (_, path) = environment.iter().rev().find(|(name, _)| is_path(name))?;
    let name = format!("git{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|program| is_executable(program))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

impl Git {
    /// Runs a command and keeps all it writes. `None` without git or a repository.
    pub(super) fn answer(
        &self,
        root: &Path,
        arguments: &[&OsStr],
        cancel: &Cancel,
    ) -> Result<Option<Answer>, GitError> {
        let mut bytes = Vec::new();
        let keep = &mut |chunk: &[u8]| {
            bytes.extend_from_slice(chunk);
            true
        };
        let Some(ended) = self.run(root, arguments, (self.patience, MOST_KEPT), cancel, keep)? else {
            return Ok(None);
        };
        let command = command_word(arguments);
        match ended.cut {
            Some(Cut::Time) => Err(GitError::TimedOut { command, after: self.patience }),
            Some(_) => Err(GitError::TooMuch { command, most: MOST_KEPT }),
            None if ended.code != Some(0) && is_nowhere(&ended.said) => Ok(None),
            None => Ok(Some(Answer { bytes, code: ended.code, said: ended.said })),
        }
    }

    /// Arguments that switch off what the repository's configuration runs on files that are read from disk.
    pub(super) fn without_filters(
        &self,
        root: &Path,
        cancel: &Cancel,
    ) -> Result<Option<Vec<OsString>>, GitError> {
        let list = ["config", "--null", "--name-only", "--get-regexp", "^filter\\."];
        let Some(listed) = self.ask(root, &list, cancel)? else { return Ok(None) };
        let mut names: Vec<String> = listed
            .bytes
            .split(|byte| *byte == 0)
            .filter_map(|key| {
                let key = String::from_utf8_lossy(key).into_owned();
                Some(key.strip_prefix("filter.")?.rsplit_once('.')?.0.to_owned())
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        let mut arguments = Vec::new();
        for name in names {
            // Such a name cannot be written as an argument, so it cannot be switched off.
            if name.contains(['=', '\n', char::REPLACEMENT_CHARACTER]) {
                return Err(GitError::Filter { name });
            }
            for setting in ["clean=", "smudge=", "process=", "required=false"] {
                arguments.extend(["-c".into(), format!("filter.{name}.{setting}").into()]);
            }
        }
        Ok(Some(arguments))
    }

    /// Runs a command and gives what it writes piece by piece, until `each` wants no more. `None` without git or without
    /// the folder.
    pub(super) fn run(
        &self,
        root: &Path,
        arguments: &[&OsStr],
        (patience, most): (Duration, usize),
        cancel: &Cancel,
        each: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Option<Ended>, GitError> {
        cancel.check()?;
        let Some(program) = self.program.as_ref().filter(|_| root.is_dir()) else { return Ok(None) };
        let now = Instant::now();
        // A patience beyond what the clock can count is a year.
        let deadline = now.checked_add(patience).unwrap_or(now + Duration::from_secs(365 * 86_400));
        let lost = |doing| move |source| GitError::Io { doing, source };
        let mut running =
            Running(self.command(program, root, arguments).spawn().map_err(lost("starting it"))?);
        let written = stream(running.0.stdout.take()).map_err(lost("reading its answer"))?;
        let complaints = complaint(running.0.stderr.take()).map_err(lost("reading its answer"))?;
        let mut ended = Ended { code: None, said: String::new(), cut: None };
        let mut size = 0_usize;
        loop {
            cancel.check()?;
            match written.recv_timeout(POLL) {
                Ok(chunk) => {
                    size += chunk.len();
                    if size > most {
                        ended.cut = Some(Cut::Space);
                    } else if !each(&chunk) {
                        ended.cut = Some(Cut::Enough);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if ended.cut.is_none() && Instant::now() >= deadline {
                ended.cut = Some(Cut::Time);
            }
            if ended.cut.is_some() {
                return Ok(Some(ended));
            }
        }
        ended.code = running.wait(deadline, cancel)?;
        if ended.code.is_none() {
            ended.cut = Some(Cut::Time);
        }
        // The program has ended, so this pipe has too, unless somebody else holds it.
        ended.said = complaints.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        Ok(Some(ended))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this room is synchronous, and the launcher needs a runtime"
    )]
    fn command(&self, program: &Path, root: &Path, arguments: &[&OsStr]) -> Command {
        let mut command = Command::new(program);
        command.env_clear();
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.envs(VARIABLES.iter().copied());
        command.current_dir(root).arg("--no-pager");
        for guard in GUARDS {
            command.args(["-c", guard]);
        }
        command.args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(windows)]
        {
            use std::os::windows::process::CommandExt;
            const CREATE_NO_WINDOW: u32 = 0x0800_0000;
            command.creation_flags(CREATE_NO_WINDOW);
        }
        command
    }
}

/// The subcommand, for messages.
pub(super) fn command_word(arguments: &[&OsStr]) -> String {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.to_string_lossy() {
            option if option == "-c" => drop(rest.next()),
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
fn stream(pipe: Option<impl Read + Send + 'static>) -> std::io::Result<Receiver<Vec<u8>>> {
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
