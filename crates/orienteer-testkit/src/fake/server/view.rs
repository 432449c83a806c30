//! What the server knows at one moment: every text it holds, parsed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::columns::{byte, column};
use super::documents::{Documents, line_and_column, path_of};
use super::language::{Block, Kind, Mention, Parsed, Span, parse};
use crate::fake::{Encoding, Script};
use crate::uri::file_uri;

/// An error reply: its code and its message.
pub(super) type Refusal = (i64, String);

pub(super) struct View<'a> {
    pub(super) script: &'a Script,
    pub(super) encoding: Encoding,
    /// Whether the project is loaded; if not, questions about it are answered from what is open.
    pub(super) warm: bool,
    pub(super) files: BTreeMap<PathBuf, Parsed>,
    /// Open documents with their versions.
    pub(super) open: Vec<(PathBuf, i64)>,
}

/// A definition and its file.
#[derive(Clone, Copy)]
pub(super) struct Defined<'a> {
    pub(super) path: &'a Path,
    pub(super) parsed: &'a Parsed,
    pub(super) block: &'a Block,
}

/// The place a request asks about.
pub(super) struct Asked<'a> {
    pub(super) path: PathBuf,
    pub(super) parsed: &'a Parsed,
    pub(super) line: usize,
    pub(super) byte: usize,
}

impl Asked<'_> {
    pub(super) fn mention(&self) -> Option<&Mention> {
        self.parsed.mention_at(self.line, self.byte)
    }
}

impl<'a> View<'a> {
    pub(super) fn new(script: &'a Script, documents: &Documents, encoding: Encoding, warm: bool) -> Self {
        let files = documents.held().into_iter().map(|(path, text)| (path.to_owned(), parse(text))).collect();
        let open = documents.open.iter().map(|(path, open)| (path.clone(), open.version)).collect();
        Self { script, encoding, warm, files, open }
    }

    pub(super) fn file(&self, params: &Value) -> Result<(PathBuf, &Parsed), Refusal> {
        let path = path_of(&params["textDocument"]).map_err(|wrong| (-32602, wrong))?;
        match self.files.get(&path) {
            Some(parsed) => Ok((path, parsed)),
            None => Err((-32602, format!("{} is not known here", path.display()))),
        }
    }

    pub(super) fn asked(&self, params: &Value) -> Result<Asked<'_>, Refusal> {
        let (path, parsed) = self.file(params)?;
        let (line, column) = line_and_column(&params["position"]).map_err(|wrong| (-32602, wrong))?;
        let text = parsed.lines.get(line).ok_or_else(|| (-32602, format!("there is no line {line}")))?;
        let byte = byte(text, column, self.encoding).map_err(|wrong| (-32602, wrong))?;
        Ok(Asked { path, parsed, line, byte })
    }

    /// The files that a question about the project looks at. A cold server knows the asked file, or, where no
    /// file is asked about, the open ones.
    pub(super) fn scope(&self, asked: Option<&Path>) -> Vec<(&Path, &Parsed)> {
        let known = |path: &Path| match asked {
            _ if self.warm => true,
            Some(asked) => asked == path,
            None => self.open.iter().any(|(open, _)| open == path),
        };
        self.files
            .iter()
            .map(|(path, parsed)| (path.as_path(), parsed))
            .filter(|(path, _)| known(path))
            .collect()
    }

    pub(super) fn definitions(&self, asked: Option<&Path>) -> Vec<Defined<'_>> {
        let mut found = Vec::new();
        for (path, parsed) in self.scope(asked) {
            found.extend(parsed.blocks.iter().map(|block| Defined { path, parsed, block }));
        }
        found
    }

    pub(super) fn range(&self, parsed: &Parsed, span: Span) -> Value {
        let line = &parsed.lines[span.line];
        let at = |byte| json!({ "line": span.line, "character": column(line, byte, self.encoding) });
        json!({ "start": at(span.start), "end": at(span.end) })
    }

    /// From the start of the definition's line to the end of its last one.
    pub(super) fn block_range(&self, parsed: &Parsed, block: &Block) -> Value {
        let last = &parsed.lines[block.last_line];
        let end = column(last, last.len(), self.encoding);
        json!({
            "start": { "line": block.span.line, "character": 0 },
            "end": { "line": block.last_line, "character": end },
        })
    }

    pub(super) fn location(&self, path: &Path, parsed: &Parsed, span: Span) -> Value {
        json!({ "uri": file_uri(path), "range": self.range(parsed, span) })
    }
}

/// The protocol's number of a kind.
pub(super) fn symbol_kind(kind: Kind) -> u64 {
    match kind {
        Kind::Type => 5,
        Kind::Method => 6,
        Kind::Function => 12,
    }
}
