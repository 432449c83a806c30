//! A session that speaks SwissArmyHammer's contract.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_testkit::{Framing, Server, Tree, tools};
use serde_json::{Value, json};

use crate::ORIENTEER;

pub(super) struct Hammer {
    pub(super) server: Server,
    pub(super) tree: Tree,
}

/// How a session is started.
pub(super) struct Start {
    tree: Tree,
    path: OsString,
    args: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

/// A workspace as somebody has it who trusts it: without trust no compiler is asked.
pub(super) fn trusted(tree: Tree) -> Tree {
    let mut trust = std::process::Command::new(ORIENTEER);
    trust.args(["trust", "--yes"]).current_dir(tree.root()).env_clear().env("HOME", tree.beside("home"));
    assert!(trust.output().unwrap().status.success());
    tree
}

pub(super) fn over(tree: Tree) -> Start {
    let args = ["--dialect", "swissarmyhammer", "--log-level", "warn"].map(str::to_owned).to_vec();
    Start { tree, path: tools::server_path(), args, variables: Vec::new() }
}

/// A PATH with these programs and nothing else.
pub(super) fn bare_path(tree: &Tree, programs: &[&str]) -> OsString {
    let folder = tree.beside("bin");
    for program in programs {
        std::os::unix::fs::symlink(tools::require(program), folder.join(program)).unwrap();
    }
    folder.into_os_string()
}

/// A program of ours in the folder of [`bare_path`].
pub(super) fn script(tree: &Tree, name: &str, body: &str) -> PathBuf {
    let path = tree.beside("bin").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}

/// Writes the user's `config.yaml`.
pub(super) fn user_settings(tree: &Tree, text: &str) {
    let folder = tree.beside("home").join(".swissarmyhammer");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), text).unwrap();
}

impl Start {
    pub(super) fn path(mut self, path: OsString) -> Self {
        self.path = path;
        self
    }

    pub(super) fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    pub(super) fn variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(super) fn start(self) -> Hammer {
        let root = self.tree.root().to_path_buf();
        self.start_in(&root)
    }

    /// Started in another folder than that of the files.
    pub(super) fn start_in(self, folder: &Path) -> Hammer {
        self.tree.beside("home");
        let home = |name: &str, usual: &str| {
            let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
            std::env::var(name).unwrap_or_else(|_| home.join(usual).display().to_string())
        };
        let (rustup, cargo) = (home("RUSTUP_HOME", ".rustup"), home("CARGO_HOME", ".cargo"));
        let path = self.path.to_str().expect("a PATH in UTF-8");
        let users = self.tree.beside("home").display().to_string();
        let mut variables = vec![("PATH", path), ("HOME", users.as_str())];
        // Nothing is fetched, whatever a module says.
        variables.extend([("GOPROXY", "off"), ("GOFLAGS", "-mod=mod"), ("RUSTUP_AUTO_INSTALL", "0")]);
        variables.extend([("RUSTUP_HOME", rustup.as_str()), ("CARGO_HOME", cargo.as_str())]);
        variables.extend(self.variables.iter().map(|(name, value)| (*name, value.as_str())));
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let mut server = Server::start_with(ORIENTEER, folder, &args, &variables, Framing::Lines);
        server.initialize("2025-11-25");
        Hammer { server, tree: self.tree }
    }
}

impl Hammer {
    /// The absolute path of a file of the tree.
    pub(super) fn at(&self, file: &str) -> String {
        self.tree.root().join(file).display().to_string()
    }

    /// The arguments of a call about a file of the tree.
    fn arguments(&self, operation: &str, file: &str, more: Value) -> Value {
        let mut arguments = json!({ "operation": operation, "file_path": self.at(file) });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    }

    /// What the tool says to any arguments: one text of JSON, with nothing beside it.
    pub(super) fn raw(&mut self, arguments: Value) -> (Value, bool) {
        let result = self.server.call("lsp", arguments);
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"));
        let value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        (value, result["isError"] == json!(true))
    }

    /// A good answer about a file of the tree.
    pub(super) fn ask(&mut self, operation: &str, file: &str, more: Value) -> Value {
        let arguments = self.arguments(operation, file, more);
        let (answer, is_error) = self.raw(arguments.clone());
        assert!(!is_error, "{arguments}: {answer:#}\n{}", self.server.stderr());
        assert!(answer.get("error").is_none(), "{answer:#}");
        answer
    }

    /// The `error` of an answer that is one: code, message and details, and nothing else.
    pub(super) fn refused(&mut self, operation: &str, file: &str, more: Value) -> Value {
        let arguments = self.arguments(operation, file, more);
        self.refused_raw(arguments)
    }

    pub(super) fn refused_raw(&mut self, arguments: Value) -> Value {
        let (answer, is_error) = self.raw(arguments.clone());
        assert!(is_error, "{arguments}: {answer:#}");
        assert_eq!(fields(&answer), ["error"], "{answer:#}");
        assert_eq!(fields(&answer["error"]), ["code", "details", "message"], "{answer:#}");
        assert!(answer["error"]["details"].is_object(), "{answer:#}");
        answer["error"].clone()
    }

    /// A place of an answer as `path:line:column` below the tree.
    pub(super) fn spot(&self, row: &Value) -> String {
        let path = row["file_path"].as_str().unwrap_or_else(|| panic!("{row}"));
        assert!(Path::new(path).is_absolute(), "{row}");
        let shown = Path::new(path)
            .strip_prefix(self.tree.root())
            .map_or(path.to_owned(), |path| path.display().to_string());
        format!("{shown}:{}:{}", row["line"], row["column"])
    }

    pub(super) fn spots(&self, rows: &Value) -> Vec<String> {
        rows.as_array()
            .unwrap_or_else(|| panic!("no rows: {rows}"))
            .iter()
            .map(|row| self.spot(row))
            .collect()
    }

    /// Ends the session as a client does that goes away.
    pub(super) fn end(mut self) {
        self.server.close();
        let status = self.server.wait(Duration::from_secs(15)).expect("it ends");
        assert!(status.success(), "{status}: {}", self.server.stderr());
    }
}

/// `line` and `column`.
pub(super) fn place(line: u32, column: u32) -> Value {
    json!({ "line": line, "column": column })
}

/// Names of an object's fields, sorted.
pub(super) fn fields(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        value.as_object().unwrap_or_else(|| panic!("{value}")).keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}
