//! The fake server against the raw client: each knob does what it says, so that a test which uses it fails
//! for the product's reasons only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod diagnostics;
mod honest;
mod life;
mod readiness;
mod replies;
mod requests;
mod wire;

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use orienteer_testkit::fake::{PROJECT, Record, Script, fake_lsp_binary};
use orienteer_testkit::lsp::RawClient;
use orienteer_testkit::uri::file_uri;
use orienteer_testkit::{Tree, tree};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(20);

/// A workspace, a fake server and a client of it.
struct Stage {
    tree: Tree,
    script: PathBuf,
    record: Record,
    client: RawClient,
}

impl Stage {
    fn new(script: Script) -> Self {
        let tree = tree(PROJECT);
        let script = script.write(&tree.beside("fake"));
        let record = Record::of(&script);
        let client = RawClient::spawn(fake_lsp_binary(), &[&script], tree.root());
        Self { tree, script, record, client }
    }

    /// With the handshake done.
    fn ready(script: Script) -> Self {
        let mut stage = Self::new(script);
        stage.initialize();
        stage
    }

    fn initialize(&mut self) -> Value {
        self.client.initialize(self.tree.root(), Value::Null)
    }

    /// Another process of the same script.
    fn restart(&mut self) {
        self.client = RawClient::spawn(fake_lsp_binary(), &[&self.script], self.tree.root());
        self.initialize();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.tree.root().join(name)
    }

    fn uri(&self, name: &str) -> String {
        file_uri(&self.path(name))
    }

    fn at(&self, name: &str, line: u64, character: u64) -> Value {
        json!({
            "textDocument": { "uri": self.uri(name) },
            "position": { "line": line, "character": character },
            "context": { "includeDeclaration": true },
        })
    }

    fn ask(&mut self, method: &str, name: &str, line: u64, character: u64) -> Value {
        let params = self.at(name, line, character);
        self.client.request(method, params)
    }

    /// The references to `square`, as file, line and column.
    fn references(&mut self) -> Vec<(String, u64, u64)> {
        let found = self.ask("textDocument/references", "a.fake", 1, 6);
        self.places(&found)
    }

    fn places(&self, locations: &Value) -> Vec<(String, u64, u64)> {
        let root = self.tree.root();
        let place = |location: &Value| {
            let path = orienteer_testkit::uri::uri_path(location["uri"].as_str().unwrap()).unwrap();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let start = &location["range"]["start"];
            (name, start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap())
        };
        locations.as_array().unwrap_or_else(|| panic!("{locations}")).iter().map(place).collect()
    }

    fn tell_changed(&mut self, name: &str, kind: u64) {
        let changes = json!([{ "uri": self.uri(name), "type": kind }]);
        self.client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    }
}

/// The bytes that a server writes in answer to `initialize`, for the lenient client forgives a knob that does
/// nothing. Nobody replies to what the server asks.
fn output(script: Script) -> String {
    let folder = tempfile::tempdir().unwrap();
    let script = script.write(folder.path());
    #[allow(clippy::disallowed_methods, reason = "the raw bytes are looked at")]
    let mut command = Command::new(fake_lsp_binary());
    let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} }).to_string();
    write!(child.stdin.take().unwrap(), "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    child.wait().unwrap();
    output
}

/// All references to `square` in the project.
fn all() -> Vec<(String, u64, u64)> {
    vec![("a.fake".to_owned(), 1, 4), ("b.fake".to_owned(), 4, 9), ("deep/ü #1.fake".to_owned(), 0, 7)]
}

/// Those that a server knows which has seen one file only.
fn cold() -> Vec<(String, u64, u64)> {
    all()[..1].to_vec()
}
