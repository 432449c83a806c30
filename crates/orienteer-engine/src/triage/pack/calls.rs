//! Where are affected symbols of a package used?
//!
//! The names are looked for as text first, which misses none that is written. Each place is then shown to the language server
//! of its file: what it defines in the package is a use, what it defines elsewhere is something else of the same name. Where
//! no server answers, the facts of the index tell which functions call the name, and where there is no index either the text
//! alone is told, and called so.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use orienteer_base::ask::{DefinitionQuery, Relation, Window};
use orienteer_base::listing::FileMatches;
use orienteer_base::search::SearchMode;
use orienteer_base::triage::{Evidence, EvidenceKind, Package, Provenance, Searched};
use orienteer_base::{Cancel, Completeness, ErrorKind, Problem, Reason, Source, Target};
use orienteer_search::words::{is_word_char, occurrences};
use orienteer_triage::module::{Imports, last_name};

use super::imports::{ImportLines, Line};
use super::owner::belongs;
use super::{Gathered, evidence, is_comment};
use crate::Session;
use crate::index::SearchQuery;

const MOST_FILES: usize = 500;
/// Places that a server is asked about.
const MOST_ASKED: usize = 150;
/// Places that are told.
const MOST: usize = 100;
/// How long an index that is being built is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is known about a place where the name stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Judged {
    /// It is the package's.
    Used(Option<&'static str>),
    /// It is something else's.
    Other,
    /// Nobody can tell, for this reason.
    Unknown(String),
}

struct Place {
    line: Line,
    name: String,
    /// The file imports the package.
    imports: bool,
    judged: Judged,
}

impl Session {
    pub(super) async fn look_for_calls(
        &self,
        package: &Package,
        imports: &Imports,
        lines: &ImportLines,
        wait: Option<Duration>,
        gathered: &mut Gathered,
        cancel: &Cancel,
    ) -> Result<(), Problem> {
        if package.symbols.is_empty() {
            return Ok(());
        }
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for symbol in &package.symbols {
            match last_name(symbol) {
                Some(name) => drop(names.entry(name).or_insert_with(|| symbol.clone())),
                None => gathered.missing.push(format!("`{symbol}` is no name that could be looked for")),
            }
        }
        if names.is_empty() {
            return Ok(());
        }
        let (mut files, mut completeness) =
            self.own_lines(any_of(names.keys()), true, imports.files, MOST_FILES, cancel).await?;
        // What is imported under another name is used under that.
        let aliases = aliases(&files, &names, lines);
        if !aliases.is_empty() {
            let (more, whole) =
                self.own_lines(any_of(aliases.keys()), true, imports.files, MOST_FILES, cancel).await?;
            files.extend(more.into_iter().filter(|file| lines.contains_key(&file.file_path)));
            completeness = completeness.and(whole);
            names.extend(aliases);
        }
        let mut places = Vec::new();
        for file in &files {
            let of = lines.get(&file.file_path);
            for found in file.matches.iter().filter(|found| !is_comment(&found.content, &file.file_path)) {
                let number = u32::try_from(found.line).unwrap_or(u32::MAX);
                let line = Line {
                    file_path: file.file_path.clone(),
                    line: number,
                    column: u32::try_from(found.column).unwrap_or(1).max(1),
                    text: found.content.clone(),
                };
                let name = names.keys().find(|name| occurrences(&found.content, name).next().is_some());
                let Some(name) = name.cloned() else { continue };
                let known =
                    |place: &Place| place.line.line == number && place.line.file_path == file.file_path;
                if places.iter().any(known) {
                    continue;
                }
                places.push(Place {
                    line,
                    name,
                    imports: of.is_some(),
                    judged: Judged::Unknown(String::new()),
                });
            }
        }
        // What imports the package is asked about first.
        places.sort_by_key(|place| !place.imports);
        let (asked, served) = self.judge(&mut places, package, imports, lines, wait, cancel).await?;
        let left = places.len() - asked;
        if left > 0 {
            completeness = completeness.and(Completeness::partial(Reason::Capped));
        }
        let unknown: Vec<&Place> =
            places.iter().filter(|place| matches!(place.judged, Judged::Unknown(_))).collect();
        if !unknown.is_empty() {
            completeness = completeness.and(Completeness::partial(Reason::Heuristic));
        }
        let by_index = if unknown.is_empty() {
            Vec::new()
        } else {
            self.called_by_index(&names, imports, cancel).await?
        };
        let note = note(&places, left);
        let (mut found, mut rows) = (0, Vec::new());
        for place in places {
            let inside = |(file, start, end): &(String, u32, u32)| {
                *file == place.line.file_path && (*start..=*end).contains(&place.line.line)
            };
            let (provenance, note) = match &place.judged {
                Judged::Used(note) => (Provenance::Lsp, note.map(str::to_owned)),
                Judged::Other => continue,
                Judged::Unknown(_)
                    if lines.get(&place.line.file_path).is_some_and(|of| of.contains(&place.line.line))
                        && only_imports(&place.line.text, &place.name) =>
                {
                    continue;
                }
                Judged::Unknown(why) if by_index.iter().any(inside) => {
                    (Provenance::Index, Some(format!("the grammar says that it is called here; {why}")))
                }
                Judged::Unknown(why) if place.imports => {
                    (Provenance::Text, Some(format!("the word stands here; {why}")))
                }
                Judged::Unknown(_) => continue,
            };
            found += 1;
            if rows.len() < MOST {
                rows.push((place, provenance, note));
            }
        }
        gathered.searches.push(Searched {
            what: "calls",
            looked_for: format!("uses of {}", names.values().cloned().collect::<Vec<_>>().join(", ")),
            looked_in: format!("{} of the workspace", imports.files.join(", ")),
            found,
            provenance: if served { Provenance::Lsp } else { Provenance::Text },
            completeness,
            note,
        });
        let around =
            self.surrounded(rows.iter().map(|(place, ..)| place.line.clone()).collect(), cancel).await?;
        for (line, symbol, test) in around {
            let row = rows
                .iter()
                .find(|(place, ..)| place.line.file_path == line.file_path && place.line.line == line.line);
            let Some((place, provenance, note)) = row else { continue };
            gathered.add(Evidence {
                column: line.column,
                package: Some(package.name.clone()),
                affected: names.get(&place.name).cloned(),
                symbol,
                in_test: test,
                note: note.clone(),
                ..evidence(
                    EvidenceKind::Call,
                    &line.file_path,
                    line.line,
                    &line.text,
                    *provenance,
                    &self.engine().conceal,
                )
            });
        }
        Ok(())
    }

