//! How servers come up, or do not.

use std::time::Instant;

use orienteer_lsp::{Failure, Life};
use orienteer_testkit::fake::{Rule, START, Script};
use serde_json::json;

use crate::support::{ALL, LONG, SQUARE, Stage, ms, patience};

#[tokio::test(flavor = "multi_thread")]
async fn four_concurrent_first_calls_start_one_server() {
    let stage = Stage::new(Script::new().slow_start(200));
    let asked = (0..4).map(|_| stage.references());
    for found in futures::future::join_all(asked).await {
        assert_eq!(found, ALL);
    }
    assert_eq!(stage.record.starts(), 1);
    assert_eq!(stage.record.count("initialize"), 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_start_is_waited_for() {
    let stage = Stage::new(Script::new().slow_start(600));
    let heard = stage.ask_references(LONG).await.unwrap();
    assert_eq!(stage.places(&heard.value), ALL);
    assert!(heard.seen.ready);
    assert_eq!((heard.seen.generation, stage.state().restarts), (1, 0));
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_slower_than_the_patience_is_said_and_goes_on() {
    let stage = Stage::new(Script::new().slow_start(700));
    let begun = Instant::now();
    let failure = stage.ask_references(ms(150)).await.unwrap_err();
    assert!(matches!(failure, Failure::NotReady { .. }), "{failure:?}");
    assert!(begun.elapsed() < ms(650), "{:?}", begun.elapsed());
    assert_eq!(stage.state().life, Life::Starting);
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.record.starts(), 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_does_not_end_the_start() {
    let stage = Stage::new(Script::new().slow_start(300));
    let lease = stage.lease("a.fake").await;
    let file = stage.path("a.fake");
    let patience = patience(LONG);
    let asked = lease.references(&file, SQUARE, true, &patience);
    assert!(tokio::time::timeout(ms(50), asked).await.is_err(), "it was dropped while the server started");
    drop(lease);
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.record.starts(), 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exit_at_the_start_tells_code_and_stderr() {
    let stage = Stage::new(Script::new().exit_at_start(3, "error: no such toolchain"));
    let failure = stage.ask_references(LONG).await.unwrap_err();
    let Failure::StartFailed { exit_code, stderr, command, .. } = failure else { panic!("{failure:?}") };
    assert_eq!(exit_code, Some(3));
    assert_eq!(stderr, "error: no such toolchain");
    assert!(command.contains("fake-lsp") && command.contains("fake.json"), "{command}");
    let error = stage.state().last_error.unwrap();
    assert_eq!((error.exit_code, error.stderr_tail.as_str()), (Some(3), "error: no such toolchain"));
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_initialize_that_is_never_answered_fails_in_time_with_stderr() {
    let script = Script::new().never_answer_initialize().stderr("waiting for a lock");
    let stage = Stage::defined(script, |definition| definition.initialize_timeout = ms(300));
    let failure = stage.ask_references(LONG).await.unwrap_err();
    let Failure::StartFailed { message, exit_code, stderr, .. } = failure else { panic!("{failure:?}") };
    assert!(message.contains("initialize") && message.contains("300 ms"), "{message}");
    assert_eq!((exit_code, stderr.as_str()), (None, "waiting for a lock"));
    for pid in stage.record.pids() {
        crate::support::assert_gone(pid).await;
    }
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_fails_again_and_again_is_slowed_down() {
    let stage = Stage::new(Script::new().exit_at_start(1, "no"));
    let mut waits = Vec::new();
    for _ in 0..4 {
        match stage.ask_references(LONG).await.unwrap_err() {
            Failure::StartFailed { retry_after_ms, .. } => waits.push(retry_after_ms),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(stage.record.starts(), 2, "the third and the fourth call were refused at once");
    assert!(matches!(waits[..], [None, None, Some(1..=500), Some(1..=500)]), "{waits:?}");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_initialize_that_is_refused_says_why() {
    let stage = Stage::new(Script::new().fail("initialize", -32603, "no licence"));
    let failure = stage.ask_references(LONG).await.unwrap_err();
    let Failure::StartFailed { message, .. } = failure else { panic!("{failure:?}") };
    assert!(message.contains("no licence"), "{message}");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_before_the_initialize_reply_are_no_reply() {
    let script = Script::new()
        .stdout_before_initialize("Starting fake server…\nContent of the cache: 12 items\n")
        .notify("initialize", 0, "window/logMessage", json!({ "type": 3, "message": "hello" }));
    let stage = Stage::new(script);
    assert_eq!(stage.references().await, ALL);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_may_start_once_is_not_asked_for_its_version_by_starting_it() {
    let stage = Stage::new(Script::new().rule(Rule::on(START).delay(1)));
    assert_eq!(stage.definition().await, ["a.fake:2:5"]);
    assert_eq!(stage.record.starts(), 1);
    assert_eq!(stage.state().version.as_deref(), Some("1.0"));
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shutting_down_does_not_wait_for_a_start() {
    let stage = Stage::new(Script::new().never_answer_initialize());
    let asked = stage.ask_references(LONG);
    let ending = async {
        stage.until("the start", |stage| stage.record.count("initialize") == 1).await;
        let begun = Instant::now();
        stage.fleet.shut_down().await;
        begun.elapsed()
    };
    let (answer, took) = tokio::join!(asked, ending);
    assert_eq!(answer.unwrap_err(), Failure::ShuttingDown);
    assert!(took < ms(5_000), "{took:?}");
    assert_eq!(stage.ask_references(LONG).await.unwrap_err(), Failure::ShuttingDown);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_a_server_while_it_starts_leaves_one_usable_server() {
    let stage = Stage::new(Script::new().slow_start(400));
    let first = stage.ask_references(LONG);
    let stopping = async {
        stage.until("the start", |stage| stage.record.count("initialize") == 1).await;
        stage.fleet.stop(Some("fake")).await;
    };
    let second = async {
        stage.until("the start", |stage| stage.record.count("initialize") == 1).await;
        tokio::time::sleep(ms(50)).await;
        stage.ask_references(LONG).await
    };
    let (first, (), second) = tokio::join!(first, stopping, second);
    if let Ok(heard) = first {
        assert_eq!(stage.places(&heard.value), ALL);
    }
    assert_eq!(stage.places(&second.unwrap().value), ALL);
    assert_eq!(stage.references().await, ALL);
    let running: Vec<u64> =
        stage.record.pids().into_iter().filter(|pid| crate::support::is_running(*pid)).collect();
    let pid = stage.state().pid.map(u64::from);
    assert_eq!(running, pid.into_iter().collect::<Vec<_>>(), "one process, and it is the one we know");
    stage.finish().await;
}
