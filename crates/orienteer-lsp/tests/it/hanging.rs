//! Servers that do not answer, do not read, or talk too much.

use std::time::Instant;

use orienteer_lsp::Failure;
use orienteer_testkit::fake::{Rule, Script};

use crate::support::{ALL, LONG, SQUARE, Stage, ms, patience};

const REFERENCES: &str = "textDocument/references";

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_hangs_ends_in_time_and_the_server_stays_usable() {
    let script = Script::new().rule(Rule::on(REFERENCES).hang().times(1));
    let stage = Stage::defined(script, |definition| definition.request_timeout = ms(300));
    let begun = Instant::now();
    let failure = stage.ask_references(LONG).await.unwrap_err();
    let method = REFERENCES.to_owned();
    assert_eq!(failure, Failure::Timeout { server: "fake".to_owned(), method, after_ms: 300 });
    assert!(begun.elapsed() < ms(5_000), "{:?}", begun.elapsed());
    assert_eq!(stage.definition().await, ["a.fake:2:5"]);
    assert_eq!(stage.references().await, ALL);
    assert_eq!((stage.record.starts(), stage.record.count("$/cancelRequest")), (1, 1));
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_method_may_have_more_time_than_the_others() {
    let script = Script::new().latency(REFERENCES, 600).latency("textDocument/definition", 600);
    let stage = Stage::defined(script, |definition| {
        definition.request_timeout = ms(200);
        definition.request_timeouts.insert(REFERENCES.to_owned(), LONG);
    });
    assert_eq!(stage.references().await, ALL);
    let failure = stage.ask_definition().await.unwrap_err();
    assert!(matches!(failure, Failure::Timeout { after_ms: 200, .. }), "{failure:?}");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_cancels_its_request() {
    let stage = Stage::new(Script::new().latency(REFERENCES, 20_000));
    let lease = stage.lease("a.fake").await;
    let (file, patience) = (stage.path("a.fake"), patience(LONG));
    let asked = lease.references(&file, SQUARE, true, &patience);
    let seen = stage.until("the question", |stage| stage.record.count(REFERENCES) == 1);
    tokio::select! {
        answer = asked => panic!("{answer:?}"),
        () = seen => {}
    }
    stage.until("the cancelling", |stage| stage.record.count("$/cancelRequest") == 1).await;
    let id = stage.record.received(REFERENCES)[0]["id"].clone();
    assert_eq!(stage.record.received("$/cancelRequest")[0]["params"]["id"], id);
    drop(lease);
    assert_eq!(stage.definition().await, ["a.fake:2:5"]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_reading_costs_the_time_out_and_a_restart_helps() {
    let script = Script::new().rule(Rule::on(REFERENCES).freeze().once());
    let stage = Stage::defined(script, |definition| definition.request_timeout = ms(2_000));
    assert!(matches!(stage.ask_references(LONG).await.unwrap_err(), Failure::Timeout { .. }));
    // More than the pipe holds: whoever writes must not wait for it to be read.
    stage.tree.write("a.fake", format!("def square\n{}", "# filler\n".repeat(20_000)));
    let begun = Instant::now();
    let lease = stage.lease("a.fake").await;
    let at = orienteer_base::Position::new(1, 6);
    let failure = lease.hover(&stage.path("a.fake"), at, &patience(LONG)).await.unwrap_err();
    assert!(matches!(failure, Failure::Timeout { .. }), "{failure:?}");
    assert!(begun.elapsed() < ms(5_000), "{:?}", begun.elapsed());
    drop(lease);
    let restarted = stage.fleet.restart(None, &patience(LONG)).await;
    assert!(restarted[0].is_ok(), "{restarted:?}");
    let lease = stage.lease("a.fake").await;
    let found = lease.references(&stage.path("a.fake"), at, true, &patience(LONG)).await.unwrap();
    assert_eq!(stage.places(&found.value), ["a.fake:1:5", ALL[1], ALL[2]]);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_on_stderr_blocks_nothing_and_its_end_is_kept() {
    let script = Script::new()
        .stderr_flood(5 << 20)
        .rule(Rule::on(REFERENCES).flood(5 << 20))
        .crash(
            "textDocument/hover",
            orienteer_testkit::fake::When::Before,
            orienteer_testkit::fake::Death::Exit(1),
        )
        .last_words("the last words\n");
    let stage = Stage::new(script);
    assert_eq!(stage.references().await, ALL);
    let lease = stage.lease("a.fake").await;
    let failure = lease.hover(&stage.path("a.fake"), SQUARE, &patience(LONG)).await.unwrap_err();
    let Failure::Crashed { stderr, .. } = failure else { panic!("{failure:?}") };
    assert!(stderr.ends_with("flood\nthe last words"), "{stderr}");
    assert!(stderr.len() <= 2_000, "{}", stderr.len());
    drop(lease);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn storms_of_refusals_that_pass_are_sat_out() {
    let methods = [REFERENCES, "textDocument/definition"];
    let script = methods.iter().fold(Script::new(), |script, method| script.content_modified(method, 6));
    let stage = Stage::new(script);
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.definition().await, ["a.fake:2:5"]);
    assert_eq!(stage.record.count(REFERENCES), 7);
    stage.finish().await;

    let stage = Stage::new(Script::new().server_cancelled(REFERENCES, 6, true));
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.record.count(REFERENCES), 7);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_answer_that_is_not_to_be_asked_again_is_not() {
    let stage = Stage::new(Script::new().server_cancelled(REFERENCES, 100, false));
    let failure = stage.ask_references(LONG).await.unwrap_err();
    assert!(matches!(failure, Failure::Refused { code: -32800, .. }), "{failure:?}");
    assert_eq!(stage.record.count(REFERENCES), 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_without_end_ends_with_the_time_for_the_request() {
    let stage = Stage::defined(Script::new().content_modified(REFERENCES, 10_000), |definition| {
        definition.request_timeout = ms(1_000);
    });
    let begun = Instant::now();
    let failure = stage.ask_references(LONG).await.unwrap_err();
    assert!(matches!(failure, Failure::Refused { code: -32801, .. }), "{failure:?}");
    let took = begun.elapsed();
    assert!(took < ms(3_000), "{took:?}");
    stage.finish().await;
}
