//! The host: it starts children, says which processes there are now, and waits to be killed.

use orienteer_process::{Child, Launcher, ReaperCommand};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{eventually, is_alive, send, sh};

/// Plays the host in one of its ways.
#[allow(clippy::disallowed_methods, reason = "a host that skips its destructors is what is tested")]
pub(crate) fn play(way: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let reaper = ReaperCommand::new(std::env::current_exe().unwrap()).arg("__reaper");
        let launcher = if way == "unguarded" { Launcher::without_reaper() } else { Launcher::new(reaper) };
        // What the host has open must not be open in the reaper.
        let _open = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        // A polite child ends when its input closes and so would prove nothing. This one ignores its
        // input and the polite signal, and so does the process that it starts.
        let stubborn = "trap '' TERM; sleep 1000 & echo $!; while :; do wait; done";
        let first = start(&launcher, stubborn, "child").await;
        if way == "reaper-lost" {
            let lost = launcher.reaper().unwrap().pid().unwrap();
            send(lost, rustix::process::Signal::KILL);
            eventually("the reaper is gone", || !is_alive(lost)).await;
        }
        let second = start(&launcher, "sleep 1000 & echo $!; wait", "child").await;
        if let Some(pid) = launcher.reaper().and_then(|reaper| reaper.pid()) {
            println!("reaper {pid}");
        }
        println!("ready 0");
        if way == "ends" {
            // Skips every destructor, as a host does that leaves its `main` in a hurry.
            std::process::exit(0);
        }
        std::future::pending::<()>().await;
        drop((first, second));
    });
}

/// Starts a script that says the process id of its own child, and passes both on to the test.
async fn start(launcher: &Launcher, script: &str, name: &str) -> Child {
    let mut child = launcher.spawn(&sh(script)).unwrap();
    let mut line = String::new();
    BufReader::new(child.take_stdout().unwrap()).read_line(&mut line).await.unwrap();
    println!("{name} {}\ngrand{name} {}", child.pid(), line.trim());
    child
}
