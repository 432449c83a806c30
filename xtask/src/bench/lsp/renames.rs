//! Renames on real projects: each carried out, compared with what the raw server proposes, compiled, and taken back.
//!
//! The raw server is asked first, about all of them, while nothing has changed; what it proposes is applied to a copy in
//! memory by the plainest code there is. Then ours carries each one out on disk. The tree must be what the raw server
//! proposes, the project's own compiler says what it thinks of it, and after undoing every byte must be back.

mod compile;
mod naive;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::vec::IntoIter;

use anyhow::{Context, bail, ensure};
use serde_json::json;

use super::fetch;
use super::ours::Ours;
use super::raw::Raw;
use super::sample::{self, Random, SEED, Symbol};
use super::server::{self, Language, Subject};
use crate::bench::percentile;
use crate::bench::report::Report;
use crate::install::Tools;
use compile::Compiler;
use naive::Files;

/// Together at least 500, as was asked for.
const RUST: usize = 120;
const TYPESCRIPT: usize = 300;
const PYTHON: usize = 80;

/// Symbols of the standard library's traits and the like cannot be renamed: so many more are looked at.
const SPARE: usize = 3;

/// One symbol, its new name and what the raw server would do.
struct Task {
    symbol: std::sync::Arc<Symbol>,
    new_name: String,
    expected: Result<Files, String>,
    raw_ms: f64,
}

#[derive(Default)]
struct Outcome {
    renames: usize,
    elsewhere: usize,
    files: usize,
    moved_files: usize,
    same: usize,
    builds: usize,
    /// The raw server's own proposal breaks the build, and ours is the same.
    broken_by_server: usize,
    broken: Vec<String>,
    restored: usize,
    refused_by_both: usize,
    /// Refused by ours, because the server would rename something else, too.
    too_far: usize,
    raw_ms: Vec<f64>,
    ours_ms: Vec<f64>,
    undo_ms: Vec<f64>,
    wrong: Vec<String>,
    kinds: BTreeMap<&'static str, usize>,
}

pub(super) fn measure(
    orienteer: &Path,
    tools: &Tools,
    downloads: &Path,
    quick: bool,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    let mut kinds = Vec::new();
    let (mut total, mut elsewhere) = (0, 0);
    for (subject, count) in subjects(tools, downloads)? {
        let count = if quick { 20 } else { count };
        println!("── {count} renames in {} with {}", subject.project, subject.id);
        let begun = Instant::now();
        let outcome = one(orienteer, tools, &subject, count).context(subject.project)?;
        println!("── {}: {:.0} s", subject.project, begun.elapsed().as_secs_f64());
        let name = format!("renames in {}", subject.project);
        for wrong in outcome.wrong.iter().chain(&outcome.broken) {
            println!("   {wrong}");
        }
        if outcome.same < outcome.renames {
            report
                .miss(format!("{name}: {} of {} as the raw server has them", outcome.same, outcome.renames));
        }
        if outcome.restored < outcome.renames {
            report
                .miss(format!("{name}: {} of {} taken back byte by byte", outcome.restored, outcome.renames));
        }
        if !outcome.broken.is_empty() {
            report.miss(format!("{name}: {} broken builds of our own making", outcome.broken.len()));
        }
        total += outcome.renames;
        elsewhere += outcome.elsewhere;
        kinds.push(format!(
            "{}: {}",
            subject.project,
            outcome
                .kinds
                .iter()
                .map(|(kind, count)| format!("{count} {kind}"))
                .collect::<Vec<_>>()
                .join(", ")
        ));
        rows.push(format!(
            "| {} | {} | {} ({} across files) | {} ({} moved) | **{}** | **{}** | {} | **{}** | {} | {} | {:.0} / {:.0} | {:.0} / {:.0} | {:.0} / {:.0} |",
            subject.id,
            subject.project,
            outcome.renames,
            outcome.elsewhere,
            outcome.files,
            outcome.moved_files,
            outcome.same,
            outcome.builds,
            outcome.broken_by_server,
            outcome.restored,
            outcome.refused_by_both,
            outcome.too_far,
            percentile(&outcome.raw_ms, 0.5),
            percentile(&outcome.raw_ms, 0.95),
            percentile(&outcome.ours_ms, 0.5),
            percentile(&outcome.ours_ms, 0.95),
            percentile(&outcome.undo_ms, 0.5),
            percentile(&outcome.undo_ms, 0.95),
        ));
    }
    if 2 * elsewhere < total {
        report.miss(format!("{elsewhere} of {total} renames reach into other files, less than half"));
    }
    if total < 500 && !quick {
        report.miss(format!("{total} renames instead of 500"));
    }
    report.section(
        "Renames on real projects",
        &format!(
            "Symbols of random files (seed {SEED}), all kinds in turn, half of them used in other files. Each is renamed by \
             `rename_symbol` in one call, compared with the raw server's proposal applied by other code, compiled by the \
             project's own compiler and undone. Same: the tree is the raw server's, byte by byte. Compiles: no more errors \
             than before. Server's: the raw server's own proposal does not compile, and ours is the same. Restored: every \
             file of the project is what it was. Refused: by the raw server and by ours, not counted. Too \
             far: the raw server would also rename something of another name; ours does not, not counted. Milliseconds, p50 / \
             p95, of the raw server's answer, of ours with everything on disk, and of undoing. Target: 500, all the same, \
             all restored. Kinds: {}.",
            kinds.join("; ")
        ),
        "| server | project | renames | files changed | same | compiles | server's | restored | refused | too far | raw, ms | ours, ms | undo, ms |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        &rows,
    );
    Ok(())
}

