//! One seeded fuzzer over what strangers send: both framings, and the arguments of every tool in the list.
//!
//! A few seconds in every run, long with `ORIENTEER_FUZZ_SECONDS`. It prints its seed; `ORIENTEER_FUZZ_SEED`
//! repeats a run.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use orienteer::config::places::Variables;
use orienteer::config::{Config, Given};
use orienteer::router::{Call, Router};
use orienteer::server::McpServer;
use orienteer::tool::Toolset;
use orienteer::tools::TOOLS;
use orienteer::transport::framing::{Decoder, Frame, Framing, encode};
use orienteer::transport::stdio::Stdio;
use orienteer_engine::process::{Environment, Launcher, ReaperCommand};
use orienteer_engine::{Engine, EngineSpec, IndexSpec, Session, SessionSpec};
use orienteer_testkit::{Tree, tree};
use serde_json::{Map, Value, json};

/// A small generator of numbers; the quality of chance matters less than that it can be repeated.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = std::env::var("ORIENTEER_FUZZ_SEED").ok().and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or_else(|| u64::try_from(now.as_nanos() & u128::from(u64::MAX)).unwrap()) | 1;
    eprintln!("ORIENTEER_FUZZ_SEED={seed}");
    seed
}

fn patience() -> Duration {
    let full = std::env::var_os("ORIENTEER_TEST_FULL").is_some();
    let seconds = std::env::var("ORIENTEER_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(if full { 120 } else { 6 }))
}

fn house(tree: &Tree) -> (Arc<Router>, Session) {
    let given = Given {
        variables: Variables::default(),
        current_folder: tree.root().to_owned(),
        flags: vec![
            ("--toolsets", "mcp.toolsets", "all".to_owned()),
            ("--test", "mcp.tool_timeout_ms", "3000".to_owned()),
            ("--test", "mcp.max_buffer_bytes", "20000".to_owned()),
        ],
        ..Given::default()
    };
    let config = Config::load(&given).unwrap();
    let index = IndexSpec { folder: tree.beside("cache"), model: None, rules: None, threads: 2 };
    let engine = Engine::new(EngineSpec {
        index: Some(index),
        journal_folder: Some(tree.beside("journal")),
        triage_folder: Some(tree.beside("triage")),
        ..EngineSpec::new(
            config.roots.clone(),
            Environment::from_pairs::<String, String>([]),
            Launcher::new(ReaperCommand::new(crate::ORIENTEER).arg("__reaper")),
            std::env::temp_dir(),
        )
    });
    let session = engine.session(SessionSpec { roots: config.roots.clone(), read_only: false });
    (Router::new(config, TOOLS).unwrap(), session)
}

fn fixture() -> Tree {
    let tree = tree(
        "//- /src/main.rs\nfn main() { let x = Some(1); if let Some(y) = x { drop(y) } }\n//- /src/ünï😀.py\ndef f(a):\n    return a\n//- /.hidden/x.txt\nsecret\n//- /.gitignore\nignored/\n//- /ignored/y.txt\nz\n//- /crlf.txt\na\r\nb\r\n",
    );
    tree.write("binary.bin", [0, 1, 2, 0xff, 0xfe]);
    tree.write("utf16.txt", [0xff, 0xfe, b'h', 0, b'i', 0, b'\n', 0]);
    tree.write("latin.txt", b"caf\xe9\n");
    tree.write("empty", b"");
    tree.write("long.txt", "word ".repeat(20_000));
    std::os::unix::fs::symlink("/etc", tree.root().join("escape")).unwrap();
    std::os::unix::fs::symlink("loop", tree.root().join("loop")).unwrap();
    tree
}

const WORDS: &[&str] = &[
    "",
    "main",
    "f",
    "function",
    ".",
    "..",
    "/",
    "/etc/passwd",
    "src",
    "src/main.rs",
    "src/ünï😀.py",
    "escape",
    "escape/passwd",
    "loop",
    "binary.bin",
    "utf16.txt",
    "latin.txt",
    "empty",
    "long.txt",
    "crlf.txt",
    "a\0b",
    "(",
    "[",
    "*",
    "**",
    "{a,b",
    "\\",
    "\\x",
    "\\xff",
    "a{9999}",
    "(a|b)*c",
    "^",
    "$",
    "\\b",
    ".*",
    "(?s).+",
    "\\pL+",
    "x{1000}{1000}",
    "fn",
    "word",
    "$X",
    "$$$A",
    "fn $F() { $$$B }",
    "$A($$$B)",
    "rust",
    "python",
    "RUST",
    "klingon",
    "bash",
    "7d",
    "-1d",
    "99999999999w",
    "2026-01-31",
    "2026-13-99",
    "10M",
    "1e9",
    "755",
    "9999",
    "😀",
    "e\u{301}",
    "\u{202e}",
    "\u{feff}",
    "\r\n",
    "\n",
    "true",
    "null",
    "search_code",
    "read_file",
    "batch",
    "lang:rust",
    "-kind:function",
    "+main",
    "\"main()\"",
    "/ma.n/i",
    "calls:",
    "path:\"src",
];

fn text(chance: &mut Chance) -> String {
    match chance.below(10) {
        0 => chance.pick(WORDS).repeat(1 + chance.below(2_000)),
        1 => (0..chance.below(40))
            .filter_map(|_| char::from_u32(u32::try_from(chance.next() % 0x11_0000).unwrap()))
            .collect(),
        2 => format!("{}{}", chance.pick(WORDS), chance.pick(WORDS)),
        _ => (*chance.pick(WORDS)).to_owned(),
    }
}

fn anything(chance: &mut Chance, depth: usize) -> Value {
    match chance.below(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => Value::Bool(chance.one_in(2)),
        2 => json!(chance.pick(&[-1i64, 0, 1, 50, i64::MAX, i64::MIN])),
        3 => json!(chance.pick(&[0.5f64, -0.0, 1e300, 2.0])),
        4 => Value::String(text(chance)),
        5 => (0..chance.below(4)).map(|_| anything(chance, depth - 1)).collect(),
        _ => {
            Value::Object((0..chance.below(4)).map(|_| (text(chance), anything(chance, depth - 1))).collect())
        }
    }
}

/// A value that a schema mostly accepts.
fn value(chance: &mut Chance, schema: &Value) -> Value {
    if chance.one_in(12) {
        return anything(chance, 3);
    }
    if let Some(legal) = schema["enum"].as_array() {
        return chance.pick(legal).clone();
    }
    match schema["type"].as_str() {
        Some("boolean") => Value::Bool(chance.one_in(2)),
        Some("integer") => {
            let most = schema["maximum"].as_u64().unwrap_or(100_000);
            json!(chance.pick(&[0, 1, 2, 7, most, most.saturating_add(1), 2_000, 5_000, u64::from(u32::MAX)]))
        }
        Some("array") => (0..chance.below(4)).map(|_| value(chance, &schema["items"])).collect(),
        Some("object") => {
            let empty = Map::new();
            object(chance, schema.as_object().unwrap_or(&empty))
        }
        _ => Value::String(text(chance)),
    }
}

fn object(chance: &mut Chance, schema: &Map<String, Value>) -> Value {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut arguments = Map::new();
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let needed = required.contains(&json!(name));
        if (needed && !chance.one_in(20)) || (!needed && chance.one_in(3)) {
            arguments.insert(name.clone(), value(chance, property));
        }
    }
    if chance.one_in(15) {
        arguments.insert(text(chance), anything(chance, 2));
    }
    Value::Object(arguments)
}

