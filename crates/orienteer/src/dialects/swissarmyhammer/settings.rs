//! SwissArmyHammer's `config.yaml`, in our words: the project's laid over the user's.

use std::path::{Path, PathBuf};

use orienteer_base::answer::Warning;
use orienteer_engine::catalog;
use orienteer_engine::servers::Definition;

use super::section::{self, Section};
use super::yaml::{self, Fault};
use super::{FILE, languages, programs};
use crate::config::Given;
use crate::config::keys;
use crate::config::layers::{ConfigError, is_within, read_optional};
use crate::config::trust::TrustStore;
use crate::config::value::Value;
use crate::dialect::Foreign;

/// A file that is there.
struct File {
    path: PathBuf,
    section: Section,
    trusted: bool,
    /// The user's own, to be mended by them. One that comes with a project must not keep anybody from starting.
    is_own: bool,
}

pub(super) fn read(given: &Given, root: &Path) -> Result<Foreign, ConfigError> {
    let home = given.variables.home();
    let project = root.join(FILE);
    let user = home.as_ref().map(|home| home.join(FILE)).filter(|user| *user != project);
    let catalog = catalog::built_in().map_err(|error| ConfigError::new(error.to_string()))?;
    let trusts = TrustStore::load(given.variables.trust_file())?;
    let path_folders = home.as_deref().map(programs::folders).unwrap_or_default();
    let mut foreign = Foreign { path_folders, ..Foreign::default() };
    let mut all = Section::default();
    let is_at_home = home.as_deref() == Some(root);
    for (path, is_own) in user.into_iter().map(|path| (path, true)).chain([(project, is_at_home)]) {
        let taken = open(path, is_own, &trusts)
            .and_then(|file| file.map_or(Ok(()), |file| take(file, &catalog, &mut all, &mut foreign)));
        match taken {
            Err(error) if is_own => return Err(error),
            Err(error) => foreign.warnings.push(passed_over(&error.message)),
            Ok(()) => {}
        }
    }
    for (path, _) in all.server_paths.values_mut() {
        if let (Some(rest), Some(home)) = (path.strip_prefix("~/"), &home) {
            *path = home.join(rest).display().to_string();
        }
    }
    let servers = languages::servers(&all, &catalog).map_err(|fault| ConfigError::new(fault.message))?;
    let origin = |origin: &str| {
        let origin = origin.to_owned();
        move |spec| (spec, origin.clone())
    };
    foreign.servers = servers.configured.into_iter().map(origin(FILE)).collect();
    foreign.usual_servers = servers.usual.into_iter().map(origin("the dialect")).collect();
    foreign.passed_over = servers.passed_over;
    Ok(foreign)
}

fn open(path: PathBuf, is_own: bool, trusts: &TrustStore) -> Result<Option<File>, ConfigError> {
    let Some(text) = read_optional(&path)? else { return Ok(None) };
    let project = path.parent().and_then(Path::parent).unwrap_or(&path);
    if !is_own && !trusts.is_trusted(&path, &text) && !is_within(&path, project) {
        return Err(ConfigError::new(format!("{} is a link that leads out of the project", path.display())));
    }
    let section = parse(&text).map_err(|fault| error(&path, &fault))?;
    let trusted = is_own || trusts.is_trusted(&path, &text);
    Ok(Some(File { path, section, trusted, is_own }))
}

/// Lays a file over what is there. What is wrong with it leaves that as it was.
fn take(
    file: File,
    catalog: &[Definition],
    all: &mut Section,
    foreign: &mut Foreign,
) -> Result<(), ConfigError> {
    let File { path, mut section, trusted, is_own } = file;
    let withheld = if trusted { Vec::new() } else { withhold(&mut section) };
    let mut more = all.clone();
    more.server_paths.append(&mut section.server_paths);
    more.languages.append(&mut section.languages);
    // After each file, so that an error names the one that it came with; before anything of it counts.
    languages::servers(&more, catalog).map_err(|fault| error(&path, &fault))?;
    *all = more;
    foreign.withheld.extend(withheld);
    if let Some((seconds, line)) = section.idle_timeout_seconds.take() {
        let place = format!("{} line {line}", path.display());
        match keys::find(IDLE).map(|key| Value::from_text(key, &seconds)) {
            Some(Err(error)) if !is_own => {
                foreign.warnings.push(passed_over(&format!("{place}: `lsp.idle_timeout_seconds` {error}")));
            }
            _ => {
                foreign.values.retain(|(key, _, _)| *key != IDLE);
                foreign.values.push((IDLE, seconds, place));
            }
        }
    }
    foreign.disabled.append(&mut section.disabled_languages);
    Ok(())
}

