//! How the state of a server is sent and shown.

use orienteer_engine::ServerState;
use orienteer_engine::servers::Life;
use serde_json::{Map, Value, json};

use crate::render::Row;
use crate::render::text::{bytes, visible};
use crate::tool::Ctx;

/// Servers of the contract.
pub(super) fn rows(ctx: &Ctx, states: &[ServerState]) -> Vec<Row> {
    let one = |state: &ServerState| {
        let root = ctx.session.roots().show(&state.root);
        Row::new(value(state, &root), text(state, &root))
    };
    states.iter().map(one).collect()
}

fn word(life: Life) -> &'static str {
    match life {
        Life::Starting => "starting",
        Life::Running => "running",
        Life::Crashed => "crashed",
        Life::Broken => "broken",
        Life::Stopped => "stopped",
    }
}

fn value(state: &ServerState, root: &str) -> Value {
    let mut readiness = Map::new();
    readiness.insert("state".to_owned(), json!(if state.ready { "ready" } else { "loading" }));
    readiness.insert("percent".to_owned(), json!(state.percent));
    if let Some(busy) = &state.busy_with {
        readiness.insert("busy_with".to_owned(), json!(busy));
    }
    let latency: Map<String, Value> = state
        .latency
        .iter()
        .map(|latency| {
            let figures = json!({
                "count": latency.count,
                "last_ms": latency.last_ms,
                "p50_ms": latency.p50_ms,
                "p95_ms": latency.p95_ms,
                "max_ms": latency.max_ms,
            });
            (latency.method.clone(), figures)
        })
        .collect();
    let mut value = json!({
        "server_id": state.server_id,
        "language": state.language,
        "root": root,
        "state": word(state.life),
        "readiness": readiness,
        "pid": state.pid,
        "rss_bytes": state.rss_bytes,
        "uptime_ms": state.uptime_ms,
        "generation": state.generation,
        "open_documents": state.open_documents,
        "restarts": state.restarts,
        "latency": latency,
    });
    if let Some(error) = &state.last_error {
        value["last_error"] = json!({
            "message": error.message,
            "exit_code": error.exit_code,
            "stderr_tail": error.stderr_tail,
        });
    }
    if let Some(version) = &state.version {
        value["version"] = json!(version);
    }
    value
}

fn text(state: &ServerState, root: &str) -> String {
    let mut line = format!("{} in {}: {}", visible(&state.server_id), visible(root), word(state.life));
    if state.life == Life::Running {
        line.push_str(if state.ready { ", ready" } else { ", loading" });
    }
    if let Some(percent) = state.percent.filter(|_| !state.ready) {
        line.push_str(&format!(" {percent}%"));
    }
    if let Some(busy) = &state.busy_with {
        line.push_str(&format!(" ({})", visible(busy)));
    }
    let facts = [
        state.pid.map(|pid| format!("pid {pid}")),
        state.rss_bytes.map(bytes),
        state.uptime_ms.map(|uptime| format!("up {} s", uptime / 1_000)),
        (state.restarts > 0).then(|| format!("restarts {}", state.restarts)),
    ];
    for fact in facts.into_iter().flatten() {
        line.push_str(&format!(", {fact}"));
    }
    if let Some(error) = &state.last_error {
        let code = error.exit_code.map(|code| format!(" (exit code {code})")).unwrap_or_default();
        line.push_str(&format!("\n  last error: {}{code}", visible(&error.message)));
        for text in error.stderr_tail.lines().rev().take(5).collect::<Vec<_>>().into_iter().rev() {
            line.push_str(&format!("\n  | {}", visible(text)));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use orienteer_engine::servers::{LastError, Latency};

    use super::*;

    fn state() -> ServerState {
        ServerState {
            server_id: "pyright".to_owned(),
            language: "python".to_owned(),
            root: "/w".into(),
            life: Life::Running,
            ready: false,
            busy_with: Some("Indexing".to_owned()),
            percent: Some(40),
            pid: Some(7),
            rss_bytes: Some(2048),
            uptime_ms: Some(3_500),
            generation: 2,
            open_documents: 3,
            restarts: 1,
            last_error: None,
            latency: vec![Latency {
                method: "textDocument/hover".to_owned(),
                count: 4,
                last_ms: 0.5,
                p50_ms: 1.5,
                p95_ms: 3.0,
                max_ms: 3.0,
            }],
            version: None,
        }
    }

    #[test]
    fn a_server_has_the_contracts_fields() {
        let mut state = state();
        let row = value(&state, ".");
        for field in [
            "server_id",
            "language",
            "root",
            "state",
            "readiness",
            "pid",
            "rss_bytes",
            "uptime_ms",
            "generation",
            "open_documents",
            "restarts",
            "latency",
        ] {
            assert!(row.get(field).is_some(), "{field}");
        }
        assert_eq!(row["readiness"], json!({ "state": "loading", "percent": 40, "busy_with": "Indexing" }));
        assert_eq!(
            row["latency"]["textDocument/hover"],
            json!({ "count": 4, "last_ms": 0.5, "p50_ms": 1.5, "p95_ms": 3.0, "max_ms": 3.0 })
        );
        assert!(row.get("last_error").is_none());
        state.ready = true;
        assert_eq!(value(&state, ".")["readiness"]["state"], "ready");
        for (life, expected) in [
            (Life::Starting, "starting"),
            (Life::Running, "running"),
            (Life::Crashed, "crashed"),
            (Life::Broken, "broken"),
            (Life::Stopped, "stopped"),
        ] {
            state.life = life;
            assert_eq!(value(&state, ".")["state"], expected);
        }
    }

    #[test]
    fn the_text_tells_what_it_does_and_what_went_wrong() {
        let mut state = state();
        assert_eq!(
            text(&state, "."),
            "pyright in .: running, loading 40% (Indexing), pid 7, 2.0 KiB, up 3 s, restarts 1"
        );
        state.life = Life::Broken;
        state.busy_with = None;
        state.percent = None;
        state.last_error = Some(LastError {
            message: "exited".to_owned(),
            exit_code: Some(1),
            stderr_tail: "a\nb\nc\nd\ne\nno module".to_owned(),
        });
        assert!(
            text(&state, ".")
                .ends_with("\n  last error: exited (exit code 1)\n  | b\n  | c\n  | d\n  | e\n  | no module")
        );
    }
}
