//! What is measured: a server, a project, and what the raw client has to know about both.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::fetch;
use crate::install::Tools;
use crate::shell::{command, output};

/// By what a raw client knows that the server is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ready {
    AtOnce,
    Status,
    Message(&'static str),
    Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    TypeScript,
    Python,
}

/// A server on a project.
pub(super) struct Subject {
    pub(super) id: &'static str,
    pub(super) language: Language,
    pub(super) language_id: &'static str,
    pub(super) extension: &'static str,
    pub(super) project: &'static str,
    pub(super) root: PathBuf,
    /// How many symbols are asked about.
    pub(super) symbols: usize,
    /// How many changes from outside are tried.
    pub(super) tries: usize,
    /// Where symbols are taken from: the project's own sources.
    pub(super) sources: &'static [&'static str],
    /// A file that opens the project.
    pub(super) first_file: &'static str,
    /// A file of each other project in the tree. Ours gives its server one of them when the word that is asked about is
    /// there; then every question is asked of both projects.
    pub(super) other_projects: &'static [&'static str],
    /// A folder of about twenty files, for the check of a folder.
    pub(super) small_folder: &'static str,
    pub(super) ready: Ready,
    /// As our definition of the server gives them.
    pub(super) options: Value,
    pub(super) settings: Value,
    /// The environment of our process.
    pub(super) variables: Vec<(String, String)>,
}

/// All of them; the projects are fetched on the way.
pub(super) fn all(tools: &Tools, downloads: &Path, only: &[String]) -> anyhow::Result<Vec<Subject>> {
    let wanted = |id: &str| only.is_empty() || only.iter().any(|one| one == id);
    let mut subjects = Vec::new();
    if wanted("rust-analyzer") {
        subjects.push(rust_analyzer(tools, downloads)?);
    }
    if wanted("typescript-native") {
        subjects.push(typescript_native(tools, downloads)?);
    }
    if wanted("typescript-language-server") {
        subjects.push(typescript_language_server(tools, downloads)?);
    }
    if wanted("pyright") {
        subjects.push(pyright(tools, downloads)?);
    }
    Ok(subjects)
}

fn rust_analyzer(tools: &Tools, downloads: &Path) -> anyhow::Result<Subject> {
    Ok(Subject {
        id: "rust-analyzer",
        language: Language::Rust,
        language_id: "rust",
        extension: "rs",
        project: "ripgrep",
        root: fetch::ripgrep(downloads)?,
        symbols: 200,
        tries: 200,
        sources: &["crates", "tests"],
        first_file: "crates/core/main.rs",
        other_projects: &[],
        small_folder: "crates/ignore/src",
        ready: Ready::Status,
        options: json!({ "checkOnSave": false, "files": { "watcher": "client" } }),
        settings: Value::Null,
        variables: variables(tools, &[])?,
    })
}

fn typescript_native(tools: &Tools, downloads: &Path) -> anyhow::Result<Subject> {
    Ok(Subject {
        id: "typescript-native",
        symbols: 200,
        tries: 200,
        ready: Ready::AtOnce,
        options: Value::Null,
        settings: json!({
            "js/ts": {
                "tsserver": { "automaticTypeAcquisition": { "enabled": false } },
                "preferences": { "useAliasesForRenames": false },
            },
            "typescript": {
                "disableAutomaticTypeAcquisition": true,
                "preferences": { "useAliasesForRenames": false },
            },
            "javascript": { "preferences": { "useAliasesForRenames": false } },
        }),
        variables: variables(tools, &["ts7/node_modules/.bin"])?,
        ..typescript_language_server(tools, downloads)?
    })
}

fn typescript_language_server(tools: &Tools, downloads: &Path) -> anyhow::Result<Subject> {
    let library = tools.folder.join("node/node_modules/typescript/lib/tsserver.js");
    Ok(Subject {
        id: "typescript-language-server",
        language: Language::TypeScript,
        language_id: "typescript",
        extension: "ts",
        project: "effect",
        root: fetch::effect(downloads)?,
        // The second server of its language, and slow: references of one symbol take seconds.
        symbols: 50,
        tries: 60,
        sources: &["src"],
        first_file: "src/index.ts",
        other_projects: &["ai-docs/src/01_effect/01_basics/01_effect-gen.ts"],
        small_folder: "src/encoding",
        ready: Ready::Progress,
        options: json!({
            "disableAutomaticTypingAcquisition": true,
            "tsserver": { "useSyntaxServer": "never", "path": library.to_string_lossy() },
        }),
        settings: Value::Null,
        variables: variables(tools, &[])?,
    })
}

fn pyright(tools: &Tools, downloads: &Path) -> anyhow::Result<Subject> {
    Ok(Subject {
        id: "pyright",
        language: Language::Python,
        language_id: "python",
        extension: "py",
        project: "Django",
        root: fetch::django(downloads, tools)?,
        symbols: 200,
        tries: 200,
        sources: &["django", "tests"],
        first_file: "django/apps/registry.py",
        other_projects: &[],
        small_folder: "django/forms",
        ready: Ready::Message("Found "),
        options: Value::Null,
        settings: Value::Null,
        variables: variables(tools, &[])?,
    })
}

/// The installed servers first in PATH; cargo and rustup by name, since the home folder of our process is an empty
/// one.
fn variables(tools: &Tools, first: &[&str]) -> anyhow::Result<Vec<(String, String)>> {
    let installed =
        first.iter().chain(&["node/node_modules/.bin", "python/bin"]).map(|name| tools.folder.join(name));
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(installed.chain(std::env::split_paths(&machine)))?;
    let home = PathBuf::from(std::env::var_os("HOME").context("HOME is not set")?);
    let folder = |name: &str, default: &str| {
        let folder = std::env::var_os(name).map(PathBuf::from);
        folder.unwrap_or_else(|| home.join(default)).to_string_lossy().into_owned()
    };
    let mut all = vec![
        ("PATH".to_owned(), path.to_string_lossy().into_owned()),
        ("CARGO_HOME".to_owned(), folder("CARGO_HOME", ".cargo")),
        ("RUSTUP_HOME".to_owned(), folder("RUSTUP_HOME", ".rustup")),
    ];
    // Both sides shall have the standard library's sources from the same place.
    let sysroot = output(&mut command("rustc", &["--print", "sysroot"])).unwrap_or_default();
    let elsewhere = Path::new("/usr/lib/rustlib/src/rust/library");
    if !Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library").is_dir() && elsewhere.is_dir() {
        all.push(("RUST_SRC_PATH".to_owned(), elsewhere.to_string_lossy().into_owned()));
    }
    Ok(all)
}