const IDLE: &str = "lsp.idle_timeout_seconds";

fn passed_over(what: &str) -> Warning {
    Warning::new("invalid_setting", format!("{what}; it is passed over"))
}

fn parse(text: &str) -> Result<Section, Fault> {
    match yaml::parse(text)? {
        Some(file) => section::read(&file),
        None => Ok(Section::default()),
    }
}

fn error(path: &Path, fault: &Fault) -> ConfigError {
    ConfigError::new(format!("{} line {}: {}", path.display(), fault.line, fault.message))
}

/// Takes everything out that names commands, or words that an agent might run.
fn withhold(section: &mut Section) -> Vec<String> {
    let named = |key: &str, names: Vec<&String>| {
        let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
        (!names.is_empty()).then(|| format!("lsp.{key} of {FILE} ({})", names.join(", ")))
    };
    let withheld = [
        named("server_paths", section.server_paths.keys().collect()),
        named("languages", section.languages.keys().collect()),
    ];
    section.server_paths.clear();
    section.languages.clear();
    withheld.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Config;
    use crate::config::places::Variables;
    use crate::dialects::SWISSARMYHAMMER;

    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            for path in ["home/.swissarmyhammer", "home/.config/orienteer", "work/.swissarmyhammer"] {
                fs::create_dir_all(folder.path().join(path)).unwrap();
            }
            Self(folder)
        }

        fn write(self, path: &str, text: &str) -> Self {
            fs::write(self.0.path().join(path), text).unwrap();
            self
        }

        fn project(self, text: &str) -> Self {
            self.write("work/.swissarmyhammer/config.yaml", text)
        }

        fn user(self, text: &str) -> Self {
            self.write("home/.swissarmyhammer/config.yaml", text)
        }

        fn given(&self) -> Given {
            let home = self.0.path().join("home").display().to_string();
            Given {
                variables: Variables::from_pairs([("HOME", home.as_str())]),
                current_folder: self.0.path().join("work"),
                dialect: Some(&SWISSARMYHAMMER),
                ..Given::default()
            }
        }

        fn load(&self) -> Config {
            Config::load(&self.given()).unwrap()
        }

        fn error(&self) -> String {
            Config::load(&self.given()).unwrap_err().to_string()
        }

        fn trust(self) -> Self {
            let file = self.0.path().join("work").join(FILE);
            let text = fs::read_to_string(&file).unwrap();
            TrustStore::load(self.given().variables.trust_file()).unwrap().trust(&file, &text).unwrap();
            self
        }
    }

    fn command(config: &Config, id: &str) -> Option<String> {
        let found = config.layers.servers.iter().find(|(spec, _)| spec.id == id);
        found.map(|(spec, _)| spec.command.clone())
    }

    const PATHS: &str = "lsp:\n  server_paths:\n    rust-analyzer: /custom/path/rust-analyzer\n";

    #[test]
    fn the_users_file_counts_and_the_projects_lies_over_it() {
        let place = Place::new()
            .user("lsp:\n  idle_timeout_seconds: 600\n  server_paths:\n    rust-analyzer: ~/ra\n")
            .project("lsp:\n  idle_timeout_seconds: 60\n  disabled_languages: [python]\n");
        let config = place.load();
        assert_eq!(config.lsp.idle_timeout.as_secs(), 60);
        assert_eq!(
            command(&config, "rust-analyzer"),
            Some(place.0.path().join("home/ra").display().to_string())
        );
        assert!(config.lsp.disabled.contains(&"python".to_owned()));
        assert!(config.lsp.disabled.contains(&"typescript-native".to_owned()));
        assert_eq!(Place::new().load().lsp.idle_timeout.as_secs(), 300, "as the document says");
    }

    #[test]
    fn a_project_names_commands_only_when_it_is_trusted() {
        let place = Place::new().project(&format!(
            "{PATHS}  languages:\n    go:\n      command: evil\n      extensions: [.go]\n"
        ));
        let config = place.load();
        assert_eq!(command(&config, "rust-analyzer").as_deref(), Some(""), "the usual one");
        assert_eq!(command(&config, "go"), None);
        assert_eq!(
            config.layers.withheld,
            [
                "lsp.server_paths of .swissarmyhammer/config.yaml (rust-analyzer)",
                "lsp.languages of .swissarmyhammer/config.yaml (go)"
            ]
        );
        let place = place.trust();
        let config = place.load();
        assert_eq!(command(&config, "rust-analyzer").as_deref(), Some("/custom/path/rust-analyzer"));
        assert_eq!(command(&config, "go").as_deref(), Some("evil"));
        assert!(config.layers.withheld.is_empty());
        let place = place.project(&format!("{PATHS}# changed\n"));
        assert_eq!(
            command(&place.load(), "rust-analyzer").as_deref(),
            Some(""),
            "a changed file is another one"
        );
    }

    #[test]
    fn blocks_of_our_own_file_stay_in_force() {
        let place = Place::new().write(
            "home/.config/orienteer/config.toml",
            "[lsp]\ndisabled = ['bash']\n[[servers]]\nid = 'typescript-native'\ncommand = 'tsc'\nextensions = ['ts']\n\
             [[servers]]\nid = 'rust-analyzer'\ncommand = '/mine'\nextensions = ['rs']\n",
        );
        let config = place.load();
        assert_eq!(command(&config, "rust-analyzer").as_deref(), Some("/mine"));
        assert!(config.lsp.disabled.contains(&"bash".to_owned()), "{:?}", config.lsp.disabled);
        assert!(!config.lsp.disabled.contains(&"typescript-native".to_owned()), "configured otherwise");
        // Under our own contract the other system's file is nobody's business.
        let place = place.user("lsp: 3");
        let native = Given { dialect: None, ..place.given() };
        assert!(Config::load(&native).is_ok());
    }

    #[test]
    fn an_error_of_the_user_names_the_file_and_the_line() {
        let message = Place::new().user("lsp:\n  idle_timeout_seconds: soon\n").error();
        assert!(message.contains("config.yaml line 2") && message.contains("from 1 to 86400"), "{message}");
        let message = Place::new().user("lsp:\n\n  server_path:\n    x: y\n").error();
        assert!(message.contains("config.yaml line 3") && message.contains("`server_paths`"), "{message}");
        let message = Place::new().user("lsp: [\n").error();
        assert!(message.contains("home/.swissarmyhammer/config.yaml line"), "{message}");
    }

    #[test]
    fn what_is_wrong_in_a_project_is_told_and_passed_over() {
        let users = "lsp:\n  idle_timeout_seconds: 600\n  server_paths:\n    rust-analyzer: /mine\n";
        for (text, said) in [
            ("lsp:\n  idle_timeout_seconds: soon\n", "line 2: `lsp.idle_timeout_seconds` must be"),
            ("lsp: [\n", "config.yaml line"),
            ("lsp:\n  languages:\n    go:\n      comand: gopls\n", "did you mean `command`?"),
            ("lsp:\n  languages:\n    quux:\n      command: x\n", "needs `extensions`"),
            (
                "lsp:\n  disabled_languages: [python]\n  idle_timeout_seconds: 60\n  languages:\n    quux:\n      \
                 command: x\n",
                "needs `extensions`",
            ),
        ] {
            let place = Place::new().user(users).project(text).trust();
            let config = place.load();
            assert_eq!(config.warnings.len(), 1, "{text}: {:?}", config.warnings);
            let warning = &config.warnings[0];
            assert_eq!(warning.kind, "invalid_setting");
            assert!(warning.message.contains("work/.swissarmyhammer/config.yaml"), "{}", warning.message);
            assert!(warning.message.contains(said), "{text}: {}", warning.message);
            assert_eq!(config.lsp.idle_timeout.as_secs(), 600, "what the user says holds: {text}");
            assert_eq!(command(&config, "rust-analyzer").as_deref(), Some("/mine"), "{text}");
            assert!(!config.lsp.disabled.contains(&"python".to_owned()), "nothing of it counts: {text}");
        }
    }
}
