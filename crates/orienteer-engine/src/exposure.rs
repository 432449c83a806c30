//! What of a project would run where the user trusts it.
//!
//! Told before trust is given, and on request: by the names of the files that say what is run, without reading what they say
//! and without running anything.

use std::path::{Path, PathBuf};

use orienteer_base::{Cancel, Problem};

use crate::Session;

/// The command by which a person trusts a folder, as a shell takes it.
pub fn trust_command(folder: &Path) -> String {
    let folder = folder.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+:\\".contains(letter);
    let quoted =
        if folder.chars().all(is_plain) { folder } else { format!("'{}'", folder.replace('\'', "'\\''")) };
    format!("orienteer trust {quoted}")
}

/// How many files of one kind are named.
const NAMED: usize = 3;

/// One way in which code of a project is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// What would run.
    pub runs: &'static str,
    /// What would run it.
    pub by: &'static str,
    /// Files that say so, as shown; the first few.
    pub files: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

/// Names of files, what is run for their sake, and by what. A name may begin or end with `*`.
const TABLE: &[(&[&str], &str, &str)] = &[
    (&[".orienteer/config.toml"], "the commands it names", "orienteer"),
    (
        &["Cargo.toml"],
        "build scripts and procedural macros, its own and those of dependencies",
        "rust-analyzer, cargo check",
    ),
    (
        &[".cargo/config.toml", ".cargo/config"],
        "the rustc, wrappers, linkers, runners and credential providers it names",
        "cargo",
    ),
    (&["rust-toolchain.toml", "rust-toolchain"], "the toolchain it names, also one of its own", "rustup"),
    (
        &["rust-project.json", ".rust-project.json", "rust-analyzer.toml", ".rust-analyzer.toml"],
        "the programs it names",
        "rust-analyzer",
    ),
    (
        &["eslint.config.*"],
        "the configuration, its plugins and the project's ESLint",
        "ESLint's language server",
    ),
    (
        &[
            "prettier.config.*",
            ".prettierrc.js",
            ".prettierrc.mjs",
            ".prettierrc.cjs",
            ".prettierrc.ts",
            ".prettierrc.mts",
            ".prettierrc.cts",
        ],
        "the configuration and its plugins",
        "prettier",
    ),
    (
        &["tsconfig.json", "jsconfig.json"],
        "plugins that it names, of the project's packages",
        "TypeScript's server",
    ),
    (&["svelte.config.*"], "the configuration and the project's compiler", "svelte-language-server"),
    (
        &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "pom.xml"],
        "the build",
        "Eclipse JDT's language server",
    ),
    (&["*.csproj", "*.sln", "*.fsproj", "omnisharp.json"], "the build's targets", "C#'s language server"),
    (&["Gemfile", "*.gemspec", ".solargraph.yml"], "the file itself, as Ruby", "ruby-lsp, solargraph"),
    (&["mix.exs"], "the file itself, macros and dependencies", "Elixir's language server"),
    (
        &["hie.yaml", "cabal.project", "stack.yaml", "*.cabal"],
        "the build and Template Haskell",
        "haskell-language-server",
    ),
    (&["build.zig"], "the build", "zls"),
    (&["Package.swift"], "the manifest and its plugins", "sourcekit-lsp"),
    (
        &[".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml", ".prettierrc.toml"],
        "plug-ins and modules that it may name",
        "prettier",
    ),
    (&[".emmyrc.lua", ".emmyrc.json"], "the configuration, and the formatter it may name", "emmylua_ls"),
    (&["dune-project", "dune-workspace"], "rules and preprocessors", "ocamllsp"),
    (&["analysis_options.yaml"], "plug-ins that it may name", "Dart's language server"),
    (&["*.tf"], "providers that lie in `.terraform`", "terraform-ls"),
    (
        &["pyproject.toml", "setup.cfg"],
        "interpreters, hooks and plug-ins that it may name",
        "pyrefly, linters of pylsp",
    ),
    (
        &[".tool-versions", "mise.toml", ".mise.toml"],
        "programs that it may name by where they lie",
        "asdf, mise",
    ),
    (
        &["pyrefly.toml", ".fortlsrc", ".fortls.json", ".fortls"],
        "the interpreter or expressions it names",
        "the language server",
    ),
    (
        &[".pylintrc", "pylintrc", ".flake8", "mypy.ini", ".mypy.ini"],
        "hooks and plugins it names",
        "linters of pylsp",
    ),
];

