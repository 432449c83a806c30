//! Children that are told to stop, in rising order of stubbornness.

use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use orienteer_process::ProcessSpec;
use tokio::io::AsyncWriteExt;

use crate::child::{first_line, spawn};
use crate::support::{environment, eventually, is_alive, sh};

const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_polite_child_ends_with_its_input_and_chooses_its_status() {
    let mut child = spawn(&sh("cat >/dev/null; exit 3"));
    let input = child.take_stdin().unwrap();
    let begin = Instant::now();
    assert_eq!(child.stop(LONG).await.unwrap().code(), Some(3));
    assert!(begin.elapsed() < LONG / 2);
    drop(input);
}

#[tokio::test]
async fn a_child_that_overlooks_its_input_is_asked() {
    let mut child = spawn(&sh("trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done"));
    let (line, _output) = first_line(&mut child).await;
    assert_eq!(line, "ready");
    assert_eq!(child.stop(SHORT).await.unwrap().code(), Some(7));
}

#[tokio::test]
async fn a_stubborn_child_is_ended_with_its_children() {
    let mut child = spawn(&sh("trap '' TERM; sleep 1000 & echo $!; while :; do sleep 0.02; done"));
    let (line, _output) = first_line(&mut child).await;
    let grandchild = line.parse().unwrap();
    let begin = Instant::now();
    let status = child.stop(SHORT).await.unwrap();
    assert_eq!(status.signal(), Some(9));
    // It had its time for both steps, and not much more.
    assert!(begin.elapsed() >= SHORT + Duration::from_millis(500), "{:?}", begin.elapsed());
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    eventually("the grandchild is gone", || !is_alive(grandchild)).await;
}

#[tokio::test]
async fn a_child_that_has_ended_can_be_stopped() {
    let child = spawn(&sh("exit 6"));
    child.wait().await.unwrap();
    assert_eq!(child.stop(LONG).await.unwrap().code(), Some(6));
    assert_eq!(child.stop(LONG).await.unwrap().code(), Some(6));
}

#[tokio::test]
async fn stopping_frees_a_writer_that_waits_for_room() {
    let mut child = spawn(&ProcessSpec::new("sleep", "/", environment()).arg("1000"));
    let mut input = child.take_stdin().unwrap();
    let writer = tokio::spawn(async move { input.write_all(&vec![0; 4_000_000]).await });
    // The writer is given the time to fill the pipe; if it has not, the test shows less but stays true.
    tokio::time::sleep(SHORT).await;
    assert!(!writer.is_finished());
    let status = child.stop(SHORT).await.unwrap();
    assert_eq!(status.signal(), Some(15));
    let error = tokio::time::timeout(LONG, writer).await.expect("the writer hangs").unwrap().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}
