use std::sync::atomic::AtomicUsize;

use orienteer_engine::process::{Environment, Launcher, ReaperCommand};
use orienteer_engine::{Engine, EngineSpec, SessionSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::config::Given;
use crate::render::Reply;
use crate::tool::{Tool, Toolset, entry};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct None {}

macro_rules! tool {
    ($name:ident, $word:literal, $effect:expr, $instant:literal, $ctx:ident => $body:expr) => {
        tool!($name, $word, $effect, $instant, Option::None, $ctx => $body);
    };
    ($name:ident, $word:literal, $effect:expr, $instant:literal, $chars:expr, $ctx:ident => $body:expr) => {
        struct $name;
        impl Tool for $name {
            const NAME: &'static str = $word;
            const TITLE: &'static str = $word;
            const DESCRIPTION: &'static str = $word;
            const TOOLSET: Toolset = Toolset::Local;
            const DEFAULT: bool = true;
            const EFFECT: Effect = $effect;
            const INSTANT: bool = $instant;
            const USUAL_CHARS: Option<usize> = $chars;
            const OUTPUT: &'static [(&'static str, &'static str)] = &[("x", "string")];
            type Args = None;
            async fn run(_: None, $ctx: Ctx) -> Result<Reply, Problem> {
                $body
            }
        }
    };
}

static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Counts those that run, however they end.
struct Running;

impl Running {
    fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

tool!(Panics, "panics", Effect::Read, false, _ctx => panic!("on purpose"));
tool!(Hangs, "hangs", Effect::Read, false, _ctx => {
    let _running = Running::new();
    std::future::pending::<()>().await;
    Ok(Reply::default())
});
tool!(Sleeps, "sleeps", Effect::Read, false, _ctx => {
    std::future::pending::<()>().await;
    Ok(Reply::default())
});
tool!(Quick, "quick", Effect::Read, false, _ctx => Ok(Reply::default()));
tool!(Status, "status", Effect::Read, true, _ctx => Ok(Reply::default()));
tool!(Writes, "writes", Effect::Write, false, _ctx => Ok(Reply::default()));
tool!(Works, "works", Effect::Read, false, ctx => {
    for _ in 0..8 {
        ctx.cancel.say("the server is indexing");
        ctx.cancel.advance(10);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(Reply::default())
});

tool!(Brief, "brief", Effect::Read, false, Some(24_000), ctx => {
    let mut reply = Reply::default();
    reply.field("x", ctx.budget.max_total_chars.to_string());
    reply.field("wait", json!(ctx.wait(Some(600_000)).map(|wait| wait.as_millis().to_string())));
    Ok(reply)
});

static TOOLS: &[Entry] = &[
    entry::<Brief>(),
    entry::<Panics>(),
    entry::<Hangs>(),
    entry::<Sleeps>(),
    entry::<Quick>(),
    entry::<Status>(),
    entry::<Writes>(),
    entry::<Works>(),
];

fn house(flags: &[(&'static str, &str)]) -> (Arc<Router>, Session) {
    let given = Given {
        current_folder: env!("CARGO_MANIFEST_DIR").into(),
        flags: flags.iter().map(|(key, value)| ("--test", *key, (*value).to_owned())).collect(),
        ..Given::default()
    };
    let config = Config::load(&given).unwrap();
    let engine = Engine::new(EngineSpec {
        journal_folder: Some(std::env::temp_dir().join("no-such-journal")),
        ..EngineSpec::new(
            config.roots.clone(),
            Environment::from_pairs::<String, String>([]),
            Launcher::new(ReaperCommand::new("none")),
            std::env::temp_dir(),
        )
    });
    let session = engine.session(SessionSpec { roots: config.roots.clone(), read_only: config.read_only });
    (Router::new(config, TOOLS).unwrap(), session)
}

async fn call(house: &(Arc<Router>, Session), tool: &str) -> Outcome {
    house.0.call(&house.1, tool, Map::new(), Call::default()).await.unwrap()
}

fn kind(outcome: &Outcome) -> &str {
    outcome.structured.get("error").and_then(|error| error["kind"].as_str()).unwrap_or("ok")
}

#[tokio::test]
async fn a_panic_is_an_internal_error_and_the_next_call_works() {
    let house = house(&[]);
    let outcome = call(&house, "panics").await;
    assert_eq!(kind(&outcome), "internal_error");
    assert_eq!(outcome.structured["message"], "`panics` failed inside: on purpose");
    assert_eq!(outcome.structured["mcp_error_code"], -32603);
    assert_eq!(kind(&call(&house, "quick").await), "ok");
    assert_eq!(house.0.metrics().totals(), (2, 1));
}

#[tokio::test]
async fn what_was_put_right_is_told_by_the_next_good_answer_and_only_there() {
    let house = house(&[]);
    let kinds = |outcome: &Outcome| {
        let warnings = outcome.structured["warnings"].as_array().cloned().unwrap();
        warnings.iter().map(|warning| warning["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    house.1.tell_later(vec![orienteer_base::answer::Warning::new("recovered", "a change was taken back")]);
    assert_eq!(kind(&call(&house, "panics").await), "internal_error");
    let told = call(&house, "quick").await;
    assert_eq!(kinds(&told), ["recovered"]);
    assert!(told.text.contains("Note: a change was taken back"), "{}", told.text);
    assert!(kinds(&call(&house, "quick").await).is_empty());
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_stopped_and_says_which_limit() {
    let house = house(&[("mcp.tool_timeouts", "sleeps=50")]);
    let before = Instant::now();
    let outcome = call(&house, "sleeps").await;
    assert_eq!(kind(&outcome), "timeout");
    assert_eq!(outcome.structured["message"], "`sleeps` did not finish within 50 ms and was stopped");
    assert_eq!(outcome.structured["error"]["retryable"], true);
    assert!(outcome.text.contains("mcp.tool_timeouts.sleeps"), "{}", outcome.text);
    assert!(before.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_stops_running_calls_and_removes_waiting_ones() {
    let house = house(&[("mcp.max_concurrent_calls", "1"), ("mcp.queue_max", "2")]);
    let begin = |tool: &'static str| {
        let (router, session) = house.clone();
        let call = Call::default();
        let cancel = call.cancel.clone();
        let task = tokio::spawn(async move { router.call(&session, tool, Map::new(), call).await });
        (cancel, task)
    };
    let (stop_running, running) = begin("hangs");
    until(|| RUNNING.load(Ordering::SeqCst) == 1).await;
    let (stop_waiting, waiting) = begin("hangs");
    let (_keep, other) = begin("quick");
    until(|| house.0.queue().waiting() == 2).await;
    // The queue is full: the next is refused at once, and status still answers.
    let refused = house.0.call(&house.1, "quick", Map::new(), Call::default()).await;
    assert_eq!(refused, Err(Refused::Overloaded { limit: 2 }));
    assert_eq!(kind(&call(&house, "status").await), "ok");
    stop_waiting.cancel();
    assert_eq!(kind(&waiting.await.unwrap().unwrap()), "cancelled");
    until(|| house.0.queue().waiting() == 1).await;
    assert_eq!(RUNNING.load(Ordering::SeqCst), 1, "the cancelled one never began");
    stop_running.cancel();
    assert_eq!(kind(&running.await.unwrap().unwrap()), "cancelled");
    assert_eq!(RUNNING.load(Ordering::SeqCst), 0, "the work is gone, not only its answer");
    assert_eq!(kind(&other.await.unwrap().unwrap()), "ok", "the next in the queue went on");
}

async fn until(condition: impl Fn() -> bool) {
    for _ in 0..1_000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the condition never became true");
}

#[tokio::test]
async fn progress_counts_up_and_ends_before_the_answer() {
    let house = house(&[]);
    let (sender, mut receiver) = mpsc::channel(16);
    let call = Call { progress: Some(sender), ..Call::default() };
    house.0.call(&house.1, "works", Map::new(), call).await.unwrap();
    let mut seen = Vec::new();
    assert_eq!(receiver.recv().await.map(|progress| progress.phase), Some(Phase::Begun));
    while let Some(progress) = receiver.recv().await {
        assert_eq!(progress.note.as_deref(), Some("the server is indexing"));
        seen.push(progress.done);
    }
    assert!(seen.len() >= 2, "{seen:?}");
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
}

#[tokio::test]
async fn read_only_hides_and_refuses_what_writes() {
    let house = house(&[("mcp.read_only", "true")]);
    assert!(house.0.offered().all(|(entry, _)| entry.name != "writes"));
    let outcome = call(&house, "writes").await;
    assert_eq!(kind(&outcome), "read_only");
    assert!(outcome.structured["next_steps"][0]["message"].as_str().unwrap().contains("mcp.read_only"));
}

#[tokio::test]
async fn exclude_wins_over_allow_and_allow_over_toolsets() {
    let names =
        |house: &(Arc<Router>, Session)| house.0.offered().map(|(entry, _)| entry.name).collect::<Vec<_>>();
    let only =
        house(&[("tools.allow", "quick,status"), ("tools.exclude", "status"), ("mcp.toolsets", "all")]);
    assert_eq!(names(&only), ["quick"]);
    assert_eq!(kind(&call(&only, "status").await), "not_enabled");
    let set = house(&[("mcp.toolsets", "ops")]);
    assert!(names(&set).is_empty());
}

#[test]
fn unknown_words_in_the_selection_are_errors() {
    let given = |key: &'static str, value: &str| Given {
        current_folder: env!("CARGO_MANIFEST_DIR").into(),
        flags: vec![("--test", key, value.to_owned())],
        ..Given::default()
    };
    let error =
        |key, value| Router::new(Config::load(&given(key, value)).unwrap(), TOOLS).unwrap_err().message;
    assert!(
        error("mcp.toolsets", "locl")
            .contains("`mcp.toolsets` names `locl`, which is no toolset; did you mean `local`?")
    );
    assert!(error("tools.allow", "quik").contains("did you mean `quick`?"));
}

#[tokio::test]
async fn an_unknown_tool_is_refused_with_similar_names() {
    let house = house(&[]);
    let refused = house.0.call(&house.1, "quik", Map::new(), Call::default()).await;
    assert_eq!(refused, Err(Refused::UnknownTool { name: "quik".to_owned(), similar: vec!["quick"] }));
    let arguments = json!({ "a": 1 }).as_object().cloned().unwrap();
    let outcome = house.0.call(&house.1, "quick", arguments, Call::default()).await.unwrap();
    assert_eq!(outcome.structured["error"]["data"]["kind"], "unknown_field");
}

#[tokio::test]
async fn a_tool_may_be_brief_unless_it_is_asked_for_more() {
    let budget = async |flags: &[(&'static str, &str)], arguments: Value| {
        let house = house(flags);
        let arguments = arguments.as_object().cloned().unwrap();
        let outcome = house.0.call(&house.1, "brief", arguments, Call::default()).await.unwrap();
        outcome.structured["x"].as_str().unwrap().to_owned()
    };
    assert_eq!(budget(&[], json!({})).await, "24000");
    assert_eq!(budget(&[], json!({ "max_total_chars": 90_000 })).await, "90000");
    assert_eq!(budget(&[("mcp.max_total_chars", "5000")], json!({})).await, "5000");
    let schema = (entry::<Brief>().input_schema)();
    assert_eq!(schema["properties"]["max_total_chars"]["default"], 24_000);
}

#[tokio::test]
async fn a_wait_ends_before_the_call_is_stopped() {
    let house = house(&[("mcp.tool_timeouts", "brief=8000")]);
    assert_eq!(call(&house, "brief").await.structured["wait"], "7000");
}
