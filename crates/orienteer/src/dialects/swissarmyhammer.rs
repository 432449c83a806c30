//! SwissArmyHammer's contract: one tool, `lsp`, with an `operation`, over language servers and nothing else.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `lsp` | What does the tool take, and which operation is asked for? |
//! | `operations` | What does each operation give? |
//! | `project` | In which folder is a file worked on? |
//! | `answer` | May an answer be given, or is the server not there yet? |
//! | `place` | How is a place in a file written? |
//! | `envelope`, `details` | How do answers and errors go out? |
//! | `settings`, `section`, `languages`, `yaml` | What does `config.yaml` say? |

mod answer;
mod details;
mod envelope;
mod languages;
mod lsp;
mod operations;
mod place;
mod programs;
mod project;
mod section;
mod settings;
mod yaml;

use crate::dialect::{Dialect, entry};
use envelope::Plain;

/// Below a project, and below the user's home folder.
pub(super) const FILE: &str = ".swissarmyhammer/config.yaml";

pub static SWISSARMYHAMMER: Dialect = Dialect {
    name: "swissarmyhammer",
    tools: &[entry::<lsp::Lsp>()],
    envelope: &Plain,
    instructions: Some(
        "The lsp tool answers from language servers: definition, references, diagnostics, hover, implementation, \
         call_hierarchy, symbols, completion, signature, and as previews rename, format, actions. Paths are absolute; lines \
         and columns start at 1. An error has a code and details that say what to do; LSP_FILE_NOT_INDEXED and \
         LSP_SERVER_CRASHED are worth another try.",
    ),
    settings: settings::read,
};
