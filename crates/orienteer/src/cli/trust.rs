//! `orienteer trust`: the user's word that a project's configuration may name commands.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::{Settings, out};
use crate::config::places::{self, Variables};
use crate::config::trust::TrustStore;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Project folder [default: the workspace root]
    folder: Option<PathBuf>,
    /// Take the trust back
    #[arg(long, conflicts_with = "list")]
    revoke: bool,
    /// List what is trusted
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    settings: Settings,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let variables = Variables::of_process();
    let mut store = TrustStore::load(variables.trust_file())?;
    if args.list {
        for path in store.list() {
            out::line(path)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let folder = args.folder.as_deref().or(args.settings.workspace_root.as_deref()).unwrap_or(Path::new("."));
    let file = places::project_file(folder);
    if args.revoke {
        let known = store.revoke(&file)?;
        out::line(&if known {
            format!("{} is no longer trusted", file.display())
        } else {
            format!("{} was not trusted", file.display())
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("{} does not exist, so there is nothing to trust", file.display())
        }
        Err(error) => return Err(error).with_context(|| format!("{} could not be read", file.display())),
    };
    store.trust(&file, &text)?;
    out::line(&format!(
        "{} is trusted as it stands now; a change needs `orienteer trust` again:",
        file.display()
    ))?;
    out::line(&text)?;
    Ok(ExitCode::SUCCESS)
}
