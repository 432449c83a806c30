//! What the project's own compiler says.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use super::super::server::{Language, Subject};
use crate::install::Tools;

/// A compiler and the project it is run on.
pub(super) struct Compiler {
    language: Language,
    program: PathBuf,
    root: PathBuf,
    variables: Vec<(String, String)>,
}

impl Compiler {
    pub(super) fn of(subject: &Subject, tools: &Tools) -> anyhow::Result<Self> {
        let program = match subject.language {
            Language::Rust => PathBuf::from("cargo"),
            Language::TypeScript => tools.folder.join("ts7/node_modules/.bin/tsc"),
            Language::Python => tools.folder.join("node/node_modules/.bin/pyright"),
        };
        let (root, variables) = (subject.root.clone(), subject.variables.clone());
        Ok(Self { language: subject.language, program, root, variables })
    }

    /// How many errors it finds.
    pub(super) fn errors(&self) -> anyhow::Result<usize> {
        let mut command = Command::new(&self.program);
        match self.language {
            Language::Rust => {
                command.args([
                    "check",
                    "--workspace",
                    "--tests",
                    "--offline",
                    "--message-format",
                    "json",
                    "--quiet",
                ]);
            }
            Language::TypeScript => {
                command.args(["--noEmit", "--pretty", "false", "-p", "."]);
            }
            Language::Python => {
                command.arg("--outputjson");
            }
        }
        // What the cargo that runs us told us is about our own workspace.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CARGO") {
                command.env_remove(&name);
            }
        }
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        let output = command
            .current_dir(&self.root)
            .output()
            .with_context(|| format!("{} on {}", self.language.compiler(), self.root.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(match self.language {
            Language::Rust => text
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line).ok())
                .filter(|message| message["message"]["level"] == "error")
                .count(),
            Language::TypeScript => text.lines().filter(|line| line.contains("error TS")).count(),
            Language::Python => {
                let report: Value = serde_json::from_str(&text)?;
                match report["summary"]["errorCount"].as_u64() {
                    Some(errors) => usize::try_from(errors)?,
                    None => bail!("pyright: {text}"),
                }
            }
        })
    }
}
