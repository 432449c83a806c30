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
    let own = http.address.to_string();
    let with_port = |host: &str| format!("{host}:{port}");
    for origin in ["http://[::1]", "HTTP://LocalHost:80", "http://127.0.0.1:5173"] {
        assert_eq!(http.post(&[("Origin", origin)], &initialize()).0, 200, "{origin}");
    }
    assert_eq!(http.post(&[("Host", &with_port("[::1]"))], &initialize()).0, 200);
    let refused = |expected: u16, headers: &[(&str, &str)]| {
        let (status, answer) = http.post(headers, &initialize());
        assert_eq!(status, expected, "{headers:?}: {answer}");
    };
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost.", "127.1", "0.0.0.0"] {
        refused(403, &[("Host", host)]);
    }
    for host in ["", "localhost:", "localhost:80:80", "evil@localhost", "localhost/", "localhost:080", "::1"]
    {
        refused(400, &[("Host", host)]);
    }
    for origin in [
        "https://evil.example",
        "null",
        "",
        "http://localhost.evil.example",
        "http://localhost:1@evil.example",
        "http://evil@localhost",
        "http://localhost/",
        "http://localhost:80/path",
        "http://localhost?",
        "http://localhost:",
        "https://localhost",
        "http:localhost",
        "http://localhost, http://evil.example",
        "http://[::1",
    ] {
        refused(403, &[("Origin", origin)]);
    }
    // Two of which the first or the last would do.
    for (name, right, wrong) in
        [("Host", own.as_str(), "evil.example"), ("Origin", "http://localhost", "http://evil.example")]
    {
        refused(400, &[(name, right), (name, wrong)]);
        refused(400, &[(name, wrong), (name, right)]);
        refused(400, &[(name, right), (name, right)]);
    }
}

#[test]
fn the_first_line_and_the_host_header_must_agree() {
    let tree = tree("//- /a.txt\nx\n");
    let http = Http::start(&tree, &[]);
    let asked = |target: &str| {
        let request = request(http.address, &[], &initialize()).replacen("/mcp", target, 1);
        let mut stream = http.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    assert_eq!(asked(&format!("http://{}/mcp", http.address)), "200");
    assert_eq!(asked("http://evil.example/mcp"), "400");
    assert_eq!(asked("/mcp/"), "200");
    assert_eq!(asked("/other"), "404");
}

#[test]
fn origins_and_hosts_of_the_settings_are_exact_too() {
    let tree = tree("//- /a.txt\nx\n");
    let named = [
        ("ORIENTEER_HTTP_ALLOWED_ORIGINS", "https://app.example,http://dev.example:*"),
        ("ORIENTEER_HTTP_ALLOWED_HOSTS", "box.example:80,other.example"),
    ];
    let http = Http::start(&tree, &named);
    for (header, value, expected) in [
        ("Origin", "https://app.example", 200),
        ("Origin", "https://app.example:443", 200),
        ("Origin", "https://app.example:8443", 403),
        ("Origin", "http://app.example", 403),
        ("Origin", "http://dev.example:5173", 200),
        ("Host", "box.example:80", 200),
        ("Host", "box.example:81", 403),
        ("Host", "OTHER.example:81", 200),
    ] {
        let (status, answer) = http.post(&[(header, value)], &initialize());
        assert_eq!(status, expected, "{header}: {value}: {answer}");
    }
    let home = tree.beside("home").display().to_string();
    for (name, value) in [
        ("ORIENTEER_HTTP_ALLOWED_ORIGINS", "null"),
        ("ORIENTEER_HTTP_ALLOWED_ORIGINS", "https://*.example"),
        ("ORIENTEER_HTTP_ALLOWED_HOSTS", "http://box.example"),
    ] {
        let arguments = ["mcp", "--http", "127.0.0.1:0"];
        let refused = run_in(ORIENTEER, &arguments, tree.root(), &[("HOME", &home), (name, value)]);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(&format!("`{value}`, which is no ")), "{}", refused.stderr);
    }
}

/// An empty value is what is left of `TOKEN=$SECRET` when there is no secret.
#[test]
fn an_empty_token_is_not_no_token() {
    let tree = tree("//- /a.txt\nx\n");
    let home = tree.beside("home").display().to_string();
    for (empty, dialect) in [("", None), (" \n", None), ("", Some("pyright"))] {
        let variables = [("HOME", home.as_str()), ("ORIENTEER_HTTP_TOKEN", empty)];
        let mut arguments = vec!["mcp", "--http", "127.0.0.1:0"];
        arguments.extend(dialect.iter().flat_map(|name| ["--dialect", name]));
        let refused = run_in(ORIENTEER, &arguments, tree.root(), &variables);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        let told = refused.stderr;
        assert!(
            told.contains("ORIENTEER_HTTP_TOKEN") && told.contains("is empty, which protects nothing"),
            "{told}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_token_that_cannot_be_read_is_not_no_token() {
    use std::os::unix::ffi::OsStrExt;
    let tree = tree("//- /a.txt\nx\n");
    let mut command = Command::new(ORIENTEER);
    command.args(["mcp", "--http", "127.0.0.1:0"]).current_dir(tree.root()).env_clear();
    command.env("HOME", tree.beside("home"));
    command.env("ORIENTEER_HTTP_TOKEN", std::ffi::OsStr::from_bytes(b"s3cr3t\xff"));
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "{line}");
    assert!(line.contains("ORIENTEER_HTTP_TOKEN is not valid UTF-8") && !line.contains("s3cr3t"), "{line}");
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
    let many: Vec<_> = (0..200).map(|_| ("X", "y")).collect();
    assert_eq!(http.post(&many, &initialize()).0, 431);
    let mut stream = http.connect();
    let long = "x".repeat(10_000_000);
    // It is not read to its end, which may be all that a client learns.
    let sent = stream.write_all(request(http.address, &[("X", &long)], &initialize()).as_bytes());
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    assert!(answer.contains(" 431 ") || sent.is_err() || read.is_err(), "{answer}");
    assert_eq!(http.post(&[], &initialize()).0, 200, "the server goes on");
}

/// What the kernel says that a process holds of its own, in kilobytes.
#[cfg(target_os = "linux")]
fn resident(pid: u32) -> usize {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn thousands_of_sessions_do_not_make_it_grow() {
    let tree = tree("//- /a.txt\nx\n");
    let http = Http::start(&tree, &[]);
    let open = |count: usize| {
        for _ in 0..count {
            assert_eq!(http.post(&[], &initialize()).0, 200);
        }
    };
    // As many as are kept.
    open(300);
    let before = resident(http.child.id());
    open(2_000);
    let grown = resident(http.child.id()).saturating_sub(before);
    // Without a bound it is a hundred megabytes.
    assert!(grown < 30 << 10, "{grown} kB");
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
