//! The dialect of pyright-mcp: the times that its document asks for, the command line of pyright beside ours.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};
use orienteer_testkit::{Framing, Server};
use serde_json::{Value, json};

use super::report::Report;
use super::{median, percentile};
use crate::install::Tools;

/// Milliseconds that the document allows.
const MOST_FILE: f64 = 2_000.0;
const MOST_FOLDER: f64 = 10_000.0;
const MOST_WARM: f64 = 200.0;
const MOST_COLD: f64 = 3_000.0;

const CHECKS: usize = 7;
const COLD: usize = 5;
/// One file of the project, and the folder of all of its sources.
const FILE: &str = "src/werkzeug/http.py";
const FOLDER: &str = "src/werkzeug";

pub(crate) fn measure(orienteer: &Path, tools: &Tools, report: &mut Report) -> anyhow::Result<()> {
    println!("── pyright's dialect");
    let place = Place {
        orienteer: orienteer.to_owned(),
        root: super::lsp::small_python(tools)?,
        path: path(tools)?,
        pyright: tools.folder.join("node/node_modules/.bin/pyright"),
    };
    let mut rows = Vec::new();
    for (what, target, most) in [("a file", FILE, MOST_FILE), ("a folder", FOLDER, MOST_FOLDER)] {
        let (ours, raw, files) = checks(&place, target)?;
        let ratio = median(&ours) / median(&raw);
        judge(report, &format!("`check_types` of {what}"), &ours, most);
        rows.push(format!(
            "| `check_types`, {what} ({files}) | {} | {:.0} ms | {ratio:.2} | {most:.0} ms |",
            shown(&ours),
            median(&raw)
        ));
    }
    let cold = (0..COLD).map(|_| cold(&place)).collect::<anyhow::Result<Vec<f64>>>()?;
    judge(report, "`get_hover`, cold", &cold, MOST_COLD);
    rows.push(format!("| `get_hover`, cold | {} | – | – | {MOST_COLD:.0} ms |", shown(&cold)));
    for tool in ["get_hover", "go_to_definition"] {
        let warm = warm(&place, tool)?;
        judge(report, &format!("`{tool}`, warm"), &warm, MOST_WARM);
        rows.push(format!(
            "| `{tool}`, warm ({}) | {} | – | – | {MOST_WARM:.0} ms |",
            warm.len(),
            shown(&warm)
        ));
    }
    report.section(
        "Dialect pyright: times",
        &format!(
            "`orienteer mcp --dialect pyright` on Werkzeug, over stdio, p50 / most, and pyright's command line by itself with \
             the same file or folder, in turn ({CHECKS} rounds). Cold: a process that has started nothing yet, from the first \
             question to the answer ({COLD} processes). Warm: the name of each function of a file, twice; the second \
             counts. The targets are those of pyright-mcp's document. How much is added to the language server by itself \
             stands above."
        ),
        "| what | ours | pyright by itself | ratio | target |\n| --- | --- | --- | --- | --- |",
        &rows,
    );
    Ok(())
}

fn judge(report: &mut Report, what: &str, times: &[f64], most: f64) {
    if median(times) > most {
        report.miss(format!("{what}: {}, {most:.0} asked", shown(times)));
    }
}

fn shown(times: &[f64]) -> String {
    let digits = usize::from(median(times) < 100.0);
    format!("{:.digits$} / {:.digits$} ms", median(times), percentile(times, 1.0))
}

/// What is started, and where.
struct Place {
    orienteer: PathBuf,
    root: PathBuf,
    path: String,
    pyright: PathBuf,
}

fn path(tools: &Tools) -> anyhow::Result<String> {
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let installed = std::iter::once(tools.folder.join("node/node_modules/.bin"));
    let path = std::env::join_paths(installed.chain(std::env::split_paths(&machine)))?;
    path.into_string().ok().context("PATH is not text")
}

impl Place {
    fn start(&self) -> Server {
        let variables = [("PATH", self.path.as_str())];
        let arguments = ["--dialect", "pyright"];
        let mut server =
            Server::start_with(&self.orienteer, &self.root, &arguments, &variables, Framing::Lines);
        server.initialize("2025-11-25");
        server
    }

    fn at(&self, name: &str) -> String {
        self.root.join(name).to_string_lossy().into_owned()
    }

    /// Where functions of the file are named: lines and columns from 1.
    fn names(&self) -> anyhow::Result<Vec<(usize, usize)>> {
        let text = std::fs::read_to_string(self.root.join(FILE))?;
        let lines = text.lines().enumerate().filter(|(_, line)| line.starts_with("def "));
        let names: Vec<_> = lines.map(|(index, _)| (index + 1, "def ".len() + 1)).collect();
        ensure!(names.len() >= 20, "{} functions in {FILE}", names.len());
        Ok(names)
    }
}

/// Asks once: the answer and its milliseconds.
fn ask(server: &mut Server, tool: &str, arguments: &Value) -> anyhow::Result<(Value, f64)> {
    let begun = Instant::now();
    let result = server.call(tool, arguments.clone());
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    let text = result["content"][0]["text"].as_str().context("an answer without text")?;
    let answer: Value = serde_json::from_str(text)?;
    ensure!(answer["status"] == "success", "{tool} {arguments}: {answer}");
    Ok((answer, took))
}

/// Milliseconds of ours and of the command line by itself, in turn, and how many files both say that they looked at.
fn checks(place: &Place, target: &str) -> anyhow::Result<(Vec<f64>, Vec<f64>, String)> {
    let mut server = place.start();
    let (mut ours, mut raw, mut files) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..CHECKS {
        let (answer, took) = ask(&mut server, "check_types", &json!({ "path": place.at(target) }))?;
        ours.push(took);
        let begun = Instant::now();
        let mut command = Command::new(&place.pyright);
        command.args(["--outputjson", "--project", "."]).arg(target).current_dir(&place.root);
        command.env("PATH", &place.path);
        // Findings make it fail; the report is what counts.
        let told = command.output().context("pyright")?;
        raw.push(begun.elapsed().as_secs_f64() * 1000.0);
        let told: Value = serde_json::from_slice(&told.stdout).context("pyright's report")?;
        let count = &told["summary"]["filesAnalyzed"];
        files = if *count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let (summary, errors) =
            (answer["summary"].as_str().unwrap_or_default(), &told["summary"]["errorCount"]);
        ensure!(
            summary.starts_with(&format!("Analyzed {files} in ")) && answer["error_count"] == *errors,
            "ours: {summary}; pyright: {}",
            told["summary"]
        );
    }
    Ok((ours, raw, files))
}

fn cold(place: &Place) -> anyhow::Result<f64> {
    let (line, column) = place.names()?[0];
    let mut server = place.start();
    let question = json!({ "file": place.at(FILE), "line": line, "column": column });
    let (answer, took) = ask(&mut server, "get_hover", &question)?;
    ensure!(answer["symbol"].is_string(), "a hover without a symbol: {answer}");
    Ok(took)
}

fn warm(place: &Place, tool: &str) -> anyhow::Result<Vec<f64>> {
    let mut server = place.start();
    let mut times = Vec::new();
    for round in 0..2 {
        for (line, column) in place.names()? {
            let question = json!({ "file": place.at(FILE), "line": line, "column": column });
            let (answer, took) = ask(&mut server, tool, &question)?;
            let mut definitions = answer["definitions"].as_array().into_iter().flatten();
            let found = answer["symbol"].is_string() || definitions.any(|row| row["line"] == line);
            ensure!(found, "{tool} {question}: {answer}");
            if round == 1 {
                times.push(took);
            }
        }
    }
    Ok(times)
}
