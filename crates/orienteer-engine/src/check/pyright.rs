//! How is pyright asked, and what does its output say?
//!
//! basedpyright is a fork with the same command line and output; it is used where pyright is not installed.

use std::path::{Path, PathBuf};

use orienteer_base::code::Severity;
use orienteer_base::{ColumnUnit, Problem};

use super::json::{self, Fields, Json};
use super::python::severity;
use super::run::{Command, Outcome, Runner, local};
use super::sources::{Counting, Finding, Sources, Spot};
use super::{CheckerStatus, Part};
use crate::blocking::blocking;

const NAME: &str = "pyright";
const PROGRAMS: [&str; 2] = ["pyright", "basedpyright"];
const LOCAL: [&str; 3] = [".venv/bin", "venv/bin", "node_modules/.bin"];
pub(super) const VARIABLES: &[&str] = &[
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYENV_*",
    "PYRIGHT_PYTHON_*",
    "NODE_*",
    "NVM_*",
    "VOLTA_HOME",
    "FNM_*",
    "ASDF_*",
    "MISE_*",
];
/// A byte order mark takes up a column.
pub(super) const COUNTING: Counting =
    Counting { unit: ColumnUnit::Utf16, counts_mark: true, line_ends: &['\n', '\r'] };

pub(super) async fn check(runner: &Runner<'_>, folders: &[PathBuf]) -> Result<Part, Problem> {
    let mut part = Part::default();
    let mut finished: Vec<PathBuf> = Vec::new();
    // Inner projects first: what an outer one says about their files, without their settings, is left out.
    for root in folders.iter().rev() {
        let mut outcome = runner.run(command(runner, root)).await?;
        part.left_out.extend(not_asked(runner, root));
        if let Some(output) = outcome.output.take() {
            let (roots, base, inner) = (runner.check.roots.clone(), root.clone(), finished.clone());
            let (parsed, diagnostics, output) = blocking(runner.cancel, move || {
                let mut parsed = parse(&output.stdout.text());
                let mut sources = Sources::new(&roots, &base, COUNTING);
                let findings =
                    parsed.as_mut().map(|parsed| std::mem::take(&mut parsed.findings)).unwrap_or_default();
                let mut diagnostics = Vec::new();
                for finding in findings {
                    let path = sources.path(&finding.file);
                    let is_inner = |inner: &PathBuf| inner.starts_with(&base) && path.starts_with(inner);
                    if !inner.iter().any(is_inner) {
                        diagnostics.push(sources.diagnostic(finding, NAME));
                    }
                }
                Ok((parsed, diagnostics, output))
            })
            .await?;
            let code = output.status.code();
            outcome.output = Some(output);
            judge(&mut outcome, parsed.as_ref(), code);
            part.diagnostics.extend(diagnostics);
        }
        if outcome.ran.status == CheckerStatus::Finished {
            finished.push(root.clone());
        }
        part.ran.push(outcome.ran);
    }
    part.ran.reverse();
    Ok(part)
}

/// 0 and 1 say whether errors were found; anything else that there was no check.
fn judge(outcome: &mut Outcome, parsed: Option<&Parsed>, code: Option<i32>) {
    match parsed {
        None => outcome.fail("its output is not the JSON that `--outputjson` promises, or was cut short"),
        Some(parsed) => {
            outcome.ran.unread_lines = parsed.unread;
            if !matches!(code, Some(0 | 1)) {
                outcome.fail("it ended without saying why");
            } else if parsed.files == Some(0) {
                outcome.fail(
                    "it found no Python files to check; look at `include` and `exclude` of its configuration",
                );
            }
        }
    }
}

