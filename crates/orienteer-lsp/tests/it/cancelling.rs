//! Callers that go away at any moment take nothing with them.

use std::future::Future;
use std::task::{Context, Waker};

use orienteer_testkit::fake::Script;

use crate::random::{Dice, acts, question, repository};
use crate::support::{ALL, LONG, Stage, ms};

/// Polls a future so many times and drops it.
async fn abandon<T>(future: impl Future<Output = T>, polls: u64, pause: u64) {
    let mut future = Box::pin(future);
    for _ in 0..polls {
        if future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_micros(pause)).await;
    }
}

async fn run(script: Script, tries: usize) -> Stage {
    let mut dice = Dice::new();
    let stage = repository(script, &mut dice);
    for _ in 0..tries {
        acts(&stage, &mut dice);
        for _ in 0..dice.below(3) {
            let (polls, pause) = (dice.below(12) + 1, dice.below(400));
            abandon(stage.ask_references(LONG), polls, pause).await;
            if dice.below(2) == 0 {
                acts(&stage, &mut dice);
            }
        }
        question(&stage, &mut dice).await;
    }
    stage.finish().await;
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn abandoned_questions_lose_no_change() {
    let stage = run(Script::new(), 200).await;
    assert_eq!(stage.record.starts(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn abandoned_questions_lose_no_change_of_a_slow_server() {
    run(Script::new().latency("*", 3), 60).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_at_the_same_time_are_all_right() {
    let mut dice = Dice::new();
    let stage = repository(Script::new(), &mut dice);
    for _ in 0..40 {
        acts(&stage, &mut dice);
        let mut others = [Dice::forked(&mut dice), Dice::forked(&mut dice), Dice::forked(&mut dice)];
        let [one, two, three] = &mut others;
        tokio::join!(question(&stage, one), question(&stage, two), question(&stage, three));
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_abandoned_request_is_cancelled_and_none_that_was_answered() {
    let stage = Stage::new(Script::new().latency("textDocument/references", 150));
    assert_eq!(stage.references().await, ALL);
    for _ in 0..5 {
        assert!(tokio::time::timeout(ms(50), stage.ask_references(LONG)).await.is_err());
    }
    assert_eq!(stage.references().await, ALL);
    let asked = stage.record.count("textDocument/references");
    assert_eq!(stage.record.count("$/cancelRequest"), asked - 2);
    stage.finish().await;
}
