//! The contract of PairOfCleats: indexing, search and upkeep over JSON-RPC.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `settings` | What do its variables and its file say, in our words? |
//! | `envelope` | How do answers, errors and progress go out? |
//! | `hint` | What is to be done about an error? |
//! | `repo` | Which repository is a call about? |
//! | `tools` | Which tools are there? |
//! | `downloads` | Which name goes with which address, in all tools that fetch? |
//! | `work`, `data`, `triage` | How is told what was done to an index, with what was fetched, about findings? |

mod data;
mod downloads;
mod envelope;
mod hint;
mod repo;
mod settings;
mod tools;
mod triage;
mod work;

use crate::dialect::Dialect;

pub(super) use settings::FILE;

pub static PAIROFCLEATS: Dialect = Dialect {
    name: "pairofcleats",
    tools: tools::TOOLS,
    envelope: &envelope::PairOfCleats,
    instructions: Some(
        "Indexing, search and upkeep of a repository. `search` finds code, prose, comments and records by words, a \
         question or filters; it builds the index when there is none. Answers are JSON; `complete: false` and \
         `warnings` say when something is missing. The repository is that of the current folder unless `repoPath` \
         names another.",
    ),
    settings: settings::read,
};
