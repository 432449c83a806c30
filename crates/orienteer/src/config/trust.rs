//! Which projects the user trusts.
//!
//! Trust is given to a configuration file as it stood when the user looked at it: its hash is stored, and a
//! changed file has to be trusted again. One that is not there stands as an empty one, so that a project without a
//! configuration can be trusted, and not with whatever appears in it later. The list lives in the user's data folder, where no project can
//! write it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::layers::{ConfigError, read_optional};
use orienteer_base::private;

/// The list: canonical path of the project's file to the hash of its content.
#[derive(Debug, Default)]
pub struct TrustStore {
    file: Option<PathBuf>,
    trusted: BTreeMap<String, String>,
}

impl TrustStore {
    /// `file` is `None` where the platform names no data folder; then nothing is trusted.
    pub fn load(file: Option<PathBuf>) -> Result<Self, ConfigError> {
        let Some(path) = &file else { return Ok(Self::default()) };
        let trusted = read(path)?;
        Ok(Self { file, trusted })
    }

    pub fn is_trusted(&self, project_file: &Path, content: &str) -> bool {
        let hash = hash(content);
        key(project_file).is_some_and(|key| self.trusted.get(&key) == Some(&hash))
    }

    pub fn trust(&mut self, project_file: &Path, content: &str) -> Result<(), ConfigError> {
        let key = key(project_file)
            .ok_or_else(|| ConfigError::new(format!("{} lies in no folder", project_file.display())))?;
        self.change(|trusted| {
            trusted.insert(key, hash(content));
        })
    }

    /// Whether there was anything to revoke. The file itself may be gone.
    pub fn revoke(&mut self, project_file: &Path) -> Result<bool, ConfigError> {
        let key = key(project_file);
        self.change(|trusted| key.is_some_and(|key| trusted.remove(&key).is_some()))
    }

    pub fn list(&self) -> impl Iterator<Item = &str> {
        self.trusted.keys().map(String::as_str)
    }

    /// Changes the list as it is now, which somebody else may have changed since it was read, one at a time. Written beside
    /// and renamed over, so that a crash leaves the old list or the new one.
    fn change<T>(
        &mut self,
        change: impl FnOnce(&mut BTreeMap<String, String>) -> T,
    ) -> Result<T, ConfigError> {
        let Some(path) = &self.file else {
            return Err(ConfigError::new("no data folder is known: set HOME or XDG_DATA_HOME"));
        };
        let failed = |error: std::io::Error| {
            ConfigError::new(format!("{} could not be written: {error}", path.display()))
        };
        if let Some(folder) = path.parent() {
            private::folder(folder).map_err(failed)?;
        }
        // It is let go when this ends, and by the kernel when the process does.
        let lock = private::create(&path.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        self.trusted = read(path)?;
        let changed = change(&mut self.trusted);
        let text = toml::to_string(&self.trusted)
            .map_err(|error| ConfigError::new(format!("the trust list could not be written: {error}")))?;
        let staged = path.with_extension(format!("toml.{}", std::process::id()));
        private::write(&staged, text.as_bytes()).map_err(failed)?;
        std::fs::rename(&staged, path).map_err(failed)?;
        Ok(changed)
    }
}

fn read(path: &Path) -> Result<BTreeMap<String, String>, ConfigError> {
    let Some(text) = read_optional(path)? else { return Ok(BTreeMap::new()) };
    toml::from_str(&text).map_err(|error| {
        ConfigError::new(format!(
            "{} is damaged ({}); delete it and run `orienteer trust` again",
            path.display(),
            error.message()
        ))
    })
}

/// What names a file, there or not: the project's folder and where in it the file lies. A link in the project that leads to
/// the file of another one is not that file: its trust cannot be borrowed.
fn key(project_file: &Path) -> Option<String> {
    let is_hidden = |folder: &Path| {
        folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.') && name != "..")
    };
    let within = project_file.parent()?;
    let project = if is_hidden(within) { within.parent()? } else { within };
    // Where the project is gone as well, what is left of the folders around it names it.
    project.ancestors().find_map(|around| {
        let rest = project_file.strip_prefix(around).ok()?;
        let around = if around.as_os_str().is_empty() { Path::new(".") } else { around };
        Some(std::fs::canonicalize(around).ok()?.join(rest).display().to_string())
    })
}

fn hash(content: &str) -> String {
    blake3::hash(content.as_bytes()).to_hex().to_string()
}
