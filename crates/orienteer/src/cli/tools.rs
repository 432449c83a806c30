//! `orienteer tools`.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::{Map, Value, json};

use super::{House, Settings, Spoken, out};
use crate::docs;
use crate::server::describe;
use crate::tool::Entry;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Show only this tool, with every argument
    name: Option<String>,
    /// Print what `tools/list` answers
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    spoken: Spoken,
    #[command(flatten)]
    settings: Settings,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let settings = args.settings.clone().speaking(&args.spoken);
    let settings = if args.name.is_some() { settings.or_all_tools()? } else { settings };
    let house = House::build(&settings, true)?;
    let tools: Vec<(&Entry, &Map<String, Value>)> = house
        .router
        .offered()
        .filter(|(entry, _)| args.name.as_deref().is_none_or(|name| name == entry.name))
        .collect();
    if tools.is_empty() {
        bail!(
            "there is no tool `{}`; `orienteer tools` lists them",
            args.name.as_deref().unwrap_or_default()
        );
    }
    if args.json {
        let tools: Vec<_> = tools.iter().map(|(entry, schema)| describe(entry, schema)).collect();
        out::line(&serde_json::to_string_pretty(&json!({ "tools": tools }))?)?;
    } else {
        let native = house.router.dialect().is_native();
        for (entry, schema) in tools {
            // Only native tools come in sets.
            let set = if native { format!("{:<8} ", entry.toolset.as_str()) } else { String::new() };
            out::line(&format!("{:<24} {set}{}", entry.name, entry.description))?;
            if args.name.is_some() {
                out::line(&arguments(schema))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One line per argument.
fn arguments(schema: &Map<String, Value>) -> String {
    let lines = docs::arguments(schema).into_iter().map(|argument| {
        let docs::Argument { name, kind, default, meaning } = argument;
        let default = match default.as_str() {
            "" => String::new(),
            "required" => ", required".to_owned(),
            value => format!(", default {}", value.trim_matches('`')),
        };
        format!("  {name}: {kind}{default}  {meaning}").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}