    /// Asks servers what the name means at each place. How many places were judged, and whether a server took part.
    async fn judge(
        &self,
        places: &mut [Place],
        package: &Package,
        imports: &Imports,
        lines: &ImportLines,
        wait: Option<Duration>,
        cancel: &Cancel,
    ) -> Result<(usize, bool), Problem> {
        // A server that did not answer once is not asked about the next file of its kind.
        let mut silent: HashMap<String, String> = HashMap::new();
        let (mut asked, mut served) = (0, false);
        for place in places.iter_mut() {
            if asked >= MOST_ASKED {
                place.judged = Judged::Unknown("too many places to ask about".to_owned());
                continue;
            }
            asked += 1;
            let kind = place.line.file_path.rsplit('.').next().unwrap_or_default().to_owned();
            if let Some(why) = silent.get(&kind) {
                place.judged = Judged::Unknown(why.clone());
                continue;
            }
            if lines.get(&place.line.file_path).is_some_and(|of| of.contains(&place.line.line))
                && is_import(&place.line.text)
                && only_imports(&place.line.text, &place.name)
            {
                // The name stands in the import itself.
                place.judged = Judged::Other;
                continue;
            }
            for column in columns(place) {
                let judged = self.means(place, column, package, imports, lines, wait, cancel).await?;
                let (judged, spoke) = match judged {
                    Ok(judged) => (judged, true),
                    Err(why) => {
                        silent.insert(kind.clone(), why.clone());
                        (Judged::Unknown(why), false)
                    }
                };
                served |= spoke;
                place.judged = judged;
                if matches!(place.judged, Judged::Used(_)) {
                    place.line.column = column;
                    break;
                }
            }
        }
        Ok((asked, served))
    }

