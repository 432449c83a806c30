//! Cold servers answer quickly and wrongly: they are waited for, and what could not be waited for is said.

use std::time::Instant;

use orienteer_base::Cancel;
use orienteer_lsp::definition::Readiness;
use orienteer_lsp::{Failure, Patience};
use orienteer_testkit::fake::{Script, Signal};
use serde_json::json;

use crate::support::{ALL, LONG, SQUARE, Stage, ms, patience};

const COLD: [&str; 1] = ["a.fake:2:5"];

fn signals() -> [(Signal, Readiness); 4] {
    [
        (Signal::Progress(json!("index")), Readiness::Progress),
        (Signal::Progress(json!(7)), Readiness::Progress),
        (Signal::ServerStatus, Readiness::Status),
        (Signal::LogMessage("Found 3 source files".to_owned()), Readiness::Message),
    ]
}

fn stage(script: Script, readiness: Readiness) -> Stage {
    Stage::defined(script, |definition| {
        definition.ready_project = readiness;
        definition.ready_messages = vec!["source files".to_owned()];
        definition.lists_files = true;
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn cold_references_equal_warm_ones_by_every_signal() {
    let all = signals().into_iter().map(async |(signal, readiness)| {
        let stage = stage(Script::new().ready_after(400, signal.clone()), readiness);
        let cold = stage.ask_references(LONG).await.unwrap();
        assert_eq!(stage.places(&cold.value), ALL, "{signal:?}");
        assert!(cold.seen.ready && cold.seen.waited_ms >= 300, "{signal:?}: {:?}", cold.seen);
        let warm = stage.ask_references(LONG).await.unwrap();
        assert_eq!(warm.value, cold.value);
        assert!(warm.seen.ready && warm.seen.waited_ms < cold.seen.waited_ms, "{:?}", warm.seen);
        assert!(stage.state().ready);
        stage.finish().await;
    });
    futures::future::join_all(all).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_gets_ready_answers_flagged_within_the_patience() {
    let all = signals().into_iter().map(async |(signal, readiness)| {
        let stage = stage(Script::new().never_ready(signal.clone()), readiness);
        let begun = Instant::now();
        let heard = stage.ask_references(ms(700)).await.unwrap();
        let took = begun.elapsed();
        assert!(!heard.seen.ready, "{signal:?}");
        assert_eq!(stage.places(&heard.value), COLD, "what it knows is still told");
        assert!((ms(500)..ms(3_000)).contains(&took), "{signal:?}: {took:?}");
        if readiness == Readiness::Progress {
            assert_eq!(heard.seen.busy_with.as_deref(), Some("Loading, part 1 of 1 (75%)"));
            let state = stage.state();
            assert_eq!((state.ready, state.percent), (false, Some(75)));
        }
        stage.finish().await;
    });
    futures::future::join_all(all).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_about_one_file_does_not_wait_for_the_project() {
    let all = signals().into_iter().map(async |(signal, readiness)| {
        let stage = stage(Script::new().never_ready(signal), readiness);
        let heard = stage.ask_definition().await.unwrap();
        assert_eq!(stage.places(&heard.value), ["a.fake:2:5"]);
        assert!(heard.seen.ready && heard.seen.waited_ms < 5_000, "{:?}", heard.seen);
        stage.finish().await;
    });
    futures::future::join_all(all).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_waits_where_it_is_wrong_on_a_cold_server() {
    let script = Script::new().cold_definitions().ready_after(400, Signal::Progress(json!("load")));
    let stage = Stage::defined(script, |definition| {
        definition.ready_file = Readiness::Progress;
        definition.ready_project = Readiness::Progress;
    });
    let lease = stage.lease("b.fake").await;
    let at = orienteer_base::Position::new(5, 11);
    let relation = orienteer_base::ask::Relation::Definition;
    let heard = lease.definition(&stage.path("b.fake"), at, relation, &patience(LONG)).await.unwrap();
    assert_eq!(stage.places(&heard.value), ["a.fake:2:5"], "not the place that was asked about");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pause_between_two_parts_of_loading_is_not_the_end() {
    let script = Script::new().ready_after(600, Signal::Progress(json!("part"))).progress_phases(3);
    let stage = stage(script, Readiness::Progress);
    assert_eq!(stage.references().await, ALL);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_loads_when_a_file_is_opened_is_given_one() {
    let script = Script::new().loads_on_open().ready_after(300, Signal::Progress(json!("load")));
    let stage = stage(script, Readiness::Progress);
    assert_eq!(stage.references().await, ALL);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_has_nothing_to_load_is_ready_soon() {
    let stage = stage(Script::new(), Readiness::Progress);
    let heard = stage.ask_references(LONG).await.unwrap();
    assert_eq!(stage.places(&heard.value), ALL);
    assert!(heard.seen.ready && heard.seen.waited_ms < 10_000, "{:?}", heard.seen);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn warming_says_whether_it_got_ready() {
    let stage = stage(Script::new().ready_after(300, Signal::ServerStatus), Readiness::Status);
    let lease = stage.lease("a.fake").await;
    let file = stage.path("a.fake");
    assert!(!lease.warm(Some(&file), &patience(ms(50))).await.unwrap_or(false));
    assert!(lease.warm(Some(&file), &patience(LONG)).await.unwrap());
    assert_eq!(stage.references().await, ALL);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_it_waits_it_says_what_the_server_does_and_it_can_be_cancelled() {
    let stage = stage(Script::new().never_ready(Signal::Progress(json!("x"))), Readiness::Progress);
    let cancel = Cancel::new();
    let patience = Patience::new(LONG, &cancel);
    let lease = stage.lease("a.fake").await;
    let file = stage.path("a.fake");
    let asked = lease.references(&file, SQUARE, true, &patience);
    let cancelling = async {
        stage
            .until("a note", |_| {
                cancel.note().is_some_and(|note| note.starts_with("fake: Loading, part 1 of 1"))
            })
            .await;
        cancel.cancel();
    };
    let (answer, ()) = tokio::join!(asked, cancelling);
    assert_eq!(answer.unwrap_err(), Failure::Cancelled);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_files_are_waited_for_where_the_server_counts_its_files() {
    let found = |count: u64| json!({ "type": 3, "message": format!("Found {count} source files") });
    let script = Script::new().ready_after(50, Signal::LogMessage("Found 3 source files".to_owned())).notify(
        "workspace/didChangeWatchedFiles",
        300,
        "window/logMessage",
        found(4),
    );
    let stage = stage(script, Readiness::Message);
    assert_eq!(stage.references().await, ALL);
    stage.tree.write("c.fake", "use square\n");
    let heard = stage.ask_references(LONG).await.unwrap();
    assert_eq!(stage.places(&heard.value), ["a.fake:2:5", "b.fake:5:10", "c.fake:1:5", ALL[2]]);
    assert!(heard.seen.ready && heard.seen.waited_ms >= 250, "{:?}", heard.seen);
    stage.finish().await;
}

/// A server that loads again, a moment after it was told that the project's own file changed.
fn reloading() -> Stage {
    let progress = |kind: &str| json!({ "token": "reload", "value": { "kind": kind, "title": "Reloading" } });
    let script = Script::new()
        .notify("workspace/didChangeWatchedFiles", 100, "$/progress", progress("begin"))
        .notify("workspace/didChangeWatchedFiles", 700, "$/progress", progress("end"));
    Stage::defined(script, |definition| {
        definition.root_markers = vec!["project.toml".to_owned(), ".".to_owned()];
        definition.ready_project = Readiness::Progress;
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_the_project_itself_is_waited_for() {
    let stage = reloading();
    stage.tree.write("project.toml", "one");
    assert_eq!(stage.references().await, ALL);
    stage.tree.write("project.toml", "two");
    let heard = stage.ask_references(LONG).await.unwrap();
    assert!(heard.seen.ready && heard.seen.waited_ms >= 600, "{:?}", heard.seen);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_the_project_is_waited_for_by_everybody_who_asks() {
    let stage = reloading();
    stage.tree.write("project.toml", "one");
    assert_eq!(stage.references().await, ALL);
    stage.tree.write("project.toml", "two");
    let asked = (0..3).map(|_| stage.ask_references(LONG));
    for heard in futures::future::join_all(asked).await {
        let seen = heard.unwrap().seen;
        assert!(seen.ready && seen.waited_ms >= 600, "{seen:?}");
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_the_project_is_waited_for_after_somebody_gave_up_waiting() {
    let stage = reloading();
    stage.tree.write("project.toml", "one");
    assert_eq!(stage.references().await, ALL);
    let written = std::time::Instant::now();
    stage.tree.write("project.toml", "two");
    let dropped = tokio::time::timeout(ms(60), stage.ask_references(LONG)).await;
    assert!(dropped.is_err(), "it waits for the reload");
    let seen = stage.ask_references(LONG).await.unwrap().seen;
    // Counted from the change: on a busy machine the one that gave up has waited for some of it.
    assert!(seen.ready && written.elapsed() >= ms(700), "{seen:?} after {:?}", written.elapsed());
    stage.finish().await;
}
