//! Is GitLab asked as its documentation says, and read as it answers?
//!
//! GitLab cannot be started here, and nobody publishes its schemas as a package, so the documents below were written by
//! hand after its public documentation. What is tested is that each request is the documented one, and that the
//! documented answers, and the documented refusals, are understood.

mod changes;
mod files;
mod searches;

use orienteer_base::remote::{Forge, RepoRef, Where};
use orienteer_base::{ErrorKind, Problem};
use orienteer_remote::forge::{Caller, gitlab};
use orienteer_remote::{Credential, Hosts, Scheme, Secret};

use crate::stub::{Answer, Stub, api};

const COMMIT: &str = "a1e8f8d745cc87e3a9248358d9352bb7f9a0aeba";
const PROJECT: &str = "/api/v4/projects/group%2Fsub%2Fname";

/// Answers these addresses, and the project `group/sub/name` with its default branch.
fn server(routes: Vec<(String, Answer)>) -> Stub {
    Stub::start(move |asked, _| {
        if let Some((_, answer)) = routes.iter().find(|(target, _)| *target == asked.target) {
            return answer.clone();
        }
        let host = asked.header("host").unwrap_or_default();
        let rest = asked.target.strip_prefix(PROJECT).unwrap_or("elsewhere");
        match rest {
            "" => Answer::json(&format!(
                r#"{{"id": 7, "path_with_namespace": "Group/Sub/name", "default_branch": "trunk",
                "web_url": "http://{host}/Group/Sub/name"}}"#
            )),
            "/repository/commits/trunk" => {
                Answer::json(&format!(r#"{{"id": "{COMMIT}", "short_id": "a1e8f8d7"}}"#))
            }
            _ => Answer::status(404, r#"{"message": "404 Not Found"}"#),
        }
    })
}

fn below(path: &str) -> String {
    format!("{PROJECT}{path}")
}

fn at(stub: &Stub) -> Where {
    Where { provider: Some(Forge::Gitlab), host: Some(stub.name()) }
}

fn repo(stub: &Stub) -> RepoRef {
    RepoRef { at: at(stub), owner: "group/sub".into(), repo: "name".into(), reference: None }
}

/// With a token, as most of GitLab's questions need one.
fn caller(stub: &Stub) -> Caller {
    let host = Hosts::default().resolve(&at(stub)).unwrap();
    let credential = Credential::new(Secret::new("glpat-x").unwrap(), Scheme::Bearer, &host.api);
    Caller::new(&api(), &host, credential)
}

fn anonymous(stub: &Stub) -> Caller {
    Caller::new(&api(), &Hosts::default().resolve(&at(stub)).unwrap(), None)
}

fn targets(stub: &Stub) -> Vec<String> {
    stub.asked().into_iter().map(|asked| asked.target).collect()
}

fn says(problem: &Problem, words: &[&str]) {
    for word in words {
        assert!(problem.message.contains(word), "{problem}");
    }
}
