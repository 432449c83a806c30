//! Writing the record.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// Params above this are cut, but for texts and the client's capabilities.
const MOST_PARAMS: usize = 4 << 10;
/// Texts from here on are noted as length and hash.
const MOST_TEXT: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Option<Mutex<File>>,
}

impl Journal {
    /// An empty path notes nothing.
    pub(super) fn open(path: &str) -> Self {
        let file = (!path.is_empty()).then(|| {
            OpenOptions::new().create(true).append(true).open(path).expect("the record can be written")
        });
        Self { path: PathBuf::from(path), file: file.map(Mutex::new) }
    }

    /// One write for each line, so that processes and threads do not mix theirs.
    pub(super) fn note(&self, event: &str, mut fields: Value) {
        let Some(file) = &self.file else { return };
        let mut note = json!({ "event": event, "pid": std::process::id(), "at_ms": now_ms() });
        if let (Some(note), Some(fields)) = (note.as_object_mut(), fields.as_object_mut()) {
            note.append(fields);
        }
        let line = format!("{note}\n");
        file.lock().unwrap().write_all(line.as_bytes()).expect("the record takes a line");
    }

    pub(super) fn violation(&self, what: &str) {
        self.note("violation", json!({ "what": what }));
    }

    /// True for the first process that claims the name, and false ever after.
    pub(super) fn claim(&self, name: &str) -> bool {
        let marker = self.path.with_extension(format!("once.{name}"));
        OpenOptions::new().write(true).create_new(true).open(marker).is_ok()
    }
}

fn now_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis())
}

/// Params as they are noted.
pub(super) fn shortened(method: &str, params: &Value) -> Value {
    let whole =
        method == "initialize" || method == "textDocument/didOpen" || method == "textDocument/didChange";
    let text = params.to_string();
    if whole || text.len() <= MOST_PARAMS {
        return params.clone();
    }
    json!({ "truncated": text[..text.floor_char_boundary(MOST_PARAMS)], "bytes": text.len() })
}

/// Held texts as they are noted.
pub(super) fn texts<'a>(held: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Value {
    let noted = |text: &str| {
        if text.len() < MOST_TEXT {
            return json!(text);
        }
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        json!({ "bytes": text.len(), "hash": format!("{hash:016x}") })
    };
    held.into_iter().map(|(path, text)| (path.to_string_lossy().into_owned(), noted(text))).collect()
}
