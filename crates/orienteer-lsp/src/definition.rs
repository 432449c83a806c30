//! What is known about a language server before it is started.
//!
//! A [`Definition`] is one block of `servers.toml`, with a user's block laid over it. Everything that tells one
//! server from another is in here, so that no other file names one.

use std::collections::BTreeMap;
use std::time::Duration;

use orienteer_base::ask::NameMatch;
use serde_json::Value;

use crate::searches::Searches;

/// The value of a variable: it may be a credential.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Hidden(pub String);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[hidden]")
    }
}

/// One way to start a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidate {
    /// A bare name to be found in PATH, or a path.
    pub program: String,
    pub args: Vec<String>,
    /// Paths below the project root (or a folder above it, inside the workspace) that are tried before PATH,
    /// such as `node_modules/.bin/tsc`. Used only where running a project's own programs is allowed.
    pub local: Vec<String>,
    /// Run with these arguments, the program must exit with success, and what it prints must contain
    /// `probe_contains`: tells a real server from a proxy that only prints an error, and one version from another.
    pub probe: Vec<String>,
    pub probe_contains: Vec<String>,
    /// What it must not contain: some exit with success although they do not know an argument.
    pub probe_lacks: Vec<String>,
    /// This program runs code of the project, others of the same server do not.
    pub trusted_only: bool,
}

/// A package that TypeScript's own server loads.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeScriptPlugin {
    pub name: String,
    /// The package that people install, with the plugin among its dependencies, and its command.
    pub package: String,
    pub program: String,
}

/// A server that has no findings of its own says once that another program is missing, and that nothing is wrong for ever.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mute {
    /// Any of these is in the message.
    pub words: Vec<String>,
    /// What is said where the other program failed with the one file whose findings come next.
    pub failures: Vec<String>,
    /// What is missing, for people.
    pub lacking: String,
    /// How to get it.
    pub hint: String,
}

/// Which of several folders with a marker is the project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RootChoice {
    /// The folder nearest to the file.
    #[default]
    Nearest,
    /// The outermost folder inside the workspace.
    Outermost,
}

/// How a server shows that it is ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Readiness {
    /// Its answers wait for whatever they need.
    #[default]
    Immediate,
    /// `experimental/serverStatus` with `quiescent`.
    Status,
    /// `$/progress`: begun work has ended and nothing new began for a moment.
    Progress,
    /// It logs a line that contains one of `ready_messages`.
    Message,
}

/// How a server says what is wrong with a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reporting {
    /// `textDocument/diagnostic` where it is offered, else it publishes with versions.
    #[default]
    Auto,
    /// Publishes without versions, or with versions that do not tell what it knew of other files; the last one after a
    /// change counts, once it has been quiet for `settle`.
    Unversioned,
    /// Publishes without versions when a document is opened or saved, about what is on disk then. It looks at no file
    /// unless it is told that it was saved.
    Saved,
    /// Pull and publish, and a compiler run of its own that ends with a progress token.
    Flycheck,
    /// It has no diagnostics.
    Never,
}

