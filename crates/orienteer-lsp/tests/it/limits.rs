//! How many servers live, for how long, and with how much memory.

use std::time::Duration;

use orienteer_base::Position;
use orienteer_lsp::{Failure, FleetSpec, Life};
use orienteer_testkit::fake::{Rule, START, Script};
use orienteer_testkit::tree;

use crate::support::{ALL, LONG, Stage, ms, patience};

const THREE: &str = "\
//- /one/project.toml
//- /one/a.fake
def x
//- /two/project.toml
//- /two/a.fake
def x
//- /three/project.toml
//- /three/a.fake
def x
";

fn three(script: Script, spec: impl FnOnce(&mut FleetSpec)) -> Stage {
    let markers = vec!["project.toml".to_owned()];
    let change = |definition: &mut orienteer_lsp::Definition| {
        definition.root_markers = markers;
        definition.idle_timeout = Some(Duration::from_secs(3600));
    };
    Stage::of(tree(THREE), script, change, spec)
}

/// Asks in one of the projects and tells which process answered.
async fn ask(stage: &Stage, project: &str) -> u64 {
    let file = stage.path(project).join("a.fake");
    let lease = stage.fleet.lease(&file).await.unwrap();
    let heard = lease.hover(&file, Position::new(1, 5), &patience(LONG)).await.unwrap();
    assert_eq!(heard.value.unwrap().type_info.as_deref(), Some("def x()"));
    heard.seen.generation
}

