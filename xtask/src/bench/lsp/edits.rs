//! Changes from outside: another program writes, creates or deletes a file, and the next answer must know it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::ours::{Answer, Ours};
use super::places::{Place, Places, lines};
use super::sample::{Random, Symbol, files};
use super::server::{Language, Subject};

/// What became of the tries.
#[derive(Default)]
pub(super) struct Tries {
    pub(super) tries: usize,
    pub(super) wrong: Vec<String>,
    pub(super) milliseconds: Vec<f64>,
}

impl Tries {
    fn count(&mut self, what: String, is_right: bool, answer: &Answer, found: &Places, took: f64) {
        self.tries += 1;
        self.milliseconds.push(took);
        if !is_right {
            let found: Vec<String> = found.iter().take(5).map(ToString::to_string).collect();
            println!("   wrong after an edit: {what}: {} {found:?}", answer.state());
            self.wrong.push(format!("{what}: {} {found:?}", answer.state()));
        }
    }
}

/// A file as it was, written back whatever happens.
struct Restore {
    path: PathBuf,
    text: Option<String>,
}

impl Restore {
    fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), text: fs::read_to_string(path).ok() }
    }

    fn back(&self) {
        let _ = match &self.text {
            Some(text) => fs::write(&self.path, text),
            None => fs::remove_file(&self.path),
        };
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        if fs::read_to_string(&self.path).ok() != self.text {
            self.back();
        }
    }
}

const LINE: &str = "A line from outside.";
const PROBES: [&str; 2] = ["orienteer_probe", "orienteerProbe"];

