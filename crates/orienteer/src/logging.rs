//! Logs: JSON lines on stderr, human lines in a file, or both. Never stdout, which belongs to the protocol.

mod rotate;

use std::path::PathBuf;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::config::LogMode;

/// What the configuration says about logs.
#[derive(Debug, Clone)]
pub struct LogOptions {
    pub mode: LogMode,
    pub level: String,
    /// `RUST_LOG`, which overrides the level.
    pub filter: Option<String>,
    pub folder: Option<PathBuf>,
}

/// Starts logging for the process. A folder that cannot be written falls back to stderr and says so: a log
/// is no reason not to work.
pub fn start(options: &LogOptions) {
    let filter = || match &options.filter {
        Some(filter) => EnvFilter::builder().parse_lossy(filter),
        None => {
            // rmcp reports every message at this level; ours reports every call.
            EnvFilter::builder().parse_lossy(format!("{},rmcp=warn", options.level))
        }
    };
    let stderr = || fmt::layer().json().flatten_event(true).with_writer(std::io::stderr);
    let file = (options.mode != LogMode::Stderr).then(|| {
        let folder =
            options.folder.as_deref().ok_or_else(|| "no log folder is known on this platform".to_owned())?;
        rotate::RotatingFile::open(folder).map_err(|error| format!("{}: {error}", folder.display()))
    });
    let mut failed = None;
    let file = match file {
        Some(Ok(file)) => Some(fmt::layer().with_ansi(false).with_writer(file)),
        Some(Err(error)) => {
            failed = Some(error);
            None
        }
        None => None,
    };
    // With a file, stderr still gets the errors: they are what a person looks there for.
    let all_on_stderr = options.mode != LogMode::File || failed.is_some();
    let stderr_level = if all_on_stderr { LevelFilter::TRACE } else { LevelFilter::ERROR };
    let _ = tracing_subscriber::registry()
        .with(stderr().with_filter(stderr_level).with_filter(filter()))
        .with(file.map(|layer| layer.with_filter(filter())))
        .try_init();
    if let Some(error) = failed {
        tracing::error!(error, "the log file cannot be used; logging to stderr");
    }
}
