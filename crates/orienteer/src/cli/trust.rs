//! `orienteer trust`: the user's word that what a project names may be run.
//!
//! What that is stands on the screen before the question. An agent has a shell too, so nobody is asked, and nothing is
//! trusted, where no person sits at the terminal, unless the command says `--yes`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use orienteer_base::Cancel;
use orienteer_engine::exposure::Exposure;
use orienteer_engine::process::Environment;

use super::{Settings, block_on, out};
use crate::config::Config;
use crate::config::layers::{is_within, read_optional};
use crate::config::places::{self, Variables};
use crate::config::trust::TrustStore;
use crate::dialects::FILES;
use crate::render::shown;

/// More lines than this nobody reads before a question.
const MOST_LINES: usize = 200;

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
    /// Do not ask
    #[arg(long, short, conflicts_with_all = ["list", "revoke"])]
    yes: bool,
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
    let texts = if args.revoke {
        Vec::new()
    } else {
        files.iter().map(|file| project_text(file, folder)).collect::<anyhow::Result<Vec<_>>>()?
    };
    if !args.revoke && !is_agreed(args, folder, &files, &texts)? {
        return Ok(ExitCode::from(2));
    }
    for (at, file) in files.iter().enumerate() {
        let is_own = at == 0;
        if args.revoke {
            revoke(&mut store, file, is_own)?;
        } else if !trust(&mut store, file, texts.get(at).and_then(Option::as_deref))? && is_own {
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

/// Shows what would run and asks whether it may.
fn is_agreed(
    args: &Args,
    folder: &Path,
    files: &[PathBuf],
    texts: &[Option<String>],
) -> anyhow::Result<bool> {
    for line in would_run(args, folder)? {
        out::line(&line)?;
    }
    for (file, text) in files.iter().zip(texts) {
        if let Some(text) = text {
            out::line(&format!("{} says:", shown(&file.display().to_string())))?;
            for line in text.lines().take(MOST_LINES) {
                out::line(&format!("    | {}", shown(line)))?;
            }
            if text.lines().nth(MOST_LINES).is_some() {
                out::line(&format!(
                    "    … only the first {MOST_LINES} lines are shown; read the rest before you agree"
                ))?;
            }
        }
    }
    if args.yes {
        return Ok(true);
    }
    // Whoever answers must see what the question is about.
    if !std::io::stdin().is_terminal() || !out::is_terminal() {
        let message = "nothing was changed: this is for a person to decide, who has to run it in a terminal";
        out::line(message)?;
        return Ok(false);
    }
    let whole = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    out::line(&format!("Trust {} so that this may run? [y/N]", shown(&whole.display().to_string())))?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    let agreed = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if !agreed {
        out::line("nothing was changed")?;
    }
    Ok(agreed)
}

/// What a file of the project says, if it is one of the project's: a link in it may lead to whatever the user can read.
fn project_text(file: &Path, folder: &Path) -> anyhow::Result<Option<String>> {
    if !is_within(file, folder) {
        let file = file.display().to_string();
        out::line(&format!("{} is a link that leads out of the project; it is left out", shown(&file)))?;
        return Ok(None);
    }
    Ok(read_optional(file)?)
}

/// What trust would let run, a line each.
fn would_run(args: &Args, folder: &Path) -> anyhow::Result<Vec<String>> {
    let settings = Settings { workspace_root: Some(folder.to_path_buf()), ..args.settings.clone() };
    let given = settings.given();
    let config = Config::load(&given)?;
    let session = super::session(&config, Environment::from_pairs(given.variables.iter()))?;
    let exposures = block_on(async { session.exposures(&Cancel::new()).await })??;
    let mut lines = vec![if exposures.is_empty() {
        "nothing is known here that trust would let run; what appears later would be covered".to_owned()
    } else {
        "trust would let run:".to_owned()
    }];
    lines.extend(exposures.iter().map(|exposure| shown(&exposure_line(exposure)).into_owned()));
    Ok(lines)
}

/// One way in which code of a project is run, for a person.
pub(super) fn exposure_line(exposure: &Exposure) -> String {
    let more = if exposure.more > 0 { format!(" and {} more", exposure.more) } else { String::new() };
    format!("  {}{more}: {} (by {})", exposure.files.join(", "), exposure.runs, exposure.by)
}

/// What is said about a file that was never trusted is said about ours alone.
fn revoke(store: &mut TrustStore, file: &Path, own: bool) -> anyhow::Result<()> {
    let known = store.revoke(file)?;
    if known {
        out::line(&format!(
            "{} is no longer trusted; sessions that run were told otherwise when they started: end them",
            file.display()
        ))?;
    } else if own {
        out::line(&format!("{} was not trusted", file.display()))?;
    }
    Ok(())
}

/// Trusts what was shown of a file, whatever it says by now. Whether there was such a file.
fn trust(store: &mut TrustStore, file: &Path, text: Option<&str>) -> anyhow::Result<bool> {
    let Some(text) = text else { return Ok(false) };
    store.trust(file, text)?;
    out::line(&format!(
        "{} is trusted as it stands now; a change needs `orienteer trust` again",
        file.display()
    ))?;
    Ok(true)
}
