//! What is wrong with files: fresh, versioned, and never clean by silence.

use std::time::Instant;

use orienteer_base::Position;
use orienteer_base::code::Severity;
use orienteer_lsp::Definition;
use orienteer_lsp::command::check::FileCheck;
use orienteer_lsp::definition::Reporting;
use orienteer_testkit::fake::{Ask, Diagnostics, Rule, Script, Stale};
use serde_json::json;

use crate::support::{DEEP, LONG, SQUARE, Stage, ms, patience};

const PULL: &str = "textDocument/diagnostic";

fn messages(check: &FileCheck) -> Vec<&str> {
    check.findings.iter().map(|finding| finding.message.as_str()).collect()
}

fn unversioned(definition: &mut Definition) {
    definition.reporting = Reporting::Unversioned;
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_are_told_with_place_severity_code_and_source() {
    for diagnostics in [Diagnostics::Push, Diagnostics::Pull, Diagnostics::Both] {
        let stage = Stage::new(Script::new().diagnostics(diagnostics));
        let check = stage.check(DEEP, LONG).await;
        assert!(check.done);
        let [finding] = &check.findings[..] else { panic!("{diagnostics:?}: {check:?}") };
        assert_eq!(stage.place(&finding.path, finding.range.start), "deep/ü #1.fake:2:1");
        assert_eq!(finding.range.end.column, 18);
        let (code, source) = (finding.code.as_deref(), finding.source.as_deref());
        assert_eq!((finding.severity, code, source), (Severity::Error, Some("bad"), Some("fake")));
        assert_eq!(finding.message, "this is wrong");
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_on_disk_clears_the_finding_and_a_new_mistake_shows() {
    let all = [Diagnostics::Push, Diagnostics::Pull, Diagnostics::Both];
    for (diagnostics, late) in all.into_iter().flat_map(|one| [(one, 0), (one, 200)]) {
        let stage = Stage::new(Script::new().diagnostics(diagnostics).publish_late(late));
        assert_eq!(messages(&stage.check(DEEP, LONG).await), ["this is wrong"]);
        stage.tree.write(DEEP, "use square\n");
        let check = stage.check(DEEP, LONG).await;
        assert!(check.done && check.findings.is_empty(), "{diagnostics:?} {late}: {check:?}");
        stage.tree.write(DEEP, "bad again\nbad and again\n");
        let check = stage.check(DEEP, LONG).await;
        assert_eq!(messages(&check), ["again", "and again"], "{diagnostics:?} {late}");
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn publishes_about_an_older_text_are_never_shown() {
    for stale in [Stale::Before, Stale::After] {
        let stage = Stage::new(Script::new().stale_publishes(stale));
        assert_eq!(messages(&stage.check(DEEP, LONG).await), ["this is wrong"]);
        for number in 0..10 {
            stage.tree.write(DEEP, format!("bad number {number}\n"));
            let check = stage.check(DEEP, LONG).await;
            assert_eq!(messages(&check), [format!("number {number}")], "{stale:?}");
        }
        // The stale one may also come when nobody waits for it.
        tokio::time::sleep(ms(50)).await;
        assert_eq!(messages(&stage.check(DEEP, LONG).await), ["number 9"]);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stale_publishes_are_not_mixed_into_pulled_findings() {
    let script = Script::new().diagnostics(Diagnostics::Both).stale_publishes(Stale::After).publish_late(100);
    let stage = Stage::new(script);
    for number in 0..5 {
        stage.tree.write(DEEP, format!("bad number {number}\n"));
        let check = stage.check(DEEP, LONG).await;
        assert_eq!(messages(&check), [format!("number {number}")]);
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn publishes_without_a_version_count_once_it_is_quiet() {
    for reporting in [Reporting::Unversioned, Reporting::Auto] {
        let stage = Stage::defined(Script::new().publish_without_version().publish_late(100), |definition| {
            definition.reporting = reporting;
        });
        assert_eq!(messages(&stage.check(DEEP, LONG).await), ["this is wrong"]);
        stage.tree.write(DEEP, "use square\n");
        let check = stage.check(DEEP, LONG).await;
        assert!(check.done && check.findings.is_empty(), "{check:?}");
        stage.tree.write(DEEP, "bad again\n");
        assert_eq!(messages(&stage.check(DEEP, LONG).await), ["again"]);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_from_a_server_that_is_known_for_none_count_too() {
    let stage = Stage::defined(Script::new(), unversioned);
    let check = stage.check(DEEP, ms(5_000)).await;
    assert!(check.done, "{check:?}");
    assert_eq!(messages(&check), ["this is wrong"]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn late_publishes_are_waited_for() {
    let stage = Stage::new(Script::new().publish_late(500));
    let check = stage.check(DEEP, LONG).await;
    assert!(check.done);
    assert_eq!(messages(&check), ["this is wrong"]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_is_pending_and_never_clean() {
    let stage = Stage::new(Script::new().diagnostics(Diagnostics::Never));
    let begun = Instant::now();
    let check = stage.check(DEEP, ms(400)).await;
    assert!(!check.done && check.findings.is_empty(), "{check:?}");
    assert!(begun.elapsed() < ms(3_000), "{:?}", begun.elapsed());
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publish_that_comes_too_late_is_pending_now_and_there_later() {
    let stage = Stage::new(Script::new().publish_late(800));
    let check = stage.check(DEEP, ms(200)).await;
    assert!(!check.done && check.findings.is_empty(), "{check:?}");
    assert_eq!(messages(&stage.check(DEEP, LONG).await), ["this is wrong"]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clean_file_costs_little_of_the_patience() {
    let pull = Script::new().diagnostics(Diagnostics::Pull);
    for script in [Script::new(), pull, Script::new().publish_without_version()] {
        let stage = Stage::new(script);
        assert_eq!(stage.definition().await, ["a.fake:2:5"]);
        let begun = Instant::now();
        let check = stage.check("a.fake", LONG).await;
        assert!(check.done && check.findings.is_empty(), "{check:?}");
        assert!(begun.elapsed() < ms(5_000), "{:?}", begun.elapsed());
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_diagnostics_is_done_at_once() {
    let stage = Stage::defined(Script::new().diagnostics(Diagnostics::Never), |definition| {
        definition.reporting = Reporting::Never;
    });
    assert!(stage.check(DEEP, LONG).await.done);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_that_the_server_does_not_know_falls_back_to_publishes() {
    let script = Script::new().diagnostics(Diagnostics::Both).method_not_found("textDocument/diagnostic");
    let stage = Stage::new(script);
    let check = stage.check(DEEP, LONG).await;
    assert!(check.done);
    assert_eq!(messages(&check), ["this is wrong"]);
    stage.finish().await;

    let script = Script::new().diagnostics(Diagnostics::Pull).method_not_found("textDocument/diagnostic");
    let stage = Stage::new(script);
    assert!(!stage.check(DEEP, ms(300)).await.done, "unsupported is not clean");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_pulls_are_tried_again_inside_the_patience() {
    for script in [
        Script::new().server_cancelled("textDocument/diagnostic", 4, true),
        Script::new().content_modified("textDocument/diagnostic", 4),
    ] {
        let stage = Stage::new(script.diagnostics(Diagnostics::Pull));
        let check = stage.check(DEEP, LONG).await;
        assert!(check.done);
        assert_eq!(messages(&check), ["this is wrong"]);
        assert_eq!(stage.record.count("textDocument/diagnostic"), 5);
        stage.finish().await;
    }
    let stage = Stage::new(
        Script::new().diagnostics(Diagnostics::Pull).content_modified("textDocument/diagnostic", 10_000),
    );
    let begun = Instant::now();
    assert!(!stage.check(DEEP, ms(400)).await.done);
    assert!(begun.elapsed() < ms(3_000), "{:?}", begun.elapsed());
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_that_hangs_is_pending() {
    let script = Script::new().diagnostics(Diagnostics::Pull).hang("textDocument/diagnostic");
    let stage = Stage::new(script);
    let begun = Instant::now();
    assert!(!stage.check(DEEP, ms(400)).await.done);
    assert!(begun.elapsed() < ms(3_000), "{:?}", begun.elapsed());
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_in_another_file_is_in_the_findings() {
    for diagnostics in [Diagnostics::Push, Diagnostics::Pull, Diagnostics::Both] {
        for late in [0, 100] {
            let script =
                Script::new().undefined_names_are_errors().diagnostics(diagnostics).publish_late(late);
            let stage = Stage::new(script);
            stage.tree.write("user.fake", "use helper\n");
            let check = stage.check("user.fake", LONG).await;
            assert_eq!(messages(&check), ["helper is not defined"], "{diagnostics:?} {late}");
            stage.tree.write("helper.fake", "def helper\n");
            let check = stage.check("user.fake", LONG).await;
            assert!(check.done && check.findings.is_empty(), "{diagnostics:?} {late}: {check:?}");
            std::fs::remove_file(stage.path("helper.fake")).unwrap();
            let check = stage.check("user.fake", LONG).await;
            assert_eq!(messages(&check), ["helper is not defined"], "{diagnostics:?} {late}");
            stage.finish().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_thousand_findings_are_told() {
    // An unoptimised fake takes long to build the values of a pulled report.
    for (diagnostics, count) in [(Diagnostics::Push, 50_000), (Diagnostics::Pull, 10_000)] {
        let stage = Stage::new(Script::new().bulk_diagnostics(count as u64).diagnostics(diagnostics));
        let check = stage.check("a.fake", LONG).await;
        assert!(check.done);
        assert_eq!(check.findings.len(), count, "{diagnostics:?}");
        assert_eq!(stage.definition().await, ["a.fake:2:5"]);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_files_are_checked_in_one_question() {
    for diagnostics in [Diagnostics::Push, Diagnostics::Pull] {
        let stage = Stage::new(Script::new().diagnostics(diagnostics));
        let names: Vec<String> = (0..150).map(|number| format!("many/f{number:03}.fake")).collect();
        for name in &names {
            stage.tree.write(name, format!("bad in {name}\n"));
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let checked = stage.check_all(&names, LONG).await.value;
        assert_eq!(checked.files.len(), names.len());
        for (check, name) in checked.files.iter().zip(&names) {
            assert!(check.done, "{diagnostics:?} {name}");
            assert_eq!(messages(check), [format!("in {name}")]);
        }
        stage.finish().await;
    }
}

/// A compiler run as rust-analyzer shows it, which says each time that `b.fake` is wrong.
fn flycheck(stage_root: &std::path::Path) -> Script {
    let on = "rust-analyzer/runFlycheck";
    let progress = |kind: &str| json!({ "token": "rust-analyzer/flycheck/0", "value": { "kind": kind, "title": "cargo check" } });
    let range = json!({ "start": { "line": 1, "character": 4 }, "end": { "line": 1, "character": 12 } });
    let item = json!({ "range": range, "severity": 2, "code": "dead_code", "source": "rustc", "message": "never used" });
    let uri = format!("file://{}/b.fake", stage_root.display());
    Script::new()
        .diagnostics(Diagnostics::Pull)
        .notify(on, 20, "$/progress", progress("begin"))
        .notify(on, 60, "textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": [item] }))
        .notify(on, 100, "$/progress", progress("end"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compiler_run_is_waited_for_and_remembered_until_something_changes() {
    let tree = orienteer_testkit::tree(crate::support::PROJECT);
    let script = flycheck(tree.root());
    let stage = Stage::of(tree, script, |definition| definition.reporting = Reporting::Flycheck, |_| {});
    let runs = || stage.record.count("rust-analyzer/runFlycheck");
    let checked = stage.check_all(&["a.fake"], LONG).await.value;
    assert_eq!((checked.compiled, checked.files[0].done, runs()), (Some(true), true, 1));
    assert_eq!(checked.elsewhere.len(), 1, "{:?}", checked.elsewhere);
    assert_eq!(checked.elsewhere[0].message, "never used");

    // It is opened only now, which says nothing new about it.
    let checked = stage.check_all(&["b.fake"], LONG).await.value;
    assert_eq!((checked.compiled, checked.files[0].done, runs()), (Some(true), true, 1), "no second run");
    assert_eq!(messages(&checked.files[0]), ["never used"]);

    stage.tree.write("a.fake", "def square\n");
    let checked = stage.check_all(&["b.fake"], LONG).await.value;
    assert_eq!((checked.compiled, runs()), (Some(true), 2), "files changed");
    assert_eq!(messages(&checked.files[0]), ["never used"]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compiler_run_that_does_not_end_is_pending() {
    let script = Script::new().diagnostics(Diagnostics::Pull);
    let stage = Stage::defined(script, |definition| definition.reporting = Reporting::Flycheck);
    let checked = stage.check_all(&["a.fake"], ms(300)).await.value;
    assert_eq!((checked.compiled, checked.files[0].done), (Some(false), false));
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn titles_of_fixes_are_told() {
    let actions = json!([
        { "title": "Delete the line", "kind": "quickfix" },
        { "title": "Extract", "kind": "refactor.extract" },
        { "title": "A command", "command": "fake.fix" },
    ]);
    let register = Ask::register("textDocument/codeAction", json!({}));
    let script =
        Script::new().ask("initialized", register).rule(Rule::on("textDocument/codeAction").answer(actions));
    let stage = Stage::new(script);
    let check = stage.check(DEEP, LONG).await;
    let lease = stage.lease(DEEP).await;
    let titles = lease.fixes(&check.findings[0], &patience(LONG)).await.unwrap();
    assert_eq!(titles, ["Delete the line", "A command"]);
    let asked = &stage.record.received("textDocument/codeAction")[0]["params"];
    assert_eq!(asked["context"]["diagnostics"][0]["message"], "this is wrong", "it gets its own words back");
    assert!(lease.hover(&stage.path("a.fake"), SQUARE, &patience(LONG)).await.is_ok());
    drop(lease);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_nowhere_is_wrong() {
    let none = json!({ "line": -1, "character": -1 });
    let items = json!([
        { "range": { "start": none, "end": none }, "message": "no place" },
        { "message": "no range" },
        { "range": { "start": { "line": 1, "character": 4 }, "end": { "line": 1, "character": 10 } }, "message": "placed" },
    ]);
    let report = Rule::on(PULL).answer(json!({ "kind": "full", "items": items }));
    let stage = Stage::new(Script::new().diagnostics(Diagnostics::Pull).rule(report));
    let checked = stage.check_all(&["a.fake"], LONG).await.value;
    assert!(checked.files[0].done);
    let told = checked.files[0].findings.iter();
    let told: Vec<_> = told.map(|finding| (finding.message.as_str(), finding.range.start)).collect();
    let start = Position::new(1, 1);
    assert_eq!(told, [("no place", start), ("no range", start), ("placed", Position::new(2, 5))]);
    stage.finish().await;
}

/// What a checker that never answers costs: each file must not cost its own time.
#[tokio::test(flavor = "multi_thread")]
async fn a_checker_that_hangs_takes_no_longer_for_many_files() {
    let hanging = |method: &str| Script::new().diagnostics(Diagnostics::Never).hang(method);
    let run = "workspace/executeCommand";
    let asks = Ask::register(run, json!({ "commands": ["typescript.tsserverRequest"] }));
    let (pull, saved) =
        (Script::new().diagnostics(Diagnostics::Pull).hang(PULL), hanging("workspace/symbol"));
    let kind = |kind: &'static str| move |definition: &mut Definition| definition.kind = kind.to_owned();
    let saves = |definition: &mut Definition| definition.reporting = Reporting::Saved;
    for (what, stage) in [
        ("pulls", Stage::new(pull.clone())),
        ("pulls one by one", Stage::defined(pull, kind("eslint"))),
        ("saves", Stage::defined(saved, saves)),
        (
            "asks the compiler",
            Stage::defined(hanging(run).ask("initialized", asks), kind("typescript-language-server")),
        ),
    ] {
        let names: Vec<String> = (0..150).map(|number| format!("many/f{number:03}.fake")).collect();
        for name in &names {
            stage.tree.write(name, "bad\n");
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let begun = Instant::now();
        let checked = stage.check_all(&names, ms(400)).await.value;
        assert!(begun.elapsed() < ms(3_000), "{what}: {:?}", begun.elapsed());
        assert_eq!(checked.files.len(), names.len(), "{what}");
        assert!(checked.files.iter().all(|check| !check.done && check.findings.is_empty()), "{what}");
        stage.end().await;
    }
}
