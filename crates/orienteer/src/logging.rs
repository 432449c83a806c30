//! Logs: JSON lines on stderr, human lines in a file, or both. Never stdout, which belongs to the protocol.

mod python;
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
    pub shape: LogShape,
}

/// How lines and files of the log look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogShape {
    #[default]
    Ours,
    /// As Python's `logging` writes them, in files that begin with this name.
    Python { program: &'static str },
}

impl LogShape {
    fn program(self) -> &'static str {
        match self {
            Self::Ours => "orienteer",
            Self::Python { program } => program,
        }
    }

    fn files(self) -> rotate::Files {
        match self {
            Self::Ours => rotate::Files::OfFolder,
            Self::Python { .. } => rotate::Files::OfProcess,
        }
    }
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
    let file = (options.mode != LogMode::Stderr).then(|| {
        let folder =
            options.folder.as_deref().ok_or_else(|| "no log folder is known on this platform".to_owned())?;
        rotate::RotatingFile::open(folder, options.shape.program(), options.shape.files())
            .map_err(|error| format!("{}: {error}", folder.display()))
    });
    let (file, failed) = match file {
        Some(Ok(file)) => (Some(file), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    // With a file, stderr still gets the errors: they are what a person looks there for.
    let all_on_stderr = options.mode != LogMode::File || failed.is_some();
    let stderr_level = if all_on_stderr { LevelFilter::TRACE } else { LevelFilter::ERROR };
    let registry = tracing_subscriber::registry();
    let started = match options.shape {
        LogShape::Ours => {
            let stderr = fmt::layer().json().flatten_event(true).with_writer(std::io::stderr);
            let file = file.map(|file| fmt::layer().with_ansi(false).with_writer(file));
            let layers = registry.with(stderr.with_filter(stderr_level).with_filter(filter()));
            layers.with(file.map(|layer| layer.with_filter(filter()))).try_init()
        }
        LogShape::Python { .. } => {
            // Beside a file, the few lines on stderr are for a person, too.
            let lines = if all_on_stderr { python::Lines::Json } else { python::Lines::Text };
            let fields = || fmt::format::JsonFields::new();
            let stderr = fmt::layer().event_format(lines).fmt_fields(fields()).with_writer(std::io::stderr);
            let file = file.map(|file| {
                fmt::layer()
                    .event_format(python::Lines::Text)
                    .fmt_fields(fields())
                    .with_ansi(false)
                    .with_writer(file)
            });
            let layers = registry.with(stderr.with_filter(stderr_level).with_filter(filter()));
            layers.with(file.map(|layer| layer.with_filter(filter()))).try_init()
        }
    };
    if started.is_ok() && options.shape != LogShape::Ours {
        let mode = options.mode.as_str();
        let level = options.level.to_uppercase().replace("WARN", "WARNING");
        tracing::info!("Logging initialized (mode={mode}, level={level})");
    }
    if let Some(error) = failed {
        tracing::error!(error, "the log file cannot be used; logging to stderr");
    }
}
