//! The contract of pyright-mcp: types, hovers, definitions, references, completions and signatures of Python files,
//! answered by pyright's command line and its language server.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `settings` | What do the `PYRIGHT_MCP_*` variables say? |
//! | `envelope` | How do answers and errors look, and what does the log say? |
//! | `workspace` | Which file is meant, may it be read, and in which project is it? |
//! | `shapes` | What do places and answers look like? |

mod envelope;
mod settings;
mod shapes;
mod tools;
mod workspace;

use crate::dialect::{Dialect, entry};

pub static PYRIGHT: Dialect = Dialect {
    name: "pyright",
    tools: &[
        entry::<tools::CheckTypes>(),
        entry::<tools::GetHover>(),
        entry::<tools::GoToDefinition>(),
        entry::<tools::FindReferences>(),
        entry::<tools::GetCompletions>(),
        entry::<tools::GetSignature>(),
        entry::<tools::HealthCheck>(),
    ],
    envelope: &envelope::Union,
    instructions: Some(
        "Pyright for Python files: check_types before and after edits, get_hover, go_to_definition and \
         find_references by meaning. Paths are absolute; lines and columns start at 1. Look at `status` first: \
         `error` comes with `error_code` and `message`.",
    ),
    settings: settings::read,
};
