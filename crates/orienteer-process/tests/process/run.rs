//! Programs that run to their end.

use std::time::{Duration, Instant};

use orienteer_process::{
    CancellationToken, DEFAULT_ALLOWED, Environment, Finished, Launcher, ProcessError, ProcessSpec,
};

use crate::support::{environment, eventually, is_alive, pid_in, send, sh};

pub(crate) async fn try_run(spec: &ProcessSpec) -> Result<Finished, ProcessError> {
    Launcher::without_reaper().run(spec, &CancellationToken::new()).await
}

async fn run(spec: &ProcessSpec) -> Finished {
    try_run(spec).await.unwrap()
}

#[tokio::test]
async fn status_and_both_outputs_are_reported() {
    let finished = run(&sh("echo out; echo err >&2; exit 3")).await;
    assert_eq!(finished.status.code(), Some(3));
    assert_eq!((finished.stdout.text(), finished.stderr.text()), ("out\n".into(), "err\n".into()));
    assert!(finished.stdout.complete && !finished.stdout.truncated);
    assert_eq!(finished.stdout.total_bytes, 4);
}

#[tokio::test]
async fn the_program_runs_in_its_folder() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().canonicalize().unwrap();
    let finished = run(&ProcessSpec::new("pwd", &folder, environment())).await;
    assert_eq!(finished.stdout.text().trim_end(), folder.to_str().unwrap());
}

#[tokio::test]
async fn fifty_megabytes_on_both_outputs_neither_block_nor_pile_up() {
    let script = "head -c 52428800 /dev/zero; head -c 52428800 /dev/zero >&2; yes | head -c 1000";
    let spec = sh(script).stdout_limit(1000).stderr_limit(10).timeout(Duration::from_secs(60));
    let finished = run(&spec).await;
    assert!(finished.status.success());
    assert_eq!((finished.stdout.bytes.len(), finished.stdout.total_bytes), (1000, 52_429_800));
    assert_eq!((finished.stderr.bytes.len(), finished.stderr.total_bytes), (10, 52_428_800));
    assert!(finished.stdout.truncated && finished.stderr.truncated);
    assert!(finished.stdout.bytes.iter().all(|&byte| byte == 0), "the beginning is what is kept");
}

#[tokio::test]
async fn input_larger_than_a_pipe_comes_back_whole() {
    let input: Vec<u8> = (0..3_000_000_u32).map(|number| number as u8).collect();
    let spec = ProcessSpec::new("cat", "/", environment()).stdin(input.clone()).stdout_limit(usize::MAX);
    assert!(run(&spec).await.stdout.bytes == input);
}

#[tokio::test]
async fn input_that_nobody_reads_is_no_error_and_no_input_is_an_empty_one() {
    assert!(run(&sh("exit 0").stdin(vec![0; 3_000_000])).await.status.success());
    assert_eq!(run(&ProcessSpec::new("cat", "/", environment())).await.stdout.total_bytes, 0);
}

#[tokio::test]
async fn only_allowed_variables_reach_the_child() {
    let snapshot = environment().merged_with(Environment::from_pairs([
        ("HOME", "/home/me"),
        ("LC_ALL", "C"),
        ("API_TOKEN", "hunter2"),
    ]));
    let environment = snapshot.allow_list(DEFAULT_ALLOWED).with("EXTRA", "1");
    let finished = run(&ProcessSpec::new("env", "/", environment)).await;
    let mut lines: Vec<_> = finished.stdout.text().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["EXTRA=1", "HOME=/home/me", "LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"]);
}

#[tokio::test]
async fn a_missing_program_names_the_folders_that_were_searched() {
    let environment = Environment::default().with("PATH", "/usr/bin:/no/such/folder:relative");
    let spec = ProcessSpec::new("no-such-program", "/", environment);
    let error = try_run(&spec).await.unwrap_err();
    let ProcessError::NotFound { program, looked_in } = &error else { panic!("{error:?}") };
    assert_eq!(program, "no-such-program");
    assert_eq!(looked_in, &["/usr/bin", "/no/such/folder"].map(std::path::PathBuf::from));
    assert!(error.to_string().contains("`/usr/bin`, `/no/such/folder`"), "{error}");
}

#[tokio::test]
async fn a_missing_folder_is_not_mistaken_for_a_missing_program() {
    let error = try_run(&ProcessSpec::new("sh", "/no/such/folder", environment())).await.unwrap_err();
    assert!(matches!(&error, ProcessError::NoFolder { .. }), "{error:?}");
}

#[tokio::test]
async fn a_file_the_system_cannot_start_is_a_spawn_error_with_advice() {
    use std::os::unix::fs::PermissionsExt;
    let temp = tempfile::tempdir().unwrap();
    let script = temp.path().join("script");
    std::fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = try_run(&ProcessSpec::new("./script", temp.path(), environment())).await.unwrap_err();
    assert!(matches!(&error, ProcessError::Spawn { .. }), "{error:?}");
    assert!(error.to_string().contains("interpreter"), "{error}");
}

#[tokio::test]
async fn what_a_program_leaves_running_ends_with_it() {
    let begin = Instant::now();
    let finished = run(&sh("sleep 1000 & echo $!")).await;
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(finished.stdout.complete);
    let left_behind = finished.stdout.text().trim().parse().unwrap();
    eventually("the background process is gone", || !is_alive(left_behind)).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_that_holds_the_output_open_does_not_hold_us_up() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("pid");
    let script = "setsid sh -c 'echo $$ >\"$0\"; exec sleep 1000' \"$0\" & \
                  while [ ! -s \"$0\" ]; do sleep 0.01; done; echo done";
    let begin = Instant::now();
    let finished = run(&sh(script).arg(&file)).await;
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert_eq!(finished.stdout.text(), "done\n");
    assert!(!finished.stdout.complete);
    let daemon = pid_in(&file).await;
    assert!(is_alive(daemon), "a process that left the group is out of our reach");
    send(daemon, rustix::process::Signal::KILL);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_do_not_mix_up_their_ends() {
    let mut runs = tokio::task::JoinSet::new();
    for number in 0..60 {
        runs.spawn(async move {
            let finished = run(&sh(&format!("echo {number}; exit {number}"))).await;
            assert_eq!(finished.status.code(), Some(number));
            assert_eq!(finished.stdout.text(), format!("{number}\n"));
        });
    }
    while let Some(result) = runs.join_next().await {
        result.unwrap();
    }
}
