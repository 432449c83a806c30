//! Commands that call one tool each: the same tools that agents have.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::{House, Settings, block_on, out};
use crate::render::Outcome;
use crate::router::{Call, Phase, Refused};

/// What a group of such commands takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args<C: Subcommand> {
    #[command(subcommand)]
    pub(super) command: C,
    /// Print the structured result instead of the text
    #[arg(long, global = true)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) settings: Settings,
}

/// Calls a tool, saying on a terminal how far it is, and prints its answer.
pub(super) fn ask(house: &House, tool: &str, arguments: Value, json: bool) -> anyhow::Result<ExitCode> {
    let mut arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    arguments.retain(|_, value| !value.is_null());
    let (sender, mut receiver) = mpsc::channel(16);
    let outcome: Result<Outcome, Refused> = block_on(async {
        let call = Call { progress: Some(sender), ..Call::default() };
        let tell = async {
            while let Some(progress) = receiver.recv().await {
                if progress.phase != Phase::UnderWay {
                    continue;
                }
                out::progress(&progress.note.unwrap_or_else(|| format!("{} files", progress.done)));
            }
            out::progress_ends();
        };
        let (outcome, ()) = tokio::join!(house.router.call(&house.session, tool, arguments, call), tell);
        house.session.shut_down().await;
        outcome
    })?;
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(refused) => anyhow::bail!("{tool} was refused: {refused:?}"),
    };
    if json {
        out::line(&serde_json::to_string_pretty(&outcome.structured)?)?;
    } else {
        out::line(&outcome.text)?;
    }
    Ok(if outcome.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
