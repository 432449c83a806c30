//! `orienteer trust`: the user's word that a project's configuration may name commands and that its own programs may be run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::{Settings, out};
use crate::config::places::{self, Variables};
use crate::config::trust::TrustStore;
use crate::dialects::FILES;

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
    // Those of other systems count under their dialects.
    let files: Vec<PathBuf> = std::iter::once(places::project_file(folder))
        .chain(FILES.iter().map(|file| folder.join(file)))
        .collect();
    if !folder.is_dir() && !args.revoke {
        bail!("{} is no folder, so there is nothing to trust", folder.display());
    }
    for (at, file) in files.iter().enumerate() {
        let is_own = at == 0;
        if args.revoke {
            revoke(&mut store, file, is_own)?;
        } else if !trust(&mut store, file)? && is_own {
            store.trust(file, "")?;
            out::line(&format!(
                "{} is trusted: its own programs and what its tools are configured with may be run; a {} that appears has \
                 to be trusted by itself",
                folder.display(),
                file.strip_prefix(folder).unwrap_or(file).display()
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is said about a file that was never trusted is said about ours alone.
fn revoke(store: &mut TrustStore, file: &Path, own: bool) -> anyhow::Result<()> {
    let known = store.revoke(file)?;
    if known {
        out::line(&format!("{} is no longer trusted", file.display()))?;
    } else if own {
        out::line(&format!("{} was not trusted", file.display()))?;
    }
    Ok(())
}

/// Whether there was such a file.
fn trust(store: &mut TrustStore, file: &Path) -> anyhow::Result<bool> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error).with_context(|| format!("{} could not be read", file.display())),
    };
    store.trust(file, &text)?;
    out::line(&format!(
        "{} is trusted as it stands now; a change needs `orienteer trust` again:",
        file.display()
    ))?;
    out::line(&text)?;
    Ok(true)
}
