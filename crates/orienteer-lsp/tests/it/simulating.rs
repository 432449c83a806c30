//! Changes that are tried out without touching the disk, and that leave nothing behind.

use std::path::PathBuf;

use orienteer_base::Roots;
use orienteer_edit::{Existing, Overlay, Plan, TextEdit};
use orienteer_lsp::command::check::FileCheck;
use orienteer_lsp::definition::Reporting;
use orienteer_lsp::{Failure, Simulated};
use orienteer_testkit::fake::{Answer, Death, Diagnostics, Held, Rule, Script, When};
use serde_json::Value;

use crate::support::{ALL, DEEP, LONG, Stage, kill, ms, patience};

const PULL: &str = "textDocument/diagnostic";

/// A plan in which files have these texts; `None`: they are gone.
fn plan(stage: &Stage, files: &[(&str, Option<&str>)]) -> Plan {
    let mut overlay = Overlay::new(Roots::new(stage.tree.root(), &[]).unwrap());
    for (name, text) in files {
        let path = stage.path(name);
        match text {
            None => overlay.delete(&path, false, false).unwrap(),
            Some(text) if path.exists() => {
                let length = stage.read(name).len();
                overlay.edit(&path, vec![TextEdit::new(0..length, *text)]).unwrap();
            }
            Some(text) => overlay.create(&path, text, Existing::Refuse).unwrap(),
        }
    }
    overlay.finish()
}

async fn simulate(stage: &Stage, plan: &Plan) -> Result<Simulated, Failure> {
    let lease = stage.lease("a.fake").await;
    Ok(lease.simulate(plan, &patience(LONG)).await?.value)
}

/// As `file: message`, with a mark for those that are not done.
fn told(stage: &Stage, checks: &[FileCheck]) -> Vec<String> {
    let name = |path: &PathBuf| path.strip_prefix(stage.tree.root()).unwrap().display().to_string();
    let mut told = Vec::new();
    for check in checks {
        let mark = if check.done { "" } else { "?" };
        told.push(format!("{}{mark}", name(&check.path)));
        told.extend(check.findings.iter().map(|one| {
            assert_eq!(one.path, check.path);
            format!("  {}:{} {}", one.range.start.line, one.range.start.column, one.message)
        }));
    }
    told
}

/// Pulls during a simulation speak about what is not on disk, and nothing else does.
fn is_pull(answer: &Answer) -> bool {
    answer.method == PULL
}

