//! Runs that a time-out, a cancellation or a dropped future cuts short.

use std::time::{Duration, Instant};

use orienteer_process::{CancellationToken, Launcher, ProcessError, ProcessSpec};

use crate::run::try_run;
use crate::support::{environment, eventually, is_alive, pid_in, sh};

#[tokio::test]
async fn a_time_out_ends_the_grandchild_too() {
    let begin = Instant::now();
    let spec = sh("sleep 1000 & echo $! >&2; wait").timeout(Duration::from_millis(300));
    let error = try_run(&spec).await.unwrap_err();
    let ProcessError::TimedOut { after, stderr_tail, .. } = error else { panic!("{error:?}") };
    assert_eq!(after, Duration::from_millis(300));
    assert!(begin.elapsed() < Duration::from_secs(5));
    let grandchild = stderr_tail.trim().parse().unwrap();
    eventually("the grandchild is gone", || !is_alive(grandchild)).await;
}

#[tokio::test]
async fn a_time_out_ends_a_group_that_ignores_requests_and_one_that_is_stopped() {
    for script in ["trap '' TERM; sleep 1000 & echo $! >&2; wait", "sleep 1000 & echo $! >&2; kill -STOP $$"]
    {
        let error = try_run(&sh(script).timeout(Duration::from_millis(300))).await.unwrap_err();
        let ProcessError::TimedOut { stderr_tail, .. } = error else { panic!("{error:?}") };
        let grandchild = stderr_tail.trim().parse().unwrap();
        eventually("the grandchild is gone", || !is_alive(grandchild)).await;
    }
}

#[tokio::test]
async fn a_time_out_ends_an_endless_writer() {
    let spec = ProcessSpec::new("yes", "/", environment()).timeout(Duration::from_millis(200));
    assert!(matches!(try_run(&spec).await, Err(ProcessError::TimedOut { .. })));
}

#[tokio::test]
async fn cancellation_ends_the_group_within_a_second() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("pid");
    let spec = sh("sleep 1000 & echo $! >\"$0\"; wait").arg(&file);
    let cancel = CancellationToken::new();
    let cancelled = cancel.clone();
    let running =
        tokio::spawn(async move { Launcher::without_reaper().run(&spec, &cancelled).await.unwrap_err() });
    let grandchild = pid_in(&file).await;
    assert!(is_alive(grandchild));
    let begin = Instant::now();
    cancel.cancel();
    let error = running.await.unwrap();
    assert!(matches!(error, ProcessError::Cancelled { .. }), "{error:?}");
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    eventually("the grandchild is gone", || !is_alive(grandchild)).await;
}

#[tokio::test]
async fn what_is_cancelled_beforehand_never_starts() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("started");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let spec = sh(": >\"$0\"").arg(&file);
    let error = Launcher::without_reaper().run(&spec, &cancel).await.unwrap_err();
    assert!(matches!(error, ProcessError::Cancelled { .. }), "{error:?}");
    assert!(!file.exists());
}

#[tokio::test]
async fn dropping_the_future_ends_the_group() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("pid");
    let spec = sh("trap '' TERM; sleep 1000 & echo $! >\"$0\"; wait").arg(&file);
    let grandchild = tokio::select! {
        _ = try_run(&spec) => panic!("the script must not end"),
        pid = pid_in(&file) => pid,
    };
    eventually("the grandchild is gone", || !is_alive(grandchild)).await;
}
