//! Writes the expanded labelled set to a folder and prints our figures as JSON.
//!
//! `compare FOLDER [REPORT]`: with the JSON report of another scanner on that folder (the format of
//! gitleaks), its figures on the same cases are printed beside ours.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../tests/support/shared.rs"]
mod support;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::labelled::Case;
use support::score::{Score, score};
use support::{HELD_OUT_SEED, SEED, held_out_set, main_set};

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(folder) = arguments.next() else {
        println!("usage: compare FOLDER [REPORT]");
        return;
    };
    let report = arguments.next().map(|path| read_report(&path));
    let sets = [
        ("committed_seed", main_set(SEED)),
        ("other_seed", main_set(HELD_OUT_SEED)),
        ("held_out_cases", held_out_set(HELD_OUT_SEED)),
    ];
    let mut out = serde_json::Map::new();
    for (name, cases) in &sets {
        write(&folder.join(name), cases);
        let mut entry = json!({ "ours": figures(&score(cases)) });
        if let Some(report) = &report {
            entry["other"] = figures(&theirs(name, cases, report));
        }
        out.insert((*name).to_string(), entry);
    }
    out.insert("fresh_seeds".to_string(), json!({ "ours": fresh_seeds() }));
    println!("{}", serde_json::to_string_pretty(&out).unwrap());
}

fn figures(score: &Score) -> Value {
    json!({
        "positives": score.positives,
        "found": score.hidden,
        "exact": score.exact,
        "recall": (score.recall() * 1000.0).round() / 1000.0,
        "negatives": score.negatives,
        "false_positives": score.false_positives,
        "false_positive_rate": (score.false_positive_rate() * 1000.0).round() / 1000.0,
        "remarks": score.remarks,
    })
}

/// The hand-designed set over many seeds that no rule was tuned on.
fn fresh_seeds() -> Value {
    let mut sum = Score::default();
    for seed in 1000..1040 {
        let one = score(&main_set(seed));
        sum.positives += one.positives;
        sum.hidden += one.hidden;
        sum.exact += one.exact;
        sum.negatives += one.negatives;
        sum.false_positives += one.false_positives;
    }
    figures(&sum)
}

fn write(folder: &Path, cases: &[Case]) {
    for case in cases {
        let path = folder.join(&case.id);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join(&case.file), &case.text).unwrap();
    }
}

type Lines = Vec<(u64, u64)>;

/// The lines with findings, by set and case.
fn read_report(path: &Path) -> HashMap<String, Lines> {
    let report: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut found: HashMap<String, Lines> = HashMap::new();
    for entry in report.as_array().unwrap() {
        let file = PathBuf::from(entry["File"].as_str().unwrap());
        let case = file.parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned();
        let set = file.ancestors().nth(2).and_then(Path::file_name).unwrap().to_string_lossy().into_owned();
        let line = |name: &str| entry[name].as_u64().unwrap_or(0);
        found.entry(format!("{set}/{case}")).or_default().push((line("StartLine"), line("EndLine")));
    }
    found
}

/// The other scanner is credited with a case when it reports something on the lines of each secret.
fn theirs(set: &str, cases: &[Case], report: &HashMap<String, Lines>) -> Score {
    let mut score = Score::default();
    let none = Lines::new();
    for case in cases {
        let found = report.get(&format!("{set}/{}", case.id)).unwrap_or(&none);
        if case.secrets.is_empty() {
            score.negatives += 1;
            if !found.is_empty() {
                score.false_positives += 1;
                score.remarks.push(format!("FALSE {} {}", case.kind, case.id));
            }
            continue;
        }
        score.positives += 1;
        let met = |lines: &(u64, u64)| found.iter().any(|(start, end)| *start <= lines.1 && lines.0 <= *end);
        if case.secret_lines().iter().all(met) {
            score.hidden += 1;
        } else {
            score.remarks.push(format!("MISS {} {}", case.kind, case.id));
        }
    }
    score
}