fn command(runner: &Runner<'_>, root: &Path) -> Command {
    let check = &runner.check;
    let environment = runner.environment(VARIABLES);
    let own = local(check, root, &LOCAL, &PROGRAMS);
    let installed = || PROGRAMS.into_iter().find(|name| !environment.which(name, root).is_empty());
    let install = "install it with `npm install --global pyright` or `pip install pyright`";
    let hint = match own.as_ref().filter(|_| !check.trusts(root)) {
        Some(program) => {
            format!("{install}, or trust the project so that its own `{}` may run", check.roots.show(program))
        }
        None => install.to_owned(),
    };
    let mut args = vec!["--outputjson".into(), "-p".into(), root.into()];
    // Without the interpreter of the project's environment every import of a dependency is an error. Asking it for
    // its folders means to start it, and a configuration or an activated environment names one itself.
    let python = local(check, root, &[".venv/bin", "venv/bin"], &["python"]);
    let decided = environment.get("VIRTUAL_ENV").is_some() || configures_environment(root);
    if let Some(python) = python.filter(|_| check.trusts(root) && !decided) {
        args.extend(["--pythonpath".into(), python.into_os_string()]);
    }
    Command {
        name: NAME,
        program: match own.filter(|_| check.trusts(root)) {
            Some(program) => program.into_os_string(),
            None => installed().unwrap_or(PROGRAMS[0]).into(),
        },
        args,
        folder: root.to_owned(),
        hint,
        environment,
    }
}

/// What of a project was not looked at for want of trust: imports from its environment are told as missing then.
pub(super) fn not_asked(runner: &Runner<'_>, root: &Path) -> Option<String> {
    let check = &runner.check;
    let python = local(check, root, &[".venv/bin", "venv/bin"], &["python"])?;
    let decided = runner.environment(VARIABLES).get("VIRTUAL_ENV").is_some() || configures_environment(root);
    (!check.trusts(root) && !decided).then(|| {
        format!(
            "{}: it belongs to the project, which is not trusted, so what is installed there is told as missing",
            check.roots.show(&python)
        )
    })
}

fn configures_environment(root: &Path) -> bool {
    let names = |file: &str, words: &[&str]| {
        orienteer_base::settings_file::read_settings(&root.join(file))
            .is_some_and(|text| words.iter().any(|word| text.contains(word)))
    };
    names("pyrightconfig.json", &["\"venv"]) || names("pyproject.toml", &["venvPath", "venv ="])
}

#[derive(Debug, PartialEq)]
pub(super) struct Parsed {
    pub(super) findings: Vec<Finding>,
    /// How many files were looked at; `None` when it does not say.
    pub(super) files: Option<u32>,
    unread: usize,
    /// Findings that could not be read.
    pub(super) lost: usize,
    /// The whole document, for what else it says.
    pub(super) json: Json,
}

/// Reads what `--outputjson` writes, after whatever a wrapper printed before it; `None` when there is none.
pub(super) fn parse(output: &str) -> Option<Parsed> {
    let mut starts = output.match_indices('{').map(|(at, _)| at).filter(|at| {
        // The document begins a line.
        output[..*at].is_empty() || output[..*at].ends_with('\n')
    });
    let (at, json) = starts.find_map(|at| Some((at, json::parse(output[at..].trim())?)))?;
    json.get("generalDiagnostics")?;
    let rows = json.list("generalDiagnostics");
    let findings: Vec<Finding> = rows.iter().filter_map(finding).collect();
    // pyright counts, too: what it counted and nobody could read is lost.
    let summary = json.get("summary");
    let counted = |name: &str| summary.and_then(|summary| summary.count(name)).unwrap_or(0) as usize;
    let counted = counted("errorCount") + counted("warningCount") + counted("informationCount");
    let lost = rows.len().max(counted) - findings.len().min(rows.len());
    Some(Parsed {
        lost,
        findings,
        files: json.get("summary").and_then(|summary| summary.count("filesAnalyzed")),
        unread: output[..at].lines().filter(|line| !line.trim().is_empty()).count(),
        json,
    })
}

fn finding(row: &Json) -> Option<Finding> {
    let spot = |end| {
        let at = row.get("range").and_then(|range| range.get(end));
        let count = |name| at.and_then(|at| at.count(name)).unwrap_or(0).saturating_add(1);
        Spot { line: count("line"), column: count("character") }
    };
    Some(Finding {
        file: path(row.text("file").or(row.text("uri"))?),
        start: spot("start"),
        end: spot("end"),
        severity: match severity(row)? {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            "information" => Severity::Info,
            // Hints of unused and deprecated code, and whatever is invented later.
            _ => Severity::Hint,
        },
        code: row.text("rule").map(str::to_owned),
        // Explanations are indented with spaces that do not break.
        message: row.text("message")?.replace('\u{a0}', " "),
        related: Vec::new(),
        fixes: Vec::new(),
    })
}

