//! From an answer to what goes out: the common fields, compact text, and hard caps, in one place for every
//! tool.

pub mod cursor;
mod fit;
pub(crate) mod invisible;
mod redact;
pub mod text;

pub(crate) use invisible::shown;

use orienteer_base::answer::Warning;
use orienteer_base::{Answer, Completeness, Freshness, Source};
use serde_json::{Map, Value, json};

pub use fit::{Limits, Outcome};
pub(crate) use fit::{failure, success};
pub use redact::Hider;

/// The shape of structured payloads.
pub const SCHEMA_VERSION: u32 = 1;

/// What a tool gives to the renderer.
#[derive(Default)]
pub struct Reply {
    /// Fields that are always sent whole, so they must be small.
    pub fields: Map<String, Value>,
    /// Lines of text before the body.
    pub head: Vec<String>,
    /// Lines of text after it, such as a note that nothing was found.
    pub tail: Vec<String>,
    pub body: Body,
    /// Lists beside the body.
    pub lists: Vec<List>,
    pub warnings: Vec<Warning>,
    pub trust: Option<Trust>,
    /// How many results there are in all, where that is known.
    pub total: Option<u64>,
    /// Makes the cursor to go on from what was kept; `None` when that was all.
    pub resume: Option<Resume>,
    /// How many results were kept, where that is not the number of rows and parts.
    pub weigh: Option<Weigh>,
    /// Nothing in here comes from files, so nothing is redacted.
    pub own_words: bool,
    pub server_id: Option<String>,
}

/// How far an answer can be trusted.
#[derive(Debug, Clone, Copy)]
pub struct Trust {
    pub completeness: Completeness,
    pub source: Source,
    pub freshness: Freshness,
}

/// A list beside the body, shown after it: as many whole entries as fit into its part of the budget. How many
/// there are is a field of its own, because no cursor leads to those left out.
#[derive(Debug)]
pub struct List {
    /// A name with a dot in it goes into an object of the fields: `plan.files`.
    pub field: &'static str,
    /// The line of text before the entries; none of them is shown as text without one.
    pub title: String,
    pub items: Vec<(Value, String)>,
    /// It gets at most this fraction of the budget: 8 is an eighth.
    pub part: usize,
}

/// The part of an answer that may be cut to fit.
#[derive(Debug, Default)]
pub enum Body {
    #[default]
    None,
    Rows {
        field: &'static str,
        rows: Vec<Row>,
    },
    /// Rows without parts that all matter: each is cut to an equal share instead of being left out.
    Shares {
        field: &'static str,
        rows: Vec<Row>,
    },
    /// Rows that each hold a long text, such as a diff. The texts are cut first, then rows are left out; nothing is an
    /// error, because what the answer tells may have been done already.
    Texts {
        field: &'static str,
        /// The field of a row with its long text.
        text: &'static str,
        rows: Vec<Row>,
        /// The part of a long text that is worth showing as text.
        shown: fn(&str) -> &str,
    },
    Text {
        field: &'static str,
        text: String,
        /// Number of its first line.
        first_line: usize,
        /// The number of each line, where they do not follow each other; none for a line that says what is left out.
        numbers: Vec<Option<usize>>,
        /// Characters that do not show stay as they are in the structure.
        raw: bool,
    },
}

/// One result.
#[derive(Debug, Default)]
pub struct Row {
    pub value: Map<String, Value>,
    /// Empty when the parts say it all.
    pub line: String,
    pub parts: Option<Parts>,
}

/// Results inside a result, such as the matches of a file.
#[derive(Debug)]
pub struct Parts {
    pub field: &'static str,
    pub items: Vec<(Value, String)>,
}

/// How much of the body was kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    /// Whole rows.
    pub rows: usize,
    /// Parts of the row after them, when it was cut.
    pub parts: usize,
    /// Line ends of text, and characters behind the last one. Hiding a secret changes the length of its line,
    /// never the number of lines.
    pub lines: usize,
    pub tail: usize,
    /// Nothing was left out.
    pub all: bool,
    /// The only result was too large and was cut.
    pub shortened: bool,
}

/// See [`Reply::resume`].
pub type Resume = Box<dyn Fn(Kept) -> Option<Value> + Send + Sync>;

/// See [`Reply::weigh`].
pub type Weigh = Box<dyn Fn(Kept) -> usize + Send + Sync>;

impl Reply {
    /// A reply for an answer: how far it can be trusted, who answered and warnings taken over.
    pub fn of<T>(answer: &Answer<T>) -> Self {
        Self {
            warnings: answer.warnings.clone(),
            trust: Some(Trust {
                completeness: answer.completeness,
                source: answer.source,
                freshness: answer.freshness,
            }),
            server_id: answer.server_id.clone(),
            ..Self::default()
        }
    }

    /// A reply that says only what this program knows about itself.
    pub fn about_ourselves() -> Self {
        Self { own_words: true, ..Self::default() }
    }

    /// Goes through every text of it.
    pub(crate) fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        fn each(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
            match value {
                Value::String(text) => change(text),
                Value::Array(items) => items.iter_mut().for_each(|item| each(item, change)),
                Value::Object(object) => object.values_mut().for_each(|value| each(value, change)),
                _ => {}
            }
        }
        let entry = |(value, line): &mut (Value, String), change: &mut dyn FnMut(&mut String)| {
            each(value, change);
            change(line);
        };
        match &mut self.body {
            Body::None => {}
            Body::Text { text, .. } => change(text),
            Body::Rows { rows, .. } | Body::Shares { rows, .. } | Body::Texts { rows, .. } => {
                for row in rows {
                    row.value.values_mut().for_each(|value| each(value, change));
                    change(&mut row.line);
                    row.parts
                        .iter_mut()
                        .flat_map(|parts| &mut parts.items)
                        .for_each(|item| entry(item, change));
                }
            }
        }
        self.fields.values_mut().for_each(|value| each(value, change));
        self.lists.iter_mut().flat_map(|list| &mut list.items).for_each(|item| entry(item, change));
        self.head.iter_mut().chain(&mut self.tail).for_each(&mut *change);
        self.warnings.iter_mut().for_each(|warning| change(&mut warning.message));
    }

    pub fn field(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }
}

impl Row {
    pub fn new(value: Value, line: impl Into<String>) -> Self {
        let value = match value {
            Value::Object(object) => object,
            other => Map::from_iter([("value".to_owned(), other)]),
        };
        Self { value, line: line.into(), parts: None }
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply").field("fields", &self.fields).finish_non_exhaustive()
    }
}

/// What goes out of a reply: nothing secret, and nothing that does not show. What we say about ourselves is as it is.
pub(crate) fn screen(reply: &mut Reply, hider: Option<&Hider>) {
    if reply.own_words {
        return;
    }
    if let Some(hider) = hider {
        hider.hide(reply);
    }
    invisible::show(reply);
}

/// The fields of every result, in a fixed order.
fn common(ok: bool, tool: &str, server_id: Option<&str>, input: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
    fields.insert("ok".to_owned(), json!(ok));
    fields.insert("tool".to_owned(), json!(tool));
    fields.insert("server_id".to_owned(), json!(server_id));
    fields.insert("input".to_owned(), Value::Object(input.clone()));
    fields.insert("warnings".to_owned(), json!([]));
    fields.insert("truncated".to_owned(), json!(false));
    fields
}
