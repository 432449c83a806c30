//! Cursors: opaque, bound to the arguments they were made for, good for as long as the files exist.
//!
//! A cursor holds a position (a sort key or an offset), not a handle, so that it survives a restart and
//! costs the server nothing.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use orienteer_base::{ErrorKind, Problem};
use serde_json::{Map, Value};

/// Arguments that may change from page to page.
const FREE: &[&str] = &["cursor", "max_total_chars"];

/// Stands for a tool and its arguments.
pub fn fingerprint(tool: &str, arguments: &Map<String, Value>) -> String {
    let mut named: Vec<_> = arguments.iter().filter(|(name, _)| !FREE.contains(&name.as_str())).collect();
    named.sort_by_key(|(name, _)| name.as_str());
    let text = serde_json::to_string(&(tool, named)).unwrap_or_default();
    blake3::hash(text.as_bytes()).to_hex()[..8].to_owned()
}

pub fn encode(position: &Value, fingerprint: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{fingerprint}{position}"))
}

/// The position inside a cursor, if it was made for the same question.
pub fn decode(cursor: &str, fingerprint: &str) -> Result<Value, Problem> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor.trim()).map_err(|_| invalid())?;
    let text = String::from_utf8(bytes).map_err(|_| invalid())?;
    let (made_for, position) = text.split_at_checked(8).ok_or_else(invalid)?;
    let position = serde_json::from_str(position).map_err(|_| invalid())?;
    if made_for != fingerprint {
        return Err(Problem::new(
            ErrorKind::InvalidParams,
            "`cursor` belongs to a call with other arguments; repeat those arguments exactly, or leave the cursor out",
        )
        .field("cursor")
        .detail("cursor_mismatch"));
    }
    Ok(position)
}

pub fn invalid() -> Problem {
    Problem::invalid("cursor", "invalid_cursor", "`cursor` is not one that a previous answer returned")
}