/// Takes back what a run left that was killed in the middle.
pub(super) fn mend(subject: &Subject) -> anyhow::Result<()> {
    for path in files(subject)? {
        if path.file_stem().is_some_and(|name| PROBES.iter().any(|probe| name == *probe)) {
            fs::remove_file(&path)?;
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let is_left = |line: &&str| line.contains(LINE) || line.trim_end() == "mod orienteer_probe;";
        if text.split_inclusive('\n').any(|line| is_left(&line)) {
            println!("   {} was left changed by a former run", path.display());
            fs::write(&path, text.split_inclusive('\n').filter(|line| !is_left(line)).collect::<String>())?;
        }
    }
    Ok(())
}

/// Tries in turn: a line above the definition, and the same taken back; a line above the use, and the same taken
/// back; every tenth time a new file with a use, and its deletion.
pub(super) fn measure(
    ours: &mut Ours,
    subject: &Subject,
    symbols: &[Arc<Symbol>],
    count: usize,
    random: &mut Random,
) -> anyhow::Result<Tries> {
    let mut tries = Tries::default();
    let plain: Vec<&Symbol> = symbols
        .iter()
        .map(|symbol| &**symbol)
        .filter(|symbol| symbol.used_elsewhere && symbol.definition.len() == 1)
        .filter(|symbol| symbol.definition.contains(&symbol.declared))
        .collect();
    let probes: Vec<(&Symbol, Vec<(PathBuf, String)>)> = plain
        .iter()
        .filter(|symbol| symbol.is_top && symbol.references.len() < 100)
        .filter_map(|symbol| Some((*symbol, probe(subject, symbol)?)))
        .collect();
    let begun = Instant::now();
    let mut round = 0;
    while tries.tries < count && !plain.is_empty() {
        if round % 10 == 9 && !probes.is_empty() {
            let (symbol, changes) = random.pick(&probes);
            new_file(ours, symbol, changes, &mut tries)?;
        } else if round % 3 == 2 {
            line_above_use(ours, subject, random.pick::<&Symbol>(&plain), &mut tries)?;
        } else {
            line_above_definition(ours, subject, random.pick::<&Symbol>(&plain), &mut tries)?;
        }
        round += 1;
        if round % 25 == 0 {
            println!(
                "   edits: {} tries, {} wrong, {:.0} s",
                tries.tries,
                tries.wrong.len(),
                begun.elapsed().as_secs_f64()
            );
        }
    }
    Ok(tries)
}

fn line_above_definition(
    ours: &mut Ours,
    subject: &Subject,
    symbol: &Symbol,
    tries: &mut Tries,
) -> anyhow::Result<()> {
    let file = Restore::new(&symbol.declared.path);
    insert(&file, symbol.declared.line, subject.language)?;
    let moved = Place { line: symbol.declared.line + 1, ..symbol.declared.clone() };
    let what = format!("a line above the definition of `{}` at {}", symbol.name, symbol.declared);
    definition(ours, &symbol.used, &moved, &what, tries)?;
    file.back();
    definition(ours, &symbol.used, &symbol.declared, &format!("{what} taken back"), tries)
}

fn line_above_use(
    ours: &mut Ours,
    subject: &Subject,
    symbol: &Symbol,
    tries: &mut Tries,
) -> anyhow::Result<()> {
    let file = Restore::new(&symbol.used.path);
    insert(&file, symbol.used.line, subject.language)?;
    let moved = Place { line: symbol.used.line + 1, ..symbol.used.clone() };
    let what = format!("a line above the use of `{}` at {}", symbol.name, symbol.used);
    definition(ours, &moved, &symbol.declared, &what, tries)?;
    file.back();
    definition(ours, &symbol.used, &symbol.declared, &format!("{what} taken back"), tries)
}

fn definition(
    ours: &mut Ours,
    from: &Place,
    expected: &Place,
    what: &str,
    tries: &mut Tries,
) -> anyhow::Result<()> {
    let (answer, took) = ours.ask("find_definition", &ours.at(from))?;
    let found = ours.places(&answer, "definitions");
    let is_right = found.len() == 1 && found.contains(expected);
    tries.count(format!("{what}, {from} should lead to {expected}"), is_right, &answer, &found, took);
    Ok(())
}

/// Writes a comment line above a line from 1.
fn insert(file: &Restore, line: u64, language: Language) -> anyhow::Result<()> {
    let text = file.text.clone().unwrap_or_default();
    let all = lines(&text);
    let at = usize::try_from(line - 1)?;
    let indent: String =
        all.get(at).into_iter().flat_map(|line| line.chars()).take_while(|one| one.is_whitespace()).collect();
    let sign = if language == Language::Python { "#" } else { "//" };
    // Where the line begins in the text, whatever ends the lines before it.
    let start: usize = text.split_inclusive('\n').take(at).map(str::len).sum();
    let (before, after) = text.split_at(start);
    fs::write(&file.path, format!("{before}{indent}{sign} {LINE}\n{after}"))?;
    Ok(())
}

/// What has to be written so that a new file uses a symbol; the new file is the last.
fn probe(subject: &Subject, symbol: &Symbol) -> Option<Vec<(PathBuf, String)>> {
    let declared = &symbol.declared.path;
    let relative = declared.strip_prefix(&subject.root).ok()?;
    let text = fs::read_to_string(declared).ok()?;
    let line = text.lines().nth(usize::try_from(symbol.declared.line - 1).ok()?)?;
    let name = &symbol.name;
    match subject.language {
        Language::Rust => {
            let is_item =
                ["function", "struct", "enum", "interface or trait", "constant"].contains(&symbol.kind);
            if !is_item || !declared.ends_with("src/lib.rs") {
                return None;
            }
            let module = (declared.clone(), format!("{text}\nmod orienteer_probe;\n"));
            let file = declared.with_file_name("orienteer_probe.rs");
            Some(vec![module, (file, format!("#[allow(unused_imports)]\npub(crate) use crate::{name};\n"))])
        }
        Language::TypeScript => {
            let is_value = ["function", "class", "constant", "variable"].contains(&symbol.kind);
            if !is_value || !line.starts_with("export ") {
                return None;
            }
            let module = declared.file_name()?.to_str()?;
            let file = declared.with_file_name("orienteerProbe.ts");
            Some(vec![(
                file,
                format!("import {{ {name} }} from \"./{module}\"\nexport const probe = {name}\n"),
            )])
        }
        Language::Python => {
            let is_item = ["function", "class"].contains(&symbol.kind);
            if !is_item || !relative.starts_with("django") || declared.ends_with("__init__.py") {
                return None;
            }
            let module = relative.with_extension("").to_str()?.replace('/', ".");
            let file = subject.root.join("django/orienteer_probe.py");
            Some(vec![(file, format!("from {module} import {name}\n\nprobe = {name}\n"))])
        }
    }
}

fn new_file(
    ours: &mut Ours,
    symbol: &Symbol,
    changes: &[(PathBuf, String)],
    tries: &mut Tries,
) -> anyhow::Result<()> {
    let files: Vec<Restore> = changes.iter().map(|(path, _)| Restore::new(path)).collect();
    let Some((new, _)) = changes.last() else { return Ok(()) };
    for (path, text) in changes {
        fs::write(path, text)?;
    }
    for (is_there, verb) in [(true, "created"), (false, "deleted")] {
        let (answer, found, took) =
            ours.all_places("find_references", &ours.at(&symbol.declared), "references")?;
        let others: Places = found.iter().filter(|place| place.path != *new).cloned().collect();
        let is_right = (others.len() < found.len()) == is_there && others == symbol.references;
        let differing: Places = found.symmetric_difference(&symbol.references).cloned().collect();
        let what = format!("{} {verb} with a use of `{}` at {}", new.display(), symbol.name, symbol.declared);
        tries.count(what, is_right, &answer, &differing, took);
        files.iter().rev().for_each(Restore::back);
    }
    Ok(())
}