/// The server holds what is on disk: its next answer says so.
async fn assert_back(stage: &Stage) {
    let lease = stage.lease("a.fake").await;
    lease.document_symbols(&stage.path("a.fake"), &patience(LONG)).await.unwrap();
    let answers = stage.record.texts_at_answers();
    let last = answers.last().unwrap();
    assert!(last.stale.is_empty(), "what it holds is not what is on disk: {:?}", last.stale);
    assert_eq!(last.texts[&stage.path("a.fake")], Held::Text(stage.read("a.fake")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_checked_and_forgotten_again() {
    for diagnostics in [Diagnostics::Push, Diagnostics::Pull, Diagnostics::Both] {
        for late in [0, 150] {
            let script =
                Script::new().diagnostics(diagnostics).undefined_names_are_errors().publish_late(late);
            let stage = Stage::new(script);
            let before = stage.check_all(&["a.fake", "b.fake", DEEP], LONG).await.value.files;
            let renamed = stage.read("a.fake").replace("square", "cube");
            let plan =
                plan(&stage, &[("a.fake", Some(&renamed)), (DEEP, Some("\n😀 use cube\n  bad luck\n"))]);
            for _ in 0..2 {
                let simulated = simulate(&stage, &plan).await.unwrap();
                assert_eq!(
                    told(&stage, &simulated.before),
                    ["a.fake", DEEP, "  2:1 this is wrong"],
                    "{diagnostics:?}"
                );
                assert_eq!(told(&stage, &simulated.after), ["a.fake", DEEP, "  3:3 luck"], "{diagnostics:?}");
                assert_eq!(simulated.not_covered, [""; 0]);
                assert_back(&stage).await;
                let again = stage.check_all(&["a.fake", "b.fake", DEEP], LONG).await.value.files;
                assert_eq!(told(&stage, &again), told(&stage, &before), "{diagnostics:?} {late}");
            }
            assert_eq!(stage.references().await, ALL);
            assert!(stage.read("a.fake").contains("square"), "nothing is written");
            assert_eq!(stage.record.starts(), 1);
            stage.finish_but_for(is_pull).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_other_files_say_shows_in_the_files_of_the_plan() {
    let stage = Stage::new(Script::new().undefined_names_are_errors());
    let b = format!("{}use none\n", stage.read("b.fake"));
    let renamed = stage.read("a.fake").replace("square", "cube");
    let simulated =
        simulate(&stage, &plan(&stage, &[("a.fake", Some(&renamed)), ("b.fake", Some(&b))])).await.unwrap();
    assert_eq!(told(&stage, &simulated.before), ["a.fake", "b.fake"]);
    let after = ["a.fake", "b.fake", "  5:10 square is not defined", "  7:5 none is not defined"];
    assert_eq!(told(&stage, &simulated.after), after);
    assert_back(&stage).await;
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_and_deleted_files_are_tried_as_far_as_they_can_be() {
    for diagnostics in [Diagnostics::Push, Diagnostics::Pull] {
        let stage = Stage::new(Script::new().diagnostics(diagnostics));
        let plan = plan(&stage, &[("new ü.fake", Some("def fresh\nbad start\n")), (DEEP, None)]);
        let simulated = simulate(&stage, &plan).await.unwrap();
        assert_eq!(told(&stage, &simulated.before), [DEEP, "  2:1 this is wrong"]);
        assert_eq!(told(&stage, &simulated.after), ["new ü.fake", "  2:1 start"]);
        let [gone, new] = &simulated.not_covered[..] else { panic!("{:?}", simulated.not_covered) };
        assert!(gone.contains(DEEP) && gone.contains("still finds it on the disk"), "{gone}");
        assert!(new.contains("`new ü.fake` is new"), "{new}");
        assert_back(&stage).await;
        assert!(!stage.path("new ü.fake").exists());
        assert_eq!(stage.references().await, ALL);
        stage.finish_but_for(is_pull).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compiler_cannot_take_part_and_is_never_called_clean() {
    let script = Script::new().diagnostics(Diagnostics::Pull);
    let stage = Stage::defined(script, |definition| definition.reporting = Reporting::Flycheck);
    let simulated = simulate(&stage, &plan(&stage, &[("a.fake", Some("bad luck\n"))])).await.unwrap();
    assert_eq!(told(&stage, &simulated.after), ["a.fake", "  1:1 luck"], "what it finds by itself");
    assert!(simulated.not_covered[0].contains("cargo check reads the disk"), "{:?}", simulated.not_covered);
    assert_eq!(stage.record.count("rust-analyzer/runFlycheck"), 0);
    assert_back(&stage).await;
    stage.finish_but_for(is_pull).await;

    let stage = Stage::defined(Script::new(), |definition| definition.reporting = Reporting::Never);
    let simulated = simulate(&stage, &plan(&stage, &[("a.fake", Some("bad luck\n"))])).await.unwrap();
    assert_eq!((simulated.after.len(), simulated.not_covered.len()), (0, 1));
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checker_that_stays_silent_is_pending() {
    let stage = Stage::new(Script::new().diagnostics(Diagnostics::Never));
    let lease = stage.lease("a.fake").await;
    let plan = plan(&stage, &[("a.fake", Some("bad luck\n"))]);
    let simulated = lease.simulate(&plan, &patience(ms(400))).await.unwrap().value;
    assert_eq!(told(&stage, &simulated.before), ["a.fake?"]);
    assert_eq!(told(&stage, &simulated.after), ["a.fake?"]);
    drop(lease);
    assert_back(&stage).await;
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_hears_of_what_is_tried_out() {
    let script = Script::new().diagnostics(Diagnostics::Pull).latency(PULL, 100);
    let stage = Stage::new(script);
    let renamed = stage.read("a.fake").replace("square", "cube");
    let plan = plan(&stage, &[("a.fake", Some(&renamed))]);
    assert_eq!(stage.references().await, ALL);
    let asking = async {
        for _ in 0..20 {
            assert_eq!(stage.references().await, ALL);
            assert_eq!(stage.definition().await, ["a.fake:2:5"]);
            tokio::time::sleep(ms(10)).await;
        }
    };
    let (simulated, again, ()) = tokio::join!(simulate(&stage, &plan), simulate(&stage, &plan), asking);
    assert!(simulated.is_ok() && again.is_ok());
    stage.finish_but_for(is_pull).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_goes_away_leaves_nothing_behind() {
    for nth in 1..=2 {
        let stage = Stage::new(
            Script::new().diagnostics(Diagnostics::Pull).rule(Rule::on(PULL).from(nth).times(1).hang()),
        );
        let new = [("a.fake", Some("bad luck\n")), ("new.fake", Some("use square\n")), (DEEP, None)];
        let plan = plan(&stage, &new);
        {
            let going = simulate(&stage, &plan);
            let leaving = stage.until("the question", |stage| stage.record.count(PULL) >= nth as usize);
            tokio::select! {
                _ = going => panic!("it does not end"),
                () = leaving => {}
            }
        }
        assert_back(&stage).await;
        assert_eq!(stage.references().await, ALL);
        assert_eq!(stage.record.starts(), 1);
        stage.finish_but_for(is_pull).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_while_it_is_tried_is_one_unseen_retry_and_leaves_nothing() {
    for nth in [1, 2] {
        let crash = Rule::on(PULL).from(nth).crash(When::Before, Death::Kill).once();
        let stage = Stage::new(Script::new().diagnostics(Diagnostics::Pull).rule(crash));
        let plan = plan(&stage, &[("a.fake", Some("bad luck\n")), ("new.fake", Some("use square\n"))]);
        let simulated = simulate(&stage, &plan).await.unwrap();
        assert_eq!(told(&stage, &simulated.after), ["a.fake", "  1:1 luck", "new.fake"]);
        assert_eq!(stage.record.starts(), 2);
        assert_back(&stage).await;
        assert_eq!(stage.references().await, ALL);
        stage.finish_but_for(is_pull).await;
    }
    let stage =
        Stage::new(Script::new().diagnostics(Diagnostics::Pull).rule(Rule::on(PULL).from(2).hang().once()));
    let plan = plan(&stage, &[("a.fake", Some("bad luck\n"))]);
    let killing = async {
        stage.until("the question", |stage| stage.record.count(PULL) == 2).await;
        kill(stage.record.pids()[0]);
    };
    let (simulated, ()) = tokio::join!(simulate(&stage, &plan), killing);
    assert_eq!(told(&stage, &simulated.unwrap().after), ["a.fake", "  1:1 luck"]);
    assert_eq!(stage.references().await, ALL);
    assert_back(&stage).await;
    stage.finish_but_for(is_pull).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_on_disk_meanwhile_is_told_afterwards() {
    let script = Script::new().diagnostics(Diagnostics::Pull).latency(PULL, 200);
    let stage = Stage::new(script);
    let tried = plan(&stage, &[("a.fake", Some("bad luck\n")), ("b.fake", Some("bad too\n"))]);
    let changing = async {
        stage.until("the second check", |stage| stage.record.count(PULL) >= 3).await;
        stage.tree.write("a.fake", "bad on disk\ndef square\n");
        std::fs::remove_file(stage.path("b.fake")).unwrap();
    };
    let (_, ()) = tokio::join!(simulate(&stage, &tried), changing);
    let check = stage.check("a.fake", LONG).await;
    assert_eq!(told(&stage, &[check]), ["a.fake", "  1:1 on disk"]);
    assert_back(&stage).await;
    assert_eq!(stage.references().await, ["a.fake:2:5", ALL[2]]);
    stage.finish_but_for(is_pull).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outline_from_before_is_not_given_of_a_file_that_changed_meanwhile() {
    let stage = Stage::new(Script::new().diagnostics(Diagnostics::Pull).latency(PULL, 200));
    assert_eq!(stage.outline("a.fake").await.0[0], "square");
    let tried = plan(&stage, &[("a.fake", Some("bad luck\n"))]);
    let changing = async {
        stage.until("the second check", |stage| stage.record.count(PULL) >= 2).await;
        stage.tree.write("a.fake", "def cube\n");
    };
    let (_, ()) = tokio::join!(simulate(&stage, &tried), changing);
    assert_eq!(stage.outline("a.fake").await.0, ["cube"]);
    stage.finish_but_for(is_pull).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_only_go_up_and_nothing_is_saved() {
    let stage = Stage::new(Script::new());
    let tried = plan(&stage, &[("a.fake", Some("bad luck\n"))]);
    simulate(&stage, &tried).await.unwrap();
    simulate(&stage, &tried).await.unwrap();
    assert_back(&stage).await;
    let versions: Vec<Value> = stage
        .record
        .received("textDocument/didChange")
        .iter()
        .map(|event| event["params"]["textDocument"]["version"].clone())
        .collect();
    assert_eq!(versions, [2, 3, 4, 5]);
    assert_eq!(stage.record.count("textDocument/didSave"), 0);
    stage.finish().await;
}
