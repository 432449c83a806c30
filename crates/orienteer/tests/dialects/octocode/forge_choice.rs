//! Which forge is asked where a query does not say?

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::stub::Stub;
use super::support::{Asking, goals, with};

#[test]
fn the_token_of_a_variable_and_that_of_gh_reach_the_forge() {
    let stub = Stub::start(|_| (404, Vec::new(), json!({ "message": "Not Found" }).to_string()));
    let settings = |programs: bool| {
        format!(
            "[remote]\nask_programs = {programs}\n[[hosts]]\nhost = 'github.com'\nprovider = 'github'\napi_url = '{}'\n",
            stub.api()
        )
    };
    let query = with(Value::Object(goals()), json!({ "keywordsToSearch": ["x"] }));
    let shown = |programs: bool, variables: &[(&str, &str)]| {
        let before = stub.tokens().len();
        let mut asking = Asking::with(tree("//- /a\n"), &settings(programs), variables);
        asking.once("githubSearchRepositories", query.clone());
        stub.tokens()[before..].to_vec()
    };
    assert_eq!(shown(false, &[("GITHUB_TOKEN", "of-a-variable")]), ["Bearer of-a-variable"]);
    assert_eq!(shown(false, &[]), [] as [&str; 0], "nobody's token is nobody's");
    // What `gh auth login` has stored is what `gh auth token` tells.
    let folder = tempfile::tempdir().unwrap();
    let gh = folder.path().join("gh");
    let script = "#!/bin/sh\n[ \"$*\" = 'auth token --hostname github.com' ] && echo of-gh\n";
    std::fs::write(&gh, script).unwrap();
    std::fs::set_permissions(&gh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    assert_eq!(shown(true, &[("PATH", &path)]), ["Bearer of-gh"]);
}

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
