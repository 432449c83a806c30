//! Why a formatter is not run: settings of the project that nobody but the project's own code could honour.

use std::path::{Path, PathBuf};

/// Larger files are no settings.
const LARGEST: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) file: PathBuf,
    pub(super) why: String,
}

impl Refusal {
    pub(super) fn new(file: &Path, why: impl Into<String>) -> Self {
        Self { file: file.to_owned(), why: why.into() }
    }
}

/// The text of a file of settings.
pub(super) fn read_settings(path: &Path) -> Result<String, Refusal> {
    let refuse = |why: &str| Refusal::new(path, why);
    let data = std::fs::metadata(path).map_err(|error| refuse(&format!("it cannot be read: {error}")))?;
    // Whoever reads a pipe waits until somebody writes to it.
    if !data.is_file() {
        return Err(refuse("it is no file"));
    }
    if data.len() > LARGEST {
        return Err(refuse("it is larger than settings are"));
    }
    let bytes = std::fs::read(path).map_err(|error| refuse(&format!("it cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| refuse("it is not UTF-8"))?;
    if text.starts_with('\u{feff}') { Err(refuse("it begins with a byte order mark")) } else { Ok(text) }
}
