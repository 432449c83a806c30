//! The figures as tables, and which targets they miss.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Measured;
use super::locations::{BURST, Verdict};
use super::memory::Weight;
use super::overhead::Operation;
use super::sample::{SEED, Symbol};
use crate::bench::percentile;
use crate::bench::report::Report;

/// What was asked for.
const MOST_ADDED_P50_MS: f64 = 1.0;
const MOST_ADDED_P95_MS: f64 = 3.0;
const LEAST_COMPLETE: f64 = 0.99;
const MOST_DEFINITION_MS: f64 = 500.0;
const MOST_WARM_MS: f64 = 200.0;
const MOST_COLD_HOVER_S: f64 = 3.0;
const MOST_FILE_CHECK_MS: f64 = 2_000.0;
const MOST_FOLDER_CHECK_S: f64 = 10.0;
const MOST_BRIDGE_MB: f64 = 40.0;

/// How many symbols of each kind, for the page.
pub(super) fn kinds(symbols: &[Arc<Symbol>]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for symbol in symbols {
        *counts.entry(symbol.kind).or_default() += 1;
    }
    counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}

pub(super) fn write(all: &[Measured], weight: Option<&Weight>, report: &mut Report) {
    added(all, report);
    same(all, report);
    edited(all, report);
    limits(all, report);
    weighed(all, weight, report);
}

fn added(all: &[Measured], report: &mut Report) {
    let mut rows = Vec::new();
    for measured in all {
        for (operation, times) in &measured.times {
            let (middle, high) = (times.added(0.5), times.added(0.95));
            let name = format!("{}, {}", measured.subject.id, operation.name());
            let apart = (times.apart(0.5), times.apart(0.95));
            if *operation != Operation::ReferencesOnly {
                for (part, added, apart, most) in
                    [("p50", middle, apart.0, MOST_ADDED_P50_MS), ("p95", high, apart.1, MOST_ADDED_P95_MS)]
                {
                    if added > most {
                        report.miss(format!(
                            "{name}: {added:+.2} ms above the raw server ({part}; a second raw server {apart:+.2})"
                        ));
                    }
                }
            }
            rows.push(format!(
                "| {} | {} | {} | {:.2} / {:.2} | {:.2} / {:.2} | **{middle:+.2} / {high:+.2}** | {:+.2} / {:+.2} | {:+.2} / {:+.2} | {:.2} / {:.2} |",
                measured.subject.id,
                operation.name(),
                times.raw.len(),
                percentile(&times.raw, 0.5),
                percentile(&times.raw, 0.95),
                percentile(&times.ours, 0.5),
                percentile(&times.ours, 0.95),
                times.paired(0.5),
                times.paired(0.95),
                apart.0,
                apart.1,
                percentile(&times.inside, 0.5),
                percentile(&times.inside, 0.95),
            ));
        }
    }
    report.section(
        "Language servers: what we add to a warm question",
        &format!(
            "`orienteer mcp` over stdio against a raw client of the same program, two processes that know the same projects, each symbol asked before, \
             in turn, each side first as often as the others. Milliseconds, p50 / p95. Added is the difference of the \
             percentiles, paired the percentile of the differences. A second raw server is asked in the same turns; what lies \
             between it and the first is chance. Inside is what of ours was not the time of the server under it, as \
             `get_server_status` tells that one. Outlines and references that were asked for before and still hold \
             are not asked for again; anew: at another letter of the same name, so that both servers work. Tools with their \
             defaults; `find_references` then also looks for the word as text, so the row without that is beside it. Target: at most {MOST_ADDED_P50_MS} ms (p50) \
             and {MOST_ADDED_P95_MS} ms (p95) added."
        ),
        "| server | question | asked | raw | ours | added | paired | second raw | inside |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        &rows,
    );
}

