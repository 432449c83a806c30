//! `orienteer triage …`: the same tools that agents have.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use serde_json::{Map, Value, json};

use super::House;
use super::ask::{Args, ask};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List findings and where they stand, worst first
    List {
        /// open, expired, decided, closed, all
        #[arg(long, default_value = "open")]
        state: String,
        /// Part of a package's name
        #[arg(long)]
        package: Option<String>,
        /// critical, high, medium, low, info, unknown
        #[arg(long, value_delimiter = ',')]
        severity: Vec<String>,
        #[arg(long)]
        service: Option<String>,
        /// Who reported it
        #[arg(long)]
        source: Option<String>,
        /// How many
        #[arg(long, short = 'n', value_name = "N")]
        max_results: Option<usize>,
        /// Words that must stand in it
        query: Vec<String>,
    },
    /// Show one finding with its history
    Show {
        /// Its id, or that of a vulnerability
        finding: String,
    },
    /// Take in a report of a scanner
    Ingest {
        /// JSON or JSON Lines
        file: PathBuf,
        /// auto, dependabot, aws_inspector, sarif, osv, npm_audit, cargo_audit, pip_audit, generic
        #[arg(long, default_value = "auto")]
        source: String,
        /// Said of all findings: service=web, environment=prod, team, owner, repo, others
        #[arg(long, value_name = "NAME=VALUE")]
        meta: Vec<String>,
        /// Keep each item as it came, too
        #[arg(long)]
        keep_raw: bool,
        /// Only say what would be written
        #[arg(long)]
        dry_run: bool,
    },
    /// Decide about a finding
    Decide {
        finding: String,
        /// fix, accept, defer, false_positive, not_affected
        status: String,
        /// Why it is not affected, in the words of VEX
        #[arg(long, value_delimiter = ',')]
        code: Vec<String>,
        #[arg(long)]
        justification: Option<String>,
        #[arg(long)]
        reviewer: Option<String>,
        /// Until when it holds: 2030-12-31
        #[arg(long)]
        expires: Option<String>,
        /// A link, a path, an id
        #[arg(long)]
        evidence: Vec<String>,
        #[arg(long, value_name = "NAME=VALUE")]
        meta: Vec<String>,
    },
    /// Gather what the repository says about a finding
    Pack {
        finding: String,
        /// Write JSON and Markdown there: a file or a folder of the workspace
        #[arg(long, value_name = "PATH")]
        output: Option<PathBuf>,
        /// Write them beside the records
        #[arg(long)]
        write: bool,
    },
}

impl Command {
    fn tool(&self, folder: &Path) -> anyhow::Result<(&'static str, Value)> {
        // A person means the folder they are in, whatever the workspace is.
        let here = |path: &PathBuf| folder.join(path).display().to_string();
        Ok(match self {
            Self::List { state, package, severity, service, source, max_results, query } => (
                "triage_list",
                json!({
                    "state": state,
                    "package": package,
                    "severities": severity,
                    "service": service,
                    "source": source,
                    "query": (!query.is_empty()).then(|| query.join(" ")),
                    "max_results": max_results,
                }),
            ),
            Self::Show { finding } => ("triage_list", json!({ "finding": finding })),
            Self::Ingest { file, source, meta, keep_raw, dry_run } => (
                "triage_ingest",
                json!({
                    "input_path": here(file),
                    "source": source,
                    "meta": pairs(meta)?,
                    "keep_raw": keep_raw,
                    "dry_run": dry_run,
                }),
            ),
            Self::Decide { finding, status, code, justification, reviewer, expires, evidence, meta } => (
                "triage_decide",
                json!({
                    "finding": finding,
                    "status": status,
                    "codes": code,
                    "justification": justification,
                    "reviewer": reviewer,
                    "expires": expires,
                    "evidence": evidence,
                    "meta": pairs(meta)?,
                }),
            ),
            Self::Pack { finding, output, write } => (
                "triage_context_pack",
                json!({ "finding": finding, "output_path": output.as_ref().map(here), "write": write }),
            ),
        })
    }
}

fn pairs(written: &[String]) -> anyhow::Result<Map<String, Value>> {
    written
        .iter()
        .map(|pair| {
            let (name, value) =
                pair.split_once('=').with_context(|| format!("`{pair}` is not NAME=VALUE"))?;
            Ok((name.trim().to_owned(), json!(value)))
        })
        .collect()
}

pub(super) fn run(args: Args<Command>) -> anyhow::Result<ExitCode> {
    let settings = args.settings.or_all_tools()?.patient();
    let house = House::build(&settings, true)?;
    let (tool, arguments) = args.command.tool(&settings.given().current_folder)?;
    ask(&house, tool, arguments, args.json)
}
