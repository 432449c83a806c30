//! Starts and ends of the process.

use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use orienteer_testkit::fake::{Death, Rule, START, Script, When};
use orienteer_testkit::lsp::RawClient;
use serde_json::{Value, json};

use crate::{PATIENCE, Stage, all};

const REFERENCES: &str = "textDocument/references";

/// Whether a process runs; one that is dead and not yet reaped does not.
fn is_alive(pid: u64) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

fn wait_until_dead(pid: u64) {
    let until = Instant::now() + PATIENCE;
    while is_alive(pid) {
        assert!(Instant::now() < until, "{pid} lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_orderly_end_has_code_zero() {
    let mut stage = Stage::ready(Script::new());
    assert!(stage.client.say_goodbye(PATIENCE));
    assert_eq!(stage.client.wait(PATIENCE).unwrap().code(), Some(0));
    let mut stage = Stage::ready(Script::new());
    stage.client.notify("exit", Value::Null);
    assert_eq!(stage.client.wait(PATIENCE).unwrap().code(), Some(1), "exit without shutdown");
    let mut stage = Stage::ready(Script::new());
    stage.client.close_input();
    assert_eq!(stage.client.wait(PATIENCE).unwrap().code(), Some(1), "the end of the input");
}

#[test]
fn starts_are_slow_or_never_succeed() {
    let started = Instant::now();
    Stage::ready(Script::new().slow_start(300));
    assert!(started.elapsed() >= Duration::from_millis(300));

    let mut stage = Stage::new(Script::new().never_answer_initialize());
    let id = stage.client.begin("initialize", json!({ "rootUri": null, "capabilities": {} }));
    assert_eq!(stage.client.response(id, Duration::from_millis(200)), Err(RecvTimeoutError::Timeout));

    let mut stage = Stage::new(Script::new().exit_at_start(3, "no licence found"));
    assert_eq!(stage.client.wait(PATIENCE).unwrap().code(), Some(3));
    assert_eq!(stage.client.stderr().trim(), "no licence found");
    assert_eq!((stage.record.starts(), stage.record.count("initialize")), (1, 0));
}

/// The status of a server that dies of its references.
fn dies(when: When, death: Death) -> (Result<Value, RecvTimeoutError>, std::process::ExitStatus, Stage) {
    let mut stage = Stage::ready(Script::new().crash(REFERENCES, when, death).last_words("fatal: oh no"));
    let params = stage.at("a.fake", 1, 6);
    let id = stage.client.begin(REFERENCES, params);
    let answer = stage.client.response(id, PATIENCE);
    let status = stage.client.wait(PATIENCE).expect("it dies");
    assert!(stage.client.stderr().contains("fatal: oh no"));
    (answer, status, stage)
}

#[test]
fn crashes_fall_before_after_or_into_the_reply() {
    let (answer, status, _stage) = dies(When::Before, Death::Exit(7));
    assert_eq!((answer, status.code()), (Err(RecvTimeoutError::Disconnected), Some(7)));
    let (answer, _, _stage) = dies(When::Middle, Death::Exit(7));
    assert_eq!(answer, Err(RecvTimeoutError::Disconnected));
    let (answer, _, stage) = dies(When::After, Death::Exit(7));
    assert_eq!(stage.places(&answer.unwrap()["result"]), all());
}

#[cfg(unix)]
#[test]
fn deaths_by_signal_are_real() {
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(dies(When::Before, Death::Kill).1.signal(), Some(9));
    assert_eq!(dies(When::Before, Death::Abort).1.signal(), Some(6));
}

#[test]
fn a_crash_may_happen_in_one_process_only() {
    let mut stage = Stage::ready(Script::new().crash_once(REFERENCES, When::Before, Death::Exit(1)));
    let params = stage.at("a.fake", 1, 6);
    let id = stage.client.begin(REFERENCES, params);
    assert_eq!(stage.client.response(id, PATIENCE), Err(RecvTimeoutError::Disconnected));
    stage.restart();
    assert_eq!(stage.references(), all());
    stage.restart();
    assert_eq!(stage.references(), all());
    assert_eq!((stage.record.starts(), stage.record.count("initialize")), (3, 3));
    assert_eq!(stage.record.pids().len(), 3);
}

#[test]
fn a_crash_may_depend_on_one_file() {
    let poison = Rule::on("textDocument/didOpen").containing("b.fake").crash(When::After, Death::Exit(1));
    let mut stage = Stage::ready(Script::new().rule(poison));
    let (a, b) = (stage.path("a.fake"), stage.path("b.fake"));
    stage.client.open(&a, "fake");
    assert_eq!(stage.references(), all());
    stage.client.open(&b, "fake");
    assert_eq!(stage.client.wait(PATIENCE).unwrap().code(), Some(1));
}

#[test]
fn an_idle_server_may_die() {
    let mut stage = Stage::ready(Script::new().exit_when_idle_once(100, Death::Exit(5)));
    assert_eq!(stage.client.wait(PATIENCE).unwrap().code(), Some(5));
    stage.restart();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(stage.references(), all(), "only the first process");
}

#[test]
fn shutdown_may_kill_it_or_be_ignored() {
    let mut stage = Stage::ready(Script::new().die_in_shutdown(Death::Exit(9)));
    stage.client.say_goodbye(PATIENCE);
    assert_eq!(stage.client.wait(PATIENCE).unwrap().code(), Some(9));

    let mut stage = Stage::ready(Script::new().ignore_shutdown().ignore_exit());
    let pid = u64::from(stage.client.pid());
    assert!(!stage.client.say_goodbye(Duration::from_millis(200)));
    stage.client.close_input();
    assert!(stage.client.wait(Duration::from_millis(200)).is_none());
    drop(stage);
    wait_until_dead(pid);
}

#[cfg(unix)]
#[test]
fn signals_may_be_ignored() {
    let mut stage = Stage::ready(Script::new().ignore_signals());
    #[allow(clippy::disallowed_methods, reason = "a signal is what is tested")]
    let mut command = std::process::Command::new("/bin/sh");
    let killed = command.args(["-c", &format!("kill -TERM {}", stage.client.pid())]).status().unwrap();
    assert!(killed.success());
    assert!(stage.client.wait(Duration::from_millis(200)).is_none());
    assert_eq!(stage.references(), all());
    assert_eq!(stage.record.starts(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_grandchild_is_left_behind_and_killed_with_the_group() {
    let mut stage = Stage::ready(Script::new().grandchild());
    let child = stage.record.grandchildren()[0];
    stage.client.say_goodbye(PATIENCE);
    assert!(is_alive(child), "it outlives an orderly end");
    drop(stage);
    wait_until_dead(child);
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_really_taken() {
    let stage = Stage::ready(Script::new().memory_hog(100));
    let status = std::fs::read_to_string(format!("/proc/{}/status", stage.client.pid())).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes > 100 << 10, "{kilobytes} kB");
}

#[test]
fn a_wrong_script_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("wrong.json");
    std::fs::write(&script, r#"{ "slow": 5 }"#).unwrap();
    let mut client = RawClient::spawn(orienteer_testkit::fake::fake_lsp_binary(), &[&script], Path::new("/"));
    assert_eq!(client.wait(PATIENCE).unwrap().code(), Some(2));
    assert!(client.stderr().contains("slow is no knob"), "{}", client.stderr());
}

#[test]
fn the_start_itself_may_fail_once() {
    let mut stage =
        Stage::new(Script::new().rule(Rule::on(START).crash(When::Before, Death::Exit(4)).once()));
    assert_eq!(stage.client.wait(PATIENCE).unwrap().code(), Some(4));
    stage.restart();
    assert_eq!(stage.references(), all());
}
