//! Which forge is asked where a query does not say?

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::stub::Stub;
use super::support::{Asking, goals, with};

#[test]
fn gitlab_is_asked_when_only_its_credentials_are_known() {
    let stub = Stub::start(|_| (401, Vec::new(), json!({ "message": "no" }).to_string()));
    let variables = [("GITLAB_TOKEN", "x"), ("GITLAB_HOST", stub.name.as_str())];
    let mut asking = Asking::with(tree("//- /a\n"), "[remote]\nask_programs = false\n", &variables);
    let goals = Value::Object(goals());
    let query = with(goals, json!({ "owner": "o", "repo": "r", "path": "p" }));
    let row = asking.row("githubGetFileContent", query.clone());
    assert_eq!(row["code"], "AUTHENTICATION_ERROR", "{row:#}");
    assert!(stub.asked()[0].starts_with("/api/v4/projects/o%2Fr"), "{:?}", stub.asked());
    let before = stub.asked().len();
    asking.row("githubGetFileContent", with(query, json!({ "host": stub.name, "provider": "forgejo" })));
    assert!(
        stub.asked()[before].starts_with("/api/v1/repos/o/r"),
        "a query may say otherwise: {:?}",
        stub.asked()
    );
}
