//! How soon is a changed file seen?

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;
use orienteer_testkit::Server;
use serde_json::json;

use crate::bench::MOST_CHANGE_MS;
use crate::bench::ask::ask;
use crate::bench::report::Report;

const TIMES: usize = 200;

/// Milliseconds from a write to the answer that shows it.
pub(super) struct Changed {
    pub(super) times: Vec<f64>,
}

pub(super) fn measure(server: &mut Server, tree: &Path, report: &mut Report) -> anyhow::Result<Changed> {
    // A file of usual size, as others in the tree are.
    let body = "static int helper_of_nothing(int value)\n{\n\treturn value + 1;\n}\n\n".repeat(120);
    let path = tree.join("linux/kernel/changing.c");
    let mut times = Vec::new();
    for at in 0..TIMES {
        let name = format!("written_just_now_{at:04}");
        let begun = Instant::now();
        fs::write(&path, format!("{body}int {name}(void)\n{{\n\treturn {at};\n}}\n"))?;
        let (answer, _) = ask(server, "search", &json!({ "query": name, "max_results": 3 }))?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        ensure!(answer["results"][0]["name"] == name.as_str(), "{name} was not found: {answer}");
        // Words of the name stand in many places, of which a few are wanted; nothing else may be missing.
        let completeness = &answer["completeness"];
        let whole = completeness["state"] == "complete" || completeness["reason"] == "capped";
        ensure!(whole, "{name}: {completeness}");
        // As far apart as changes of a person or a program are.
        std::thread::sleep(Duration::from_millis(20));
    }
    fs::remove_file(&path)?;
    let most = times.iter().copied().fold(0.0, f64::max);
    println!("   a change is seen after {:.1} ms, at most {most:.1} ms", crate::bench::median(&times));
    if most > MOST_CHANGE_MS {
        report.miss(format!("a change was seen after {most:.1} ms"));
    }
    Ok(Changed { times })
}