    /// What a name at a place means; the inner error says why no server of that kind of file answers.
    #[allow(clippy::too_many_arguments, reason = "one question with everything it depends on")]
    async fn means(
        &self,
        place: &Place,
        column: u32,
        package: &Package,
        imports: &Imports,
        lines: &ImportLines,
        wait: Option<Duration>,
        cancel: &Cancel,
    ) -> Result<Result<Judged, String>, Problem> {
        let unknown = |why: &str| Ok(Ok(Judged::Unknown(why.to_owned())));
        let Ok(file) = self.roots().resolve(&place.line.file_path) else {
            return unknown("the file is gone");
        };
        let target = Target {
            file: Some(file),
            line: Some(place.line.line),
            column: Some(column),
            ..Target::default()
        };
        let query = DefinitionQuery {
            target,
            relation: Relation::Definition,
            snippet: None,
            window: Window { skip: 0, limit: 10 },
            wait,
        };
        let answer = match self.definitions(query, cancel).await {
            Ok(answer) => answer,
            Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
            Err(problem) if problem.kind == ErrorKind::NotFound => return unknown("the place has changed"),
            Err(problem) => return Ok(Err(format!("no language server confirmed it ({})", problem.message))),
        };
        if answer.source != Source::Lsp {
            let why = answer.warnings.first().map(|warning| warning.message.clone()).unwrap_or_default();
            return Ok(Err(format!("no language server confirmed it ({why})")));
        }
        if answer.value.rows.is_empty() {
            if answer.completeness.is_complete() {
                return unknown("the language server knows no definition");
            }
            // It was waited for once; nobody waits for every place.
            return Ok(Err("the language server was not ready".to_owned()));
        }
        let mut told = false;
        for row in &answer.value.rows {
            let path = self.roots().workspace().join(&row.place.file_path);
            match belongs(package, &imports.modules, &path) {
                Some(true) => return Ok(Ok(Judged::Used(None))),
                Some(false) => told = true,
                None => {}
            }
            let line = row.place.range.start.line;
            if lines.get(&row.place.file_path).is_some_and(|of| of.contains(&line)) {
                return Ok(Ok(Judged::Used(Some("the name comes from the import of the package"))));
            }
        }
        if !answer.completeness.is_complete() {
            return unknown("the language server was not ready");
        }
        if told { Ok(Ok(Judged::Other)) } else { unknown("nobody can tell whose definition it is") }
    }

    /// Functions that call one of the names in files that import the package, as the index has them.
    async fn called_by_index(
        &self,
        names: &BTreeMap<String, String>,
        imports: &Imports,
        cancel: &Cancel,
    ) -> Result<Vec<(String, u32, u32)>, Problem> {
        let written = serde_json::json!({
            "calls": names.keys().collect::<Vec<_>>(),
            "import": imports.modules,
        });
        let Ok(filters) = self.search_filters(&written) else { return Ok(Vec::new()) };
        let query = SearchQuery {
            text: String::new(),
            filters,
            modes: vec![SearchMode::Code],
            words_alone: false,
            full: false,
            explain: false,
            window: Window { skip: 0, limit: MOST },
            as_text: false,
            wait: PATIENCE,
        };
        match self.search(query, cancel).await {
            Ok(answer) => {
                let hits =
                    answer.value.hits.into_iter().filter(|hit| hit.source == Source::Index && !hit.stale);
                Ok(hits.map(|hit| (hit.file_path, hit.line, hit.end_line)).collect())
            }
            Err(problem) if problem.kind == ErrorKind::Cancelled => Err(problem),
            // Without an index the text is told as text.
            Err(_) => Ok(Vec::new()),
        }
    }
}

fn any_of<'n>(names: impl Iterator<Item = &'n String>) -> String {
    let names: Vec<String> = names.map(|name| name.replace('$', r"\$")).collect();
    format!("(?:{})", names.join("|"))
}

