//! One engine: whoever's contract is spoken, the same question about the same files has the same places for an answer.

use std::path::{Path, PathBuf};

use orienteer::dialects::DIALECTS;
use orienteer_testkit::workspaces::{
    PYTHON, PYTHON_BROKEN, RUST, RUST_BROKEN, TYPESCRIPT, TYPESCRIPT_BROKEN,
};
use orienteer_testkit::{Framing, Server, Tree, tools, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

/// A name in a file, as every contract can point at it.
struct Name {
    file: &'static str,
    word: &'static str,
    line: u32,
    column: u32,
}

/// A project, a use of a name in it, and a text that breaks one of its files.
struct Project {
    language: &'static str,
    fixture: &'static str,
    name: Name,
    broken: (&'static str, &'static str),
    /// What the native contract has to say, so that nobody agrees on nothing.
    defined: &'static str,
    uses: usize,
    documentation: &'static str,
    error: &'static str,
}

const PROJECTS: &[Project] = &[
    Project {
        language: "rust",
        fixture: RUST,
        name: Name { file: "crates/app/src/main.rs", word: "total_area", line: 16, column: 15 },
        broken: ("crates/app/src/main.rs", RUST_BROKEN),
        defined: "crates/geometry/src/lib.rs:48:8",
        uses: 5,
        documentation: "The sum of all areas.",
        error: "crates/app/src/main.rs:5:23",
    },
    Project {
        language: "typescript",
        fixture: TYPESCRIPT,
        name: Name { file: "packages/web/src/report.ts", word: "totalArea", line: 5, column: 15 },
        broken: ("packages/web/src/report.ts", TYPESCRIPT_BROKEN),
        defined: "packages/core/src/total.ts:4:17",
        uses: 8,
        documentation: "The sum of all areas.",
        error: "packages/web/src/report.ts:5:9",
    },
    Project {
        language: "python",
        fixture: PYTHON,
        name: Name { file: "src/shapes/report.py", word: "total_area", line: 8, column: 20 },
        broken: ("src/shapes/report.py", PYTHON_BROKEN),
        defined: "src/shapes/total.py:8:5",
        uses: 9,
        documentation: "The sum of all areas.",
        error: "src/shapes/report.py:8:18",
    },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Definition,
    References,
    /// The documentation of the symbol.
    Hover,
    /// Where errors begin.
    Diagnostics,
}

/// A session that speaks a contract over a project.
struct Session<'t> {
    dialect: &'static str,
    server: Server,
    root: &'t Path,
}

impl<'t> Session<'t> {
    fn start(dialect: &'static str, tree: &'t Tree) -> Self {
        tree.beside("home");
        let home = |name: &str, usual: &str| {
            let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
            std::env::var(name).unwrap_or_else(|_| home.join(usual).display().to_string())
        };
        let (rustup, cargo) = (home("RUSTUP_HOME", ".rustup"), home("CARGO_HOME", ".cargo"));
        let path = tools::server_path();
        let variables = [
            ("PATH", path.to_str().unwrap()),
            ("RUSTUP_HOME", rustup.as_str()),
            ("CARGO_HOME", cargo.as_str()),
            ("RUSTUP_AUTO_INSTALL", "0"),
        ];
        let mut args = vec!["--dialect", dialect, "--log-level", "warn"];
        if dialect == "native" {
            args.extend(["--toolsets", "all"]);
        }
        let mut server = Server::start_with(ORIENTEER, tree.root(), &args, &variables, Framing::Lines);
        server.initialize("2025-11-25");
        Self { dialect, server, root: tree.root() }
    }

