//! Redaction beside an independent scanner, on the same labelled cases in the same run.

use std::path::Path;

use anyhow::Context;
use serde_json::Value;

use super::report::Report;
use crate::shell::{cargo, command, output};

pub(crate) fn measure(tools: &Path, report: &mut Report) -> anyhow::Result<()> {
    println!("── secrets");
    // Not in the target folder: the scanner respects ignore files, too.
    let folder = std::env::temp_dir().join("orienteer-bench").join("labelled");
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder)?;
    let findings = folder.with_file_name("gitleaks.json");
    let compare = |more: &[&Path]| {
        let mut run = cargo(&[
            "run",
            "--quiet",
            "--release",
            "--package",
            "orienteer-redact",
            "--example",
            "compare",
            "--",
        ]);
        output(run.arg(&folder).args(more))
    };
    compare(&[])?;
    let mut gitleaks = command(
        tools.join("python/bin/gitleaks"),
        &["dir", "--no-banner", "--exit-code=0", "--log-level=error"],
    );
    output(gitleaks.arg("--report-format=json").arg("--report-path").arg(&findings).arg(&folder))?;
    let figures: Value = serde_json::from_str(&compare(&[&findings])?)?;
    let mut rows = Vec::new();
    for (set, name) in [
        ("committed_seed", "the set the rules were tuned on"),
        ("other_seed", "the same cases with other values"),
        ("held_out_cases", "cases written before any run"),
    ] {
        let row = |side: &str| -> anyhow::Result<String> {
            let figures = &figures[set][side];
            let number = |key: &str| figures[key].as_f64().with_context(|| format!("{set} {side} {key}"));
            Ok(format!(
                "{:.0} of {:.0} ({:.1} %) | {:.0} of {:.0}",
                number("found")?,
                number("positives")?,
                number("recall")? * 100.0,
                number("false_positives")?,
                number("negatives")?
            ))
        };
        rows.push(format!("| {name} | {} | {} |", row("ours")?, row("other")?));
    }
    report.section(
        "Secrets in answers",
        "The labelled set of `orienteer-redact` (values made at run time from templates) and gitleaks 8.30 on the same \
         files. Ours counts as found only when the value is hidden; gitleaks when it reports the line.",
        "| set | ours: found | ours: false alarms | gitleaks: found | gitleaks: false alarms |\n| --- | --- | --- | --- | --- |",
        &rows,
    );
    Ok(())
}