#[test]
fn arguments_of_every_tool() {
    let mut chance = Chance(seed());
    let tree = fixture();
    let (router, session) = house(&tree);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let until = Instant::now() + patience();
    let mut calls = 0;
    let mut succeeded = 0;
    let mut by_grammar = 0;
    while Instant::now() < until {
        for entry in TOOLS {
            let arguments = object(&mut chance, &(entry.input_schema)());
            let cap = arguments["max_total_chars"].as_u64().filter(|cap| *cap >= 2_000).unwrap_or(120_000);
            let given = arguments.as_object().cloned().unwrap_or_default();
            let outcome =
                runtime.block_on(router.call(&session, entry.name, given, Call::default())).unwrap();
            let result = serde_json::to_string(&orienteer::server::result(outcome.clone())).unwrap();
            let told =
                || format!("{} {arguments} → {result}", entry.name).chars().take(3_000).collect::<String>();
            assert!(result.chars().count() as u64 <= cap, "over {cap}: {}", told());
            assert_eq!(outcome.structured["tool"], entry.name, "{}", told());
            let kind = outcome.structured.get("error").and_then(|error| error["kind"].as_str());
            assert_eq!(outcome.is_error, kind.is_some(), "{}", told());
            assert_ne!(kind, Some("internal_error"), "{}", told());
            assert!(!result.contains("root:x:0:0"), "a file outside the roots was read: {}", told());
            // There are no language servers here: what they are asked is answered by grammar, or not at all.
            if matches!(entry.toolset, Toolset::Navigate | Toolset::Diagnose | Toolset::Edit) {
                by_grammar += usize::from(!outcome.is_error);
                continue;
            }
            calls += 1;
            succeeded += usize::from(!outcome.is_error);
        }
    }
    runtime.shutdown_background();
    // A fuzzer whose every call is refused at the door tests the door alone.
    assert!(succeeded * 5 > calls, "only {succeeded} of {calls} calls were accepted");
    eprintln!("{calls} calls, {succeeded} accepted; {by_grammar} about code");
}

