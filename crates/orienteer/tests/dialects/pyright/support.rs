//! A client of pyright-mcp, and the processes it can see.

use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orienteer_testkit::fake::{Script, fake_lsp_binary};
use orienteer_testkit::{Framing, Server, Tree, tools, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

/// A running program over a tree of files.
pub(super) struct Client {
    pub(super) server: Server,
    pub(super) tree: Tree,
}

/// How it is started.
pub(super) struct Start {
    pub(super) tree: Tree,
    program: PathBuf,
    path: OsString,
    args: Vec<&'static str>,
    variables: Vec<(&'static str, String)>,
}

/// Over a fixture, with every installed server in PATH.
pub(super) fn over(fixture: &str) -> Start {
    let tree = tree(fixture);
    Start {
        tree,
        program: PathBuf::from(ORIENTEER),
        path: tools::server_path(),
        args: vec!["--dialect", "pyright"],
        variables: Vec::new(),
    }
}

impl Start {
    pub(super) fn path(mut self, path: impl Into<OsString>) -> Self {
        self.path = path.into();
        self
    }

    pub(super) fn variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(super) fn args(mut self, more: &[&'static str]) -> Self {
        self.args.extend(more);
        self
    }

    /// As somebody who may not read everything: root gives that right away before the program starts.
    pub(super) fn unprivileged(mut self) -> Self {
        if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
            let script = format!(
                "exec {} --bounding-set=-dac_override,-dac_read_search -- {ORIENTEER} \"$@\"",
                tools::require("setpriv").display()
            );
            self.program = self.programs(&[], &[("orienteer", &script)]).join("orienteer");
        }
        self
    }

    /// Speaks Orienteer's own contract instead.
    pub(super) fn native(mut self) -> Self {
        self.args = Vec::new();
        self
    }

    /// With the fake language server as pyright's, doing what the script says.
    pub(super) fn fake(self, script: &Script) -> Self {
        let script = script.clone().extensions(&["py"]).write(&self.tree.beside("fake"));
        let command = format!("{} {}", fake_lsp_binary().display(), script.display());
        self.variable("PYRIGHT_MCP_LSP_COMMAND", command)
    }

    /// A folder of programs for PATH: real ones by name, and scripts of ours.
    pub(super) fn programs(&self, real: &[&str], scripts: &[(&str, &str)]) -> PathBuf {
        let folder = self.tree.beside("bin");
        for program in real {
            std::os::unix::fs::symlink(tools::require(program), folder.join(program)).unwrap();
        }
        for (name, text) in scripts {
            let path = folder.join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    pub(super) fn start(self) -> Client {
        let mut client = self.launch();
        client.server.initialize("2025-11-25");
        client
    }

    /// Without the handshake.
    pub(super) fn launch(self) -> Client {
        self.tree.beside("home");
        let path = self.path.to_str().unwrap().to_owned();
        let program = self.program.to_str().unwrap();
        let mut variables = vec![("PATH", path.as_str())];
        variables.extend(self.variables.iter().map(|(name, value)| (*name, value.as_str())));
        let server = Server::start_with(program, self.tree.root(), &self.args, &variables, Framing::Lines);
        Client { server, tree: self.tree }
    }
}

impl Client {
    /// The absolute path of a file.
    pub(super) fn at(&self, path: &str) -> String {
        self.tree.root().join(path).display().to_string()
    }

    /// The payload of an answer. `status` and MCP's own flag say the same.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        payload(&self.server.call(tool, arguments))
    }

    pub(super) fn success(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments.clone());
        assert_eq!(answer["status"], "success", "{tool} {arguments}: {answer:#}\n{}", self.server.stderr());
        answer
    }

    /// `error_code` and `message`, and nothing else.
    pub(super) fn error(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let answer = self.call(tool, arguments.clone());
        assert_eq!(fields(&answer), ["status", "error_code", "message"], "{tool} {arguments}: {answer:#}");
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        (text("error_code"), text("message"))
    }

    /// A position in a file.
    pub(super) fn place(&self, path: &str, line: u32, column: u32) -> Value {
        json!({ "file": self.at(path), "line": line, "column": column })
    }

    /// Locations as `path:line:column`, relative to the tree; each has these three fields.
    pub(super) fn spots(&self, rows: &Value) -> Vec<String> {
        let one = |row: &Value| {
            assert_eq!(fields(row), ["file", "line", "column"]);
            format!("{}:{}:{}", self.relative(row["file"].as_str().unwrap()), row["line"], row["column"])
        };
        rows.as_array().unwrap_or_else(|| panic!("no rows: {rows}")).iter().map(one).collect()
    }

    pub(super) fn relative(&self, absolute: &str) -> String {
        assert!(Path::new(absolute).is_absolute(), "{absolute}");
        let path = Path::new(absolute);
        path.strip_prefix(self.tree.root()).unwrap_or(path).display().to_string()
    }

    /// Processes that run one of our language servers.
    pub(super) fn servers(&self) -> Vec<u32> {
        let ours = children(self.server.pid());
        ours.into_iter().filter(|pid| command_line(*pid).contains("langserver")).collect()
    }

    /// Ends as a client does that goes away: nothing is left.
    pub(super) fn end(mut self) {
        let pids = children(self.server.pid());
        self.server.close();
        let status = self.server.wait(Duration::from_secs(15)).expect("it ends");
        assert!(status.success(), "{status}: {}", self.server.stderr());
        gone(&pids);
        assert!(self.server.garbage().is_empty());
    }
}

pub(super) fn payload(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"));
    let answer: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let failed = answer["status"] == "error";
    assert!(failed || answer["status"] == "success", "{answer}");
    assert_eq!(result["isError"] == json!(true), failed, "{result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    answer
}

/// The names of an object's fields, in order.
pub(super) fn fields(object: &Value) -> Vec<&str> {
    object.as_object().unwrap_or_else(|| panic!("no object: {object}")).keys().map(String::as_str).collect()
}

/// Waits until something is so.
pub(super) fn until(what: &str, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !so() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn stat(pid: u32) -> Option<(u32, char)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest = &text[text.rfind(')')? + 2..];
    let mut fields = rest.split(' ');
    let state = fields.next()?.chars().next()?;
    Some((fields.next()?.parse().ok()?, state))
}

pub(super) fn children(of: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(parent, state)| parent == of && state != 'Z')).collect()
}

pub(super) fn command_line(pid: u32) -> String {
    let text = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&text).replace('\0', " ")
}

pub(super) fn gone(pids: &[u32]) {
    until("the processes are gone", || {
        pids.iter().all(|pid| stat(*pid).is_none_or(|(_, state)| state == 'Z'))
    });
}

pub(super) fn kill(pid: u32) {
    let status = std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status();
    assert!(status.unwrap().success(), "{pid}");
}
