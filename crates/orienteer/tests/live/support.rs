//! A session with the real servers, and answers in a form that can be compared at a glance.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use orienteer_testkit::{Framing, Server, Tree, tools, tree};
use serde_json::{Value, json};

use crate::{ORIENTEER, processes};

/// A running program over a workspace.
pub(crate) struct Live {
    pub(crate) server: Server,
    pub(crate) tree: Tree,
    /// What the last answer says to a person.
    pub(crate) text: String,
}

/// How a session is started.
pub(crate) struct Start {
    tree: Tree,
    path: OsString,
    args: Vec<&'static str>,
    variables: Vec<(&'static str, String)>,
}

/// A session over a fixture, with every installed server in PATH.
pub(crate) fn over(fixture: &str) -> Start {
    over_tree(tree(fixture))
}

pub(crate) fn over_tree(tree: Tree) -> Start {
    let args = vec!["--toolsets", "all", "--log-level", "warn"];
    Start { tree, path: tools::server_path(), args, variables: Vec::new() }
}

/// A workspace as somebody has it who trusts it.
pub(crate) fn trusted(fixture: &str) -> Tree {
    let tree = tree(fixture);
    trust(&tree);
    tree
}

pub(crate) fn trust(tree: &Tree) {
    let mut trust = Command::new(ORIENTEER);
    trust.args(["trust", "--yes"]).current_dir(tree.root()).env_clear().env("HOME", tree.beside("home"));
    assert!(trust.output().unwrap().status.success());
}

/// A program that leaves a mark when it is run, which it must not be.
pub(crate) fn tell_tale(program: &Path, mark: &Path) {
    std::fs::remove_file(program).ok();
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::write(program, format!("#!/bin/sh\ntouch '{}'\n", mark.display())).unwrap();
    std::fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// Writes the user's own configuration.
pub(crate) fn configure(tree: &Tree, text: &str) {
    let folder = tree.beside("home").join(".config/orienteer");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

/// Puts servers into it, as somebody does who wants those that only start when they are named.
pub(crate) fn name_servers(tree: &Tree, ids: &[&str]) {
    let blocks: String = ids.iter().map(|id| format!("[[servers]]\nid = \"{id}\"\n")).collect();
    configure(tree, &blocks);
}

/// The developer's own folders of rustup and cargo: HOME is another one in tests.
pub(crate) fn rust_homes() -> [(&'static str, String); 2] {
    ["RUSTUP_HOME", "CARGO_HOME"].map(|name| {
        let usual = if name == "RUSTUP_HOME" { ".rustup" } else { ".cargo" };
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        (name, std::env::var(name).unwrap_or_else(|_| home.join(usual).display().to_string()))
    })
}

impl Start {
    pub(crate) fn path(mut self, path: OsString) -> Self {
        self.path = path;
        self
    }

    pub(crate) fn arg(mut self, arg: &'static str) -> Self {
        self.args.push(arg);
        self
    }

    pub(crate) fn variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(crate) fn start(self) -> Live {
        let path = self.path.to_str().expect("a PATH in UTF-8");
        let homes = rust_homes();
        let mut variables = vec![("PATH", path)];
        // Nothing is fetched, whatever a module says.
        variables.extend([("GOPROXY", "off"), ("GOFLAGS", "-mod=mod"), ("RUSTUP_AUTO_INSTALL", "0")]);
        variables.extend(homes.iter().chain(&self.variables).map(|(name, value)| (*name, value.as_str())));
        self.tree.beside("home");
        let args = &self.args;
        let mut server = Server::start_with(ORIENTEER, self.tree.root(), args, &variables, Framing::Lines);
        server.initialize("2025-11-25");
        Live { server, tree: self.tree, text: String::new() }
    }
}

/// `file_path`, `line` and `column` of a target.
pub(crate) fn at(file: &str, line: u32, column: u32) -> Value {
    json!({ "file_path": file, "line": line, "column": column })
}

pub(crate) fn named(name: &str) -> Value {
    json!({ "symbol_name": name })
}

/// Arguments of two objects in one.
pub(crate) fn with(mut arguments: Value, more: Value) -> Value {
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}

impl Live {
    /// The structure of an answer, whatever it says.
    pub(crate) fn raw(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.server.call(tool, arguments);
        self.text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        let answer = result["structuredContent"].clone();
        assert_eq!(answer["schema_version"], 1, "{tool}: {result}");
        assert_eq!(answer["ok"] == json!(true), result["isError"] != json!(true), "{tool}: {result}");
        answer
    }

    /// A good answer, complete or not.
    pub(crate) fn get(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.raw(tool, arguments.clone());
        assert_eq!(answer["ok"], true, "{tool} {arguments}: {answer:#}\n{}", self.server.stderr());
        answer
    }

    /// A good and whole answer of a server that has seen the files as they are.
    pub(crate) fn ask(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.get(tool, arguments.clone());
        assert_eq!(answer["completeness"], json!({ "state": "complete" }), "{tool} {arguments}: {answer:#}");
        assert_eq!(answer["source"], "lsp", "{tool} {arguments}: {answer:#}");
        let freshness = &answer["freshness"];
        assert!(freshness["generation"].as_u64() >= Some(1), "{tool} {arguments}: {freshness}");
        assert!(freshness["synced_files"].is_u64() && freshness["waited_ms"].is_u64(), "{freshness}");
        answer
    }

    /// The `error` of an answer that is one; its steps are in the answer beside it.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.raw(tool, arguments.clone());
        assert_eq!(answer["ok"], false, "{tool} {arguments}: {answer:#}");
        assert_eq!(answer["error"]["message"], answer["message"], "{answer}");
        answer
    }

    /// What the compilers find, all of them having finished.
    pub(crate) fn compiled(&mut self, arguments: Value) -> Vec<String> {
        let arguments = with(arguments, json!({ "mode": "compiler", "wait_ms": 60_000 }));
        let answer = self.get("get_diagnostics", arguments);
        let (state, completeness) = (&answer["state"], &answer["completeness"]["state"]);
        assert_eq!((state, completeness), (&json!("issues"), &json!("complete")), "{answer:#}");
        findings(&answer["diagnostics"])
    }

    pub(crate) fn definitions(&mut self, arguments: Value) -> Vec<String> {
        spots(&self.ask("find_definition", arguments)["definitions"])
    }

    pub(crate) fn relation(&mut self, relation: &str, arguments: Value) -> Vec<String> {
        self.definitions(with(arguments, json!({ "relation": relation })))
    }

    /// References as `path:line:column`, with a `!` behind those that declare.
    pub(crate) fn references(&mut self, arguments: Value) -> Vec<String> {
        let answer = self.ask("find_references", arguments);
        let rows = uses(&answer);
        assert_eq!(answer["total_count"], rows.len(), "{answer}");
        rows
    }

    /// `type_info` and `documentation`.
    pub(crate) fn hover(&mut self, arguments: Value) -> (String, String) {
        let contents = self.ask("hover", arguments)["contents"].clone();
        let text = |name: &str| contents[name].as_str().unwrap_or_default().to_owned();
        (text("type_info"), text("documentation"))
    }

    /// The outline, one line per symbol: `kind name_path line:column`, in the order of the file.
    pub(crate) fn outline(&mut self, file: &str) -> Vec<String> {
        let answer = self.ask("document_symbols", json!({ "file_path": file, "depth": 10 }));
        let mut rows = Vec::new();
        nested(&answer["symbols"], 0, &mut rows);
        rows
    }

    /// Symbols as `kind name_path path:line:column`.
    pub(crate) fn symbols(&mut self, arguments: Value) -> Vec<String> {
        symbol_rows(&self.ask("find_symbol", arguments))
    }

    /// Members of a hierarchy as `depth name path:line:column <- sites`.
    pub(crate) fn calls(&mut self, arguments: Value) -> Vec<String> {
        hierarchy(&self.ask("call_hierarchy", arguments))
    }

    /// Errors and warnings as `path:line:column severity code`, after the state.
    pub(crate) fn check(&mut self, arguments: Value) -> (String, Vec<String>) {
        let answer = self.ask("get_diagnostics", arguments);
        (answer["state"].as_str().unwrap().to_owned(), findings(&answer["diagnostics"]))
    }

    /// Labels of proposals.
    pub(crate) fn proposals(&mut self, arguments: Value) -> Vec<String> {
        let answer = self.get("complete", arguments);
        answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["insert_text"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The text of one line of a file that an answer named.
    pub(crate) fn line(&mut self, spot: &str) -> String {
        let mut parts = spot.rsplitn(3, ':');
        let (_, line, file) = (parts.next(), parts.next().unwrap(), parts.next().unwrap());
        let line: u32 = line.parse().unwrap();
        let arguments = json!({ "file_path": file, "start_line": line, "end_line": line });
        self.get("read_file", arguments)["content"].as_str().unwrap().trim_end().to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.tree.write(path, text);
    }

    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let file = self.tree.root().join(path);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{path} has no {from}: {text}");
        std::fs::write(file, text.replacen(from, to, 1)).unwrap();
    }

    /// The one running server.
    pub(crate) fn status(&mut self, id: &str) -> Value {
        let answer = self.get("get_server_status", json!({ "server_id": id }));
        assert_eq!(answer["servers"].as_array().unwrap().len(), 1, "{answer:#}");
        answer["servers"][0].clone()
    }

    /// Process ids of all servers that run.
    pub(crate) fn pids(&mut self) -> Vec<u32> {
        let answer = self.get("get_server_status", json!({}));
        let pids = answer["servers"].as_array().unwrap().iter().filter_map(|server| server["pid"].as_u64());
        pids.map(|pid| u32::try_from(pid).unwrap()).collect()
    }

    /// Ends the session as a client does that goes away: nothing is left of it. What it worked on is there as long as the
    /// tree is kept.
    pub(crate) fn end(mut self) -> Tree {
        let pids = self.pids();
        self.server.close();
        let status = self.server.wait(Duration::from_secs(15)).expect("it ends");
        assert!(status.success(), "{status}: {}", self.server.stderr());
        processes::gone(&pids);
        assert!(self.server.garbage().is_empty(), "{:?}", String::from_utf8_lossy(&self.server.garbage()));
        self.tree
    }
}

/// Locations as `path:line:column`; each range is a name on one line with its text in the preview.
pub(crate) fn spots(rows: &Value) -> Vec<String> {
    rows.as_array().unwrap_or_else(|| panic!("no rows: {rows}")).iter().map(spot).collect()
}

pub(crate) fn spot(row: &Value) -> String {
    assert!(row["preview"].is_string() && row["source"].is_string(), "{row}");
    format!("{}:{}:{}", row["file_path"].as_str().unwrap(), row["line"], row["column"])
}

/// What stands in the range of a location, as its preview shows it.
pub(crate) fn word(row: &Value) -> String {
    let column = |name: &str| usize::try_from(row[name].as_u64().unwrap()).unwrap() - 1;
    let (start, end) = (column("column"), column("end_column"));
    row["preview"].as_str().unwrap().chars().skip(start).take(end - start).collect()
}

/// References as `path:line:column`, with a `!` behind those that declare.
pub(crate) fn uses(answer: &Value) -> Vec<String> {
    let rows = answer["references"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let mark = |row: &Value| if row["is_declaration"] == json!(true) { "!" } else { "" };
    rows.iter().map(|row| format!("{}{}", spot(row), mark(row))).collect()
}

/// `path count` of each file.
pub(crate) fn counts(answer: &Value) -> Vec<String> {
    let files = answer["files"].as_array().unwrap();
    files.iter().map(|file| format!("{} {}", file["file_path"].as_str().unwrap(), file["count"])).collect()
}

fn nested(symbols: &Value, depth: usize, rows: &mut Vec<String>) {
    for symbol in symbols.as_array().unwrap_or(&Vec::new()) {
        let text = |name: &str| symbol[name].as_str().unwrap_or_default();
        let margin = "  ".repeat(depth);
        let (line, column) = (&symbol["line"], &symbol["column"]);
        rows.push(format!("{margin}{} {} {line}:{column}", text("kind"), text("name_path")));
        nested(&symbol["children"], depth + 1, rows);
    }
}

/// Symbols as `kind name_path path:line:column`.
pub(crate) fn symbol_rows(answer: &Value) -> Vec<String> {
    let rows = answer["symbols"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let one = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let place = format!("{}:{}:{}", text("file_path"), row["line"], row["column"]);
        format!("{} {} {place}", text("kind"), text("name_path"))
    };
    rows.iter().map(one).collect()
}

/// Members as `depth kind name path:line:column <- line:column …`, with a `*` behind what was followed before.
pub(crate) fn hierarchy(answer: &Value) -> Vec<String> {
    let rows = answer["items"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let one = |row: &Value| {
        let sites = row["call_sites"].as_array().unwrap().iter();
        let sites: Vec<String> = sites.map(|site| format!("{}:{}", site["line"], site["column"])).collect();
        let arrow = if sites.is_empty() { "" } else { " <- " };
        let again = if row["cycle"] == json!(true) { "*" } else { "" };
        let name = row["name_path"].as_str().or_else(|| row["name"].as_str()).unwrap();
        format!("{} {name} {}{again}{arrow}{}", row["depth"], spot(&row["location"]), sites.join(" "))
    };
    rows.iter().map(one).collect()
}

/// Findings as `path:line:column severity code`.
pub(crate) fn findings(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().unwrap_or_else(|| panic!("no findings: {rows}"));
    let one = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap_or("-");
        let place = format!("{}:{}:{}", text("file_path"), row["line"], row["column"]);
        format!("{place} {} {}", text("severity"), text("code"))
    };
    rows.iter().map(one).collect()
}

/// The kinds of warnings of an answer.
pub(crate) fn warnings(answer: &Value) -> Vec<&str> {
    answer["warnings"].as_array().unwrap().iter().map(|warning| warning["kind"].as_str().unwrap()).collect()
}

/// How often a change outside is tried: the long run proves what the short one shows.
pub(crate) fn tries() -> usize {
    if std::env::var_os("ORIENTEER_TEST_FULL").is_some() { 200 } else { 10 }
}
