//! A session in the dialect, and answers as a client reads them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

pub(super) const ARGS: &[&str] = &["--dialect", "pairofcleats", "--log-level", "error"];

/// A small repository with something of everything that can be asked for.
pub(super) const PROJECT: &str = "\
//- /.git/HEAD
ref: refs/heads/trunk
//- /src/config.rs
use std::fs;

/// Reads the settings of a project from its file.
pub fn load_settings(path: &str) -> Settings {
    parse_settings(&fs::read_to_string(path))
}

pub struct Settings {
    pub retries: u32,
}
//- /src/client.py
import sqlite3

from flask import request


class Client(Base):
    def __init__(self):
        self.tries = 0

    @retry
    async def fetch_page(self, url: str) -> bytes:
        # The server forgets us after thirty seconds.
        for attempt in range(3):
            if self.tries > attempt:
                raise TooSlow()
        return await self.connect(url)

    def _numbers(self):
        yield 1


def run_query(database):
    wanted = request.args.get(\"name\")
    return database.execute(\"select \" + wanted)
//- /scripts/start.sh
start_lantern() {
    echo lantern
}
//- /README.md
# Lighthouse

Ships are guided by the brightest lantern; its settings are in a file.
";

/// A running program over a repository.
pub(super) struct Session {
    pub(super) server: Server,
    pub(super) tree: Tree,
}

pub(super) fn over(fixture: &str) -> Session {
    Session::start(tree(fixture), &[], &[])
}

impl Session {
    pub(super) fn start(tree: Tree, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let root = tree.root().to_path_buf();
        Self::start_in(tree, &root, args, variables)
    }

    pub(super) fn start_in(tree: Tree, folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let server = begin(&tree, folder, args, variables);
        Self { server, tree }
    }

    /// The whole result of a call.
    pub(super) fn result(&mut self, tool: &str, arguments: Value) -> Value {
        self.server.call(tool, arguments)
    }

    /// The payload of a call that succeeds.
    pub(super) fn ask(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments.clone());
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}\n{}", self.server.stderr());
        payload(&result)
    }

    /// The payload of a call that fails.
    pub(super) fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let payload = payload(&result);
        assert!(payload["message"].is_string() && payload["code"].is_string(), "{payload}");
        payload
    }

    /// Names of the results of one list.
    pub(super) fn names(&mut self, list: &str, arguments: Value) -> Vec<String> {
        names(&self.ask("search", arguments)[list])
    }

    /// The folder of the only index in the cache.
    pub(super) fn index_folder(&self) -> PathBuf {
        let base = self.tree.root().with_file_name("home").join(".cache/orienteer/index");
        let mut folders: Vec<PathBuf> =
            std::fs::read_dir(base).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(folders.len(), 1, "{folders:?}");
        folders.remove(0)
    }
}

pub(super) fn begin(tree: &Tree, folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Server {
    let home = tree.beside("home").display().to_string();
    let args: Vec<&str> = ARGS.iter().chain(args).copied().collect();
    let mut all = vec![("HOME", home.as_str())];
    all.extend(variables);
    let mut server = Server::start_with(ORIENTEER, folder, &args, &all, Framing::ContentLength);
    server.initialize("2025-11-25");
    server
}

/// The only content of a result: a text that is JSON.
pub(super) fn payload(result: &Value) -> Value {
    let content = result["content"].as_array().unwrap_or_else(|| panic!("{result}"));
    assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")), "{result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    serde_json::from_str(content[0]["text"].as_str().unwrap())
        .unwrap_or_else(|error| panic!("{error}: {result}"))
}

pub(super) fn names(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().unwrap_or_else(|| panic!("no list: {rows}"));
    rows.iter().map(|row| row["name"].as_str().unwrap_or("-").to_owned()).collect()
}

/// The kinds of the warnings of an answer.
pub(super) fn warnings(answer: &Value) -> Vec<String> {
    let warnings = answer["warnings"].as_array().unwrap_or_else(|| panic!("no warnings: {answer}"));
    warnings.iter().map(|warning| warning["kind"].as_str().unwrap().to_owned()).collect()
}

/// As coreutils computes it.
pub(super) fn sha256(file: &Path) -> String {
    let sum = Command::new("sha256sum").arg(file).output().expect("sha256sum is installed");
    String::from_utf8(sum.stdout).unwrap()[..64].to_owned()
}

pub(super) fn git(folder: &Path, author: &str, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", &format!("user.name={author}"), "-c", "user.email=someone@example.org"])
        .args(["-c", "init.defaultBranch=trunk", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("git is needed: apt-get install git");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A repository whose index somebody else is building for as long as the file is there: builds wait, and nobody works.
pub(super) fn being_built(fixture: &str) -> (Tree, File) {
    let tree = tree(fixture);
    let mut session = Session::start(tree, &[], &[]);
    session.ask("build_index", json!({}));
    let folder = session.index_folder();
    assert_eq!(session.ask("clean_artifacts", json!({}))["status"], "removed");
    session.server.close();
    session.server.wait(std::time::Duration::from_secs(20)).expect("it ends");
    std::fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("build.lock")).unwrap();
    lock.lock().unwrap();
    (session.tree, lock)
}
