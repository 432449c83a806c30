//! How is the TypeScript compiler asked, and what does its output say?

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use orienteer_base::code::Severity;
use orienteer_base::{ColumnUnit, Problem};

use super::Part;
use super::run::{Command, Runner, local};
use super::sources::{Counting, Finding, Sources, Spot};
use crate::blocking::blocking;

const NAME: &str = "tsc";
/// A project it refers to has no output: nothing is wrong with the code, and nothing is known about it.
const NOT_BUILT: &str = "TS6305";
const VARIABLES: &[&str] = &["NODE_*", "NVM_*", "VOLTA_HOME", "FNM_*", "ASDF_*", "MISE_*", "TSC_*"];
/// A byte order mark is left out, and lines end where ECMAScript has them end.
const COUNTING: Counting = Counting {
    unit: ColumnUnit::Utf16,
    counts_mark: false,
    line_ends: &['\n', '\r', '\u{2028}', '\u{2029}'],
};

/// `named`: files that were asked about one by one.
pub(super) async fn check(
    runner: &Runner<'_>,
    configurations: &[PathBuf],
    named: &[PathBuf],
) -> Result<Part, Problem> {
    let mut part = Part::default();
    let (mut looked_at, mut all_told) = (HashSet::new(), true);
    for configuration in configurations {
        let (Some(folder), Some(file)) = (configuration.parent(), configuration.file_name()) else {
            continue;
        };
        let file = file.to_os_string();
        let own = local(&runner.check, folder, &["node_modules/.bin"], &["tsc"]);
        let mut outcome = runner
            .run(Command {
                name: NAME,
                hint: hint(own.as_deref(), runner),
                program: own
                    .filter(|_| runner.check.trusts(folder))
                    .map_or("tsc".into(), PathBuf::into_os_string),
                args: ["--noEmit", "--pretty", "false"]
                    .into_iter()
                    .chain((!named.is_empty()).then_some("--listFiles"))
                    .chain(["-p"])
                    .map(Into::into)
                    .chain([file.clone()])
                    .collect(),
                folder: folder.to_owned(),
                environment: runner.environment(VARIABLES),
            })
            .await?;
        if let Some(output) = outcome.output.take() {
            let (roots, base) = (runner.check.roots.clone(), folder.to_owned());
            let (unread, listed, diagnostics, not_built, output) = blocking(runner.cancel, move || {
                let Output { mut findings, listed, unread } =
                    parse(&output.stdout.text(), &file.to_string_lossy());
                let all = findings.len();
                findings.retain(|finding| finding.code.as_deref() != Some(NOT_BUILT));
                let not_built = all - findings.len();
                let mut sources = Sources::new(&roots, &base, COUNTING);
                let diagnostics: Vec<_> =
                    findings.into_iter().map(|finding| sources.diagnostic(finding, NAME)).collect();
                Ok((unread, listed, diagnostics, not_built, output))
            })
            .await?;
            outcome.ran.unread_lines = unread;
            all_told &= !listed.is_empty();
            looked_at.extend(listed);
            // 1 and 2 say that something was found; a crash or a signal says something else.
            let ended = matches!(output.status.code(), Some(0..=2));
            let explained = output.status.success() || !diagnostics.is_empty() || not_built > 0;
            if not_built > 0 {
                let shown = runner.check.roots.show(folder);
                part.left_out.push(format!(
                    "{shown} refers to projects that are not built (run `tsc -b`): what it takes from them was not checked"
                ));
            }
            outcome.output = Some(output);
            if !ended || !explained {
                outcome.fail("it ended without saying why");
            }
            part.diagnostics.extend(diagnostics);
        }
        part.ran.push(outcome.ran);
    }
    // One that ended early has said which way; it lists nothing then.
    let is_looked_at = |path: &PathBuf| {
        looked_at.contains(path) || std::fs::canonicalize(path).is_ok_and(|real| looked_at.contains(&real))
    };
    for path in named.iter().filter(|path| all_told && !is_looked_at(path)) {
        let shown = runner.check.roots.show(path);
        part.left_out.push(format!("{shown}: no `tsconfig.json` that was checked takes it in"));
    }
    Ok(part)
}

fn hint(own: Option<&Path>, runner: &Runner<'_>) -> String {
    let install = "install it with `npm install --global typescript`";
    match own.filter(|program| !runner.check.trusts(program)) {
        Some(program) => {
            let shown = runner.check.roots.show(program);
            format!("{install}, or trust the project so that its own `{shown}` may run")
        }
        None => install.to_owned(),
    }
}

/// What it has printed.
#[derive(Debug, Default)]
struct Output {
    findings: Vec<Finding>,
    listed: Vec<PathBuf>,
    /// Lines that are neither.
    unread: usize,
}

/// Reads `file(line,column): error TS2322: message` with the indented lines that go on with the message. What is
/// said about no file is about the configuration. Files that it has looked at are lines of their own.
fn parse(output: &str, configuration: &str) -> Output {
    let mut findings: Vec<Finding> = Vec::new();
    let mut listed = Vec::new();
    let mut unread = 0;
    // Whether the line before belongs to a finding.
    let mut goes_on = false;
    for line in output.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(finding) = finding(line, configuration) {
            findings.push(finding);
            goes_on = true;
        } else if let Some(last) = findings.last_mut().filter(|_| goes_on && line.starts_with(' ')) {
            last.message.push('\n');
            last.message.push_str(line.trim_end());
        } else {
            goes_on = false;
            let path = Path::new(line.trim_end());
            if path.is_absolute() { listed.push(path.to_path_buf()) } else { unread += 1 }
        }
    }
    Output { findings, listed, unread }
}

