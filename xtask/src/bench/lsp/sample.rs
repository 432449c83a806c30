//! Symbols to ask about: by chance, by kind, at least half of them used in other files.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::ensure;
use serde_json::Value;

use super::places::{Place, Places};
use super::raw::Raw;
use super::server::Subject;

/// With the same seed and the same project the same symbols are asked.
pub(super) const SEED: u64 = 20_261_115;

/// Files whose symbols are candidates.
const FILES: usize = 100;

/// `SplitMix64`: small, good enough, and the same everywhere.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new() -> Self {
        Self(SEED)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit.max(1) as u64)).unwrap_or_default()
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }

    /// One of a list that is not empty.
    pub(super) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A symbol with what the raw server says about it.
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) kind: &'static str,
    /// Its name where it is declared; references are asked there.
    pub(super) declared: Place,
    pub(super) declared_at: Value,
    /// A use of it, in another file where there is one; definition and hover are asked there.
    pub(super) used: Place,
    pub(super) used_at: Value,
    pub(super) used_elsewhere: bool,
    /// Directly in the file, in no other symbol.
    pub(super) is_top: bool,
    pub(super) definition: Places,
    pub(super) references: Places,
}

/// The project's own source files, in a fixed order.
pub(super) fn files(subject: &Subject) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in subject.sources {
        walk(&subject.root.join(folder), subject.extension, &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn walk(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), extension, files)?;
        } else if entry.path().extension().is_some_and(|found| found == extension) {
            files.push(entry.path());
        }
    }
    Ok(())
}

struct Candidate {
    name: String,
    kind: &'static str,
    place: Place,
    position: Value,
    is_top: bool,
}

/// Takes symbols of all kinds in turn; tells of each as soon as it is chosen.
pub(super) fn symbols(
    raw: &mut Raw,
    subject: &Subject,
    count: usize,
    random: &mut Random,
    mut told: impl FnMut(&Arc<Symbol>),
) -> anyhow::Result<Vec<Arc<Symbol>>> {
    let mut chosen = files(subject)?;
    let shared = shared_words(&chosen);
    random.shuffle(&mut chosen);
    let mut kinds: BTreeMap<&'static str, Vec<Candidate>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for path in chosen.iter().take(FILES) {
        let (outline, _) = raw.ask("textDocument/documentSymbol", path, &Value::Null)?;
        gather(&outline, path, true, raw, &mut |candidate| {
            if seen.insert(candidate.place.clone()) {
                kinds.entry(candidate.kind).or_default().push(candidate);
            }
        });
    }
    for candidates in kinds.values_mut() {
        random.shuffle(candidates);
    }
    let mut symbols = Vec::new();
    let mut local = 0;
    let mut turn = 0;
    while symbols.len() < count && !kinds.is_empty() {
        turn += 1;
        let kinds_left = kinds.len();
        for (kind, candidates) in &mut kinds {
            // Associated types of the standard library's traits are used all over it: each takes a server seconds.
            if *kind == "type parameter" && turn % 4 != 0 && kinds_left > 1 {
                continue;
            }
            let Some(candidate) = candidates.pop().filter(|_| symbols.len() < count) else { continue };
            // Asking about what cannot be chosen any more would only take time.
            if local >= count / 2 && !shared.contains(&candidate.name) {
                continue;
            }
            let Some(symbol) = look(raw, subject, candidate, random)? else { continue };
            if !symbol.used_elsewhere {
                if local >= count / 2 {
                    continue;
                }
                local += 1;
            }
            let symbol = Arc::new(symbol);
            told(&symbol);
            symbols.push(symbol);
        }
        kinds.retain(|_, candidates| !candidates.is_empty());
    }
    ensure!(symbols.len() == count, "{} has only {} symbols to ask about", subject.project, symbols.len());
    Ok(symbols)
}

/// Words that stand in more than one file.
fn shared_words(files: &[PathBuf]) -> HashSet<String> {
    let mut seen = HashSet::new();
    let mut shared = HashSet::new();
    for path in files {
        let text = std::fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let words: HashSet<&str> = text.split(|character| !word(character)).collect();
        for found in words {
            if !seen.contains(found) {
                seen.insert(found.to_owned());
            } else if !shared.contains(found) {
                shared.insert(found.to_owned());
            }
        }
    }
    shared
}

/// All symbols of an outline whose name stands where the outline says.
fn gather(outline: &Value, path: &Path, is_top: bool, raw: &mut Raw, found: &mut impl FnMut(Candidate)) {
    for symbol in outline.as_array().into_iter().flatten() {
        let position = &symbol["selectionRange"]["start"];
        let name = symbol["name"].as_str().unwrap_or_default();
        if let Some(kind) = kind(&symbol["kind"])
            && !position.is_null()
        {
            let place = raw.counter.place(path, position);
            let line =
                usize::try_from(place.line - 1).ok().and_then(|line| raw.counter.lines(path).get(line));
            let column = usize::try_from(place.column - 1).unwrap_or_default();
            let text: String = line.into_iter().flat_map(|line| line.chars().skip(column)).collect();
            let ends = text[..].strip_prefix(name).is_some_and(|rest| !rest.starts_with(word));
            if !name.is_empty() && name.chars().all(word) && ends {
                let (name, position) = (name.to_owned(), position.clone());
                found(Candidate { name, kind, place, position, is_top });
            }
        }
        gather(&symbol["children"], path, false, raw, found);
    }
}

fn word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

fn kind(number: &Value) -> Option<&'static str> {
    Some(match number.as_u64()? {
        2..=4 => "module",
        5 => "class",
        6 => "method",
        7 => "property",
        8 => "field",
        9 => "constructor",
        10 => "enum",
        11 => "interface or trait",
        12 => "function",
        13 => "variable",
        14 => "constant",
        22 => "enum member",
        23 => "struct",
        26 => "type parameter",
        _ => return None,
    })
}

/// What the raw server says about a candidate; nothing when it does not know it.
fn look(
    raw: &mut Raw,
    subject: &Subject,
    candidate: Candidate,
    random: &mut Random,
) -> anyhow::Result<Option<Symbol>> {
    let (answer, _) = raw.ask("textDocument/references", &candidate.place.path, &candidate.position)?;
    let references = raw.counter.places(&answer);
    if references.is_empty() {
        return Ok(None);
    }
    // Only the project's own files may be asked about; libraries are only answered about.
    let own: Vec<&(Place, Value)> =
        references.iter().filter(|(place, _)| place.path.starts_with(&subject.root)).collect();
    let elsewhere: Vec<&(Place, Value)> =
        own.iter().copied().filter(|(place, _)| place.path != candidate.place.path).collect();
    let uses = if elsewhere.is_empty() { &own } else { &elsewhere };
    if uses.is_empty() {
        return Ok(None);
    }
    let (used, used_at) = (*random.pick(uses)).clone();
    let (answer, _) = raw.ask("textDocument/definition", &used.path, &used_at)?;
    let definition: Places = raw.counter.places(&answer).into_iter().map(|(place, _)| place).collect();
    if definition.is_empty() {
        return Ok(None);
    }
    Ok(Some(Symbol {
        name: candidate.name,
        kind: candidate.kind,
        declared: candidate.place,
        declared_at: candidate.position,
        used_elsewhere: !elsewhere.is_empty(),
        is_top: candidate.is_top,
        used,
        used_at,
        definition,
        references: references.into_iter().map(|(place, _)| place).collect(),
    }))
}