/// The path of a file that is named by path or by URI.
fn path(file: &str) -> String {
    let Some(encoded) = file.strip_prefix("file://") else { return file.to_owned() };
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let [byte, after @ ..] = rest {
        let digits =
            after.get(..2).filter(|_| *byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // `/c:/folder` is how a URI writes a drive.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    if is_drive { path[1..].to_owned() } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = r#"{
    "version": "1.1.414",
    "time": "1794729052078",
    "generalDiagnostics": [
        {
            "file": "/p/a.py",
            "severity": "error",
            "message": "Type \"int\" is not assignable to return type \"str\"\n\u00a0\u00a0\"int\" is not assignable to \"str\"",
            "range": { "start": { "line": 1, "character": 11 }, "end": { "line": 1, "character": 12 } },
            "rule": "reportReturnType"
        },
        { "uri": "file:///p/b%20%C3%A9%zz.py", "severity": "warning", "message": "w" },
        { "file": "/p/c.py", "severity": "information", "message": "i", "range": { "start": { "line": -1 } } },
        { "file": "/p/c.py", "severity": "unreachable", "message": "u" },
        { "file": "/p/d.py", "severity": 1, "message": "a number" },
        { "severity": "error", "message": "no file" },
        "nonsense"
    ],
    "summary": { "filesAnalyzed": 3, "errorCount": 1, "warningCount": 1, "informationCount": 1, "timeInSec": 0.8 }
}
"#;

    #[test]
    fn what_could_not_be_read_is_counted() {
        assert_eq!(parse(OUTPUT).unwrap().lost, 2);
        let of = |rows: &str, errors: u32| {
            let text = format!(
                r#"{{"generalDiagnostics": {rows}, "summary": {{ "filesAnalyzed": 1, "errorCount": {errors} }} }}"#
            );
            parse(&text).unwrap().lost
        };
        assert_eq!(of("[]", 0), 0);
        assert_eq!(of("[]", 3), 3, "it counted three and listed none");
        assert_eq!(of("{}", 1), 1, "no list");
        assert_eq!(of(r#"[{ "file": "/p/a.py", "severity": "error", "message": "m" }]"#, 1), 0);
    }

    #[test]
    fn the_report_is_read() {
        let parsed = parse(OUTPUT).unwrap();
        assert_eq!((parsed.files, parsed.unread, parsed.findings.len()), (Some(3), 0, 5));
        let first = &parsed.findings[0];
        assert_eq!((first.start, first.end), (Spot { line: 2, column: 12 }, Spot { line: 2, column: 13 }));
        assert_eq!((first.severity, first.code.as_deref()), (Severity::Error, Some("reportReturnType")));
        assert!(first.message.ends_with("\n  \"int\" is not assignable to \"str\""), "{:?}", first.message);
        let second = &parsed.findings[1];
        assert_eq!((second.file.as_str(), second.code.as_deref()), ("/p/b é%zz.py", None));
        assert_eq!((second.severity, second.start), (Severity::Warning, Spot { line: 1, column: 1 }));
        let levels: Vec<_> = parsed.findings[2..].iter().map(|found| found.severity).collect();
        assert_eq!(levels, [Severity::Info, Severity::Hint, Severity::Error]);
    }

    #[test]
    fn a_wrapper_may_print_before_it() {
        let wrapped = format!("* Install prebuilt node {{20}} ... done.\n{{not json\n\n{OUTPUT}");
        let parsed = parse(&wrapped).unwrap();
        assert_eq!((parsed.findings.len(), parsed.unread), (5, 2));
    }

    #[test]
    fn what_is_no_report_is_none() {
        assert_eq!(parse(""), None);
        assert_eq!(parse("No configuration file found.\n"), None);
        assert_eq!(parse("{}"), None);
        assert_eq!(parse(&OUTPUT[..OUTPUT.len() / 2]), None);
        let empty = parse(r#"{"generalDiagnostics": []}"#).unwrap();
        assert_eq!((empty.findings.len(), empty.files), (0, None));
    }
}
