//! The HTTP transport, spoken to byte by byte: what a browser or a stranger could send.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use orienteer_testkit::{Tree, tree};
use serde_json::{Value, json};

use crate::support::run_in;
use crate::{ORIENTEER, slow};

struct Http {
    child: Child,
    address: SocketAddr,
}

impl Http {
    fn start(tree: &Tree, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(ORIENTEER);
        command.args(["mcp", "--http", "127.0.0.1:0", "--log-level", "error"]).current_dir(tree.root());
        // The tests' own variables are no settings.
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ORIENTEER_"))
        {
            command.env_remove(name);
        }
        command.env("HOME", tree.beside("home")).envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{line}"));
        Self { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends a POST and returns the status and the rest. `Connection: close` makes the end visible.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = self.connect();
        stream.write_all(request(self.address, headers, body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status =
            answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{answer}"));
        (status, answer)
    }

    fn search(&self, arguments: &Value) -> (u16, String) {
        self.post(MODERN_SEARCH, &search(arguments).to_string())
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const MODERN_SEARCH: &[(&str, &str)] =
    &[("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "search_code")];

fn request(address: SocketAddr, headers: &[(&str, &str)], body: &str) -> String {
    let mut text = "POST /mcp HTTP/1.1\r\n".to_owned();
    let mut defaults = vec![
        ("Host", address.to_string()),
        ("Content-Type", "application/json".to_owned()),
        ("Accept", "application/json, text/event-stream".to_owned()),
        ("Content-Length", body.len().to_string()),
        ("Connection", "close".to_owned()),
    ];
    defaults.retain(|(name, _)| !headers.iter().any(|(given, _)| given == name));
    for (name, value) in defaults {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{text}\r\n{body}")
}

/// A call of the newest revision, which needs no session.
fn search(arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "search_code",
        "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    } })
}

fn initialize() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" },
    } })
    .to_string()
}

#[test]
fn hosts_and_origins_are_checked() {
    let tree = tree("//- /a.txt\nx\n");
    let http = Http::start(&tree, &[]);
    let port = http.address.port();
    assert_eq!(http.post(&[], &initialize()).0, 200);
    assert_eq!(http.post(&[("Origin", &format!("http://localhost:{port}"))], &initialize()).0, 200);
    for headers in [
        [("Host", "evil.example")],
        [("Host", "127.0.0.1.evil.example")],
        [("Origin", "https://evil.example")],
        [("Origin", "null")],
        [("Origin", "http://localhost.evil.example")],
    ] {
        let (status, answer) = http.post(&headers, &initialize());
        assert_eq!(status, 403, "{headers:?}: {answer}");
    }
}

#[test]
fn a_token_is_required_when_set_and_when_others_can_reach_us() {
    let tree = tree("//- /a.txt\nx\n");
    let http = Http::start(&tree, &[("ORIENTEER_HTTP_TOKEN", "correct horse")]);
    let (status, answer) = http.post(&[], &initialize());
    assert_eq!(status, 401, "{answer}");
    assert!(answer.to_lowercase().contains("www-authenticate: bearer"), "{answer}");
    assert!(!answer.contains("correct horse"));
    for wrong in ["Bearer correct", "Bearer correct horse battery", "Basic correct horse", "correct horse"] {
        assert_eq!(http.post(&[("Authorization", wrong)], &initialize()).0, 401, "{wrong}");
    }
    assert_eq!(http.post(&[("Authorization", "Bearer correct horse")], &initialize()).0, 200);
    let home = tree.beside("home").display().to_string();
    let open = run_in(ORIENTEER, &["mcp", "--http", "0.0.0.0:0"], tree.root(), &[("HOME", &home)]);
    assert_eq!(open.code, Some(2));
    let told = open.stderr;
    assert!(told.contains("a token is required") && told.contains("ORIENTEER_HTTP_TOKEN"), "{told}");
}

#[test]
fn bodies_are_limited_and_bad_ones_refused() {
    let tree = tree("//- /a.txt\nx\n");
    let http = Http::start(&tree, &[("ORIENTEER_MCP_MAX_BUFFER_BYTES", "10000")]);
    let (status, answer) = http.post(&[], &format!("{{\"x\":\"{}\"}}", "y".repeat(50_000)));
    assert_eq!(status, 413, "{answer}");
    for bad in ["{nonsense", "", "\u{0}"] {
        let (status, answer) = http.post(&[], bad);
        assert_eq!(status, 400, "{answer}");
        assert!(answer.contains("\"code\":-32700"), "{answer}");
    }
    assert_eq!(http.post(&[], &initialize()).0, 200, "the server goes on");
}

#[test]
fn many_clients_are_served_at_once() {
    let tree = tree("//- /src/main.rs\nfn main() {}\n");
    let http = Http::start(&tree, &[]);
    std::thread::scope(|scope| {
        let clients: Vec<_> =
            (0..16).map(|_| scope.spawn(|| http.search(&json!({ "pattern": "fn main" })))).collect();
        for client in clients {
            let (status, answer) = client.join().unwrap();
            assert_eq!(status, 200, "{answer}");
            assert!(answer.contains("src/main.rs"), "{answer}");
        }
    });
}

#[test]
fn closing_the_stream_stops_the_work() {
    let tree = slow::tree();
    let http = Http::start(&tree, &[("ORIENTEER_MCP_MAX_CONCURRENT_CALLS", "1")]);
    let mut stream = http.connect();
    let body = search(&slow::search()).to_string();
    stream.write_all(request(http.address, MODERN_SEARCH, &body).as_bytes()).unwrap();
    // It has the only slot as soon as another call has to wait.
    std::thread::sleep(Duration::from_millis(500));
    drop(stream);
    let begun = Instant::now();
    let (status, answer) = http.search(&json!({ "pattern": "fn main", "path": "src" }));
    assert_eq!(status, 200, "{answer}");
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "the abandoned search kept its slot for {:?}",
        begun.elapsed()
    );
}
