//! `orienteer demo`: a real session with a real server process, shown step by step, and the configuration
//! to paste into a client.

mod client;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use orienteer_base::Language;
use orienteer_engine::process::{Environment, Launcher, ProcessSpec, ReaperCommand};
use serde_json::{Value, json};

use super::{Settings, block_on, out, this_program};
use crate::config::Config;
use client::Client;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    settings: Settings,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let given = args.settings.given();
    let config = Config::load(&given)?;
    let root = config.roots.workspace().to_owned();
    let program = this_program()?;
    let environment = Environment::from_pairs(given.variables.iter());
    let spec = ProcessSpec::new(&program, &root, environment)
        .args(["mcp", "--toolsets", "all", "--log-level", "error", "--workspace-root"])
        .arg(root.clone());
    block_on(session(&program, &root, &spec))??;
    Ok(ExitCode::SUCCESS)
}

async fn session(program: &Path, root: &Path, spec: &ProcessSpec) -> anyhow::Result<()> {
    let launcher = Launcher::new(ReaperCommand::new(program).arg("__reaper"));
    let begun = Instant::now();
    let mut client = Client::start(&launcher, spec)?;
    let hello = client
        .request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "orienteer-demo", "version": env!("CARGO_PKG_VERSION") },
            }),
        )
        .await?;
    client.notify("notifications/initialized").await?;
    step("initialize", &format!("{}", root.display()))?;
    out::line(&format!(
        "{} {}, protocol {}, answered {} ms after the process was started",
        text(&hello, "/serverInfo/name"),
        text(&hello, "/serverInfo/version"),
        text(&hello, "/protocolVersion"),
        begun.elapsed().as_millis()
    ))?;

    let list = client.request("tools/list", json!({})).await?;
    step("tools/list", "")?;
    let names: Vec<&str> =
        list["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    out::line(&format!(
        "{} tools in {} characters: {}",
        names.len(),
        list.to_string().len(),
        names.join(", ")
    ))?;

    show(&mut client, "list_tree", json!({ "depth": 1, "entries_per_page": 12 })).await?;
    let search = json!({ "pattern": r"\b(fn|def|func|function|int|void) main\b", "files_per_page": 3, "matches_per_file": 1 });
    let found = show(&mut client, "search_code", search).await?;
    if let Some(file) = found.pointer("/structuredContent/files/0") {
        let path = file["file_path"].as_str().unwrap_or_default();
        let line = file.pointer("/matches/0/line").and_then(Value::as_u64).unwrap_or(1);
        let part = json!({ "file_path": path, "start_line": line, "end_line": line + 7 });
        show(&mut client, "read_file", part).await?;
        if let Some((language, pattern)) = pattern_for(Path::new(path)) {
            let structure = json!({ "pattern": pattern, "language": language, "max_results": 3 });
            show(&mut client, "search_structure", structure).await?;
        }
    }
    let several = json!({ "calls": [
        { "tool": "find_files", "arguments": { "names": ["*.md"], "files_per_page": 3 } },
        { "tool": "read_file", "arguments": { "file_path": "no/such/file" } },
    ] });
    show(&mut client, "batch", several).await?;
    client.stop(Duration::from_secs(5)).await?;
    configuration(program, root)
}

/// A pattern that most programs of a language contain.
fn pattern_for(path: &Path) -> Option<(&'static str, &'static str)> {
    let language = Language::by_path(path)?.id;
    let pattern = match language {
        "rust" => "if let Some($NAME) = $VALUE { $$$BODY }",
        "python" => "def $NAME($$$ARGUMENTS): $$$BODY",
        "javascript" | "typescript" | "tsx" => "function $NAME($$$ARGUMENTS) { $$$BODY }",
        "go" => "if err != nil { $$$BODY }",
        "c" | "cpp" => "if ($CONDITION) { $$$BODY }",
        _ => return None,
    };
    Some((language, pattern))
}

fn step(method: &str, arguments: &str) -> anyhow::Result<()> {
    out::line(&format!("\n▶ {method} {arguments}"))
}

async fn show(client: &mut Client, tool: &str, arguments: Value) -> anyhow::Result<Value> {
    step(tool, &arguments.to_string())?;
    let begun = Instant::now();
    let result = client.request("tools/call", json!({ "name": tool, "arguments": arguments })).await?;
    let took = begun.elapsed();
    let answer = text(&result, "/content/0/text");
    for line in answer.lines().take(24) {
        let clipped: String = line.chars().take(150).collect();
        out::line(&format!("  {clipped}"))?;
    }
    let structured = &result["structuredContent"];
    let state = structured.pointer("/completeness/state").and_then(Value::as_str);
    let state = state.map(|state| format!(", {state}")).unwrap_or_default();
    out::line(&format!("  ({:.1} ms{state})", took.as_secs_f64() * 1000.0))?;
    Ok(result)
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn configuration(program: &Path, root: &Path) -> anyhow::Result<()> {
    let (program, root) = (program.display().to_string(), root.display().to_string());
    let json = json!({ "mcpServers": { "orienteer": { "command": program, "args": ["mcp", "--workspace-root", root] } } });
    out::line(
        "\n▶ To use it, paste into the configuration of a client that reads JSON (Claude Code, Cursor, VS Code, …):",
    )?;
    out::line(&serde_json::to_string_pretty(&json)?)?;
    out::line("\nor into ~/.codex/config.toml:")?;
    out::line(&format!(
        "[mcp_servers.orienteer]\ncommand = {}\nargs = [\"mcp\", \"--context\", \"codex\", \"--workspace-root\", {}]",
        json!(program),
        json!(root)
    ))
}
