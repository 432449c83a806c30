//! Nothing is left behind when the host is killed.
//!
//! This one executable plays three parts. Started as a test, it starts itself again as a host, kills
//! that host and looks at what is left. The host starts it a third time, as the reaper.
#![cfg_attr(not(unix), allow(unused))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[cfg(unix)]
mod host;
#[cfg(unix)]
mod scenarios;
#[cfg(unix)]
#[path = "../process/support.rs"]
#[allow(dead_code, reason = "the file is shared with tests that need more of it")]
mod support;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("__reaper") => return orienteer_process::reaper_main(),
        Some("__host") => host::play(&args[1]),
        // A runner asks for the tests to ignore as well; naming ours there would skip it.
        _ if args.iter().any(|arg| arg == "--ignored") => {}
        _ if args.iter().any(|arg| arg == "--list") => println!("sigkill: test"),
        _ => scenarios::play_all(),
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(not(unix))]
fn main() {}
