use orienteer_base::code::{Related, Summary};

use super::super::place::tests::at;
use super::*;
use crate::tools::testing::rendered;

fn diagnostic(line: u32, severity: Severity) -> Diagnostic {
    Diagnostic {
        file_path: "src/a.rs".to_owned(),
        range: at(line, 5, 3),
        severity,
        code: Some("E0308".to_owned()),
        message: "mismatched types\n  expected `u32`".to_owned(),
        source: Some("rustc".to_owned()),
        related: Vec::new(),
        fixes: Vec::new(),
    }
}

fn found(rows: Vec<Diagnostic>) -> Diagnostics {
    Diagnostics {
        state: if rows.is_empty() { CheckState::Clean } else { CheckState::Issues },
        total: rows.len(),
        summary: Summary::of(&rows),
        rows,
        files_checked: 2,
        pending_files: Vec::new(),
        delta: None,
    }
}

fn reply(found: &Diagnostics) -> Reply {
    let mut reply = Reply::default();
    fill(&mut reply, found, false);
    reply
}

#[test]
fn findings_are_one_line_each_with_what_explains_them_below() {
    let mut first = diagnostic(3, Severity::Error);
    first.related.push(Related { file_path: "src/b.rs".into(), line: 9, column: 1, message: "here".into() });
    first.fixes.push("Add `as u32`".to_owned());
    let outcome = rendered(reply(&found(vec![first, diagnostic(4, Severity::Info)])), 10_000);
    assert_eq!(
        outcome.text,
        "1 error, 1 info in 2 files\nsrc/a.rs:3:5 error E0308 mismatched types expected `u32`\n  src/b.rs:9:1 here\n  \
         fix: Add `as u32`\nsrc/a.rs:4:5 info E0308 mismatched types expected `u32`"
    );
    assert_eq!(outcome.structured["summary"], json!({ "errors": 1, "warnings": 0, "info": 1, "hints": 0 }));
    assert_eq!(outcome.structured["state"], "issues");
    let row = outcome.structured["diagnostics"][0].as_object().unwrap();
    let names: Vec<&str> = row.keys().map(String::as_str).collect();
    assert_eq!(
        names.join(" "),
        "file_path line column end_line end_column severity code message source related fixes"
    );
    assert!(!outcome.structured.contains_key("new"), "only with a baseline");
}

#[test]
fn pending_never_looks_clean() {
    let mut pending = found(Vec::new());
    pending.state = CheckState::Pending;
    pending.pending_files = (0..300).map(|at| format!("src/{at}.rs")).collect();
    let outcome = rendered(reply(&pending), 3_000);
    assert!(outcome.text.starts_with("Pending: checkers have not finished"), "{}", outcome.text);
    assert!(outcome.text.contains("\nsrc/0.rs"));
    assert!(rendered(reply(&found(Vec::new())), 3_000).text.starts_with("Clean: nothing found in 2 files."));
}

#[test]
fn a_baseline_tells_what_changed() {
    let mut compared = found((1..200).map(|line| diagnostic(line, Severity::Warning)).collect());
    compared.delta = Some(Delta {
        new: vec![diagnostic(7, Severity::Warning)],
        fixed: (1..100).map(|line| diagnostic(line, Severity::Error)).collect(),
        unchanged_count: 198,
    });
    for cap in [2_000, 5_000, 120_000] {
        let outcome = rendered(reply(&compared), cap);
        assert!(outcome.chars() <= cap && !outcome.is_error, "{cap}");
        assert_eq!(outcome.structured["new"].as_array().unwrap().len(), 1, "{cap}");
        assert_eq!(outcome.structured["unchanged_count"], 198);
        assert_eq!(outcome.structured["fixed_count"], 99);
        assert!(
            outcome.text.contains("1 new, 99 fixed, 198 unchanged\nNew:\nsrc/a.rs:7:5 warning"),
            "{}",
            outcome.text
        );
    }
}

#[test]
fn scopes_and_names_are_checked() {
    let check = |value: Value| {
        serde_json::from_value::<Args>(value).unwrap().check().map_err(|problem| problem.detail)
    };
    assert_eq!(check(json!({})), Err(Some("missing_field")));
    assert_eq!(check(json!({ "file_paths": ["a.rs"] })), Ok(()));
    assert_eq!(check(json!({ "scope": "changed" })), Ok(()));
    assert_eq!(check(json!({ "scope": "workspace", "file_paths": ["a.rs"] })), Err(Some("contradiction")));
    assert_eq!(check(json!({ "scope": "changed", "baseline": " " })), Err(Some("illegal_value")));
}
