use orienteer_base::code::{Delta, Diagnostic, Severity};
use orienteer_base::sha256::Sha256;
use orienteer_base::{Completeness, Source};

use super::super::place::tests::{at, place};
use super::*;
use crate::tools::testing::rendered;

fn planned(files: usize) -> Planned {
    let file = |number: usize| PlannedFile {
        file_path: format!("src/{number}.rs"),
        new_path: (number == 1).then(|| "src/moved.rs".to_owned()),
        before_sha256: Some(Sha256::new().finish()),
        edits: 2,
        diff: format!("--- a/src/{number}.rs\n+++ b/src/{number}.rs\n@@ -1 +1 @@\n-old();\n+new();\n"),
    };
    Planned {
        warnings: Vec::new(),
        plan_id: Some("plan-0123456789abcdef".to_owned()),
        expires_at_ms: Some(1_000),
        files: (0..files).map(file).collect(),
        operations: vec![PlannedOperation::Rename {
            file_path: "src/1.rs".into(),
            new_path: "src/moved.rs".into(),
        }],
        unconfirmed: vec![place("README.md", 3, "call `old`")],
        unconfirmed_total: Some(1),
        title: "rename `old` to `new`".to_owned(),
        applied: false,
        journal_id: None,
    }
}

fn shown(planned: &Planned, cap: usize) -> crate::render::Outcome {
    let mut reply = Reply::default();
    fill(&mut reply, planned);
    rendered(reply, cap)
}

#[test]
fn a_plan_has_the_contracts_fields_and_its_text_is_a_diff() {
    let outcome = shown(&planned(2), 20_000);
    assert_eq!(
        outcome.text,
        "rename `old` to `new`: 4 edits in 2 files. Nothing is written yet: apply_edits plan-0123456789abcdef\n\
         src/1.rs becomes src/moved.rs\nsrc/0.rs\n@@ -1 +1 @@\n-old();\n+new();\nsrc/1.rs → src/moved.rs\n\
         @@ -1 +1 @@\n-old();\n+new();\nUnconfirmed: 1 place where the old name stays as text\n\
         README.md:3:5  call `old`"
    );
    let plan = &outcome.structured["plan"];
    assert_eq!(plan["expires_at"], "1970-01-01T00:00:01Z");
    assert_eq!(plan["files"][0]["edits"], 2);
    assert_eq!(plan["files"][1]["new_path"], "src/moved.rs");
    assert_eq!(plan["files"][0]["before_sha256"].as_str().unwrap().len(), 64);
    assert!(
        plan["files"][0]["diff"].as_str().unwrap().starts_with("--- a/src/0.rs\n"),
        "it can be given to patch"
    );
    assert_eq!(
        plan["operations"],
        json!([{ "kind": "rename", "file_path": "src/1.rs", "new_path": "src/moved.rs" }])
    );
    assert_eq!((&plan["unconfirmed"][0]["line"], &plan["unconfirmed_count"]), (&json!(3), &json!(1)));
    assert_eq!(
        (&outcome.structured["applied"], &outcome.structured["truncated"]),
        (&json!(false), &json!(false))
    );
}

#[test]
fn what_was_done_is_told_whatever_the_budget_is() {
    let mut done = planned(3_000);
    (done.plan_id, done.expires_at_ms) = (None, None);
    (done.applied, done.journal_id) = (true, Some("1234567890123".to_owned()));
    for cap in [2_000, 5_000, 120_000] {
        let outcome = shown(&done, cap);
        assert!(!outcome.is_error && outcome.chars() <= cap, "{cap}: {}", outcome.chars());
        assert_eq!(outcome.structured["applied"], true, "{cap}");
        assert_eq!(outcome.structured["journal_id"], "1234567890123", "{cap}");
        assert_eq!(outcome.structured["plan"]["file_count"], 3_000, "{cap}");
        assert_eq!(outcome.structured["truncated"], true, "{cap}");
        assert!(outcome.text.contains("undo_edits 1234567890123 takes it back"), "{}", outcome.text);
    }
}

#[test]
fn nothing_to_change_is_said_so() {
    let empty = Planned { title: "format".to_owned(), ..Planned::default() };
    let outcome = shown(&empty, 2_000);
    assert_eq!(outcome.text, "format: nothing to change.");
    assert_eq!(outcome.structured["plan"]["files"], json!([]));
    assert_eq!(outcome.structured["plan"]["plan_id"], Value::Null);
}

fn answer(applied: AppliedEdits) -> Answer<AppliedEdits> {
    Answer::new(applied, Completeness::Complete, Source::Text)
}

fn finding(message: &str) -> Diagnostic {
    Diagnostic {
        file_path: "src/a.rs".to_owned(),
        range: at(3, 5, 1),
        severity: Severity::Error,
        code: None,
        message: message.to_owned(),
        source: None,
        related: Vec::new(),
        fixes: Vec::new(),
    }
}

#[test]
fn a_change_tells_its_files_and_what_checkers_say() {
    let value = AppliedEdits {
        applied: true,
        journal_id: Some("17".to_owned()),
        files: vec!["src/a.rs".to_owned()],
        diagnostics_delta: Some(DiagnosticsDelta {
            delta: Delta { new: vec![finding("worse")], fixed: Vec::new(), unchanged_count: 4 },
            pending_files: Vec::new(),
            not_covered: vec!["no language server checks a.md".to_owned()],
        }),
        ..AppliedEdits::default()
    };
    let outcome = rendered(applied(&answer(value)), 20_000);
    assert_eq!(
        outcome.text,
        "1 file changed; undo_edits 17 takes it back\nCheckers: 1 new, 0 fixed, 4 unchanged; not all of them have spoken\n\
         Files:\nsrc/a.rs\nNew:\nsrc/a.rs:3:5 error worse\nNot covered:\nno language server checks a.md"
    );
    let delta = &outcome.structured["diagnostics_delta"];
    assert_eq!((&delta["new"][0]["message"], &delta["fixed"]), (&json!("worse"), &json!([])));
    assert_eq!(delta["unchanged_count"], 4);
    assert_eq!(outcome.structured["files"], json!(["src/a.rs"]));
}

#[test]
fn what_was_undone_and_what_was_only_tried_are_told_apart() {
    let undone = AppliedEdits {
        applied: true,
        journal_id: Some("18".to_owned()),
        undone: vec!["17".to_owned()],
        files: vec!["a".to_owned(), "b".to_owned()],
        diagnostics_delta: None,
    };
    let outcome = rendered(applied(&answer(undone)), 20_000);
    assert!(outcome.text.starts_with("17 undone: 2 files changed\n"), "{}", outcome.text);
    assert_eq!(outcome.structured["undone"], json!(["17"]));
    let tried = AppliedEdits { files: vec!["a".to_owned()], ..AppliedEdits::default() };
    let outcome = rendered(applied(&answer(tried)), 20_000);
    assert!(outcome.text.starts_with("Nothing is written. 1 file would change."), "{}", outcome.text);
    assert_eq!(outcome.structured["applied"], false);
    assert!(!outcome.structured.contains_key("journal_id"), "nothing can be undone");
}
