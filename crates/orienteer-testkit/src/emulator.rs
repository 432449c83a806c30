//! A stateful emulator of GitHub that we did not write, on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::tools;

pub const TOKEN: &str = "emulated-token";

/// Killed when dropped.
#[derive(Debug)]
pub struct Emulator {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Emulator {
    pub fn start() -> Self {
        let program = tools::tools().join("forge/node_modules/emulate/dist/index.js");
        assert!(program.exists(), "emulate is not installed: run `cargo xtask install`, which installs it");
        let folder = tempfile::tempdir().unwrap();
        let seed = json!({
            "tokens": { TOKEN: { "login": "octocat", "scopes": ["repo", "user"] } },
            "github": {
                "users": [{ "login": "octocat", "name": "The Octocat", "email": "octocat@example.org" }],
                "repos": [
                    { "owner": "octocat", "name": "hello-world", "description": "My first repository",
                      "language": "JavaScript", "topics": ["greeting"], "auto_init": true },
                    { "owner": "octocat", "name": "second", "description": "Another world", "auto_init": true }
                ]
            }
        });
        let file = folder.path().join("seed.json");
        std::fs::write(&file, seed.to_string()).unwrap();
        let port = free_port();
        let mut child = Command::new(tools::require("node"))
            .arg(program)
            .args(["start", "--service", "github", "--port", &port.to_string(), "--seed"])
            .arg(&file)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("seed.json")), "it says that it has begun");
        // The rest must be read, or it would wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let emulator = Self { child, port, _folder: folder };
        let begin = std::time::Instant::now();
        while TcpStream::connect(emulator.place()).is_err() {
            assert!(begin.elapsed().as_secs() < 120, "it does not listen");
            // A loop without a pause would keep it from that where there is one core.
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        emulator
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    fn place(&self) -> (&'static str, u16) {
        ("localhost", self.port)
    }

    /// As a host is written.
    pub fn name(&self) -> String {
        format!("localhost:{}", self.port)
    }

    pub fn api(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    /// The address at which it listens: `localhost` may be either of two.
    pub fn address(&self) -> SocketAddr {
        let mut places = self.place().to_socket_addrs().unwrap();
        places.find(|place| TcpStream::connect(place).is_ok()).unwrap()
    }

    /// A request by hand, to make what is then read.
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let (status, _, answer) = exchange(self.place(), format!("{head}{body}").as_bytes());
        let answer = String::from_utf8(answer).unwrap();
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        serde_json::from_str(&answer).unwrap_or(Value::Null)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One request and its answer; the server closes after it, because of HTTP/1.0.
pub fn exchange(place: (&str, u16), request: &[u8]) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let mut stream = TcpStream::connect(place).unwrap();
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
    (status, headers, answer[end + 4..].to_vec())
}