fn same(all: &[Measured], report: &mut Report) {
    let mut rows = Vec::new();
    for measured in all {
        let (warm, cold) = (&measured.warm, &measured.cold.verdict);
        let id = measured.subject.id;
        for (name, verdict) in [("warm", warm), ("cold", cold)] {
            if verdict.equal < verdict.answers {
                let differing = verdict.answers - verdict.equal;
                report.miss(format!(
                    "{id}: {differing} of {} {name} answers have other places",
                    verdict.answers
                ));
            }
        }
        let share = |verdict: &Verdict| verdict.complete as f64 / verdict.answers.max(1) as f64;
        if share(warm) < LEAST_COMPLETE {
            report.miss(format!("{id}: {:.1} % of the warm answers are complete", share(warm) * 100.0));
        }
        let checks = &measured.checks;
        if checks.decided < checks.files {
            report.miss(format!("{id}: {} of {} files decided", checks.decided, checks.files));
        }
        rows.push(format!(
            "| {id} | {} | {} ({} used in other files) | {} of {} | {} of {} | {:.1} / {:.1} % | {} of {} |",
            measured.subject.project,
            warm.answers / 2,
            measured.elsewhere,
            warm.equal,
            warm.answers,
            cold.equal,
            cold.answers,
            share(warm) * 100.0,
            share(cold) * 100.0,
            checks.decided,
            checks.files,
        ));
    }
    let kinds: Vec<String> =
        all.iter().map(|measured| format!("{}: {}", measured.subject.id, measured.kinds)).collect();
    report.section(
        "Language servers: the same places as the raw server",
        &format!(
            "Symbols from the raw server's outlines of random files (seed {SEED}), all kinds in turn. The definition is asked \
             at a use, references at the declaration; path, line and column of all places are compared. Warm: a ready \
             server. Cold: the same questions, {} at once to a process of their own before it has started its server, and one \
             definition and one hover to a process each. Complete: the share \
             of warm and of cold answers that say so (target {:.0} % of the warm ones). Decided: files whose diagnostics are `clean` or `issues`, not \
             pending (target all). Kinds: {}.",
            2 * BURST,
            LEAST_COMPLETE * 100.0,
            kinds.join("; ")
        ),
        "| server | project | symbols | warm: same | cold: same | complete | decided |\n\
         | --- | --- | --- | --- | --- | --- | --- |",
        &rows,
    );
}

fn edited(all: &[Measured], report: &mut Report) {
    let mut rows = Vec::new();
    for measured in all {
        let (id, edits) = (measured.subject.id, &measured.edits);
        if !edits.wrong.is_empty() {
            report.miss(format!(
                "{id}: {} of {} answers after an edit are wrong",
                edits.wrong.len(),
                edits.tries
            ));
        }
        rows.push(format!(
            "| {id} | {} | **{}** | {:.0} / {:.0} |",
            edits.tries,
            edits.wrong.len(),
            percentile(&edits.milliseconds, 0.5),
            percentile(&edits.milliseconds, 0.95)
        ));
    }
    report.section(
        "Language servers: after a change from outside",
        "Another program inserts a line above a definition that is used in another file, or above a use, or takes it back, \
         or creates or deletes a file with a use; nobody is told, and the next question comes at once. Target: no wrong \
         answer.",
        "| server | tries | wrong | ms, p50 / p95 |\n| --- | --- | --- | --- |",
        &rows,
    );
}