/// The projects whose servers run.
fn running(stage: &Stage) -> Vec<String> {
    let running = stage.fleet.states(false).into_iter().filter(|state| state.life == Life::Running);
    running.map(|state| state.root.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_server_is_stopped_and_starts_again_unseen() {
    let stage = Stage::with(Script::new(), |_| {}, |spec| spec.idle_timeout = ms(300));
    assert_eq!(stage.references().await, ALL);
    stage.until("the stop", |stage| stage.state().life == Life::Stopped).await;
    let heard = stage.ask_references(LONG).await.unwrap();
    assert_eq!((stage.places(&heard.value), heard.seen.generation), (ALL.map(str::to_owned).to_vec(), 2));
    assert_eq!(stage.record.starts(), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_answering_is_not_idle() {
    let script = Script::new().latency("textDocument/references", 1_200);
    let stage = Stage::with(script, |_| {}, |spec| spec.idle_timeout = ms(200));
    let heard = stage.ask_references(LONG).await.unwrap();
    assert_eq!((stage.places(&heard.value), heard.seen.generation), (ALL.map(str::to_owned).to_vec(), 1));
    assert_eq!(stage.record.starts(), 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_while_a_server_was_stopped_is_known() {
    let stage = Stage::with(Script::new(), |_| {}, |spec| spec.idle_timeout = ms(300));
    assert_eq!(stage.references().await, ALL);
    stage.until("the stop", |stage| stage.state().life == Life::Stopped).await;
    stage.tree.write("b.fake", "\n\nuse square\n");
    assert_eq!(stage.references().await, ["a.fake:2:5", "b.fake:3:5", ALL[2]]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_servers_cost_the_least_recently_used_one() {
    let stage = three(Script::new(), |spec| spec.max_servers = 2);
    assert_eq!((ask(&stage, "one").await, ask(&stage, "two").await), (1, 1));
    assert_eq!(ask(&stage, "one").await, 1);
    assert_eq!(ask(&stage, "three").await, 1);
    assert_eq!(running(&stage), ["one", "three"]);
    let stopped = stage.fleet.states(false).into_iter().find(|state| state.life == Life::Stopped).unwrap();
    assert!(stopped.last_error.unwrap().message.contains("2 live servers"));
    assert_eq!((ask(&stage, "two").await, ask(&stage, "three").await), (2, 1));
    assert_eq!(running(&stage), ["three", "two"]);
    assert_eq!(stage.record.starts(), 4);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_server_is_not_stopped_for_another_and_goes_when_it_is_done() {
    let script = Script::new().rule(Rule::on("textDocument/hover").containing("/one/").delay(800));
    let stage = three(script, |spec| {
        spec.max_servers = 1;
        spec.idle_timeout = ms(200);
    });
    let slow = ask(&stage, "one");
    let quick = async {
        stage.until("the question", |stage| stage.record.count("textDocument/hover") == 1).await;
        ask(&stage, "two").await
    };
    let (slow, quick) = tokio::join!(slow, quick);
    assert_eq!((slow, quick), (1, 1), "both were answered by their first process");
    stage.until("one to go", |stage| running(stage).len() == 1).await;
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_projects_at_once_end_within_the_limit() {
    let stage = three(Script::new(), |spec| {
        spec.max_servers = 1;
        spec.idle_timeout = ms(200);
    });
    let asked = tokio::join!(ask(&stage, "one"), ask(&stage, "two"), ask(&stage, "three"));
    assert_eq!(asked, (1, 1, 1));
    stage.until("one to be left", |stage| running(stage).len() == 1).await;
    stage.finish().await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn the_memory_budget_costs_the_least_recently_used_one() {
    let stage = three(Script::new().memory_hog(60), |spec| {
        spec.memory_budget_bytes = 150 << 20;
        spec.idle_timeout = ms(400);
    });
    assert_eq!((ask(&stage, "one").await, ask(&stage, "two").await, ask(&stage, "three").await), (1, 1, 1));
    stage.until("one to go", |stage| running(stage).len() == 2).await;
    assert_eq!(running(&stage), ["three", "two"]);
    let stopped = stage.fleet.states(false).into_iter().find(|state| state.life == Life::Stopped).unwrap();
    assert!(stopped.last_error.unwrap().message.contains("150 MB (lsp.memory_budget_mb)"));
    tokio::time::sleep(ms(900)).await;
    assert_eq!(running(&stage), ["three", "two"], "two fit");
    assert_eq!(ask(&stage, "one").await, 2);
    stage.finish().await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn memory_is_never_taken_from_a_busy_server() {
    let script = Script::new()
        .rule(Rule::on("textDocument/hover").containing("/one/").delay(1_500))
        .rule(Rule::on(START).allocate(60));
    let stage = three(script, |spec| {
        spec.memory_budget_bytes = 100 << 20;
        spec.idle_timeout = ms(200);
    });
    let slow = ask(&stage, "one");
    let quick = async {
        stage.until("the question", |stage| stage.record.count("textDocument/hover") == 1).await;
        ask(&stage, "two").await
    };
    let (slow, quick) = tokio::join!(slow, quick);
    assert_eq!((slow, quick), (1, 1));
    assert_eq!(stage.record.starts(), 2, "the busy one, though used longest ago, was left alone");
    stage.finish().await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_above_its_own_limit_is_stopped() {
    let stage = Stage::with(
        Script::new().memory_hog(120),
        |definition| {
            definition.memory_limit_mb = Some(50);
            definition.idle_timeout = Some(Duration::from_secs(3600));
        },
        |spec| spec.idle_timeout = ms(200),
    );
    assert_eq!(stage.references().await, ALL);
    stage.until("the stop", |stage| stage.state().life == Life::Stopped).await;
    let said = stage.state().last_error.unwrap().message;
    assert!(said.contains("more than its limit of 50 MB"), "{said}");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_program_is_said_with_where_it_was_looked_for() {
    let stage = Stage::defined(Script::new(), |definition| {
        definition.candidates[0].program = "no-such-language-server".to_owned();
        definition.install_hint = Some("get it somewhere".to_owned());
    });
    let failure = stage.ask_references(LONG).await.unwrap_err();
    let Failure::NotInstalled { tried, looked_in, hint, .. } = failure else { panic!("{failure:?}") };
    assert_eq!(tried, ["no-such-language-server"]);
    assert!(looked_in.contains(&"/usr/bin".into()), "{looked_in:?}");
    assert_eq!(hint.as_deref(), Some("get it somewhere"));
    stage.end().await;
}
