//! Several questions about remote code in one `batch`: side by side, each with its own answer.

use std::time::{Duration, Instant};

use orienteer_testkit::Proxy;
use orienteer_testkit::emulator::{Emulator, TOKEN};
use serde_json::{Value, json};

use crate::remote::{Asking, here, put};
use crate::remote_network::settings;

/// As far as a forge may be, and far above what this machine itself needs.
const AWAY: Duration = Duration::from_millis(400);

struct Distant {
    emulator: Emulator,
    proxy: Proxy,
}

impl Distant {
    fn start() -> Self {
        let emulator = Emulator::start();
        let proxy = Proxy::distant(emulator.address(), AWAY);
        Self { emulator, proxy }
    }

    /// Somebody who has asked nothing yet.
    fn newcomer(&self) -> Asking {
        let settings = settings(&self.emulator.name(), &self.emulator.api());
        let address = format!("http://{}", self.proxy.name());
        Asking::with(&settings, &[("MINE", TOKEN), ("HTTP_PROXY", &address), ("NO_PROXY", "")])
    }

    fn lookup(&self, path: &str) -> Value {
        here(&self.emulator, json!({ "path": path }))
    }
}

#[test]
fn five_lookups_take_at_most_half_longer_than_the_slowest_of_them() {
    let distant = Distant::start();
    let names: Vec<_> = (0..5).map(|number| format!("file{number}.txt")).collect();
    for name in &names {
        put(&distant.emulator, name, &format!("text of {name}\n"));
    }
    let slowest = names.iter().map(|name| {
        let mut asking = distant.newcomer();
        let begin = Instant::now();
        asking.get("remote_read_file", distant.lookup(name));
        begin.elapsed()
    });
    let slowest = slowest.max().unwrap();
    let mut asking = distant.newcomer();
    let calls: Vec<_> = names
        .iter()
        .map(|name| json!({ "tool": "remote_read_file", "arguments": distant.lookup(name) }))
        .collect();
    let begin = Instant::now();
    let (answer, _) = asking.get("batch", json!({ "calls": calls }));
    let all = begin.elapsed();
    for (row, name) in answer["results"].as_array().unwrap().iter().zip(&names) {
        let content = row["result"]["content"].as_str().unwrap_or_else(|| panic!("{answer:#}"));
        assert!(content.contains(&format!("text of {name}")), "{answer:#}");
    }
    assert!(slowest >= AWAY, "{slowest:?}: it was asked from afar");
    assert!(all.as_secs_f64() <= slowest.as_secs_f64() * 1.5, "{all:?} for all, {slowest:?} for the slowest");
}

#[test]
fn a_lookup_that_fails_leaves_its_neighbours_alone() {
    let emulator = Emulator::start();
    let mut asking = Asking::of(&emulator);
    let call = |path: &str| json!({ "tool": "remote_read_file", "arguments": here(&emulator, json!({ "path": path })) });
    let calls = [call("README.md"), call("nope.txt"), call("../README.md"), call("README.md")];
    let (answer, _) = asking.get("batch", json!({ "calls": calls }));
    let rows = answer["results"].as_array().unwrap();
    let states: Vec<_> =
        rows.iter().map(|row| (row["ok"].as_bool().unwrap(), row["error"]["kind"].as_str())).collect();
    assert_eq!(states[0], (true, None), "{answer:#}");
    assert_eq!(states[1], (false, Some("not_found")), "{answer:#}");
    assert!(!states[2].0 && states[2].1 != Some("not_found"), "{answer:#}");
    assert_eq!(states[3], (true, None), "{answer:#}");
}
