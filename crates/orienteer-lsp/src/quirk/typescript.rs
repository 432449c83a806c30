//! TypeScript: what the servers know by what they were given, and what they are asked besides the protocol.
//!
//! typescript-language-server says nothing about a file that was free of findings and still is. So whoever waits for its
//! word on a changed file would wait for ever; but it passes questions on to the compiler, which tells.

mod configuration;
mod projects;

use std::path::Path;

use serde_json::{Value, json};

use crate::live::{Live, Patience, Stuck};

pub use projects::configuration_in;
pub(crate) use projects::{KnownProjects, knows_open_projects};

const RUN: &str = "workspace/executeCommand";
const ASK: &str = "typescript.tsserverRequest";

/// Whether the compiler finds nothing in an open file as it was last told. `false` also where it cannot be asked: then
/// what is published has the word.
pub(crate) async fn is_clean(live: &Live, file: &Path, patience: &Patience) -> Result<bool, Stuck> {
    if !live.definition.runs_tsserver() || !live.capabilities.runs(ASK) || patience.is_over() {
        return Ok(false);
    }
    let kinds = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];
    let asked = kinds.map(|kind| {
        let arguments = json!([kind, { "file": file.to_string_lossy() }]);
        live.wire.request(RUN, json!({ "command": ASK, "arguments": arguments }))
    });
    for pending in asked {
        let Some(reply) = live.reply_in_time(RUN, pending, patience).await else { return Ok(false) };
        match reply {
            Ok(reply) => {
                if reply.value()["body"] != Value::Array(Vec::new()) {
                    return Ok(false);
                }
            }
            Err(Stuck::Gone) => return Err(Stuck::Gone),
            Err(_) => return Ok(false),
        }
    }
    Ok(true)
}
