//! `orienteer tools`.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::{Map, Value, json};

use super::{House, Settings, out};
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
    settings: Settings,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let settings = args.settings.clone();
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
        for (entry, schema) in tools {
            out::line(&format!("{:<20} {:<8} {}", entry.name, entry.toolset.as_str(), entry.description))?;
            if args.name.is_some() {
                out::line(&arguments(schema))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One line per argument.
fn arguments(schema: &Map<String, Value>) -> String {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let lines = properties.into_iter().flatten().map(|(name, property)| {
        let text = |key: &str| {
            property.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let mut notes = Vec::new();
        if required.contains(&name.as_str()) {
            notes.push("required".to_owned());
        }
        notes.extend(text("default").map(|value| format!("default {value}")));
        notes.extend(text("minimum").map(|value| format!("from {value}")));
        notes.extend(text("maximum").map(|value| format!("to {value}")));
        let kind = property.get("enum").map_or_else(
            || text("type").unwrap_or_default(),
            |legal| {
                legal.as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join("|")
            },
        );
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        format!("  {name}: {kind}{notes}  {}", text("description").unwrap_or_default())
    });
    lines.collect::<Vec<_>>().join("\n")
}
