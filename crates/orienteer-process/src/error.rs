//! What can go wrong, and what should the reader do about it?

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a program did not run, or did not run to its end.
///
/// A program that ran and failed is no error here: its exit status is in the result.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// No executable of that name exists where we looked.
    #[error("cannot find the program `{program}`: {}; {}", looked(.looked_in), find_advice(.looked_in))]
    NotFound {
        /// The name as the specification gave it.
        program: String,
        /// The folders that were searched, in order.
        looked_in: Vec<PathBuf>,
    },

    /// The folder to run in does not exist.
    #[error("cannot run `{program}` in `{}`: that folder does not exist; create it or name another", .cwd.display())]
    NoFolder {
        /// The name as the specification gave it.
        program: String,
        /// The folder as the specification gave it.
        cwd: PathBuf,
    },

    /// The operating system refused to start the program.
    #[error("cannot start `{}` ({source}); {}", .path.display(), start_advice(.source))]
    Spawn {
        /// The executable that was chosen.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// The program ran longer than its time-out and was ended, with everything it had started.
    #[error("`{program}` was stopped because it had not finished after {after:?}; allow it more time, or find out what it waits for{}", said(.stderr_tail))]
    TimedOut {
        /// The name as the specification gave it.
        program: String,
        /// The time-out that passed.
        after: Duration,
        /// The last part of what it wrote to standard error.
        stderr_tail: String,
    },

    /// The caller cancelled the run; the program was ended, with everything it had started.
    #[error(
        "`{program}` was stopped because the request was cancelled; run it again if its result is still needed"
    )]
    Cancelled {
        /// The name as the specification gave it.
        program: String,
    },

    /// The program started, but we lost track of it.
    #[error("lost track of `{program}` while {doing} ({source}); its processes were ended, run it again")]
    Io {
        /// The name as the specification gave it.
        program: String,
        /// What we were doing.
        doing: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
}

fn looked(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "its PATH names no folder to look in".to_owned();
    }
    let folders: Vec<_> = folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
    format!("no executable of that name in {}", folders.join(", "))
}

fn find_advice(folders: &[PathBuf]) -> &'static str {
    if folders.is_empty() {
        "set PATH to the absolute folders that hold your programs, or give the program's full path"
    } else {
        "install it, add its folder to PATH, or give its full path"
    }
}

fn start_advice(source: &io::Error) -> &'static str {
    match source.kind() {
        // The file was seen a moment ago, so what is missing is what the file refers to.
        io::ErrorKind::NotFound => {
            "the file exists, so look at its first line: the interpreter or loader it names is missing"
        }
        io::ErrorKind::PermissionDenied => {
            "make the file executable and check that its disk allows running programs"
        }
        io::ErrorKind::ExecutableFileBusy => {
            "something is still writing the file, try again when that is done"
        }
        io::ErrorKind::ArgumentListTooLong => "pass fewer or shorter arguments",
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => {
            "the system is out of processes or memory, close other programs and try again"
        }
        _ => "check that the file is a program for this machine by running it by hand",
    }
}

fn said(stderr_tail: &str) -> String {
    match stderr_tail.trim() {
        "" => String::new(),
        text => format!("; its last words were: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_values_and_the_next_step() {
        let missing = ProcessError::NotFound {
            program: "gopls".into(),
            looked_in: vec!["/usr/bin".into(), "/opt/go/bin".into()],
        };
        assert_eq!(
            missing.to_string(),
            "cannot find the program `gopls`: no executable of that name in `/usr/bin`, `/opt/go/bin`; \
             install it, add its folder to PATH, or give its full path"
        );
        let slow = ProcessError::TimedOut {
            program: "tsc".into(),
            after: Duration::from_secs(3),
            stderr_tail: "waiting\n".into(),
        };
        assert!(slow.to_string().contains("after 3s"), "{slow}");
        assert!(slow.to_string().ends_with("its last words were: waiting"), "{slow}");
    }
}
