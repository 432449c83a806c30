//! What is here, what is missing, and what would have to be done about it?
//!
//! Looks, builds the index if that is wanted, and reports. Nothing that the repository brings along is run, and nothing is
//! installed: what is missing is told with the command that would bring it.

use std::collections::BTreeMap;
use std::time::Duration;

use orienteer_base::search::{IndexState, IndexWork};
use orienteer_base::{Cancel, ErrorKind, Problem};

use crate::Session;
use crate::data::Verified;
use crate::index::BuildQuery;

/// What to do besides looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BootstrapQuery {
    pub build_index: bool,
    /// How long to wait for the index; after that it goes on alone.
    pub wait: Duration,
}

/// What was found and done.
#[derive(Debug, Clone)]
pub struct Bootstrap {
    /// Files of each extension.
    pub extensions: BTreeMap<String, usize>,
    pub servers: Vec<ServerHere>,
    /// `None` when it was not wanted.
    pub index: Option<Result<IndexWork, Problem>>,
    pub data: Vec<Verified>,
    pub warnings: Vec<ConfigWarning>,
}

/// A language server that could serve files of this workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerHere {
    pub id: String,
    pub language: String,
    pub files: usize,
    /// Its program, or how to get it.
    pub program: Result<String, Option<String>>,
}

/// Something about the configuration that a person would want to know. The word is for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigWarning {
    pub kind: WarningKind,
    pub message: String,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WarningKind {
    IndexDisabled,
    IndexMissing,
    IndexDamaged,
    IndexStale,
    RulesInvalid,
    ModelMissing,
    DataDamaged,
    ServerMissing,
    GitMissing,
}

impl WarningKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IndexDisabled => "index_disabled",
            Self::IndexMissing => "index_missing",
            Self::IndexDamaged => "index_damaged",
            Self::IndexStale => "index_stale",
            Self::RulesInvalid => "rules_invalid",
            Self::ModelMissing => "model_missing",
            Self::DataDamaged => "data_damaged",
            Self::ServerMissing => "server_missing",
            Self::GitMissing => "git_missing",
        }
    }
}

impl Session {
    /// Looks around, builds what was asked for, and reports.
    pub async fn bootstrap(&self, query: BootstrapQuery, cancel: &Cancel) -> Result<Bootstrap, Problem> {
        let index = if query.build_index {
            let build = BuildQuery { path: None, full: false, wait: query.wait };
            match self.build_index(build, cancel).await {
                Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
                done => Some(done),
            }
        } else {
            None
        };
        let extensions = self.languages_here(cancel).await?;
        let servers = self.servers_here(&extensions);
        let data = self.verified_data(cancel).await?;
        let warnings = self.warnings(&servers, &data, cancel).await?;
        Ok(Bootstrap { extensions, servers, index, data, warnings })
    }

    /// What a person would want to know about the configuration. Nothing is built or changed.
    pub async fn config_status(&self, cancel: &Cancel) -> Result<Vec<ConfigWarning>, Problem> {
        let servers = self.servers_here(&self.languages_here(cancel).await?);
        let data = self.verified_data(cancel).await?;
        self.warnings(&servers, &data, cancel).await
    }

    async fn verified_data(&self, cancel: &Cancel) -> Result<Vec<Verified>, Problem> {
        match self.verify_data(cancel).await {
            Err(problem) if problem.kind == ErrorKind::NotEnabled => Ok(Vec::new()),
            verified => verified,
        }
    }

    /// The servers whose files are here, those with most files first.
    fn servers_here(&self, extensions: &BTreeMap<String, usize>) -> Vec<ServerHere> {
        let mut here: Vec<ServerHere> = Vec::new();
        for listed in self.list_servers() {
            let files =
                listed.definition.extensions.keys().filter_map(|extension| extensions.get(extension)).sum();
            if files == 0 {
                continue;
            }
            let program = match listed.program {
                Ok(path) => Ok(path.display().to_string()),
                // Nothing to install: it is there, and needs trust.
                Err(problem) if problem.detail == Some("not_trusted") => continue,
                Err(_) => Err(listed.definition.install_hint.clone()),
            };
            let (id, language) = (listed.definition.id.clone(), listed.definition.language.clone());
            here.push(ServerHere { id, language, files, program });
        }
        here.sort_by_key(|server| std::cmp::Reverse(server.files));
        here
    }

    async fn warnings(
        &self,
        servers: &[ServerHere],
        data: &[Verified],
        cancel: &Cancel,
    ) -> Result<Vec<ConfigWarning>, Problem> {
        let mut warnings = Vec::new();
        let mut warn = |kind, message: String| warnings.push(ConfigWarning { kind, message });
        match self.index_status(false, cancel).await {
            Err(problem) if problem.kind == ErrorKind::NotEnabled => warn(
                WarningKind::IndexDisabled,
                "the index is turned off (`index.enabled`): `search` cannot answer".to_owned(),
            ),
            Err(problem) => return Err(problem),
            Ok(status) => {
                match status.state {
                    IndexState::None => warn(
                        WarningKind::IndexMissing,
                        "there is no index yet; the first search builds it, or `build_index`".to_owned(),
                    ),
                    IndexState::Damaged => warn(
                        WarningKind::IndexDamaged,
                        format!("the index cannot be used and will be built again: {}", status.health),
                    ),
                    IndexState::Building | IndexState::Ready => {}
                }
                if let Some(stale) = status.stale_files.filter(|stale| *stale > 0) {
                    let message = format!(
                        "{stale} files have changed since they were indexed; the next search sees them"
                    );
                    warn(WarningKind::IndexStale, message);
                }
            }
        }
        let shared = self.engine().index_shared.as_ref();
        if let Some(reason) = shared.and_then(|shared| shared.rules_error.as_ref()) {
            warn(WarningKind::RulesInvalid, format!("the file of `index.rules` is not used: {reason}"));
        }
        if let Some(model) = shared.and_then(|shared| shared.spec.model.as_ref())
            && !model.is_dir()
        {
            let message = format!(
                "`index.model` names {}, which is no folder; words alone are compared",
                model.display()
            );
            warn(WarningKind::ModelMissing, message);
        }
        for damaged in data.iter().filter(|one| !one.faults.is_empty()) {
            let (kind, name) = (damaged.kind.folder(), &damaged.name);
            let message = format!(
                "{kind}/{name} is not as it was fetched ({} faults); fetch it again",
                damaged.faults.len()
            );
            warn(WarningKind::DataDamaged, message);
        }
        let served =
            |language: &str| servers.iter().any(|one| one.language == language && one.program.is_ok());
        let mut told: Vec<&str> = Vec::new();
        for server in servers {
            if served(&server.language) || told.contains(&server.language.as_str()) {
                continue;
            }
            told.push(&server.language);
            let how = match &server.program {
                Err(Some(hint)) => format!("; {hint}"),
                _ => String::new(),
            };
            let message =
                format!("{} files of {} have no language server{how}", server.files, server.language);
            warn(WarningKind::ServerMissing, message);
        }
        if !orienteer_process::Git::new(&self.engine().environment).is_present() {
            let message =
                "git is not installed: there are no authors, dates of changes or branches".to_owned();
            warn(WarningKind::GitMissing, message);
        }
        Ok(warnings)
    }
}