/// Everything about one server.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub id: String,
    /// Which behaviour of ours it gets; servers with the same kind are the same program.
    pub kind: String,
    /// A word for people: `Rust`, `TypeScript`.
    pub language: String,
    /// In the order they are tried.
    pub candidates: Vec<Candidate>,
    /// Extension (no dot, lower case) to language id.
    pub extensions: BTreeMap<String, String>,
    /// Whole file names (lower case) to language id.
    pub file_names: BTreeMap<String, String>,
    pub root_markers: Vec<String>,
    pub root_choice: RootChoice,
    /// Programs that must be in PATH before it is started, with how to get each. `node>=14` is one that must also be
    /// new enough.
    pub requires: Vec<(String, String)>,
    pub install_hint: Option<String>,
    /// For questions about one file.
    pub ready_file: Readiness,
    /// For questions about the whole project.
    pub ready_project: Readiness,
    pub ready_messages: Vec<String>,
    /// Whether files with the word must be open before it finds references in them.
    pub opens_text_hits: bool,
    /// It logs `ready_messages` each time it has listed the project's files, and knows new ones only then.
    pub lists_files: bool,
    /// It looks at no file by itself that it has looked at before, until it is told of a change: whatever it says was caused
    /// by what it was told.
    pub watches_nothing: bool,
    /// It takes in a document that is opened on its own time, and one that is changed before the next question.
    pub opens_late: bool,
    /// Words of its error messages by which it says that it does not see the project as it is meant.
    pub complaints: Vec<String>,
    /// What its diagnostics are about, where that is less than what a compiler says.
    pub finds: Option<String>,
    /// How it says that it checks nothing, although it goes on saying that there is nothing wrong.
    pub mute: Option<Mute>,
    /// How far it searches for the uses of a name, where that is not everywhere.
    pub searches: Option<Searches>,
    /// Documents that are open at one time.
    pub keeps_open: usize,
    /// It tells the declaration among the uses, whether it was asked to or not.
    pub tells_declaration: bool,
    /// It lists no more symbols of a name than this, and does not say so; 0 where nobody can tell from their number.
    pub most_symbols: Option<usize>,
    /// The same of uses.
    pub most_uses: Option<usize>,
    /// What it takes before a word that is to be a part of a name as it stands, where it takes words for letters with others
    /// between them.
    pub part_of_name: Option<String>,
    /// What is added to the question for symbols so that those of dependencies are among them; null where it cannot be asked,
    /// nothing where they are among them anyway.
    pub dependency_symbols: Value,
    /// Names of files that it reads when it starts and never again; `*` stands for anything.
    pub restarts_for: Vec<String>,
    /// It counts columns in characters, whatever it announces.
    pub counts_characters: bool,
    /// Methods that it announces and cannot do for these files.
    pub lacks: Vec<String>,
    /// The TypeScript server that it runs needs this for these files.
    pub typescript_plugin: Option<TypeScriptPlugin>,
    pub reporting: Reporting,
    /// How long a server is quiet before what it published counts as all of it.
    pub settle: Duration,
    pub initialization_options: Value,
    /// Answers to `workspace/configuration`, by section.
    pub settings: Value,
    /// Names of variables that the server needs besides the usual ones; `*` at the end stands for anything.
    pub environment: Vec<String>,
    pub env: BTreeMap<String, Hidden>,
    pub memory_limit_mb: Option<u64>,
    pub initialize_timeout: Duration,
    pub request_timeout: Duration,
    pub request_timeouts: BTreeMap<String, Duration>,
    /// `None`: the default of the configuration.
    pub idle_timeout: Option<Duration>,
    /// Fixed by the user; else found by markers.
    pub root_dir: Option<String>,
    pub cwd: Option<String>,
    pub workspace_folders: Vec<String>,
    pub adapter: Option<String>,
    /// A test of ours starts the real thing.
    pub live_tested: bool,
    /// The user wrote or changed it.
    pub from_user: bool,
    /// Started only when the user asks for it by configuration: a second opinion, not a default.
    pub optional: bool,
    /// It runs what the project names, whatever it is told: it is started only where the user trusts the project.
    pub trusted_only: bool,
}

impl Definition {
    /// Whether it reads the whole project by itself, so that opening a file tells it nothing about the others.
    pub(crate) fn knows_closed_files(&self) -> bool {
        self.lists_files || self.ready_project == Readiness::Status
    }

    /// What is asked for where names are looked for that fit a word in this way. Nobody's prefix depends on case.
    pub(crate) fn asked_for(&self, word: &str, how: NameMatch) -> String {
        match (&self.part_of_name, how) {
            (Some(before), NameMatch::Exact) => format!("{before}{word}"),
            (Some(before), NameMatch::Prefix) => format!("{before}{}", word.to_lowercase()),
            _ => word.to_owned(),
        }
    }

    /// Whether it is typescript-language-server, for whichever files.
    pub fn runs_tsserver(&self) -> bool {
        self.is("typescript-language-server") || self.typescript_plugin.is_some()
    }

    /// Whether it is this program, however its kind is spelled.
    pub fn is(&self, kind: &str) -> bool {
        let plain = |word: &str| word.to_ascii_lowercase().replace('_', "-");
        plain(&self.kind) == plain(kind)
    }
}
