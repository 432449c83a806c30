//! How a check ends before it has finished, with everything it started.

use super::*;

#[cfg(unix)]
async fn started(project: &Project) -> u32 {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        if let Ok(text) = std::fs::read_to_string(project.folder.join("child")) {
            return text.trim().parse().unwrap();
        }
        assert!(Instant::now() < until, "the checker did not start");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether a process runs; one that ended and was not waited for does not.
#[cfg(target_os = "linux")]
fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_cancelled_check_ends_everything_it_started_within_a_second() {
    let project = Project::new(&[("tsconfig.json", "{}"), ("a.ts", "")]).with_script("tsc", ENDLESS);
    let cancel = Cancel::new();
    let canceller = async {
        let child = started(&project).await;
        cancel.cancel();
        (child, Instant::now())
    };
    let (result, (child, at)) = tokio::join!(project.try_check(&["."], &cancel), canceller);
    assert_eq!(result.unwrap_err().kind, ErrorKind::Cancelled);
    assert!(at.elapsed() < Duration::from_secs(1), "{:?}", at.elapsed());
    assert!(!is_alive(child), "{child} still runs");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_dropped_check_ends_everything_it_started_within_a_second() {
    let project = Project::new(&[("tsconfig.json", "{}"), ("a.ts", "")]).with_script("tsc", ENDLESS);
    let cancel = Cancel::new();
    let child = tokio::select! {
        child = started(&project) => child,
        report = project.try_check(&["."], &cancel) => panic!("{report:#?}"),
    };
    let at = Instant::now();
    while is_alive(child) {
        assert!(at.elapsed() < Duration::from_secs(1), "{child} still runs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_check_that_takes_too_long_says_so() {
    let mut project =
        Project::new(&[("one/tsconfig.json", "{}"), ("two/tsconfig.json", "{}")]).with_script("tsc", ENDLESS);
    project.timeout = Duration::from_millis(1_500);
    let begin = Instant::now();
    let report = project.check(&["."]).await;
    assert!(begin.elapsed() < Duration::from_secs(20), "one deadline for all: {:?}", begin.elapsed());
    let tails: Vec<_> = report
        .ran
        .iter()
        .map(|ran| match &ran.status {
            CheckerStatus::TimedOut { stderr_tail } => stderr_tail.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(tails, ["waiting for a lock", "not started: the time was spent on other checkers"]);
    assert_eq!(report.verdict(), Verdict::NothingRan);
    // It was told to end; a busy machine takes its time with that.
    let (pid, until) = (started(&project).await, Instant::now() + Duration::from_secs(30));
    while is_alive(pid) {
        assert!(Instant::now() < until, "the checker goes on");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
