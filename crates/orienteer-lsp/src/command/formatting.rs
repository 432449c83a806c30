//! `textDocument/formatting` and `textDocument/rangeFormatting`.

use std::path::Path;

use orienteer_base::{Position, Range};
use orienteer_edit::EditError;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Live, Patience, Request};
use crate::proposal;
use crate::ready::Needs;
use crate::workspace_edit::{Proposed, Unusable};

const WHOLE: &str = "textDocument/formatting";
const PART: &str = "textDocument/rangeFormatting";

/// How code is indented where the project does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatOptions {
    pub tab_size: u32,
    pub insert_spaces: bool,
}

impl Lease {
    /// What formatting a file, or some of its lines (the first and the last, from 1), would change.
    pub async fn format(
        &self,
        file: &Path,
        lines: Option<(u32, u32)>,
        options: FormatOptions,
        patience: &Patience,
    ) -> Result<Heard<Result<Proposed, EditError>>, Failure> {
        self.with_live(patience, |live| async move {
            let request = request(&live, file, lines, options);
            proposal::ask(&live, &request, patience, |gathering, raw| match raw.value() {
                Value::Null => Ok(()),
                Value::Array(edits) => gathering.text_edits(file, &edits),
                other => Err(Unusable::Odd(format!("no list of edits: {}", kind(&other)))),
            })
            .await
        })
        .await
    }
}

fn request<'a>(
    live: &Live,
    file: &'a Path,
    lines: Option<(u32, u32)>,
    options: FormatOptions,
) -> Request<'a> {
    // A server that formats ranges only is given all of the file.
    let only_parts = lines.is_none() && !live.capabilities.has(WHOLE) && live.capabilities.has(PART);
    let lines = if only_parts {
        let count = live.texts.read(file).map_or(1, |text| text.lines.line_count());
        Some((1, u32::try_from(count).unwrap_or(u32::MAX)))
    } else {
        lines
    };
    let range = lines.map(|(first, last)| Range {
        start: Position::new(first, 1),
        // The end of the line, however long it is.
        end: Position::new(last.max(first), u32::MAX),
    });
    let mut options = json!({ "tabSize": options.tab_size, "insertSpaces": options.insert_spaces });
    // Some take the last line break away unless they are told to leave it.
    if live.texts.read(file).is_ok_and(|text| text.text.ends_with('\n')) {
        options["insertFinalNewline"] = json!(true);
    }
    Request {
        method: if range.is_some() { PART } else { WHOLE },
        needs: Needs::File,
        file: Some(file),
        at: None,
        range,
        extra: json!({ "options": options }),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
