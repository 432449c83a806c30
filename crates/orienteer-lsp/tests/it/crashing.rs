//! Servers that die.

use std::time::Instant;

use orienteer_lsp::{Failure, Life};
use orienteer_testkit::fake::{Death, Rule, Script, When};

use crate::support::{ALL, DEEP, LONG, Stage, kill, ms, patience};

const REFERENCES: &str = "textDocument/references";

#[tokio::test(flavor = "multi_thread")]
async fn one_crash_during_a_call_is_tried_again_unseen() {
    for (when, death) in
        [(When::Before, Death::Exit(1)), (When::Before, Death::Kill), (When::Middle, Death::Abort)]
    {
        let stage = Stage::new(Script::new().crash_once(REFERENCES, when, death));
        let heard = stage.ask_references(LONG).await.unwrap();
        assert_eq!(stage.places(&heard.value), ALL, "{when:?} {death:?}");
        assert_eq!(heard.seen.generation, 2);
        assert_eq!(stage.record.starts(), 2, "exactly one more");
        assert_eq!((stage.state().life, stage.state().restarts), (Life::Running, 1));
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_the_reply_keeps_the_reply_and_the_next_call_works() {
    let stage = Stage::new(Script::new().crash_once(REFERENCES, When::After, Death::Exit(9)));
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.record.starts(), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_from_outside_during_a_call_is_one_unseen_retry() {
    let stage = Stage::new(Script::new().rule(Rule::on(REFERENCES).hang().once()));
    let asked = stage.ask_references(LONG);
    let killing = async {
        stage.until("the question", |stage| stage.record.count(REFERENCES) == 1).await;
        kill(stage.record.pids()[0]);
    };
    let (heard, ()) = tokio::join!(asked, killing);
    assert_eq!(stage.places(&heard.unwrap().value), ALL);
    assert_eq!(stage.record.starts(), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_callers_of_one_crash_share_one_restart() {
    let script =
        (1..=4).fold(Script::new(), |script, nth| script.rule(Rule::on(REFERENCES).from(nth).hang().once()));
    let stage = Stage::new(script);
    let asked = futures::future::join_all((0..4).map(|_| stage.references()));
    let killing = async {
        stage.until("the questions", |stage| stage.record.count(REFERENCES) == 4).await;
        kill(stage.record.pids()[0]);
    };
    let (found, ()) = tokio::join!(asked, killing);
    assert_eq!(found, [ALL; 4]);
    assert_eq!(stage.record.starts(), 2, "four callers, one start");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_opened_again_after_a_crash() {
    let stage = Stage::new(Script::new().crash_once(REFERENCES, When::Before, Death::Kill));
    let lease = stage.lease("a.fake").await;
    lease.open(&[stage.path("b.fake"), stage.path(DEEP)], &patience(LONG)).await.unwrap();
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.state().open_documents, 3);
    let second = stage.record.pids()[1];
    let opened = stage.record.received("textDocument/didOpen");
    let again: Vec<&str> = opened
        .iter()
        .filter(|event| event["pid"] == second)
        .filter_map(|event| event["params"]["textDocument"]["uri"].as_str()?.rsplit('/').next())
        .collect();
    assert_eq!(again, ["b.fake", "%C3%BC%20%231.fake", "a.fake"], "those used last come last");
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_always_crashes_is_typed_with_everything_to_act_on() {
    let script =
        Script::new().crash(REFERENCES, When::Before, Death::Exit(7)).last_words("thread 'main' panicked\n");
    let stage = Stage::new(script);
    let failure = stage.ask_references(LONG).await.unwrap_err();
    let Failure::Crashed { server, exit_code, stderr, retry_after_ms } = failure else {
        panic!("{failure:?}")
    };
    assert_eq!((server.as_str(), exit_code), ("fake", Some(7)));
    assert_eq!(stderr, "thread 'main' panicked");
    assert!(matches!(retry_after_ms, Some(1..=500)), "{retry_after_ms:?}");
    assert_eq!(stage.record.starts(), 2);
    let refused = stage.ask_references(LONG).await.unwrap_err();
    assert!(matches!(refused, Failure::Crashed { retry_after_ms: Some(1..=500), .. }), "{refused:?}");
    assert_eq!((stage.record.starts(), stage.state().life), (2, Life::Crashed), "not before its time");
    tokio::time::sleep(ms(retry_after_ms.unwrap())).await;
    assert_eq!(stage.definition().await, ["a.fake:2:5"], "what does not crash it works");
    stage.end().await;
}

/// Asks until the server is left alone.
async fn break_it(stage: &Stage) {
    let until = Instant::now() + LONG;
    loop {
        match stage.ask_references(LONG).await.unwrap_err() {
            Failure::Crashed { retry_after_ms: Some(wait), .. } => tokio::time::sleep(ms(wait)).await,
            Failure::Crashed { retry_after_ms: None, stderr, exit_code, .. } => {
                assert_eq!((stderr.as_str(), exit_code), ("out of ideas", Some(7)));
                return;
            }
            other => panic!("{other:?}"),
        }
        assert!(Instant::now() < until, "it is never left alone");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_breaker_ends_repeated_crashes_until_a_file_changes_or_it_is_restarted() {
    let script = Script::new().crash(REFERENCES, When::Before, Death::Exit(7)).last_words("out of ideas\n");
    let stage = Stage::new(script);
    break_it(&stage).await;
    assert_eq!(stage.state().life, Life::Broken);
    let starts = stage.record.starts();
    assert_eq!(starts, 5);
    for _ in 0..3 {
        let refused = stage.ask_definition().await.unwrap_err();
        assert!(matches!(refused, Failure::Crashed { retry_after_ms: None, .. }), "{refused:?}");
    }
    assert_eq!(stage.record.starts(), starts, "it is left alone");

    let restarted = stage.fleet.restart(Some("fake"), &patience(LONG)).await;
    assert_eq!(restarted[0].as_ref().unwrap().life, Life::Running);
    assert_eq!(stage.definition().await, ["a.fake:2:5"]);

    break_it(&stage).await;
    let starts = stage.record.starts();
    stage.tree.write("b.fake", "  call square\n");
    assert_eq!(stage.definition().await, ["a.fake:2:5"], "a file has changed");
    assert_eq!(stage.record.starts(), starts + 1);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_while_idle_is_noticed_and_the_next_call_works() {
    let stage = Stage::new(Script::new().exit_when_idle_once(100, Death::Exit(5)).last_words("bored\n"));
    assert_eq!(stage.references().await, ALL);
    stage.until("the crash", |stage| stage.state().life == Life::Crashed).await;
    let error = stage.state().last_error.unwrap();
    assert_eq!((error.exit_code, error.stderr_tail.as_str()), (Some(5), "bored"));
    let heard = stage.ask_references(LONG).await.unwrap();
    assert_eq!((stage.places(&heard.value), heard.seen.generation), (ALL.map(str::to_owned).to_vec(), 2));
    assert_eq!(stage.record.starts(), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_crashes_the_server_is_told_once_more_to_the_next() {
    let script = Script::new().crash_once("textDocument/didChange", When::Before, Death::Abort);
    let stage = Stage::new(script);
    assert_eq!(stage.references().await, ALL);
    stage.tree.write("a.fake", "def nothing\ndef square\nuse square\n");
    assert_eq!(stage.references().await, ["a.fake:2:5", "a.fake:3:5", ALL[1], ALL[2]]);
    assert_eq!(stage.record.starts(), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_server_that_keeps_crashing_does_not_end_another() {
    let script = Script::new().rule(Rule::on("*").containing("a.fake").crash(When::Before, Death::Kill));
    let stage = Stage::of(
        orienteer_testkit::tree(
            "//- /one/p.toml\n//- /one/a.fake\ndef square\n//- /two/p.toml\n//- /two/b.fake\ndef x\n",
        ),
        script,
        |definition| definition.root_markers = vec!["p.toml".to_owned()],
        |_| {},
    );
    let at = orienteer_base::Position::new(1, 5);
    let (one, two) = (stage.path("one/a.fake"), stage.path("two/b.fake"));
    let hover = async |file: &std::path::Path| {
        let lease = stage.fleet.lease(file).await?;
        lease.hover(file, at, &patience(LONG)).await
    };
    assert!(matches!(hover(&one).await.unwrap_err(), Failure::Crashed { .. }));
    assert!(hover(&two).await.unwrap().value.is_some());
    assert!(matches!(hover(&one).await.unwrap_err(), Failure::Crashed { .. }));
    assert_eq!(hover(&two).await.unwrap().seen.generation, 1);
    stage.end().await;
}
