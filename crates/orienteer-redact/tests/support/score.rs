//! Counts what a labelled set shows.

use orienteer_redact::Redactor;

use super::labelled::Case;

/// The outcome of one set of cases.
#[derive(Debug, Default)]
pub struct Score {
    pub positives: usize,
    pub hidden: usize,
    /// Hidden, and nothing else was touched.
    pub exact: usize,
    pub negatives: usize,
    pub false_positives: usize,
    /// One line for each miss, inexact result or false positive.
    pub remarks: Vec<String>,
}

impl Score {
    pub fn recall(&self) -> f64 {
        self.hidden as f64 / self.positives.max(1) as f64
    }

    pub fn false_positive_rate(&self) -> f64 {
        self.false_positives as f64 / self.negatives.max(1) as f64
    }
}

/// Runs the redactor over `cases`; those without secrets are negatives.
pub fn score<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Score {
    let redactor = Redactor::default();
    let mut score = Score::default();
    for case in cases {
        let output = redactor.redact(&case.text);
        if case.secrets.is_empty() {
            score.negatives += 1;
            if !output.findings.is_empty() {
                score.false_positives += 1;
                score.remarks.push(format!("FALSE {} {}: {}", case.kind, case.id, output.text.trim()));
            }
            continue;
        }
        score.positives += 1;
        if !case.hidden_in(&output.text) {
            score.remarks.push(format!("MISS {} {}: {}", case.kind, case.id, output.text.trim()));
            continue;
        }
        score.hidden += 1;
        if unnamed(&output.text) == case.expected("[REDACTED]") {
            score.exact += 1;
        } else {
            score.remarks.push(format!("INEXACT {} {}: {}", case.kind, case.id, output.text.trim()));
        }
    }
    score
}

/// Takes the kind out of every marker, so that texts can be compared whatever rule matched.
fn unnamed(text: &str) -> String {
    let mut parts = text.split("[REDACTED:");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        out.push_str("[REDACTED");
        out.push_str(&part[part.find(']').unwrap_or(0)..]);
    }
    out
}
