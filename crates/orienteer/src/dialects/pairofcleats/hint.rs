//! What to do about an error, in one or two sentences.

use orienteer_base::{ErrorKind, Problem};

use crate::error::{Failure, NextStep};

/// Legal values that are named.
const NAMED: usize = 30;

pub(super) fn hint(tool: &str, failure: &Failure) -> Option<String> {
    let problem = &failure.problem;
    own(tool, problem).or_else(|| {
        // Advice about settings and commands holds in every dialect; other tools are called otherwise here.
        let holds = |step: &&NextStep| matches!(step, NextStep::Config { .. } | NextStep::Command { .. });
        let said: Vec<&str> = failure.next_steps.iter().filter(holds).map(|step| step.message()).collect();
        (!said.is_empty()).then(|| said.join(" "))
    })
}

fn own(tool: &str, problem: &Problem) -> Option<String> {
    Some(match (problem.kind, problem.detail) {
        (ErrorKind::Timeout, _) => format!(
            "Ask again. `mcp.toolTimeouts.{tool}` gives the tool more time, \
             `mcp.toolTimeoutMs` or PAIROFCLEATS_MCP_TOOL_TIMEOUT_MS gives it to all."
        ),
        (ErrorKind::NotIndexed, _) => "Call `build_index`; `search` does it by itself.".to_owned(),
        (ErrorKind::NotReady, _) => {
            "The index is being built: `index_status` says how far it is. Ask again when it is done."
                .to_owned()
        }
        (ErrorKind::Unsupported, Some("unsupported_filter")) => {
            "Take the filter away, or name a language in `lang` that has it.".to_owned()
        }
        (ErrorKind::InvalidParams, _) if !problem.candidates.is_empty() => {
            let named: Vec<&str> = problem.candidates.iter().take(NAMED).map(String::as_str).collect();
            let more = if problem.candidates.len() > NAMED { ", …" } else { "" };
            format!("Legal: {}{more}.", named.join(", "))
        }
        (ErrorKind::NotFound, Some("no_such_path")) if problem.field == Some("repoPath") => {
            "Name an existing folder in `repoPath`, or leave it out for the repository of the current folder."
                .to_owned()
        }
        (ErrorKind::Network, _) => {
            "Check the address and the connection; HTTPS_PROXY and NO_PROXY count.".to_owned()
        }
        (ErrorKind::Overloaded, _) => "Another process is changing the index; ask again shortly.".to_owned(),
        (ErrorKind::ReadOnly, _) => "Start without `--read-only`.".to_owned(),
        _ => return None,
    })
}
