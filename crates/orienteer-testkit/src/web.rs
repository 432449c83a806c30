//! A real web server of a folder: Python's own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Serves a folder on this machine. Killed when dropped.
#[derive(Debug)]
pub struct Web {
    child: Child,
    address: String,
}

impl Web {
    pub fn start(folder: &Path) -> Self {
        let mut child = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 is installed");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
        let port = line.split_whitespace().skip_while(|word| *word != "port").nth(1).expect("a port");
        Self { child, address: format!("http://127.0.0.1:{port}") }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.address)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
