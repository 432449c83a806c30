//! What each operation gives: one call of the engine and the shape of its answer.

pub(super) mod actions;
pub(super) mod call_hierarchy;
mod change;
pub(super) mod completion;
pub(super) mod definition;
pub(super) mod diagnostics;
pub(super) mod format;
pub(super) mod hover;
pub(super) mod implementation;
pub(super) mod references;
pub(super) mod rename;
pub(super) mod signature;
pub(super) mod symbols;

use orienteer_base::Problem;
use serde_json::{Map, Value};

/// What an operation returns.
type Answered = Result<Map<String, Value>, Problem>;

/// Rows of an operation whose contract has no limit. More are counted, and said to be left out.
const MOST_ROWS: usize = 2_000;
