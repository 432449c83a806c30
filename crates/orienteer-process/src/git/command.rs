//! Which commands git is asked, and what is switched off for each.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

use orienteer_base::Cancel;

use super::{Git, GitError, Repository, run};

/// Configuration that stands above the repository's and whatever that includes: it may name programs, and none of them is
/// started; it may also change what commands print.
const GUARDS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.gitProxy=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.follow=false",
    "blame.ignoreRevsFile=",
    "submodule.recurse=false",
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
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_ASKPASS", "false"),
    // Complaints are told apart by their words.
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
];

/// A command that may be asked.
struct Known {
    name: &'static str,
    /// Its own switches against programs.
    switches: &'static [&'static str],
    /// It compares files on disk with what is committed, and filters are what it would see them through.
    filters: bool,
}

const NONE: &[&str] = &[];
const KNOWN: &[Known] = &[
    Known { name: "symbolic-ref", switches: NONE, filters: false },
    Known { name: "rev-parse", switches: NONE, filters: false },
    Known { name: "ls-files", switches: NONE, filters: false },
    Known { name: "config", switches: NONE, filters: false },
    Known { name: "log", switches: &["--no-ext-diff", "--no-textconv"], filters: false },
    // What is in a submodule has filters of its own.
    Known {
        name: "diff",
        switches: &["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"],
        filters: true,
    },
    Known { name: "blame", switches: &["--no-textconv"], filters: true },
];

/// The whole command line behind the program's name and the guards.
pub(super) fn guarded(
    git: &Git,
    repository: &Repository,
    folder: &Path,
    arguments: &[&OsStr],
    cancel: &Cancel,
) -> Result<Vec<OsString>, GitError> {
    let (name, rest) = match arguments {
        [name, rest @ ..] => (*name, rest),
        [] => (OsStr::new(""), &[][..]),
    };
    let Some(known) = KNOWN.iter().find(|known| name == known.name) else {
        return Err(GitError::NotAllowed { command: name.to_string_lossy().into_owned() });
    };
    let mut line = if known.filters { without_filters(git, repository, folder, cancel)? } else { Vec::new() };
    line.push(name.into());
    line.extend(known.switches.iter().map(OsString::from));
    line.extend(rest.iter().map(OsString::from));
    Ok(line)
}

/// Switches off what the configuration runs on files that are read from disk: each filter that it names, wherever.
fn without_filters(
    git: &Git,
    repository: &Repository,
    folder: &Path,
    cancel: &Cancel,
) -> Result<Vec<OsString>, GitError> {
    let list = ["config", "--null", "--name-only", "--get-regexp", "^filter\\."].map(OsString::from);
    let Some(program) = git.program(&repository.work_tree) else { return Ok(Vec::new()) };
    let listed = run::whole(git.prepare(program, folder, &list, Some(repository)), git.patience(), cancel)?;
    let Some(listed) = listed else { return Ok(Vec::new()) };
    // Exit code 1: there are none. Anything else leaves it open which there are.
    if !matches!(listed.code, Some(0 | 1)) {
        return listed.failed("config");
    }
    let mut names: Vec<String> = Vec::new();
    for key in listed.bytes.split(|byte| *byte == 0) {
        let key = String::from_utf8_lossy(key);
        let Some((name, _)) = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.')) else {
            continue;
        };
        // Such a name cannot be written as an argument, so it cannot be switched off.
        if name.contains(['=', '\n', char::REPLACEMENT_CHARACTER]) {
            return Err(GitError::Filter { name: name.to_owned() });
        }
        names.push(name.to_owned());
    }
    names.sort_unstable();
    names.dedup();
    let settings = ["clean=", "smudge=", "process=", "required=false"];
    let switched = names
        .iter()
        .flat_map(|name| settings.map(|setting| ["-c".into(), format!("filter.{name}.{setting}").into()]));
    Ok(switched.flatten().collect())
}

impl Git {
    /// A command that is ready to be started: it knows its repository and sees nothing else.
    #[expect(
        clippy::disallowed_methods,
        reason = "this module is synchronous, and the launcher needs a runtime"
    )]
    pub(super) fn prepare(
        &self,
        program: &Path,
        folder: &Path,
        arguments: &[OsString],
        repository: Option<&Repository>,
    ) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment.iter()).envs(VARIABLES.iter().copied());
        match repository {
            Some(repository) => {
                command.env("GIT_DIR", &repository.git_dir).env("GIT_WORK_TREE", &repository.work_tree);
                // Where it looked by itself, it would not look further.
                command.env("GIT_CEILING_DIRECTORIES", &repository.work_tree);
            }
            // A folder that is no repository: it looks no further.
            None => drop(command.env("GIT_DIR", "/dev/null")),
        }
        // The folder as git names it: a link on the way there would make it another one than the work tree's.
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        command.current_dir(folder).arg("--no-pager");
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
