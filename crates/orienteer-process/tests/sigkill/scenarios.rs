//! The tests: each starts a host, ends it, and looks at what is left.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::support::{eventually, is_alive, send};

/// A host that is up and has started its children.
struct Host {
    process: Child,
    children: Vec<u32>,
    reaper: Option<u32>,
}

impl Host {
    #[allow(clippy::disallowed_methods, reason = "what is tested cannot be what starts the test")]
    fn start(way: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["__host", way])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut children, mut reaper) = (Vec::new(), None);
        for line in BufReader::new(process.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            let (name, pid) = line.split_once(' ').unwrap();
            match name {
                "ready" => break,
                "reaper" => reaper = Some(pid.parse().unwrap()),
                _ => children.push(pid.parse().unwrap()),
            }
        }
        assert_eq!(children.len(), 4, "two children and a child of each");
        Self { process, children, reaper }
    }

    /// Kills the host so that it cannot clean up.
    fn kill(&mut self) {
        assert!(self.children.iter().all(|&pid| is_alive(pid)));
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    async fn expect_nothing_left(&self) {
        eventually("every child is gone", || !self.children.iter().any(|&pid| is_alive(pid))).await;
        let reaper = self.reaper.unwrap();
        eventually("the reaper is gone", || !is_alive(reaper)).await;
    }
}

/// A failing scenario must not leave its host running. The result does not matter: it may be gone already.
impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn play_all() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        without_a_reaper_children_survive().await;
        a_killed_host_leaves_nothing().await;
        a_host_that_just_exits_leaves_nothing().await;
        a_lost_reaper_is_replaced_and_told_everything().await;
        a_reaper_cannot_be_talked_out_of_it().await;
    });
    println!("sigkill: 5 scenarios passed");
}

/// Shows that the other scenarios prove something.
async fn without_a_reaper_children_survive() {
    let mut host = Host::start("unguarded");
    assert_eq!(host.reaper, None);
    host.kill();
    // Long enough for a reaper to have done its work, if there was one.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let survivors: Vec<u32> = host.children.iter().copied().filter(|&pid| is_alive(pid)).collect();
    survivors.iter().for_each(|&pid| send(pid, Signal::KILL));
    assert_eq!(survivors, host.children);
}

async fn a_killed_host_leaves_nothing() {
    let mut host = Host::start("guarded");
    host.kill();
    host.expect_nothing_left().await;
}

async fn a_host_that_just_exits_leaves_nothing() {
    let mut host = Host::start("ends");
    host.process.wait().unwrap();
    host.expect_nothing_left().await;
}

async fn a_lost_reaper_is_replaced_and_told_everything() {
    let mut host = Host::start("reaper-lost");
    host.kill();
    host.expect_nothing_left().await;
}

async fn a_reaper_cannot_be_talked_out_of_it() {
    let mut host = Host::start("guarded");
    let reaper = host.reaper.unwrap();
    if cfg!(target_os = "linux") {
        let signals = [Signal::INT, Signal::TERM, Signal::HUP];
        eventually("the reaper has its handlers", || signals.iter().all(|&signal| catches(reaper, signal)))
            .await;
        expect_no_inherited_files(&host);
        signals.iter().for_each(|&signal| send(reaper, signal));
        assert_ne!(group_of(reaper), group_of(host.process.id()));
    }
    host.kill();
    host.expect_nothing_left().await;
}

/// Whether a process has a handler for a signal.
fn catches(pid: u32, signal: Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() >> (signal.as_raw() - 1) & 1 == 1
}

fn group_of(pid: u32) -> rustix::process::Pid {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap());
    rustix::process::getpgid(pid).unwrap()
}

/// The reaper must hold neither the host's outputs nor anything that the host opened, or whoever waits
/// for those to close waits for the reaper. What the host itself was started with is not the point here,
/// and this test was started with the same.
fn expect_no_inherited_files(host: &Host) {
    let (host, reaper) = (open_files(host.process.id()), open_files(host.reaper.unwrap()));
    let inherited = open_files(std::process::id());
    assert_eq!((reaper["1"].to_str(), reaper["2"].to_str()), (Some("/dev/null"), Some("/dev/null")));
    for (number, file) in &reaper {
        let is_own =
            number == "0" || file.starts_with("/dev") || file.to_string_lossy().starts_with("anon_inode");
        let is_shared =
            host.values().any(|other| other == file) && !inherited.values().any(|other| other == file);
        assert!(is_own || !is_shared, "the reaper holds a file of the host's: {}", file.display());
    }
}

/// What a process has open, by number.
fn open_files(pid: u32) -> BTreeMap<String, PathBuf> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    entries
        .filter_map(|entry| {
            Some((entry.file_name().into_string().ok()?, std::fs::read_link(entry.path()).ok()?))
        })
        .collect()
}
