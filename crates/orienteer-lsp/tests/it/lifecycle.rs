//! Stopping, restarting, several projects, and nothing left behind.

use std::time::Instant;

use orienteer_base::Position;
use orienteer_lsp::{Failure, Life};
use orienteer_testkit::fake::{Death, Rule, Script};
use orienteer_testkit::tree;

use crate::support::{ALL, LONG, Stage, assert_gone, is_running, ms, patience};

#[tokio::test(flavor = "multi_thread")]
async fn shutting_down_is_polite_and_leaves_no_process() {
    let stage = Stage::new(Script::new().grandchild());
    assert_eq!(stage.references().await, ALL);
    let (pid, child) = (stage.record.pids()[0], stage.record.grandchildren()[0]);
    assert!(is_running(pid) && is_running(child));
    stage.finish().await;
    assert_eq!((stage.record.count("shutdown"), stage.record.count("exit")), (1, 1));
    assert_eq!(stage.state().life, Life::Stopped);
    assert_eq!(stage.ask_references(LONG).await.unwrap_err(), Failure::ShuttingDown);
    assert_eq!(stage.record.starts(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_in_shutdown_is_stopped_all_the_same() {
    for death in [Death::Exit(0), Death::Abort, Death::Kill] {
        let stage = Stage::new(Script::new().die_in_shutdown(death).grandchild());
        assert_eq!(stage.references().await, ALL);
        stage.finish().await;
        assert_eq!(stage.state().life, Life::Stopped, "{death:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_will_not_go_is_made_to() {
    let scripts = [
        Script::new().ignore_shutdown(),
        Script::new().ignore_exit(),
        Script::new().ignore_shutdown().ignore_exit().ignore_signals().grandchild(),
        Script::new().freeze("shutdown"),
    ];
    let ends = scripts.into_iter().map(async |script| {
        let stage = Stage::new(script);
        assert_eq!(stage.references().await, ALL);
        let begun = Instant::now();
        stage.finish().await;
        assert!(begun.elapsed() < ms(10_000), "{:?}", begun.elapsed());
    });
    futures::future::join_all(ends).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_that_is_dropped_takes_its_servers_with_it() {
    let stage = Stage::new(Script::new().grandchild());
    assert_eq!(stage.references().await, ALL);
    let pids = [stage.record.pids(), stage.record.grandchildren()].concat();
    let Stage { fleet, .. } = stage;
    drop(fleet);
    for pid in pids {
        assert_gone(pid).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_crashed_server_left_behind_is_ended() {
    let stage = Stage::new(Script::new().grandchild().exit_when_idle(100, Death::Kill));
    assert_eq!(stage.references().await, ALL);
    for pid in stage.record.grandchildren() {
        assert_gone(pid).await;
    }
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_server_starts_again_with_the_next_question() {
    let stage = Stage::new(Script::new());
    assert_eq!(stage.references().await, ALL);
    let stopped = stage.fleet.stop(Some("fake")).await;
    assert_eq!((stopped[0].life, stopped[0].pid, stopped[0].open_documents), (Life::Stopped, None, 0));
    assert_gone(stage.record.pids()[0]).await;
    assert_eq!(stage.fleet.stop(Some("other")).await, []);
    let heard = stage.ask_references(LONG).await.unwrap();
    assert_eq!((stage.places(&heard.value), heard.seen.generation), (ALL.map(str::to_owned).to_vec(), 2));
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_is_another_process_and_forgets_nothing_on_disk() {
    let stage = Stage::new(Script::new());
    assert_eq!(stage.references().await, ALL);
    stage.tree.write("c.fake", "use square\n");
    let restarted = stage.fleet.restart(None, &patience(LONG)).await;
    let status = restarted[0].as_ref().unwrap();
    assert_eq!((status.generation, status.restarts, status.life), (2, 1, Life::Running));
    assert_gone(stage.record.pids()[0]).await;
    assert_eq!(stage.references().await.len(), 4);
    assert_eq!(stage.record.starts(), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_being_answered_survives_a_restart() {
    let stage = Stage::new(Script::new().latency("textDocument/references", 500));
    let asked = stage.ask_references(LONG);
    let restarting = async {
        stage.until("the question", |stage| stage.record.count("textDocument/references") == 1).await;
        stage.fleet.restart(None, &patience(LONG)).await
    };
    let (heard, restarted) = tokio::join!(asked, restarting);
    assert!(restarted[0].is_ok(), "{restarted:?}");
    assert_eq!(stage.places(&heard.unwrap().value), ALL);
    assert_eq!(stage.record.starts(), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn status_tells_what_a_person_asks() {
    let stage = Stage::new(Script::new().stderr("a warning"));
    assert_eq!(stage.fleet.states(true), []);
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.references().await, ALL);
    let state = stage.state();
    assert_eq!((state.server_id.as_str(), state.root.as_path()), ("fake", stage.tree.root()));
    assert_eq!((state.life, state.ready, state.generation, state.restarts), (Life::Running, true, 1, 0));
    assert_eq!(state.pid.map(u64::from), stage.record.pids().first().copied());
    assert_eq!((state.open_documents, state.last_error), (1, None));
    if cfg!(target_os = "linux") {
        assert!(state.rss_bytes.unwrap() > 100_000, "{:?}", state.rss_bytes);
    }
    let latency = state.latency.iter().find(|latency| latency.method == "textDocument/references").unwrap();
    assert!(latency.count == 2 && latency.max_ms >= latency.p50_ms, "{latency:?}");
    stage.finish().await;
}

const TWO: &str = "\
//- /one/project.toml
//- /one/a.fake
def square
use square
//- /two/project.toml
//- /two/a.fake

def square
//- /loose/a.fake
def square
";

fn two() -> Stage {
    let markers = vec!["project.toml".to_owned()];
    Stage::of(tree(TWO), Script::new(), |definition| definition.root_markers = markers, |_| {})
}

#[tokio::test(flavor = "multi_thread")]
async fn two_roots_at_once_are_two_processes_that_know_nothing_of_each_other() {
    let stage = two();
    let ask = async |name: &str, line| {
        let lease = stage.lease(name).await;
        let at = Position::new(line, 5);
        let heard = lease.references(&stage.path(name), at, true, &patience(LONG)).await.unwrap();
        (lease.root().to_path_buf(), stage.places(&heard.value))
    };
    let (one, two) = tokio::join!(ask("one/a.fake", 1), ask("two/a.fake", 2));
    assert_eq!(one, (stage.path("one"), vec!["one/a.fake:1:5".to_owned(), "one/a.fake:2:5".to_owned()]));
    assert_eq!(two, (stage.path("two"), vec!["two/a.fake:2:5".to_owned()]));
    assert_eq!(stage.record.starts(), 2);
    stage.tree.write("two/b.fake", "use square\n");
    assert_eq!(ask("two/a.fake", 2).await.1.len(), 2);
    assert_eq!(ask("one/a.fake", 1).await.1.len(), 2);
    let roots: Vec<_> = stage.fleet.states(false).into_iter().map(|state| state.root).collect();
    assert_eq!(roots, [stage.path("one"), stage.path("two")]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_a_project_says_what_was_looked_for() {
    let stage = two();
    let lease = stage.lease("loose/a.fake").await;
    assert_eq!(lease.no_root.as_deref(), Some(&["project.toml".to_owned()][..]));
    assert_eq!(lease.root(), stage.path("loose"));
    let hovered = lease.hover(&stage.path("loose/a.fake"), Position::new(1, 5), &patience(LONG)).await;
    assert!(hovered.unwrap().value.is_some());
    drop(lease);
    assert_eq!(stage.lease("one/a.fake").await.no_root, None);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_outside_every_root_belongs_to_the_server_that_named_it() {
    let stage = Stage::new(Script::new());
    let outside = stage.tree.beside("library").join("lib.fake");
    std::fs::write(&outside, "def square\n").unwrap();
    let failure = stage.fleet.lease(&outside).await.unwrap_err();
    assert!(matches!(failure, Failure::NoServer { .. }), "no server was there to name it: {failure:?}");
    assert_eq!(stage.references().await, ALL);
    let lease = stage.fleet.lease(&outside).await.unwrap();
    assert_eq!(lease.root(), stage.tree.root());
    let hover = async || lease.hover(&outside, Position::new(1, 5), &patience(LONG)).await.unwrap().value;
    assert_eq!(hover().await.unwrap().type_info.as_deref(), Some("def square()"));
    std::fs::write(&outside, "def square n\n").unwrap();
    assert_eq!(hover().await.unwrap().type_info.as_deref(), Some("def square(n)"), "changed outside");
    drop(lease);
    assert_eq!(stage.ask_references(LONG).await.unwrap().value.len(), 4);
    stage.finish().await;
}

/// Some servers say of a document that was closed that nothing is wrong in it, which is no answer to anybody.
#[tokio::test(flavor = "multi_thread")]
async fn documents_are_not_closed_under_somebody_who_waits() {
    const ASKED: &str = "textDocument/references";
    let stage = Stage::new(Script::new().rule(Rule::on(ASKED).hang().once()));
    let restarting = async {
        stage.until("the question", |stage| stage.record.count(ASKED) == 1).await;
        stage.fleet.restart(None, &patience(LONG)).await
    };
    let (_, restarted) = tokio::join!(stage.ask_references(LONG), restarting);
    assert_eq!(restarted[0].as_ref().unwrap().generation, 2);
    assert_eq!(stage.record.count("textDocument/didClose"), 0);
    assert_eq!(stage.references().await, ALL);
    stage.fleet.restart(None, &patience(LONG)).await;
    assert!(stage.record.count("textDocument/didClose") > 0, "nobody waits");
    stage.finish().await;
}