/// The reading end of a pipe made of a channel.
struct Pipe(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let count = self.1.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn messages(chance: &mut Chance) -> Vec<Value> {
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "f", "version": "0" } });
    let mut messages = vec![json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello })];
    for id in 1..2 + chance.below(6) {
        let method = *chance.pick(&[
            "ping",
            "tools/list",
            "tools/call",
            "no/such",
            "$/cancelRequest",
            "notifications/cancelled",
            "server/discover",
            "initialize",
        ]);
        let params = match method {
            "tools/call" => {
                json!({ "name": chance.pick(&["search_code", "read_file", "nothing"]), "arguments": { "pattern": "fn" } })
            }
            "$/cancelRequest" => json!({ "id": chance.below(8) }),
            "notifications/cancelled" => json!({ "requestId": chance.below(8) }),
            _ if chance.one_in(3) => anything(chance, 2),
            _ => json!({}),
        };
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        if chance.one_in(6) {
            message["id"] = anything(chance, 1);
        }
        messages.push(message);
    }
    messages
}

/// Valid messages, then damage.
fn stream(chance: &mut Chance, framing: Framing) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        messages(chance).iter().flat_map(|message| encode(framing, message.to_string().as_bytes())).collect();
    for _ in 0..chance.below(4) {
        let at = chance.below(bytes.len());
        match chance.below(6) {
            0 => bytes[at] = u8::try_from(chance.next() & 0xff).unwrap(),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, *chance.pick(b"{}[]\"\n\r\0:, C")),
            3 => drop(bytes.drain(at..(at + 30).min(bytes.len()))),
            4 => {
                let junk = vec![b'x'; chance.below(30_000)];
                drop(bytes.splice(at..at, junk));
            }
            _ => {
                let copy = bytes.clone();
                bytes.extend(copy);
            }
        }
        if bytes.is_empty() {
            bytes.push(b'\n');
        }
    }
    bytes
}

#[test]
fn frames_of_both_kinds() {
    let mut chance = Chance(seed());
    let tree = fixture();
    let (router, session) = house(&tree);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let until = Instant::now() + patience();
    let mut sessions = 0;
    let mut answers = 0;
    while Instant::now() < until {
        let framing = *chance.pick(&[Framing::Lines, Framing::ContentLength]);
        let bytes = stream(&mut chance, framing);
        let (sender, receiver): (Sender<Vec<u8>>, _) = channel();
        let output = Output::default();
        let transport = Stdio::start(Pipe(receiver, Vec::new()), output.clone(), 20_000).unwrap();
        let server = McpServer::new(router.clone(), session.clone());
        let serving = runtime.spawn(async move {
            if let Ok(running) = rmcp::service::serve_server(server, transport).await {
                let _ = running.waiting().await;
            }
        });
        for piece in bytes.chunks(1 + chance.below(4_000)) {
            let _ = sender.send(piece.to_vec());
        }
        drop(sender);
        let ended = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), serving).await });
        let shown = String::from_utf8_lossy(&bytes).chars().take(3_000).collect::<String>();
        ended
            .unwrap_or_else(|_| panic!("hangs on {shown}"))
            .unwrap_or_else(|error| panic!("{error}: {shown}"));
        // Whatever came in, what goes out is whole messages in one framing.
        let written = output.0.lock().unwrap().clone();
        let mut decoder = Decoder::new(1 << 24);
        decoder.feed(&written);
        while let Some(frame) = decoder.next_frame() {
            let Frame::Message(body) = frame else { panic!("bad output {frame:?} for {shown}") };
            let message: Value =
                serde_json::from_slice(&body).unwrap_or_else(|_| panic!("bad output for {shown}"));
            assert_eq!(message["jsonrpc"], "2.0", "{shown}");
            answers += 1;
        }
        sessions += 1;
    }
    runtime.shutdown_background();
    assert!(sessions > 5 && answers > sessions, "{sessions} sessions, {answers} answers");
    eprintln!("{sessions} sessions, {answers} answers");
}
