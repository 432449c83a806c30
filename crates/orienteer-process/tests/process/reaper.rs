//! What the reaper is told. The reaper here is a program that only writes down what it hears.

use std::path::Path;
use std::time::Duration;

use orienteer_process::{CancellationToken, Launcher, ReaperCommand};

use crate::support::{eventually, is_alive, sh};

fn scribe(file: &Path) -> Launcher {
    let script = "exec cat >\"$0\"";
    Launcher::new(ReaperCommand::new("/bin/sh").arg("-c").arg(script).arg(file))
}

#[tokio::test]
async fn the_reaper_starts_with_the_first_child_and_ends_with_the_launcher() {
    let temp = tempfile::tempdir().unwrap();
    let launcher = scribe(&temp.path().join("heard"));
    let reaper = launcher.reaper().unwrap().clone();
    assert_eq!(reaper.pid(), None);
    launcher.run(&sh("exit 0"), &CancellationToken::new()).await.unwrap();
    let pid = reaper.pid().unwrap();
    launcher.run(&sh("exit 0"), &CancellationToken::new()).await.unwrap();
    assert_eq!(reaper.pid(), Some(pid), "one reaper serves all children");
    assert!(is_alive(pid));
    drop((launcher, reaper));
    assert!(!is_alive(pid));
}

#[tokio::test]
async fn the_reaper_hears_of_the_beginning_and_the_end_of_a_group() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("heard");
    let launcher = scribe(&file);
    let heard = || std::fs::read_to_string(&file).unwrap_or_default();
    let first = launcher.spawn(&sh("sleep 1000")).unwrap();
    let second = launcher.spawn(&sh("sleep 1000")).unwrap();
    let begun = format!("+{}\n+{}\n", first.pid(), second.pid());
    eventually("both groups are on the list", || heard() == begun).await;
    first.stop(Duration::ZERO).await.unwrap();
    let ended = format!("{begun}-{}\n", first.pid());
    eventually("the first group is off the list", || heard() == ended).await;
    let all_ended = format!("{ended}-{}\n", second.pid());
    drop(second);
    eventually("the second group is off the list", || heard() == all_ended).await;
}

#[tokio::test]
async fn a_child_runs_even_if_the_reaper_cannot_be_started_or_does_not_stay() {
    for program in ["/no/such/program", "/bin/false"] {
        let launcher = Launcher::new(ReaperCommand::new(program));
        for _ in 0..3 {
            let finished = launcher.run(&sh("echo fine"), &CancellationToken::new()).await.unwrap();
            assert_eq!(finished.stdout.text(), "fine\n");
        }
    }
}
