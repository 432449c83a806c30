//! Long-lived children that are talked to.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use orienteer_process::{Child, ChildStdout, Launcher, ProcessSpec};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::support::{environment, eventually, is_alive, sh};

pub(crate) fn spawn(spec: &ProcessSpec) -> Child {
    Launcher::without_reaper().spawn(spec).unwrap()
}

/// Reads the first line of output, which tells that the script has come that far. The pipe is handed back
/// because a script dies of writing to a closed one.
pub(crate) async fn first_line(child: &mut Child) -> (String, BufReader<ChildStdout>) {
    let mut output = BufReader::new(child.take_stdout().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).await.unwrap();
    (line.trim_end().to_owned(), output)
}

#[tokio::test]
async fn a_child_is_talked_to_and_ends_with_its_input() {
    let mut child = spawn(&ProcessSpec::new("cat", "/", environment()));
    assert!(child.try_exit().unwrap().is_none());
    assert!(is_alive(child.pid()));
    let mut input = child.take_stdin().unwrap();
    assert!(child.take_stdin().is_none());
    input.write_all(b"hello\n").await.unwrap();
    let (line, mut output) = first_line(&mut child).await;
    assert_eq!(line, "hello");
    drop(input);
    assert_eq!(output.read_to_string(&mut String::new()).await.unwrap(), 0);
    assert!(child.wait().await.unwrap().success());
    assert!(child.try_exit().unwrap().unwrap().success());
}

/// Many programs do nothing else while they wait for room in a pipe.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_long_answer_is_written_before_anybody_reads_it() {
    let mut child = spawn(&sh("head -c 900000 /dev/zero"));
    let ended = tokio::time::timeout(Duration::from_secs(20), child.wait()).await;
    assert!(ended.expect("it does not wait for us").unwrap().success());
    let mut bytes = Vec::new();
    child.take_stdout().unwrap().read_to_end(&mut bytes).await.unwrap();
    assert_eq!(bytes.len(), 900_000);
}

#[tokio::test]
async fn shutting_the_input_down_closes_it() {
    let mut child = spawn(&ProcessSpec::new("cat", "/", environment()));
    let mut input = child.take_stdin().unwrap();
    input.shutdown().await.unwrap();
    assert!(child.wait().await.unwrap().success());
    let error = input.write_all(b"late").await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn last_words_are_there_when_the_end_is_known() {
    let child = spawn(&sh("echo started; echo goodbye >&2; exit 4"));
    assert_eq!(child.wait().await.unwrap().code(), Some(4));
    assert_eq!(child.stderr_tail(), "goodbye\n");
}

#[tokio::test]
async fn only_the_end_of_standard_error_is_kept() {
    let child = spawn(&sh("seq 200000 >&2").stderr_limit(100));
    child.wait().await.unwrap();
    let tail = child.stderr_tail();
    assert_eq!(tail.len(), 100);
    assert!(tail.ends_with("\n199999\n200000\n"), "{tail}");
}

#[tokio::test]
async fn standard_error_can_be_read_while_the_child_runs() {
    let child = spawn(&sh("echo working >&2; sleep 1000"));
    eventually("the message arrives", || child.stderr_tail() == "working\n").await;
    assert!(child.try_exit().unwrap().is_none());
}

#[tokio::test]
async fn several_callers_can_wait() {
    let mut child = spawn(&sh("read line; exit 5"));
    let input = child.take_stdin().unwrap();
    let (first, second, ()) = tokio::join!(child.wait(), child.wait(), async { drop(input) });
    assert_eq!((first.unwrap().code(), second.unwrap().code()), (Some(5), Some(5)));
}

#[tokio::test]
async fn dropping_a_child_ends_its_group() {
    let mut child = spawn(&sh("trap '' TERM; sleep 1000 & echo $!; wait"));
    let (line, _output) = first_line(&mut child).await;
    let (leader, grandchild) = (child.pid(), line.parse().unwrap());
    assert!(is_alive(leader) && is_alive(grandchild));
    drop(child);
    eventually("the group is gone", || !is_alive(leader) && !is_alive(grandchild)).await;
}

#[tokio::test]
async fn a_group_ends_with_its_leader_although_nobody_waits() {
    let mut child = spawn(&sh("sleep 1000 & echo $!; read line"));
    let (line, _output) = first_line(&mut child).await;
    let grandchild = line.parse().unwrap();
    assert!(is_alive(grandchild));
    drop(child.take_stdin());
    eventually("the grandchild is gone", || !is_alive(grandchild)).await;
}

#[tokio::test]
async fn a_killed_child_is_reported_with_its_signal() {
    let child = spawn(&sh("kill -9 $$"));
    assert_eq!(child.wait().await.unwrap().signal(), Some(9));
}

#[test]
fn the_end_of_the_runtime_ends_the_group() {
    let runtime =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let first = runtime();
    let (child, grandchild, output) = first.block_on(async {
        let mut child = spawn(&sh("sleep 1000 & echo $!; wait"));
        let (line, output) = first_line(&mut child).await;
        (child, line.parse().unwrap(), output)
    });
    assert!(is_alive(grandchild));
    first.shutdown_timeout(Duration::from_secs(5));
    // The handle is still held, so it is not its drop that ended the group.
    runtime().block_on(eventually("the grandchild is gone", || !is_alive(grandchild)));
    drop((child, output));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_ended_child_stays_in_the_process_table() {
    let child = spawn(&sh("exit 0"));
    child.wait().await.unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}", child.pid())).exists());
    let dropped = spawn(&sh("sleep 1000"));
    let folder = format!("/proc/{}", dropped.pid());
    drop(dropped);
    eventually("the dropped child was waited for", || !std::path::Path::new(&folder).exists()).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn memory_is_summed_over_the_group() {
    let mut child = spawn(&sh("sleep 1000 & echo $!; wait"));
    let (line, _output) = first_line(&mut child).await;
    let of = |pid: &str| -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024
    };
    // The grandchild is the shell itself for a moment, so the two readings are compared until they agree.
    let leader = child.pid().to_string();
    eventually("both members are counted", || child.rss_bytes() == Some(of(&leader) + of(&line))).await;
    child.stop(Duration::ZERO).await.unwrap();
    assert_eq!(child.rss_bytes(), None);
}
