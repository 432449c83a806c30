//! The one place that prints. A closed pipe (`| head`) is not an error.

use std::io::{ErrorKind, IsTerminal, Write};

#[allow(clippy::disallowed_methods, reason = "this is the one place that prints")]
pub fn bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Whether a person sees what is printed.
#[allow(clippy::disallowed_methods, reason = "this is the one place that prints")]
pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// A line for people or for the next program.
pub fn line(text: &str) -> anyhow::Result<()> {
    bytes(format!("{text}\n").as_bytes())
}

/// A line for people about what went wrong.
pub fn error(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// How far something is, on one line that the next one replaces. Only for people who look on.
pub fn progress(text: &str) {
    let mut stderr = std::io::stderr().lock();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush());
    }
}

/// Takes that line away.
pub fn progress_ends() {
    progress("");
}

/// The protocol's side of standard output.
#[allow(clippy::disallowed_methods, reason = "the protocol owns stdout while it is served")]
pub fn protocol() -> std::io::Stdout {
    std::io::stdout()
}
