//! `orienteer index …`: the same tools that agents have, and a watch.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use orienteer_base::search::IndexWork;
use orienteer_base::{Cancel, ErrorKind};
use orienteer_engine::index::BuildQuery;
use serde_json::{Value, json};

use super::ask::{Args, ask};
use super::{House, block_on, out};
use crate::tools::work;

/// How often a watch looks for changes.
const OFTEN: Duration = Duration::from_millis(300);
/// Longer than any build.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show what is indexed, and how true it is
    Status {
        /// Look at every page of it
        #[arg(long)]
        verify: bool,
    },
    /// Bring the index up to date, or build it
    Build {
        /// Look again only at this file or folder
        path: Option<PathBuf>,
        /// Make everything anew
        #[arg(long)]
        full: bool,
    },
    /// Make the index smaller and faster after many changes
    Compact {
        /// Only say what it would save
        #[arg(long)]
        dry_run: bool,
    },
    /// Say which indexes of other workspaces could go; with --apply, remove them
    Gc {
        /// Remove them
        #[arg(long)]
        apply: bool,
        /// The least recently used go until no more is left
        #[arg(long, value_name = "BYTES")]
        max_bytes: Option<u64>,
        /// What nobody used for longer goes
        #[arg(long, value_name = "DAYS")]
        max_age_days: Option<u64>,
    },
    /// Remove the index of this workspace
    Clean {
        /// Only say what would go
        #[arg(long)]
        dry_run: bool,
    },
    /// List the files that indexes take on disk
    Artifacts,
    /// Keep the index up to date until interrupted
    Watch,
}

impl Command {
    /// The tool that does it; `None` for what only a person does.
    fn tool(&self, folder: &Path) -> Option<(&'static str, Value)> {
        Some(match self {
            Self::Status { verify } => ("index_status", json!({ "verify": verify })),
            Self::Build { path, full } => {
                // A person means the folder they are in, whatever the workspace is.
                let path = path.as_ref().map(|path| folder.join(path).display().to_string());
                ("build_index", json!({ "path": path, "full": full }))
            }
            Self::Compact { dry_run } => ("compact_index", json!({ "dry_run": dry_run })),
            Self::Gc { apply, max_bytes, max_age_days } => (
                "gc_cache",
                json!({ "dry_run": !apply, "max_bytes": max_bytes, "max_age_days": max_age_days }),
            ),
            Self::Clean { dry_run } => ("clean_index", json!({ "dry_run": dry_run })),
            Self::Artifacts => ("report_artifacts", json!({})),
            Self::Watch => return None,
        })
    }
}

pub(super) fn run(args: Args<Command>) -> anyhow::Result<ExitCode> {
    let settings = args.settings.or_all_tools()?.patient();
    let house = House::build(&settings, true)?;
    match args.command.tool(&settings.given().current_folder) {
        Some((tool, arguments)) => ask(&house, tool, arguments, args.json),
        None if house.session.read_only() => {
            anyhow::bail!("a watch writes to the index, and --read-only or mcp.read_only forbids that")
        }
        None => watch(&house),
    }
}

/// Builds, then brings in changes as they come. Ends when it is interrupted, or when there can be no index.
fn watch(house: &House) -> anyhow::Result<ExitCode> {
    let session = &house.session;
    block_on(async {
        let cancel = Cancel::new();
        let interrupted = tokio::signal::ctrl_c();
        tokio::pin!(interrupted);
        let query = BuildQuery { path: None, full: false, wait: LONG };
        let build = session.build_index(query, &cancel);
        tokio::pin!(build);
        let built = loop {
            tokio::select! {
                built = &mut build => break Some(built),
                _ = &mut interrupted => break None,
                () = tokio::time::sleep(OFTEN) => {
                    out::progress(&cancel.note().unwrap_or_else(|| "indexing".to_owned()));
                }
            }
        };
        out::progress_ends();
        if let Some(built) = built {
            tell(&built?)?;
            out::line("watching; interrupt to end")?;
            let mut last = None;
            loop {
                tokio::select! {
                    work = session.refresh_index(LONG, &cancel) => match work {
                        Ok(work) => {
                            last = None;
                            if work.done != "nothing" {
                                tell(&work)?;
                            }
                        }
                        Err(problem) if problem.kind == ErrorKind::NotEnabled => return Err(problem.into()),
                        // A full disk or another process; the next look may go well. Said once.
                        Err(problem) => {
                            if last.as_ref() != Some(&problem.message) {
                                out::error(&problem.message);
                            }
                            last = Some(problem.message);
                        }
                    },
                    _ = &mut interrupted => break,
                }
                tokio::select! {
                    () = tokio::time::sleep(OFTEN) => {}
                    _ = &mut interrupted => break,
                }
            }
        }
        session.shut_down().await;
        anyhow::Ok(())
    })??;
    Ok(ExitCode::SUCCESS)
}

fn tell(work: &IndexWork) -> anyhow::Result<()> {
    out::line(&work::lines(work).join("\n"))
}
