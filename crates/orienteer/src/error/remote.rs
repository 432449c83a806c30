//! What to do about problems with forges and package registries.

use orienteer_base::{ErrorKind, Problem};
use serde_json::{Map, Value};

use super::{NextStep, fact};

/// Fields that say which repository is meant.
const REPOSITORY: &[&str] = &["provider", "host", "owner", "repo", "ref"];

/// Adds the steps for a problem of a tool that asks other machines; says whether it was one.
pub(super) fn advise(
    problem: &Problem,
    tool: &'static str,
    arguments: &Map<String, Value>,
    steps: &mut Vec<NextStep>,
) -> bool {
    if !tool.starts_with("remote_") && tool != "search_packages" {
        return false;
    }
    let host = fact(problem, "host").unwrap_or("that host");
    match problem.kind {
        ErrorKind::AuthRequired => steps.push(NextStep::config(format!(
            "Give a token for {host}: `GH_TOKEN`, `GITLAB_TOKEN`, `gh auth login`, `glab auth login`, or a [[hosts]] block \
             with `token_variable` (docs/config.md)."
        ))),
        ErrorKind::RateLimited => {
            steps.push(NextStep::doc("Ask again after `retry_after_ms`; what was asked before is answered from the cache."));
            steps.push(NextStep::config(format!("A token for {host} raises the limit.")));
        }
        ErrorKind::Network if problem.detail == Some("certificate") => steps.push(NextStep::config(format!(
            "A person must see to the certificate of {host}: asking again does not help. A private authority belongs into \
             the system's certificate store, or into the file that SSL_CERT_FILE names (docs/remote.md)."
        ))),
        ErrorKind::Network | ErrorKind::Timeout => steps.push(NextStep::config(
            "Check the network. Behind a proxy set HTTPS_PROXY; a private authority belongs into the system's \
             certificate store.",
        )),
        ErrorKind::NotEnabled if problem.detail == Some("remote_disabled") => {
            steps.push(NextStep::config("A person can set `remote.enabled = true`."));
        }
        ErrorKind::PrerequisiteMissing => {
            let setting = fact(problem, "setting").unwrap_or("packages.*");
            steps.push(NextStep::config(format!("Install the package manager, or set `{setting}`.")));
        }
        ErrorKind::NotFound if tool == "remote_read_file" => {
            let repository = arguments.iter().filter(|(name, _)| REPOSITORY.contains(&name.as_str()));
            let repository: Map<String, Value> =
                repository.map(|(name, value)| (name.clone(), value.clone())).collect();
            let message = "See what the repository's root holds.";
            steps.push(NextStep::tool("remote_list_tree", Value::Object(repository), message));
        }
        ErrorKind::NotFound => {
            steps.push(NextStep::doc("Check the spelling of owner and repository; private ones need a token."));
        }
        ErrorKind::InvalidParams if problem.detail == Some("unknown_host") => steps.push(NextStep::config(
            "Write `provider` in the call, or describe the host once in a [[hosts]] block (docs/config.md).",
        )),
        ErrorKind::Unsupported => {
            steps.push(NextStep::doc("docs/remote.md says what each forge can answer and what to ask instead."));
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::advise as all;
    use serde_json::json;

    #[test]
    fn every_problem_of_another_machine_comes_with_a_step() {
        let given =
            json!({ "host": "h", "owner": "o", "repo": "r", "path": "p", "start_line": 1, "end_line": 2 });
        let Value::Object(given) = given else { panic!() };
        for kind in [
            ErrorKind::AuthRequired,
            ErrorKind::RateLimited,
            ErrorKind::Network,
            ErrorKind::Timeout,
            ErrorKind::NotEnabled,
            ErrorKind::NotFound,
            ErrorKind::PrerequisiteMissing,
            ErrorKind::Unsupported,
        ] {
            let problem = Problem::new(kind, "it failed").fact("host", "h");
            assert!(!all(&problem, "remote_read_file", &given).is_empty(), "{kind:?}");
        }
        let certificate = Problem::new(ErrorKind::Network, "x").detail("certificate").fact("host", "h");
        let step = all(&certificate, "remote_read_file", &given)[0].to_json();
        assert!(step.to_string().contains("certificate of h"), "{step}");
        let missing = Problem::new(ErrorKind::NotFound, "x");
        let step = all(&missing, "remote_read_file", &given)[0].to_json();
        assert_eq!(
            (&step["tool"], &step["arguments"]),
            (&json!("remote_list_tree"), &json!({ "host": "h", "owner": "o", "repo": "r" }))
        );
    }
}