    /// What a tool says, as JSON; the native one says it beside the text.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.server.call(tool, arguments.clone());
        let what = format!("{} {tool} {arguments}: {result:#}", self.dialect);
        assert_ne!(result["isError"], json!(true), "{what}");
        if self.dialect == "native" {
            return result["structuredContent"].clone();
        }
        serde_json::from_str(result["content"][0]["text"].as_str().expect(&what)).expect(&what)
    }

    /// `path:line:column` below the root, whether the path is absolute, relative or an address.
    fn spot(&self, path: &Value, line: u64, column: u64) -> String {
        let path = path.as_str().unwrap_or_else(|| panic!("no path: {path}"));
        let path = path.strip_prefix("file://").unwrap_or(path);
        let shown = Path::new(path)
            .strip_prefix(self.root)
            .map_or(path.to_owned(), |path| path.display().to_string());
        format!("{shown}:{line}:{column}")
    }

    fn rows(&self, rows: &Value, path: &str) -> Vec<String> {
        let number =
            |row: &Value, name: &str| row[name].as_u64().unwrap_or_else(|| panic!("no {name}: {row}"));
        let rows = rows.as_array().unwrap_or_else(|| panic!("{}: no rows: {rows}", self.dialect));
        rows.iter().map(|row| self.spot(&row[path], number(row, "line"), number(row, "column"))).collect()
    }

    /// Rows with ranges as in the Language Server Protocol.
    fn ranges(&self, rows: &Value) -> Vec<String> {
        let rows = rows.as_array().unwrap_or_else(|| panic!("{}: no rows: {rows}", self.dialect));
        let one = |row: &Value| {
            let start = &row["range"]["start"];
            let number = |name: &str| start[name].as_u64().unwrap_or_else(|| panic!("no {name}: {row}"));
            let (line, units) = (number("line"), number("character"));
            // Counted in UTF-16, as editors do; the others count characters.
            let path = row["uri"].as_str().unwrap().trim_start_matches("file://");
            let text = std::fs::read_to_string(path).unwrap();
            let text = text.lines().nth(usize::try_from(line).unwrap()).unwrap_or_default();
            let mut left = usize::try_from(units).unwrap();
            let before = text.chars().take_while(|c| {
                let counts = left > 0;
                left = left.saturating_sub(c.len_utf16());
                counts
            });
            self.spot(&row["uri"], line + 1, before.count() as u64 + 1)
        };
        rows.iter().map(one).collect()
    }

    /// The answer in one form for all contracts, sorted; `None` when the contract has no such question.
    fn ask(&mut self, asked: Asked, project: &Project) -> Option<Vec<String>> {
        let mut found = match self.dialect {
            "native" => self.native(asked, &project.name),
            "swissarmyhammer" => self.swissarmyhammer(asked, &project.name),
            "pyright" if project.language != "python" => return None,
            "pyright" => self.pyright(asked, &project.name),
            "octocode" => self.octocode(asked, &project.name)?,
            // It searches an index and asks no language server.
            "pairofcleats" => return None,
            other => panic!("say here how `{other}` is asked"),
        };
        found.sort();
        found.dedup();
        Some(found)
    }

    fn native(&mut self, asked: Asked, name: &Name) -> Vec<String> {
        let place = json!({ "file_path": name.file, "line": name.line, "column": name.column });
        match asked {
            Asked::Definition => {
                let answer = self.call("find_definition", &place);
                self.rows(&answer["definitions"], "file_path")
            }
            Asked::References => {
                let answer = self.call("find_references", &place);
                self.rows(&answer["references"], "file_path")
            }
            Asked::Hover => vec![documentation(&self.call("hover", &place)["contents"])],
            Asked::Diagnostics => {
                let arguments =
                    json!({ "file_paths": [name.file], "severity_filter": "error", "wait_ms": 50_000 });
                let answer = self.call("get_diagnostics", &arguments);
                self.rows(&answer["diagnostics"], "file_path")
            }
        }
    }

    fn swissarmyhammer(&mut self, asked: Asked, name: &Name) -> Vec<String> {
        let operation = match asked {
            Asked::Definition => "definition",
            Asked::References => "references",
            Asked::Hover => "hover",
            Asked::Diagnostics => "diagnostics",
        };
        let mut arguments = json!({ "operation": operation, "file_path": self.root.join(name.file) });
        match asked {
            Asked::Diagnostics => arguments["severity_filter"] = json!("error"),
            _ => (arguments["line"], arguments["column"]) = (json!(name.line), json!(name.column)),
        }
        let answer = self.call("lsp", &arguments);
        match asked {
            Asked::Definition => self.rows(&answer["definitions"], "file_path"),
            Asked::References => self.rows(&answer["references"], "file_path"),
            Asked::Hover => vec![documentation(&answer["contents"])],
            Asked::Diagnostics => self.rows(&answer["diagnostics"], "file_path"),
        }
    }

    fn pyright(&mut self, asked: Asked, name: &Name) -> Vec<String> {
        let file = self.root.join(name.file);
        let place = json!({ "file": file, "line": name.line, "column": name.column });
        match asked {
            Asked::Definition => {
                let answer = self.call("go_to_definition", &place);
                self.rows(&answer["definitions"], "file")
            }
            Asked::References => {
                let answer = self.call("find_references", &place);
                self.rows(&answer["references"], "file")
            }
            Asked::Hover => vec![documentation(&self.call("get_hover", &place))],
            Asked::Diagnostics => {
                let answer = self.call("check_types", &json!({ "path": file }));
                let rows = answer["diagnostics"].as_array().unwrap_or_else(|| panic!("{answer:#}")).iter();
                let errors = rows.filter(|row| row["severity"] == "error");
                let one = |row: &Value| {
                    let location = row["location"].as_str().unwrap_or_else(|| panic!("{row}"));
                    let (line, column) = location.split_once(':').unwrap_or_else(|| panic!("{row}"));
                    self.spot(&row["file"], line.parse().unwrap(), column.parse().unwrap())
                };
                errors.map(one).collect()
            }
        }
    }

    /// It points by name and line, and has neither hovers nor diagnostics.
    fn octocode(&mut self, asked: Asked, name: &Name) -> Option<Vec<String>> {
        let mut query = json!({
            "researchGoal": "compare",
            "reasoning": "the same engine answers",
            "uri": self.root.join(name.file),
            "symbolName": name.word,
            "lineHint": name.line,
        });
        let (tool, rows) = match asked {
            Asked::Definition => ("lspGotoDefinition", "definitions"),
            Asked::References => ("lspFindReferences", "references"),
            Asked::Hover | Asked::Diagnostics => return None,
        };
        if asked == Asked::References {
            query["referencesPerPage"] = json!(50);
        }
        let answer = self.call(tool, &json!({ "queries": [query] }));
        Some(self.ranges(&answer["results"][0]["data"][rows]))
    }
}

