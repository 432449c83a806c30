//! `orienteer call TOOL JSON`: the router, without a protocol around it.

use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::{Map, Value};

use super::{House, Settings, Spoken, block_on, out};
use crate::router::{Call, Refused};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name of the tool
    tool: String,
    /// Arguments as a JSON object; `-` reads them from standard input
    #[arg(default_value = "{}")]
    arguments: String,
    /// Print the structured result instead of the text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    spoken: Spoken,
    #[command(flatten)]
    settings: Settings,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let settings = args.settings.speaking(&args.spoken).or_all_tools()?;
    let text = if args.arguments == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("the arguments could not be read from standard input")?;
        text
    } else {
        args.arguments
    };
    let arguments: Map<String, Value> = serde_json::from_str(&text).with_context(|| {
        format!("the arguments of {} must be a JSON object such as '{{\"path\": \"src\"}}'", args.tool)
    })?;
    let house = House::build(&settings, true)?;
    let outcome = block_on(async {
        let outcome = house.router.call(&house.session, &args.tool, arguments, Call::default()).await;
        // Servers that the call started are told to go before we do.
        house.session.shut_down().await;
        if let Some(elsewhere) = house.router.elsewhere() {
            elsewhere.shut_down().await;
        }
        outcome
    })?;
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(Refused::UnknownTool { name, similar }) if similar.is_empty() => {
            bail!("there is no tool `{name}`; `orienteer tools` lists them")
        }
        Err(Refused::UnknownTool { name, similar }) => {
            bail!("there is no tool `{name}`; did you mean {}?", similar.join(" or "))
        }
        Err(Refused::Overloaded { limit }) => bail!("{limit} calls are waiting already"),
    };
    if args.json {
        out::line(&serde_json::to_string_pretty(&outcome.structured)?)?;
    } else {
        out::line(&outcome.text)?;
    }
    Ok(if outcome.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
