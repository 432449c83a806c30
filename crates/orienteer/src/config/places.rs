//! Where files of ours live on this platform, from a snapshot of the environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The process's environment, read once at the entry of the program.
#[derive(Clone, Default)]
pub struct Variables(BTreeMap<String, String>);

/// Values may be credentials.
impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Variables {
    /// Variables that are not UTF-8 are left out, but for ours: a token that cannot be read must not pass for none.
    /// They keep a replacement character, which no setting may hold.
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub fn of_process() -> Self {
        Self(
            std::env::vars_os()
                .filter_map(|(name, value)| {
                    let name = name.into_string().ok()?;
                    let readable = value.to_str().is_some() || name.starts_with("ORIENTEER_");
                    readable.then(|| (name, value.to_string_lossy().into_owned()))
                })
                .collect(),
        )
    }

    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// An absolute folder named by a variable. The XDG specification says to ignore relative ones.
    fn folder(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    pub fn home(&self) -> Option<PathBuf> {
        self.folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
    }

    fn place(&self, xdg: &str, unix: &str, mac: &str, windows: &str) -> Option<PathBuf> {
        let base = if let Some(folder) = self.folder(xdg) {
            folder
        } else if cfg!(target_os = "macos") {
            self.home()?.join(mac)
        } else if cfg!(windows) {
            self.folder(windows)?
        } else {
            self.home()?.join(unix)
        };
        Some(base.join("orienteer"))
    }

    /// The user's configuration file.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.get("ORIENTEER_CONFIG").map(PathBuf::from).or_else(|| {
            Some(
                self.place("XDG_CONFIG_HOME", ".config", "Library/Application Support", "APPDATA")?
                    .join("config.toml"),
            )
        })
    }

    /// The platform's folder for what must not be lost.
    fn data_home(&self) -> Option<PathBuf> {
        self.place("XDG_DATA_HOME", ".local/share", "Library/Application Support", "LOCALAPPDATA")
    }

    /// Which projects the user trusts.
    pub fn trust_file(&self) -> Option<PathBuf> {
        Some(self.data_home()?.join("trusted.toml"))
    }

    /// What changes of files can be taken back with. No clean-up of a cache may delete it, and in a folder that others
    /// can write to somebody could plant a change.
    pub fn journal_folder(&self) -> Option<PathBuf> {
        Some(self.data_home()?.join("journal"))
    }

    /// Findings and what people decided about them: no clean-up may take these away.
    pub fn triage_folder(&self) -> Option<PathBuf> {
        Some(self.data_home()?.join("triage"))
    }

    /// The platform's folder for what may be deleted at any time.
    pub fn state_folder(&self) -> Option<PathBuf> {
        self.place("XDG_STATE_HOME", ".local/state", "Library/Caches", "LOCALAPPDATA")
    }

    /// The platform's folder for what can be made again.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.place("XDG_CACHE_HOME", ".cache", "Library/Caches", "LOCALAPPDATA")
    }

    /// The user's file of names and passwords of hosts, as git and curl read it.
    pub fn netrc_file(&self) -> Option<PathBuf> {
        let usual = if cfg!(windows) { "_netrc" } else { ".netrc" };
        self.folder("NETRC").or_else(|| Some(self.home()?.join(usual)))
    }

    /// The platform's folder for logs.
    pub fn log_folder(&self) -> Option<PathBuf> {
        Some(self.place("XDG_STATE_HOME", ".local/state", "Library/Logs", "LOCALAPPDATA")?.join("logs"))
    }
}

/// The project's configuration file.
pub fn project_file(workspace: &Path) -> PathBuf {
    workspace.join(".orienteer").join("config.toml")
}