fn subjects(tools: &Tools, downloads: &Path) -> anyhow::Result<Vec<(Subject, usize)>> {
    let only = |id: &str| -> anyhow::Result<Subject> {
        server::all(tools, downloads, &[id.to_owned()])?.pop().context("no such server")
    };
    let rust = only("rust-analyzer")?;
    let typescript = Subject {
        project: "RxJS",
        root: fetch::rxjs(downloads)?,
        sources: &["src"],
        first_file: "src/index.ts",
        ..only("typescript-native")?
    };
    let python = Subject {
        project: "Werkzeug",
        root: fetch::werkzeug(downloads, tools)?,
        sources: &["src"],
        first_file: "src/werkzeug/http.py",
        ..only("pyright")?
    };
    Ok(vec![(rust, RUST), (typescript, TYPESCRIPT), (python, PYTHON)])
}

fn one(orienteer: &Path, tools: &Tools, subject: &Subject, count: usize) -> anyhow::Result<Outcome> {
    let before = tree(&subject.root)?;
    let compiler = Compiler::of(subject, tools)?;
    let errors = compiler.errors()?;
    println!("   {} files, {errors} errors before", before.len());
    let mut ours = Ours::start(orienteer, &subject.root, &subject.variables);
    ours.ask("document_symbols", &json!({ "file_path": subject.first_file }))?;
    let pid = ours.ready(subject.id)?;
    let (mut elsewhere, mut here) = tasks(pid, subject, count, &before)?;
    let mut outcome = Outcome::default();
    while outcome.renames < count {
        // At least half are used in other files, whatever cannot be renamed of both.
        let wanted = if 2 * outcome.elsewhere <= outcome.renames { elsewhere.next() } else { here.next() };
        let Some(task) = wanted.or_else(|| elsewhere.next().or_else(|| here.next())) else { break };
        rename(&mut ours, subject, &task, &before, &compiler, errors, &mut outcome)?;
        if outcome.renames % 20 == 0 && outcome.renames > 0 {
            println!("   {} done, {} the same, {} compile", outcome.renames, outcome.same, outcome.builds);
        }
    }
    ensure!(outcome.renames == count, "only {} symbols can be renamed", outcome.renames);
    Ok(outcome)
}