fn documentation(contents: &Value) -> String {
    contents["documentation"]
        .as_str()
        .unwrap_or_else(|| panic!("no documentation: {contents}"))
        .trim()
        .to_owned()
}

fn compare(project: &Project) {
    let tree = tree(project.fixture);
    let mut expected: Vec<(Asked, Vec<String>)> = Vec::new();
    for dialect in DIALECTS {
        let mut session = Session::start(dialect.name, &tree);
        for asked in [Asked::Definition, Asked::References, Asked::Hover, Asked::Diagnostics] {
            if asked == Asked::Diagnostics {
                tree.write(project.broken.0, project.broken.1);
            }
            let Some(found) = session.ask(asked, project) else { continue };
            match expected.iter().find(|(known, _)| *known == asked) {
                None => {
                    assert_eq!(dialect.name, "native", "the native contract is asked first");
                    expected.push((asked, found));
                }
                Some((_, native)) => {
                    assert_eq!(&found, native, "{asked:?} about {} in `{}`", project.language, dialect.name);
                }
            }
        }
        tree.write(project.broken.0, orienteer_testkit::workspaces::file(project.fixture, project.broken.0));
    }
    let told = |asked: Asked| &expected.iter().find(|(known, _)| *known == asked).unwrap().1;
    assert_eq!(told(Asked::Definition), &[project.defined]);
    assert_eq!(told(Asked::References).len(), project.uses, "{:#?}", told(Asked::References));
    assert_eq!(told(Asked::Hover), &[project.documentation]);
    assert!(told(Asked::Diagnostics).iter().any(|spot| spot.starts_with(project.error)), "{expected:#?}");
}

#[test]
fn every_contract_has_the_same_places_in_a_rust_project() {
    compare(&PROJECTS[0]);
}

#[test]
fn every_contract_has_the_same_places_in_a_typescript_project() {
    compare(&PROJECTS[1]);
}

#[test]
fn every_contract_has_the_same_places_in_a_python_project() {
    compare(&PROJECTS[2]);
}
