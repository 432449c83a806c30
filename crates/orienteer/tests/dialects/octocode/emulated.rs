//! The emulator of GitHub that the tests of forges ask, and what it holds.

use base64::Engine as _;
use orienteer_testkit::emulator::Emulator;
use serde_json::{Value, json};

use super::support::{there, with};

pub(super) const REACT: &str =
    "export function useState(initial) {\n  return [initial];\n}\n\nexport function useEffect() {}\n";

pub(super) fn put(emulator: &Emulator, path: &str, content: impl AsRef<[u8]>) {
    let content = base64::engine::general_purpose::STANDARD.encode(content);
    let body = json!({ "message": format!("add {path}"), "content": content, "branch": "main" });
    emulator.send("PUT", &format!("/repos/octocat/hello-world/contents/{path}"), &body);
}

/// A query about the repository of the emulator.
pub(super) fn here(emulator: &Emulator, more: Value) -> Value {
    with(there(&emulator.name(), json!({ "owner": "octocat", "repo": "hello-world" })), more)
}
