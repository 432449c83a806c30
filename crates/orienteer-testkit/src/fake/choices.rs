//! The kinds of behaviour that a script chooses from. The first of each is what an honest server does.

use serde_json::{Value, json};

use super::json::{Json, json_enum};

json_enum! {
    /// How frames reach the pipe.
    Writing {
        /// One write for each frame.
        Whole,
        /// One write and flush for each byte.
        SingleBytes,
        /// Each frame in one write with a notification before and one after it.
        Merged,
    }
}

json_enum! {
    /// How the header of a frame is written.
    Headers {
        Plain,
        /// `content-length:12`, without the blank.
        LowerCase,
        ContentTypeFirst,
        ContentTypeLast,
        /// Lines that end in LF alone.
        LineFeedOnly,
    }
}

json_enum! {
    /// The ids of the server's own requests.
    Ids {
        /// 0, 1, 2…, as real servers count; they meet the client's numbers by chance.
        Numbers,
        /// The id of the client's latest request, which is often still waiting for its answer.
        SameAsClient,
        /// `"fake-0"`.
        Strings,
        /// `"0"`, which is not the number 0.
        NumericStrings,
    }
}

json_enum! {
    /// The shape of answers to definition, declaration, type definition and implementation.
    Locations {
        Array,
        /// The first location alone, without a list.
        Single,
        /// `LocationLink[]`, whether the client can read it or not.
        Links,
    }
}

json_enum! {
    /// The shape of a hover's contents.
    HoverShape {
        Markdown,
        PlainText,
        /// A bare string.
        MarkedString,
        /// `{ language, value }`.
        MarkedPair,
        /// A list of both.
        MarkedStrings,
    }
}

json_enum! {
    /// Who begins with diagnostics.
    Diagnostics {
        Push,
        /// `textDocument/diagnostic` and `workspace/diagnostic`; nothing is published.
        Pull,
        Both,
        /// Neither: a client that waits for a publish waits for ever.
        Never,
    }
}

json_enum! {
    /// When the diagnostics of the text before a change are published once more.
    Stale {
        Never,
        /// Right after the change, before the true ones.
        Before,
        /// After the true ones, as a slow check does that began earlier.
        After,
    }
}

json_enum! {
    /// Where a crash falls, seen from the reply.
    When {
        Before,
        After,
        /// Half of the reply's frame is written.
        Middle,
    }
}

json_enum! {
    /// How documents are kept in step.
    Change {
        Incremental,
        Full,
    }
}

json_enum! {
    /// What columns count. Chosen only if the client offers it.
    Encoding {
        Utf16,
        Utf8,
        Utf32,
    }
}

impl Encoding {
    /// Its name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf16 => "utf-16",
            Self::Utf8 => "utf-8",
            Self::Utf32 => "utf-32",
        }
    }
}

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Death {
    Exit(u8),
    /// SIGKILL to itself.
    Kill,
    Abort,
}

impl Default for Death {
    fn default() -> Self {
        Self::Exit(101)
    }
}

impl Json for Death {
    fn to_json(&self) -> Value {
        match self {
            Self::Exit(code) => json!(code),
            Self::Kill => json!("Kill"),
            Self::Abort => json!("Abort"),
        }
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        match value.as_str() {
            Some("Kill") => Ok(Self::Kill),
            Some("Abort") => Ok(Self::Abort),
            _ => value
                .as_u64()
                .and_then(|code| u8::try_from(code).ok())
                .map(Self::Exit)
                .ok_or_else(|| format!("{value} is no exit code, Kill or Abort")),
        }
    }

    fn absent(&self) -> bool {
        *self == Self::default()
    }
}

/// How the server tells that it is loading, and that it is done.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    /// `$/progress` with begin, reports with percentages, and end. The token is a number or a text.
    Progress(Value),
    /// rust-analyzer's `experimental/serverStatus`.
    ServerStatus,
    /// `window/logMessage` with this text when it is done, and no word before.
    LogMessage(String),
}

impl Json for Signal {
    fn to_json(&self) -> Value {
        match self {
            Self::Progress(token) => json!({ "progress": token }),
            Self::ServerStatus => json!("server_status"),
            Self::LogMessage(text) => json!({ "log": text }),
        }
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        if let Some(token) = value.get("progress") {
            return Ok(Self::Progress(token.clone()));
        }
        if let Some(text) = value.get("log").and_then(Value::as_str) {
            return Ok(Self::LogMessage(text.to_owned()));
        }
        if value == "server_status" { Ok(Self::ServerStatus) } else { Err(format!("{value} is no signal")) }
    }
}