fn limits(all: &[Measured], report: &mut Report) {
    let mut rows = Vec::new();
    for measured in all {
        let id = measured.subject.id;
        let times = |wanted: Operation| {
            let found = measured.times.iter().find(|(operation, _)| *operation == wanted);
            found.map(|(_, times)| times.ours.clone()).unwrap_or_default()
        };
        let (definition, hover) = (times(Operation::Definition), times(Operation::Hover));
        let (checks, cold) = (&measured.checks, &measured.cold);
        for (what, value, unit, limit) in [
            ("first definition, p95", percentile(&measured.warm.definition, 0.95), "ms", MOST_DEFINITION_MS),
            ("warm definition, p95", percentile(&definition, 0.95), "ms", MOST_WARM_MS),
            ("warm hover, p95", percentile(&hover, 0.95), "ms", MOST_WARM_MS),
            ("cold hover", cold.hover_s, "s", MOST_COLD_HOVER_S),
            ("check of a file, p95", percentile(&checks.milliseconds, 0.95), "ms", MOST_FILE_CHECK_MS),
            ("check of a folder", checks.folder.seconds, "s", MOST_FOLDER_CHECK_S),
        ] {
            if value > limit {
                report.miss(format!("{id}: {what}: {value:.1} {unit}, target {limit} {unit}"));
            }
        }
        for (what, check) in [("a folder", &checks.folder), ("everything", &checks.workspace)] {
            if !["clean", "issues"].contains(&check.state.as_str()) {
                report.miss(format!("{id}: check of {what}: {}", check.state));
            }
        }
        rows.push(format!(
            "| {id} | {:.0} / {:.0} ms | {:.1} / {:.1} ms | {:.1} / {:.1} ms | {:.1} s | {:.1} s | {:.1} s | {:.1} / {:.1} s | {:.0} / {:.0} ms | {} | {} | {} |",
            percentile(&measured.warm.definition, 0.5),
            percentile(&measured.warm.definition, 0.95),
            percentile(&definition, 0.5),
            percentile(&definition, 0.95),
            percentile(&hover, 0.5),
            percentile(&hover, 0.95),
            cold.definition_s,
            cold.hover_s,
            cold.raw_hover_s,
            percentile(&cold.bursts_s, 0.5),
            percentile(&cold.bursts_s, 1.0),
            percentile(&checks.milliseconds, 0.5),
            percentile(&checks.milliseconds, 0.95),
            checks.folder,
            checks.workspace,
            checks.compiler,
        ));
    }
    report.section(
        "Language servers: times",
        &format!(
            "Of ours, p50 / p95. First: the symbol was not asked before, the server is ready, and \
             the raw one works beside it. Cold: from the first question \
             to a process that has started nothing yet to the complete answer; raw: from the start of the server alone to its \
             first answer with something in it, ready or not; {} at once: that many first questions of one process, until the last \
             answer, p50 / most of several processes. \
             Targets: definition {MOST_DEFINITION_MS} ms and warm {MOST_WARM_MS} ms, hover warm {MOST_WARM_MS} ms and cold \
             {MOST_COLD_HOVER_S} s, check of a file {MOST_FILE_CHECK_MS} ms and of a folder {MOST_FOLDER_CHECK_S} s. The \
             check of a whole project has no target.",
            2 * BURST
        ),
        "| server | first definition | warm definition | warm hover | cold definition | cold hover | raw | cold, 40 at once | file | folder | project, server | project, compiler |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        &rows,
    );
}

fn weighed(all: &[Measured], weight: Option<&Weight>, report: &mut Report) {
    let mut rows: Vec<String> = all
        .iter()
        .map(|measured| {
            format!(
                "| {} on {} ({} files) | {:.0} MB | {:.0} MB | {:.1} MB |",
                measured.subject.id,
                measured.subject.project,
                measured.files,
                measured.raw_mb,
                measured.server_mb,
                measured.ours_mb
            )
        })
        .collect();
    if let Some(weight) = weight {
        let servers: Vec<String> =
            weight.servers.iter().map(|(server, megabytes)| format!("{server} {megabytes:.0} MB")).collect();
        rows.push(format!(
            "| three servers at once ({} files) | | {} | **{:.1} MB** (peak {:.1} MB) |",
            weight.files,
            servers.join(", "),
            weight.ours,
            weight.peak
        ));
        if weight.ours > MOST_BRIDGE_MB {
            report.miss(format!("memory of ours with three servers: {:.1} MB", weight.ours));
        }
    }
    report.section(
        "Language servers: memory",
        &format!(
            "Resident, with all child processes of a server: the raw one, the one under ours, and our own process, after all \
             questions above. Target: {MOST_BRIDGE_MB} MB for our own process with three servers on projects of 1,000 files \
             and more. The 200 MB of the first plan are below what these servers need by themselves."
        ),
        "| what | raw server | server under ours | ours |\n| --- | --- | --- | --- |",
        &rows,
    );
}
