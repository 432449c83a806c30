//! Cold answers are wrong until the server is ready, and the words about it are true.

use std::time::{Duration, Instant};

use orienteer_testkit::fake::{Script, Signal};
use serde_json::{Value, json};

use crate::{PATIENCE, Stage, all, cold};

fn kind(params: &Value) -> &str {
    params["value"]["kind"].as_str().unwrap_or_default()
}

#[test]
fn progress_ends_when_the_whole_project_is_known() {
    for token in [json!("indexing"), json!(7)] {
        let mut stage = Stage::ready(Script::new().ready_after(1500, Signal::Progress(token.clone())));
        assert_eq!(stage.references(), cold());
        let symbols = stage.client.request("workspace/symbol", json!({ "query": "" }));
        assert_eq!(symbols, json!([]), "no document is open");
        let ended = |method: &str, params: &Value| method == "$/progress" && kind(params) == "end";
        assert!(stage.client.wait_notification(ended, PATIENCE).is_some());
        assert_eq!(stage.references(), all());
        let notices = stage.client.notices();
        let progress: Vec<_> = notices.iter().filter(|notice| notice.method == "$/progress").collect();
        assert!(progress.iter().all(|notice| notice.params["token"] == token));
        let percentages: Vec<_> =
            progress.iter().map(|notice| notice.params["value"]["percentage"].as_u64()).collect();
        assert_eq!(percentages, [Some(0), Some(25), Some(50), Some(75), None]);
    }
}

#[test]
fn only_the_last_of_several_phases_means_ready() {
    let script = Script::new().ready_after(2000, Signal::Progress(json!("load"))).progress_phases(3);
    let mut stage = Stage::ready(script);
    let ended = |method: &str, params: &Value| method == "$/progress" && kind(params) == "end";
    assert!(stage.client.wait_notification(ended, PATIENCE).is_some());
    assert_eq!(stage.references(), cold());
    assert!(stage.client.wait_progress(Duration::from_millis(700), PATIENCE));
    assert_eq!(stage.references(), all());
}

#[test]
fn server_status_and_log_lines_tell_it_too() {
    let script = Script::new()
        .ready_after(1500, Signal::ServerStatus)
        .ready_after(1500, Signal::LogMessage("Found 3 source files".to_owned()));
    let mut stage = Stage::ready(script);
    assert_eq!(stage.references(), cold());
    let quiescent =
        |method: &str, params: &Value| method == "experimental/serverStatus" && params["quiescent"] == true;
    assert!(stage.client.wait_notification(quiescent, PATIENCE).is_some());
    assert_eq!(stage.references(), all());
    let log = |method: &str, params: &Value| {
        method == "window/logMessage" && params["message"] == "Found 3 source files"
    };
    assert!(stage.client.wait_notification(log, PATIENCE).is_some());
}

#[test]
fn a_server_that_is_never_ready_says_so_for_ever() {
    let script =
        Script::new().never_ready(Signal::Progress(json!("for ever"))).never_ready(Signal::ServerStatus);
    let mut stage = Stage::ready(script);
    let begun = |method: &str, params: &Value| method == "$/progress" && kind(params) == "begin";
    assert!(stage.client.wait_notification(begun, PATIENCE).is_some());
    let ended = |method: &str, params: &Value| {
        kind(params) == "end" || (method.ends_with("Status") && params["quiescent"] == true)
    };
    assert!(stage.client.wait_notification(ended, Duration::from_millis(200)).is_none());
    assert_eq!(stage.references(), cold());
}

#[test]
fn loading_may_wait_for_the_first_document_and_answer_wrong_definitions() {
    let script = Script::new().silently_ready_after(150).loads_on_open().cold_definitions();
    let mut stage = Stage::ready(script);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(stage.references(), cold(), "nothing is open yet");
    let found = stage.ask("textDocument/definition", "b.fake", 4, 12);
    assert_eq!(stage.places(&found), [("b.fake".to_owned(), 4, 9)], "the asked place itself");
    let a = stage.path("a.fake");
    stage.client.open(&a, "fake");
    let until = Instant::now() + PATIENCE;
    while stage.references() != all() {
        assert!(Instant::now() < until, "it is ready some time");
    }
    let found = stage.ask("textDocument/definition", "b.fake", 4, 12);
    assert_eq!(stage.places(&found), [("a.fake".to_owned(), 1, 4)]);
}
