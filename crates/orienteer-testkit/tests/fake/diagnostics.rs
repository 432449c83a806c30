//! Diagnostics that are published, pulled, stale, late, many or missing.

use std::path::Path;
use std::time::{Duration, Instant};

use orienteer_testkit::fake::{Diagnostics, Script, Stale};
use orienteer_testkit::uri::file_uri;
use serde_json::{Value, json};

use crate::{PATIENCE, Stage};

/// The publishes for a file so far: their versions and messages.
fn published(stage: &Stage, path: &Path) -> Vec<(Option<i64>, Vec<String>)> {
    let uri = file_uri(path);
    let ours = stage.client.notices().into_iter().filter(|notice| notice.params["uri"] == uri.as_str());
    let message = |item: &Value| item["message"].as_str().unwrap_or_default().to_owned();
    ours.map(|notice| {
        let items = notice.params["diagnostics"].as_array().unwrap();
        (notice.params["version"].as_i64(), items.iter().map(message).collect())
    })
    .collect()
}

/// Opens a broken file, repairs it, and returns the publishes.
fn repaired(script: Script) -> Vec<(Option<i64>, Vec<String>)> {
    let mut stage = Stage::ready(script);
    let path = stage.path("deep/ü #1.fake");
    stage.client.open(&path, "fake");
    stage.client.change(&path, "use square\n");
    stage.references();
    std::thread::sleep(Duration::from_millis(100));
    published(&stage, &path)
}

#[test]
fn publishes_follow_the_text_or_the_script() {
    let bad = vec!["this is wrong".to_owned()];
    let good = Vec::new();
    assert_eq!(repaired(Script::new()), [(Some(1), bad.clone()), (Some(2), good.clone())]);
    let versionless = repaired(Script::new().publish_without_version());
    assert_eq!(versionless, [(None, bad.clone()), (None, good.clone())]);
    let before = repaired(Script::new().stale_publishes(Stale::Before));
    assert_eq!(before, [(Some(1), bad.clone()), (Some(1), bad.clone()), (Some(2), good.clone())]);
    let after = repaired(Script::new().stale_publishes(Stale::After));
    assert_eq!(after, [(Some(1), bad.clone()), (Some(2), good), (Some(1), bad)]);
    assert_eq!(repaired(Script::new().diagnostics(Diagnostics::Never)), []);
    assert_eq!(repaired(Script::new().diagnostics(Diagnostics::Pull)), []);
}

#[test]
fn late_publishes_are_late() {
    let mut stage = Stage::ready(Script::new().publish_late(300));
    let path = stage.path("a.fake");
    let opened = Instant::now();
    stage.client.open(&path, "fake");
    let seen = stage.client.wait_notification(|method, _| method.ends_with("publishDiagnostics"), PATIENCE);
    assert!(seen.unwrap().at - opened >= Duration::from_millis(300));
}

#[test]
fn one_publish_may_hold_very_many() {
    let mut stage = Stage::ready(Script::new().bulk_diagnostics(50_000));
    let path = stage.path("a.fake");
    stage.client.open(&path, "fake");
    let seen = stage.client.wait_notification(|method, _| method.ends_with("publishDiagnostics"), PATIENCE);
    assert_eq!(seen.unwrap().params["diagnostics"].as_array().unwrap().len(), 50_000);
}

#[test]
fn the_diagnostics_of_one_file_may_depend_on_another() {
    let script = Script::new().undefined_names_are_errors().publish_workspace();
    let mut stage = Stage::ready(script);
    let user = stage.path("b.fake");
    let broken = stage.path("deep/ü #1.fake");
    stage.client.open(&user, "fake");
    stage.tree.write("a.fake", "type Number\n");
    stage.tell_changed("a.fake", 2);
    stage.ask("textDocument/hover", "b.fake", 1, 6);
    let wanted = [(Some(1), vec![]), (Some(1), vec!["square is not defined".to_owned()])];
    assert_eq!(published(&stage, &user), wanted);
    let unopened = published(&stage, &broken);
    assert_eq!(unopened[0], (None, vec!["this is wrong".to_owned()]));
    assert_eq!(unopened[1].1.len(), 2, "{unopened:?}");
}

#[test]
fn pulls_know_what_the_client_has() {
    let mut stage = Stage::new(Script::new().diagnostics(Diagnostics::Both).related_documents());
    let result = stage.initialize();
    assert_eq!(result["capabilities"]["diagnosticProvider"]["interFileDependencies"], true);
    let broken = stage.uri("deep/ü #1.fake");
    let pull =
        |uri: &str, previous: &Value| json!({ "textDocument": { "uri": uri }, "previousResultId": previous });
    let first = stage.client.request("textDocument/diagnostic", pull(&broken, &Value::Null));
    assert_eq!((&first["kind"], &first["items"][0]["message"]), (&json!("full"), &json!("this is wrong")));
    let second = stage.client.request("textDocument/diagnostic", pull(&broken, &first["resultId"]));
    assert_eq!((&second["kind"], second.get("items")), (&json!("unchanged"), None));
    let other = pull(&stage.uri("a.fake"), &Value::Null);
    let other = stage.client.request("textDocument/diagnostic", other);
    assert_eq!(other["items"], json!([]));
    assert_eq!(other["relatedDocuments"][&broken]["items"][0]["message"], "this is wrong");
    let all = stage.client.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
    assert_eq!(all["items"].as_array().unwrap().len(), 3);
}

#[test]
fn closing_clears_what_was_published() {
    let mut stage = Stage::ready(Script::new());
    let path = stage.path("deep/ü #1.fake");
    stage.client.open(&path, "fake");
    stage.client.close(&path);
    stage.references();
    assert_eq!(published(&stage, &path), [(Some(1), vec!["this is wrong".to_owned()]), (None, vec![])]);
}
