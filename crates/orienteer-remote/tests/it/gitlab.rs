//! Is GitLab asked as its documentation says, and read as it answers?
//!
//! GitLab cannot be started here, and nobody publishes its schemas as a package. The documents of these tests were written
//! by hand after its public documentation. They are not their own judges:
//!
//! - Every document and every request of [`server`] is judged by the types of gitbeaker (npm), a maintained client of the
//!   same interface: whole documents, no unknown field, no unknown parameter. They are a client's types, not GitLab's; what
//!   they do not know is listed in `beyond.rs` with who does. What a document does not say is filled in by them, too.
//! - `requests.rs` asks the same with gitbeaker itself and compares the requests.
//! - `answers.rs` reads the least and the most that its types let come.
//! - `recorded.rs` reads the answers in the tests of go-gitlab (Debian): merge requests of gitlab.com, and others after the
//!   documentation.

mod answers;
mod beyond;
mod changes;
mod documents;
mod files;
mod judging;
mod published;
#[cfg(target_os = "linux")]
mod recorded;
mod requests;
mod searches;

use orienteer_base::remote::{Forge, RepoRef, Where};
use orienteer_base::{ErrorKind, Problem};
use orienteer_remote::forge::{Caller, gitlab};
use orienteer_remote::{Credential, Hosts, Scheme, Secret};
use serde_json::{Value, json};

use self::documents::whole;
use crate::stub::{Answer, Stub, api};

const COMMIT: &str = "a1e8f8d745cc87e3a9248358d9352bb7f9a0aeba";
const PROJECT: &str = "/api/v4/projects/group%2Fsub%2Fname";

/// Answers these addresses, and the project `group/sub/name` with its default branch.
fn server(routes: Vec<(String, Answer)>) -> Stub {
    for (target, answer) in &routes {
        judge(target, answer);
    }
    let (known, commit) = (project(), commit(COMMIT));
    Stub::start(move |asked, _| {
        if let Some((_, answer)) = routes.iter().find(|(target, _)| *target == asked.target) {
            return answer.clone();
        }
        let host = asked.header("host").unwrap_or_default();
        match asked.target.strip_prefix(PROJECT).unwrap_or("elsewhere") {
            "" => at_host(&known, host),
            "/repository/commits/trunk" => Answer::json(&commit.to_string()),
            _ => Answer::status(404, r#"{"message": "404 Not Found"}"#),
        }
    })
}

/// Checks a request and its answer by what is published.
fn judge(target: &str, answer: &Answer) {
    assert_eq!(published::misasked(target), [] as [String; 0], "{target}");
    let Answer::Full { status: 200, body, .. } = answer else { return };
    let question = published::question(target);
    if question != "raw" {
        let document = serde_json::from_slice(body).unwrap();
        assert_eq!(published::wrong(question, &document), [] as [String; 0], "{target}");
    }
}

fn project() -> Value {
    let known = json!({ "id": 7, "path_with_namespace": "Group/Sub/name", "default_branch": "trunk" });
    whole("project", &known)
}

/// A project with an address at this host.
fn at_host(project: &Value, host: &str) -> Answer {
    let mut project = project.clone();
    project["web_url"] = json!(format!("http://{host}/Group/Sub/name"));
    Answer::json(&project.to_string())
}

fn commit(id: &str) -> Value {
    whole("commit", &json!({ "id": id, "short_id": &id[..8] }))
}

/// As many rows as are given, each whole.
fn rows(question: &str, said: &Value) -> Answer {
    Answer::json(&whole(question, said).to_string())
}

fn user(name: &str) -> Value {
    json!({ "id": 1, "username": name, "name": name, "state": "active", "avatar_url": "", "web_url": "" })
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