/// Folders with programs that are preferred to those of the machine.
const PROGRAMS: &[&str] = &["node_modules/.bin", ".venv/bin", "venv/bin", ".venv/Scripts", "venv/Scripts"];

impl Session {
    /// What would run in this workspace, in the order of the table.
    pub async fn exposures(&self, cancel: &Cancel) -> Result<Vec<Exposure>, Problem> {
        let session = self.clone();
        self.paint(cancel, move |_| {
            let root = session.roots().workspace();
            // Nobody tracks the folders of ours, so no list has them.
            let own =
                [".orienteer/config.toml", ".cargo/config.toml", ".cargo/config"].map(|name| root.join(name));
            let mut files = session.workspace().files();
            files.extend(own.into_iter().filter(|path| path.is_file()));
            files.sort_unstable();
            files.dedup();
            let shown: Vec<String> = files.iter().map(|path| session.roots().show(path)).collect();
            let mut exposures = Vec::new();
            for (names, runs, by) in TABLE {
                let mut found: Vec<&String> =
                    shown.iter().filter(|path| names.iter().any(|name| is_named(path, name))).collect();
                let more = found.len().saturating_sub(NAMED);
                found.truncate(NAMED);
                if !found.is_empty() {
                    let files = found.into_iter().cloned().collect();
                    exposures.push(Exposure { runs, by, files, more });
                }
            }
            // What is installed lies beside what asks for it.
            let asks = |path: &&PathBuf| {
                path.file_name().is_some_and(|name| name == "package.json" || name == "pyproject.toml")
            };
            let mut projects: Vec<&Path> =
                files.iter().filter(asks).filter_map(|path| path.parent()).collect();
            projects.push(root);
            projects.sort_unstable();
            projects.dedup();
            let folders =
                projects.iter().flat_map(|project| PROGRAMS.iter().map(move |folder| project.join(folder)));
            let mut found: Vec<String> = folders
                .filter(|folder| folder.is_dir())
                .map(|folder| session.roots().show(&folder))
                .collect();
            let more = found.len().saturating_sub(NAMED);
            found.truncate(NAMED);
            if !found.is_empty() {
                let runs = "the programs installed there, before those of the machine";
                exposures.push(Exposure { runs, by: "orienteer", files: found, more });
            }
            Ok(exposures)
        })
        .await
    }
}

fn is_named(path: &str, name: &str) -> bool {
    let ends_with_name = |path: &str, name: &str| {
        path.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    };
    let file = Path::new(path).file_name().and_then(|file| file.to_str()).unwrap_or_default();
    match (name.strip_prefix('*'), name.strip_suffix('*')) {
        (Some(end), _) => file.ends_with(end),
        (_, Some(start)) => file.starts_with(start),
        _ => ends_with_name(path, name),
    }
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn files_are_told_by_their_names() {
        assert!(is_named("Cargo.toml", "Cargo.toml") && is_named("a/b/Cargo.toml", "Cargo.toml"));
        assert!(!is_named("a/MyCargo.toml", "Cargo.toml"));
        assert!(
            is_named("web/.cargo/config.toml", ".cargo/config.toml")
                && !is_named("config.toml", ".cargo/config.toml")
        );
        assert!(is_named("a/eslint.config.mjs", "eslint.config.*") && is_named("a/b.csproj", "*.csproj"));
        assert!(!is_named("a/my.eslint.config.mjs", "eslint.config.*"));
    }
}