/// Asks the raw server about everything before anything changes: those used in other files, and the others.
fn tasks(
    pid: u32,
    subject: &Subject,
    count: usize,
    before: &Files,
) -> anyhow::Result<(IntoIter<Task>, IntoIter<Task>)> {
    let mut raw = Raw::like(pid, subject, &subject.root)?;
    let mut random = Random::new();
    let symbols = sample::symbols(&mut raw, subject, count + count / SPARE, &mut random, |_| {})?;
    let words = words(before);
    let mut tasks = Vec::new();
    for symbol in symbols {
        let mut new_name = new_name(&symbol.name);
        while words.contains(&new_name) {
            new_name.push('x');
        }
        let extra = json!({ "newName": new_name });
        let begun = Instant::now();
        let answer = raw.ask_with("textDocument/rename", &symbol.declared.path, &symbol.declared_at, &extra);
        let raw_ms = begun.elapsed().as_secs_f64() * 1000.0;
        let expected = match answer {
            Ok((answer, _)) if !answer.is_null() => {
                naive::apply(before, &answer, raw.counter.encoding(), &subject.root)
            }
            Ok(_) => Err("no edit".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        tasks.push(Task { symbol, new_name, expected, raw_ms });
    }
    let (elsewhere, here): (Vec<Task>, Vec<Task>) =
        tasks.into_iter().partition(|task| task.symbol.used_elsewhere);
    Ok((elsewhere.into_iter(), here.into_iter()))
}

fn rename(
    ours: &mut Ours,
    subject: &Subject,
    task: &Task,
    before: &Files,
    compiler: &Compiler,
    errors: usize,
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let mut arguments = ours.at(&task.symbol.declared);
    arguments["new_name"] = json!(task.new_name);
    arguments["dry_run"] = json!(false);
    let (answer, ours_ms) = ours.ask("rename_symbol", &arguments)?;
    let what = format!(
        "{} `{}` at {} to {}",
        task.symbol.kind, task.symbol.name, task.symbol.declared, task.new_name
    );
    let after = tree(&subject.root)?;
    let expected = match (&task.expected, answer.0["applied"] == true) {
        (Err(_), false) => {
            outcome.refused_by_both += 1;
            ensure!(&after == before, "{what} was refused and the tree is another one");
            return Ok(());
        }
        (Ok(expected), false) if expected == before => return Ok(()),
        // The server would rename something else, too: nothing is done.
        (Ok(_), false) if answer.0["error"]["data"]["kind"] == "renames_others" => {
            outcome.too_far += 1;
            ensure!(&after == before, "{what} was refused and the tree is another one");
            return Ok(());
        }
        (Ok(_), false) => {
            outcome.renames += 1;
            outcome.restored += 1;
            outcome.wrong.push(format!("{what}: refused by ours: {}", answer.state()));
            return Ok(());
        }
        (Err(error), true) => bail!("{what}: the raw server refuses ({error}), ours does it"),
        (Ok(expected), true) => expected,
    };
    outcome.renames += 1;
    *outcome.kinds.entry(task.symbol.kind).or_default() += 1;
    outcome.elsewhere += usize::from(task.symbol.used_elsewhere);
    outcome.raw_ms.push(task.raw_ms);
    outcome.ours_ms.push(ours_ms);
    let is_other = |path: &&PathBuf| before.get(*path) != after.get(*path);
    outcome.files += after.keys().filter(is_other).count();
    outcome.moved_files += before.keys().filter(|path| !after.contains_key(*path)).count();
    let same = &after == expected;
    outcome.same += usize::from(same);
    if !same {
        outcome.wrong.push(format!("{what}: not as the raw server has it: {}", difference(expected, &after)));
    }
    let found = compiler.errors()?;
    if found <= errors {
        outcome.builds += 1;
    } else if same {
        outcome.broken_by_server += 1;
    } else {
        outcome.broken.push(format!("{what}: {found} errors instead of {errors}"));
    }
    let (undone, undo_ms) = ours.ask("undo_edits", &json!({ "count": 1 }))?;
    outcome.undo_ms.push(undo_ms);
    let restored = &tree(&subject.root)? == before;
    outcome.restored += usize::from(restored);
    ensure!(restored, "{what} was not taken back: {}", undone.state());
    Ok(())
}

/// The first lines that differ.
fn difference(expected: &Files, found: &Files) -> String {
    let path = expected.keys().chain(found.keys()).find(|path| expected.get(*path) != found.get(*path));
    let Some(path) = path else { return "nothing differs".to_owned() };
    let text = |files: &Files| files.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let (Some(left), Some(right)) = (text(expected), text(found)) else {
        return format!("{} is on one side only", path.display());
    };
    let differ = left.lines().zip(right.lines()).enumerate().find(|(_, (left, right))| left != right);
    match differ {
        Some((at, (left, right))) => format!("{}:{}: raw `{left}`, ours `{right}`", path.display(), at + 1),
        None => format!("{}: one is longer", path.display()),
    }
}

/// Every file of the project but what is built, fetched or git's.
fn tree(root: &Path) -> anyhow::Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if entry.file_type()?.is_dir() {
                if !["target", "vendor", ".git", "node_modules", "dist"]
                    .iter()
                    .any(|skipped| name == *skipped)
                {
                    folders.push(entry.path());
                }
            } else {
                files.insert(entry.path(), fs::read(entry.path())?);
            }
        }
    }
    Ok(files)
}

fn words(files: &Files) -> std::collections::HashSet<String> {
    let mut words = std::collections::HashSet::new();
    for bytes in files.values() {
        let text = String::from_utf8_lossy(bytes);
        let all = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
        words.extend(all.map(str::to_owned));
    }
    words
}

/// In the style of the old one: linters are not what is measured.
fn new_name(name: &str) -> String {
    let letters = || name.chars().filter(|c| c.is_alphabetic());
    if letters().count() > 1 && letters().all(char::is_uppercase) {
        format!("{name}_RENAMED")
    } else if name.contains('_') || letters().all(char::is_lowercase) {
        format!("{name}_renamed")
    } else {
        format!("{name}Renamed")
    }
}

impl Language {
    /// How a compiler's errors are counted.
    fn compiler(self) -> &'static str {
        match self {
            Self::Rust => "cargo check",
            Self::TypeScript => "tsc",
            Self::Python => "pyright",
        }
    }
}

/// What an edit of the raw server says, for tests of the plain code.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_names_keep_the_style() {
        assert_eq!(new_name("MAX_SIZE"), "MAX_SIZE_RENAMED");
        assert_eq!(new_name("read_line"), "read_line_renamed");
        assert_eq!(new_name("Reader"), "ReaderRenamed");
        assert_eq!(new_name("readLine"), "readLineRenamed");
        assert_eq!(new_name("x"), "x_renamed");
    }

    #[test]
    fn an_answer_is_no_tree() {
        assert!(naive::apply(&Files::new(), &serde_json::Value::Null, "utf-16", Path::new("/")).is_err());
    }
}
