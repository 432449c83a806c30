//! The vocabulary every other crate speaks: languages, positions, rooted paths, answers, budgets, questions.
//!
//! Nothing here knows tokio, language servers, MCP, HTTP or child processes. A type belongs here when two
//! rooms need the same word for the same thing; behaviour belongs to the room that owns it.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`language`] | Which language is this file, and what is it called? |
//! | [`position`], [`line_index`] | Where in a text is this, in which unit of columns? |
//! | [`path`] | May this path be touched, and how is it shown? |
//! | [`answer`] | Is this answer complete, and where did it come from? |
//! | [`budget`] | How much may be said? |
//! | [`cancel`] | Should this work stop? |
//! | [`conceal`] | What is shown of a text that is too long to show, with nothing secret in it? |
//! | [`escape`] | Which characters do `\u{202e}` and the like stand for? |
//! | [`private`] | How is a file made that nobody else may read? |
//! | [`question`] | What may be asked of the files on disk? |
//! | [`listing`] | What do those questions return? |
//! | [`target`] | What does an agent point at? |
//! | [`ask`] | What may be asked about code? |
//! | [`code`] | What do those questions return? |
//! | [`edit`] | What may be asked to change, and what comes of it? |
//! | [`search`] | What does a search of the index return, and what is known about the index? |
//! | [`remote`] | What may be asked of forges and package registries, and what do they return? |
//! | [`triage`] | What is known about security findings, and what may be asked about them? |
//! | [`symbol`] | What kinds of symbols are there? |
//! | [`json`] | What is left of a configuration in JSON without what people add to it? |
//! | [`sha256`] | What is the SHA-256 of these bytes? |
//! | [`units`] | What do `7d`, `10M` and `2024-05-01` mean? |
//! | [`nearest`] | Which legal word did they mean? |

pub mod answer;
pub mod ask;
pub mod budget;
pub mod cancel;
pub mod code;
pub mod conceal;
pub mod edit;
pub mod error;
pub mod escape;
pub mod json;
pub mod language;
pub mod line_index;
pub mod listing;
pub mod nearest;
pub mod path;
pub mod position;
pub mod private;
pub mod question;
pub mod remote;
pub mod search;
pub mod settings_file;
pub mod sha256;
pub mod symbol;
pub mod target;
pub mod triage;
pub mod units;

pub use answer::{Answer, Completeness, Freshness, Reason, Source};
pub use budget::Budget;
pub use cancel::{Cancel, Stopped};
pub use conceal::Conceal;
pub use error::{ErrorKind, Fact, Problem};
pub use language::Language;
pub use line_index::{ColumnUnit, LineIndex};
pub use path::{PathError, RootedPath, Roots};
pub use position::{Position, Range};
pub use sha256::Digest;
pub use symbol::SymbolKind;
pub use target::Target;
