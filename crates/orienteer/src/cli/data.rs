//! `orienteer data …` and `orienteer bootstrap`: data files that a person asks for, and what is here.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use orienteer_base::{Cancel, Digest, Problem};
use orienteer_engine::Session;
use orienteer_engine::bootstrap::{Bootstrap, BootstrapQuery};
use orienteer_engine::data::{Fault, Kind, Order, Verified};

use super::{House, Settings, block_on, out};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fetch a file or an archive into the cache; what is there already is not fetched again
    Fetch {
        kind: KindWord,
        /// What it is called from now on
        name: String,
        /// Where it is: https://…
        url: String,
        /// The SHA-256 that its author publishes; anything else is refused
        #[arg(long, value_name = "HEX")]
        sha256: String,
        /// It is a .zip or .tar.gz whose files are wanted
        #[arg(long)]
        unpack: bool,
    },
    /// Compare everything that was fetched with what it was
    Verify,
    /// Forget something that was fetched
    Remove { kind: KindWord, name: String },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindWord {
    Model,
    Dictionary,
    Extension,
}

impl From<KindWord> for Kind {
    fn from(word: KindWord) -> Self {
        match word {
            KindWord::Model => Self::Model,
            KindWord::Dictionary => Self::Dictionary,
            KindWord::Extension => Self::Extension,
        }
    }
}

/// What is here and what is missing.
#[derive(Debug, clap::Args)]
pub(super) struct BootstrapArgs {
    /// Look only; build nothing
    #[arg(long)]
    skip_index: bool,
    #[command(flatten)]
    settings: Settings,
}

/// What a command has to say, and whether all is well.
type Told = Result<(Vec<String>, bool), Problem>;

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let house = House::build(&args.settings, true)?;
    let cancel = Cancel::new();
    let told = match args.command {
        Command::Fetch { kind, name, url, sha256, unpack } => {
            let Some(sha256) = Digest::parse(&sha256) else {
                anyhow::bail!("`{sha256}` is not a SHA-256 of 64 hexadecimal digits");
            };
            let order = Order { kind: kind.into(), name, url, sha256, unpack };
            block_on(watched(&cancel, fetch(&house.session, &order, &cancel)))?
        }
        Command::Verify => block_on(verify(&house.session, &cancel))?,
        Command::Remove { kind, name } => block_on(async {
            let removed = house.session.remove_data(kind.into(), &name, &cancel).await?;
            let line = if removed { format!("removed {name}") } else { format!("{name} was not there") };
            Ok((vec![line], removed))
        })?,
    };
    tell(told)
}

pub(super) fn bootstrap(args: BootstrapArgs) -> anyhow::Result<ExitCode> {
    let house = House::build(&args.settings.patient(), true)?;
    let cancel = Cancel::new();
    let query = BootstrapQuery { build_index: !args.skip_index, wait: Duration::from_secs(24 * 60 * 60) };
    let told = block_on(async {
        let done = watched(&cancel, house.session.bootstrap(query, &cancel)).await;
        house.session.shut_down().await;
        done.map(|done| found(&done))
    })?;
    tell(told)
}

/// Shows meanwhile what the work says.
async fn watched<T>(cancel: &Cancel, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => {
                out::progress_ends();
                return done;
            }
            () = tokio::time::sleep(Duration::from_millis(100)) => {
                if let Some(note) = cancel.note() {
                    out::progress(&note);
                }
            }
        }
    }
}

async fn fetch(session: &Session, order: &Order, cancel: &Cancel) -> Told {
    let delivery = session.fetch_data(order, cancel).await?;
    let bytes: u64 = delivery.record.files.values().map(|file| file.bytes).sum();
    let how = if delivery.received == 0 { "was there already" } else { "fetched" };
    let mut lines = vec![format!(
        "{} {how}: {} files, {bytes} bytes, in {}",
        order.name,
        delivery.record.files.len(),
        delivery.folder.display()
    )];
    if order.kind == Kind::Model {
        lines.push(format!("To use it: index.model = \"{}\"", delivery.folder.display()));
    }
    Ok((lines, true))
}

async fn verify(session: &Session, cancel: &Cancel) -> Told {
    let all = session.verify_data(cancel).await?;
    let sound = all.iter().all(|one| one.faults.is_empty());
    let mut lines: Vec<String> = all.iter().flat_map(faults).collect();
    if lines.is_empty() {
        lines.push("nothing was fetched yet".to_owned());
    }
    Ok((lines, sound))
}

fn faults(verified: &Verified) -> Vec<String> {
    let name = format!("{}/{}", verified.kind.folder(), verified.name);
    if verified.faults.is_empty() {
        return vec![format!("{name}: as it was fetched")];
    }
    let one = |fault: &Fault| match fault {
        Fault::Missing { path } => format!("{name}: {path} is missing"),
        Fault::Changed { path } => format!("{name}: {path} was changed"),
        Fault::Added { path } => format!("{name}: {path} was not part of it"),
        Fault::NoRecord { reason } => {
            format!("{name}: what was fetched is not known ({reason}); fetch it again")
        }
    };
    verified.faults.iter().map(one).collect()
}

fn found(done: &Bootstrap) -> (Vec<String>, bool) {
    let mut extensions: Vec<(&String, &usize)> = done.extensions.iter().collect();
    extensions.sort_by_key(|(_, files)| std::cmp::Reverse(**files));
    let most: Vec<String> =
        extensions.iter().take(10).map(|(name, files)| format!("{files} .{name}")).collect();
    let mut lines = vec![format!("files: {}", most.join(", "))];
    for server in &done.servers {
        lines.push(match &server.program {
            Ok(path) => format!("server {}: {path}, for {} files", server.id, server.files),
            Err(_) => format!("server {}: not installed, for {} files", server.id, server.files),
        });
    }
    let mut well = true;
    match &done.index {
        None => {}
        Some(Ok(work)) => {
            let counts: Vec<String> =
                work.counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
            lines.push(format!("index: {}, {}", work.done, counts.join(", ")));
        }
        Some(Err(problem)) => {
            well = false;
            lines.push(format!("index: {}", problem.message));
        }
    }
    lines.extend(done.data.iter().flat_map(faults));
    let warning = |warning: &orienteer_engine::bootstrap::ConfigWarning| {
        format!("warning {}: {}", warning.kind.as_str(), warning.message)
    };
    lines.extend(done.warnings.iter().map(warning));
    (lines, well)
}

fn tell(told: Told) -> anyhow::Result<ExitCode> {
    match told {
        Ok((lines, well)) => {
            out::line(&lines.join("\n"))?;
            Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Err(problem) => {
            out::error(&problem.message);
            Ok(ExitCode::FAILURE)
        }
    }
}