fn finding(line: &str, configuration: &str) -> Option<Finding> {
    // A name may contain anything, also what looks like a place; then the last such place counts, unless it is
    // part of the message: a message has its code before it.
    let mut places = line.match_indices("): ").filter_map(|(at, end)| {
        let (severity, code, message) = described(&line[at + end.len()..])?;
        let (name, place) = line[..at].rsplit_once('(')?;
        let (row, column) = place.split_once(',')?;
        let spot = Spot { line: row.parse().ok()?, column: column.parse().ok()? };
        (!name.is_empty()).then_some((name, spot, severity, code, message))
    });
    let (file, spot, severity, code, message) = match places.next() {
        Some(place) => place,
        None => {
            let (severity, code, message) = described(line)?;
            (configuration, Spot { line: 1, column: 1 }, severity, code, message)
        }
    };
    Some(Finding {
        file: file.to_owned(),
        start: spot,
        // Where it ends is not told.
        end: spot,
        severity,
        code: Some(code.to_owned()),
        message: message.trim_end().to_owned(),
        related: Vec::new(),
        fixes: Vec::new(),
    })
}

/// `error TS2322: message`.
fn described(text: &str) -> Option<(Severity, &str, &str)> {
    let (category, rest) = text.split_once(' ')?;
    let severity = match category {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        "message" => Severity::Info,
        "suggestion" => Severity::Hint,
        _ => return None,
    };
    let (code, message) = rest.split_once(": ")?;
    let digits = code.strip_prefix("TS")?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then_some((severity, code, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(output: &str) -> Vec<(String, u32, u32, String, String)> {
        let findings = parse(output, "tsconfig.json").findings;
        let row = |f: Finding| (f.file, f.start.line, f.start.column, f.code.unwrap(), f.message);
        findings.into_iter().map(row).collect()
    }

    fn row(
        file: &str,
        line: u32,
        column: u32,
        code: &str,
        message: &str,
    ) -> (String, u32, u32, String, String) {
        (file.to_owned(), line, column, code.to_owned(), message.to_owned())
    }

    #[test]
    fn a_message_goes_on_in_indented_lines() {
        let output = "src/a.ts(2,14): error TS2322: Type 'A' is not assignable to type 'B'.\n  \
                      Types of parameters 'x' and 'x' are incompatible.\n    Type 'number' is not assignable.\r\n\
                      src/b.tsx(10,1): error TS2304: Cannot find name 'foo'.\n";
        let expected = [
            row(
                "src/a.ts",
                2,
                14,
                "TS2322",
                "Type 'A' is not assignable to type 'B'.\n  Types of parameters 'x' and 'x' are incompatible.\n    \
                 Type 'number' is not assignable.",
            ),
            row("src/b.tsx", 10, 1, "TS2304", "Cannot find name 'foo'."),
        ];
        assert_eq!(short(output), expected);
    }

    #[test]
    fn odd_names_and_messages_that_look_like_places() {
        let output = "we ird(1,2): error.ts(1,23): error TS2322: x\n(group)/a(b).ts(3,4): error TS1005: ';' expected.\n\
                      ../up/é😀.ts(5,6): error TS1: f(7,8): error TS2: inner\nC:/a.ts(1,1): warning TS9: w\n";
        let expected = [
            row("we ird(1,2): error.ts", 1, 23, "TS2322", "x"),
            row("(group)/a(b).ts", 3, 4, "TS1005", "';' expected."),
            row("../up/é😀.ts", 5, 6, "TS1", "f(7,8): error TS2: inner"),
            row("C:/a.ts", 1, 1, "TS9", "w"),
        ];
        assert_eq!(short(output), expected);
    }

    #[test]
    fn what_is_about_no_file_is_about_the_configuration() {
        let output = "error TS18003: No inputs were found in config file '/x/tsconfig.json'.\n";
        assert_eq!(
            short(output),
            [row(
                "tsconfig.json",
                1,
                1,
                "TS18003",
                "No inputs were found in config file '/x/tsconfig.json'."
            )]
        );
    }

    #[test]
    fn other_lines_are_counted_and_end_a_message() {
        let output = "npm warn something\n  indented without a message\na.ts(1,1): error TS1: m\nnoise\n  not part of m\n/w/src/a.ts\n\
                      a.ts(1,x): error TS1: no\na.ts(1,1): fatal TS1: no\na.ts(1,1): error TSx: no\na.ts(1";
        let Output { findings, listed, unread } = parse(output, "tsconfig.json");
        assert_eq!((findings.len(), findings[0].message.as_str(), unread), (1, "m", 8));
        assert_eq!(listed, [PathBuf::from("/w/src/a.ts")]);
        let nothing = parse("", "tsconfig.json");
        assert_eq!((nothing.findings.len(), nothing.listed.len(), nothing.unread), (0, 0, 0));
    }
}