/// Names under which files that import the package import an affected symbol, with the symbol.
fn aliases(
    files: &[FileMatches],
    names: &BTreeMap<String, String>,
    lines: &ImportLines,
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for file in files.iter().filter(|file| lines.contains_key(&file.file_path)) {
        for line in &file.matches {
            let text = line.content.trim();
            let number = u32::try_from(line.line).unwrap_or(u32::MAX);
            let imports = lines.get(&file.file_path).is_some_and(|of| of.contains(&number));
            for (name, symbol) in names {
                for range in occurrences(text, name) {
                    let rest = text.get(range.end..).unwrap_or_default().trim_start();
                    let renamed =
                        rest.strip_prefix("as ").or_else(|| rest.strip_prefix(':').filter(|_| imports));
                    let Some(renamed) = renamed.map(str::trim_start) else { continue };
                    let end = renamed.find(|c: char| !is_word_char(c)).unwrap_or(renamed.len());
                    let (alias, behind) = renamed.split_at(end);
                    // Elsewhere than in an import, `x as y` is a conversion unless it stands alone in a list.
                    let alone = range.start == 0 && behind.trim_start_matches(',').trim().is_empty();
                    if !alias.is_empty()
                        && (imports || is_import(text) || alone)
                        && !names.contains_key(alias)
                    {
                        found.insert(alias.to_owned(), symbol.clone());
                    }
                }
            }
        }
    }
    found
}

/// Everywhere on the line that the name stands, from 1, in characters.
fn columns(place: &Place) -> Vec<u32> {
    let text = &place.line.text;
    let starts = occurrences(text, &place.name).take(4);
    let columns = starts.map(|range| text.get(..range.start).unwrap_or_default().chars().count() + 1);
    columns.filter_map(|column| u32::try_from(column).ok()).collect()
}

/// Whether a line begins as one that imports.
fn is_import(line: &str) -> bool {
    // Lines of notebooks stand in quotes.
    let line = line.trim_start().trim_start_matches('"').trim_start();
    // What is exported may be anything, unless it comes from elsewhere.
    let passed_on = line.starts_with("export ") && line.contains(" from ");
    passed_on
        || ["import ", "from ", "use ", "pub use ", "pub(crate) use ", "extern crate ", "} from "]
            .iter()
            .any(|word| line.starts_with(word))
}

/// Whether a name on a line that imports is only imported there. `require('x').f()` and `time::at(x)` use it.
fn only_imports(line: &str, name: &str) -> bool {
    let stands = |text: &str| occurrences(text, name).next().is_some();
    if is_import(line) {
        // Another statement may follow.
        return !line.split_once(';').is_some_and(|(_, rest)| stands(rest));
    }
    let Some(loads) = ["require(", "import("].iter().filter_map(|word| line.find(word)).min() else {
        return false;
    };
    occurrences(line, name).all(|range| {
        let before = line.get(..range.start).unwrap_or_default();
        let called = line.get(range.end..).unwrap_or_default().trim_start().starts_with('(');
        // Part of what the module is called.
        let path = before.ends_with(['"', '\'', '`', '/', '@', '-']);
        path || (range.start < loads && !called)
    })
}

fn note(places: &[Place], left: usize) -> Option<String> {
    let others = places.iter().filter(|place| place.judged == Judged::Other).count();
    let strangers =
        places.iter().filter(|place| !place.imports && matches!(place.judged, Judged::Unknown(_))).count();
    let mut said = Vec::new();
    if others > 0 {
        said.push(format!("{others} more places have the name and mean something else, or only import it"));
    }
    if strangers > 0 {
        said.push(format!("the name stands in {strangers} places of files that do not import the package, and nobody can tell what it is"));
    }
    if left > 0 {
        said.push(format!("{left} places were not asked about"));
    }
    let why = places.iter().find_map(|place| match &place.judged {
        Judged::Unknown(why) if !why.is_empty() => Some(why.clone()),
        _ => None,
    });
    said.extend(why);
    (!said.is_empty()).then(|| said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::only_imports;

    #[test]
    fn a_line_that_imports_may_use_the_name_too() {
        for line in [
            "use time::at;",
            "import { at } from 'x';",
            "from x import at",
            "const { at } = require('x');",
            "const { at: b } = await import('x');",
            "const x = require('at');",
            "export { at } from 'x';",
            "  \"from x import at\\n\",",
        ] {
            assert!(only_imports(line, "at"), "{line}");
        }
        for line in [
            "let now = time::at(x);",
            "items.map(time::at)",
            "require('x').at()",
            "const at2 = require('x').at;",
            "(await import('x')).at(1)",
            "export const y = require('x').at(1)",
            "import x; x.at(1)",
            "at(require('x'))",
            "importlib.import_module('x').at(1)",
        ] {
            assert!(!only_imports(line, "at"), "{line}");
        }
    }
}
