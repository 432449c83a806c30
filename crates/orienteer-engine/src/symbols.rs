//! Which symbols of the workspace have a name like this?

mod name_match;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use orienteer_base::answer::Warning;
use orienteer_base::ask::{NameMatch, SymbolQuery};
use orienteer_base::code::{SymbolRow, Symbols};
use orienteer_base::{Answer, Cancel, Completeness, Freshness, Language, Problem, Reason, Source};
use orienteer_lsp::command::{Found, Listed};
use orienteer_lsp::{Failure, Heard, Lease, Patience};
use orienteer_syntax::Symbol;

use crate::Session;
use crate::answering::{cut as cut_short, not_files, trust, unreadable};
use crate::exposure::trust_command;
use crate::failure::problem;
use crate::index::Named;
use crate::named::{Candidate, fits, name_parts};
use crate::references::MOST_OPENED;
use crate::scenery::{Scenery, row, unknown_id};
use name_match::{is_inside, matches};

/// Servers that one question starts.
const MOST_SERVERS: usize = 4;

/// What each server said.
type Asked = Vec<(String, Result<Heard<Listed>, Failure>)>;

/// Files that a grammar looks through for a name it does not know exactly.
const MOST_FILES: usize = 1_000;

impl Session {
    /// Symbols by name: from the servers of the workspace's languages, and by grammar where they are silent.
    pub async fn find_symbols(
        &self,
        query: SymbolQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Symbols>, Problem> {
        let parts: Vec<String> = name_parts(&query.query).into_iter().map(str::to_owned).collect();
        let Some(name) = parts.last().cloned() else {
            return Err(Problem::invalid(
                "query",
                "empty_query",
                "`query` is empty; give a name or a part of one",
            ));
        };
        let (asked, more) = self.ask_servers(&name, &query, cancel).await?;
        let mut answer = Answer::new((), Completeness::Complete, Source::Lsp);
        let mut heard = Vec::new();
        let mut silent = Vec::new();
        let mut is_cut = false;
        for (server_id, result) in asked {
            match result {
                Ok(Heard { value: Listed { found, cut, own_only }, mut seen }) => {
                    // What is no file belongs to a dependency.
                    if !query.include_dependencies {
                        seen.not_files.clear();
                    }
                    if cut {
                        is_cut = true;
                        let message = format!(
                            "{server_id} lists {} symbols and there may be more; ask for more of the name",
                            found.len()
                        );
                        answer.warnings.push(Warning::new("symbols_cut", message));
                        answer.completeness = answer.completeness.and(Completeness::partial(Reason::Capped));
                    }
                    if own_only {
                        let message = format!(
                            "{server_id} lists symbols of the project only; `find_definition` at a use leads into a dependency"
                        );
                        answer.warnings.push(Warning::new("dependencies_not_searched", message));
                        answer.completeness =
                            answer.completeness.and(Completeness::partial(Reason::NotChecked));
                    }
                    answer.completeness = answer.completeness.and(trust(&seen));
                    let lacks = [("server_degraded", &seen.complaint), ("files_not_listed", &seen.unlisted)];
                    for (code, why) in lacks {
                        let Some(why) = why else { continue };
                        is_cut = true;
                        answer.warnings.push(Warning::new(code, format!("{server_id}: {why}")));
                    }
                    let not_files = not_files(&server_id, &seen);
                    answer.warnings.extend(not_files.map(|message| Warning::new("not_a_file", message)));
                    is_cut |= seen.unreadable > 0 || seen.cut > 0;
                    answer.warnings.extend(unreadable(&server_id, seen.unreadable));
                    answer.warnings.extend(cut_short(&server_id, seen.cut));
                    answer.freshness = answer.freshness.and(Freshness {
                        generation: seen.generation,
                        synced_files: seen.synced_files,
                        waited_ms: seen.waited_ms,
                    });
                    answer.server_id.get_or_insert(server_id);
                    heard.extend(found);
                }
                Err(failure) => silent.push(failure),
            }
        }
        if self.is_exacting()
            && let Some(failure) = silent.first()
        {
            return Err(problem(failure.clone()));
        }
        let by_grammar =
            heard.is_empty() || is_cut || !silent.is_empty() || answer.server_id.is_none() || more > 0;
        if more > 0 {
            let message =
                format!("{more} more projects were looked through by grammar only; narrow with `path`");
            answer.warnings.push(Warning::new("projects_not_asked", message));
            answer.completeness = answer.completeness.and(Completeness::partial(Reason::Capped));
        }
        for failure in &silent {
            let message = format!("{}; found by grammar instead", problem(failure.clone()).message);
            answer.warnings.push(Warning::new("no_language_server", message));
        }
        if answer.server_id.is_none() {
            answer.source = Source::Text;
            let reason = if silent.is_empty() { Reason::Heuristic } else { Reason::ServerUnavailable };
            answer.completeness = Completeness::partial(reason);
        } else if !silent.is_empty() {
            answer.completeness = answer.completeness.and(Completeness::partial(Reason::ServerUnavailable));
        }
        let session = self.clone();
        let flag = cancel.clone();
        let (value, cut, withheld) = self
            .paint(cancel, move |scenery| {
                let mut cut = None;
                let withheld =
                    query.include_dependencies.then(|| scenery.withhold(&mut heard, |one| &one.spot.path));
                let mut rows = from_servers(&session, scenery, &heard, &query, &parts);
                // A server that lists only some of what fits may have listed nothing of what was asked for.
                if (by_grammar || rows.is_empty()) && !session.is_exacting() {
                    let seen: HashSet<(String, u32)> =
                        rows.iter().map(|row| (row.file_path.clone(), row.range.start.line)).collect();
                    let (more, more_cut) = from_grammar(&session, &query, &parts, &flag)?;
                    cut = more_cut;
                    rows.extend(
                        more.into_iter()
                            .filter(|row| !seen.contains(&(row.file_path.clone(), row.range.start.line))),
                    );
                }
                rank(&mut rows, &name);
                let total = rows.len();
                let rows = rows.into_iter().skip(query.window.skip).take(query.window.limit).collect();
                Ok((Symbols { rows, total: Some(total) }, cut, withheld))
            })
            .await?;
        answer.warnings.extend(withheld.flatten());
        if let Some(why) = cut {
            answer.warnings.push(Warning::new("symbols_cut", why));
            answer.completeness = answer.completeness.and(Completeness::partial(Reason::Capped));
        }
        if value.rows.is_empty()
            && !self.engine().trusts_project
            && self.has_procedural_macros(cancel).await?
        {
            let message = format!(
                "what macros and build scripts write is not known; `{}` and a new session let it",
                trust_command(self.roots().workspace())
            );
            answer.warnings.push(Warning::new("needs_trust", message));
            answer.completeness = answer.completeness.and(Completeness::partial(Reason::NeedsTrust));
        }
        if answer.server_id.is_none() && value.rows.iter().any(|row| row.source == Source::Index) {
            answer.source = Source::Index;
        }
        Ok(answer.map(|()| value))
    }

    /// Asks the servers of the languages that are in scope, side by side.
    async fn ask_servers(
        &self,
        name: &str,
        query: &SymbolQuery,
        cancel: &Cancel,
    ) -> Result<(Asked, usize), Problem> {
        let patience = self.patience(query.wait, cancel);
        let (samples, more) = self.samples(query.scope.clone(), query.language, cancel).await?;
        let mut asked: Vec<(Lease, PathBuf)> = Vec::new();
        let mut failed = Vec::new();
        for sample in samples {
            match self.lease(&sample).await {
                Ok(lease) => {
                    let known = |(other, _): &(Lease, PathBuf)| {
                        other.server_id() == lease.server_id() && other.root() == lease.root()
                    };
                    if !asked.iter().any(known) {
                        asked.push((lease, sample));
                    }
                }
                Err(Failure::NoServer { .. }) => {}
                Err(failure) => failed.push((String::new(), Err(failure))),
            }
        }
        let patience = &patience;
        let one = |(lease, sample): (Lease, PathBuf)| async move {
            let id = lease.server_id().to_owned();
            // A checker of the user's for files of no language has nothing to do with symbols.
            let is_checker = |failure: &Failure| {
                matches!(failure, Failure::Unsupported { .. }) && Language::by_path(&sample).is_none()
            };
            let result = self.ask_server(&lease, &sample, name, query, patience, cancel).await;
            result.as_ref().err().is_none_or(|failure| !is_checker(failure)).then_some((id, result))
        };
        let answers = futures::future::join_all(asked.into_iter().map(one)).await;
        let mut results: Asked = answers.into_iter().flatten().collect();
        // A server without this feature says nothing about what there is.
        results.extend(failed);
        Ok((results, more))
    }

    async fn ask_server(
        &self,
        lease: &Lease,
        sample: &Path,
        name: &str,
        query: &SymbolQuery,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<Heard<Listed>, Failure> {
        // Some servers know a project only once a file of it is open, and some only what is open.
        let (own, lacks_list) = (sample.to_path_buf(), lease.lacks_list(sample));
        let all = if lacks_list { self.files_of(lease, cancel).await } else { Vec::new() };
        let are_few = !all.is_empty() && all.len() <= MOST_OPENED;
        let are_known = lease.open(if are_few { &all } else { std::slice::from_ref(&own) }, patience).await?;
        let asked = lease.workspace_symbols(name, query.name_match, query.include_dependencies, patience);
        let mut heard = asked.await?;
        if lacks_list && !(are_known && are_few) {
            heard.seen.lacks(Some(Lease::OPENED_ONLY.to_owned()));
        }
        if heard.value.cut && self.looks_into_all(lease, cancel).await {
            heard.value.cut = false;
        }
        Ok(heard)
    }

    /// The files of a server's project.
    async fn files_of(&self, lease: &Lease, cancel: &Cancel) -> Vec<PathBuf> {
        let (session, id, root) = (self.clone(), lease.server_id().to_owned(), lease.root().to_path_buf());
        let files = self.paint(cancel, move |_| {
            let mut files = session.workspace().files();
            let fleet = &session.engine().fleet;
            files.retain(|path| {
                path.starts_with(&root) && fleet.owners(path).iter().any(|owner| owner.id == id)
            });
            Ok(files)
        });
        files.await.unwrap_or_default()
    }

    /// Whether a server that looks into some files only comes by all of them.
    async fn looks_into_all(&self, lease: &Lease, cancel: &Cancel) -> bool {
        let Some(searches) = lease.definition_of_server().searches else { return false };
        let (files, root, flag) =
            (self.files_of(lease, cancel).await, lease.root().to_path_buf(), cancel.clone());
        let looks = self.paint(cancel, move |_| {
            let walked =
                searches.comes_by(&root, &[], &flag).filter(|walked| walked.len() <= searches.holding);
            Ok(walked.is_some_and(|walked| files.iter().all(|path| walked.contains(path))))
        });
        looks.await.unwrap_or(false)
    }

    /// One file of each of the workspace's main projects.
    pub(crate) async fn main_files(&self, cancel: &Cancel) -> Result<Vec<PathBuf>, Problem> {
        Ok(self.samples(None, None, cancel).await?.0)
    }

    /// One file of each project in scope that has a server of its own, those with most files first; and how many more
    /// such projects there are.
    async fn samples(
        &self,
        scope: Option<orienteer_base::RootedPath>,
        language: Option<&'static Language>,
        cancel: &Cancel,
    ) -> Result<(Vec<PathBuf>, usize), Problem> {
        let session = self.clone();
        let flag = cancel.clone();
        self.paint(cancel, move |_| {
            let scope: Option<&Path> = scope.as_ref().map(orienteer_base::RootedPath::absolute);
            // Files of a folder and a language belong together.
            let mut folders: BTreeMap<(String, PathBuf), (usize, PathBuf)> = BTreeMap::new();
            // Languages that only the user's own servers know.
            let mut served: HashMap<String, bool> = HashMap::new();
            for path in session.workspace().files() {
                if scope.is_some_and(|scope| !path.starts_with(scope)) {
                    continue;
                }
                let of = match (Language::by_path(&path), path.extension()) {
                    (Some(of), _) if language.is_some_and(|wanted| !same(wanted, of)) || of.is_data() => {
                        continue;
                    }
                    (Some(of), _) => of.id.to_owned(),
                    (None, Some(extension)) if language.is_none() => {
                        let extension = extension.to_string_lossy().into_owned();
                        let fleet = &session.engine().fleet;
                        let is_served = served.entry(extension.clone());
                        if !*is_served.or_insert_with(|| !fleet.owners(&path).is_empty()) {
                            continue;
                        }
                        extension
                    }
                    (None, _) => continue,
                };
                let folder = path.parent().unwrap_or(&path).to_path_buf();
                folders.entry((of, folder)).and_modify(|(count, _)| *count += 1).or_insert((1, path));
            }
            let mut installed = HashMap::new();
            let mut projects: BTreeMap<(String, PathBuf), (usize, PathBuf)> = BTreeMap::new();
            for (count, path) in folders.into_values() {
                flag.check()?;
                let Some(home) = session.engine().fleet.home(&path, &mut installed) else { continue };
                let project = projects.entry(home).or_insert((0, path));
                project.0 += count;
            }
            let mut projects: Vec<_> = projects.into_values().collect();
            projects.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
            let more = projects.len().saturating_sub(MOST_SERVERS);
            Ok((projects.into_iter().take(MOST_SERVERS).map(|(_, path)| path).collect(), more))
        })
        .await
    }
}

fn same(wanted: &Language, of: &Language) -> bool {
    wanted.id == of.id || (wanted.id == "typescript" && of.id == "tsx")
}

fn from_servers(
    session: &Session,
    scenery: &mut Scenery<'_>,
    found: &[Found],
    query: &SymbolQuery,
    parts: &[String],
) -> Vec<SymbolRow> {
    let mut rows: Vec<SymbolRow> = Vec::new();
    for one in found {
        let path = &one.spot.path;
        let inside = session.roots().contains(path);
        if !inside && !query.include_dependencies {
            continue;
        }
        if query.scope.as_ref().is_some_and(|scope| !path.starts_with(scope.absolute())) {
            continue;
        }
        let shown = scenery.show(path);
        let name_range = scenery.name_range(&one.spot);
        let known = scenery.symbol_at(path, name_range.start);
        let name = known.as_ref().map_or_else(|| bare(&one.name), |known| known.name.clone());
        // Some servers tell only the line.
        let unread = if known.is_none() { scenery.file(path).filter(|file| !file.parsed) } else { None };
        let name_range =
            unread.and_then(|file| file.text.name_within(name_range, &name)).unwrap_or(name_range);
        let container = one.container.as_deref().unwrap_or_default();
        let own = if container.is_empty() { name.clone() } else { format!("{container}/{name}") };
        let name_path = known.as_ref().map_or(own, |known| known.name_path.clone());
        let kind = known.as_ref().map_or(one.kind, |known| known.kind);
        if !query.kinds.is_empty() && !query.kinds.contains(&kind) {
            continue;
        }
        let name_parts: Vec<&str> = name_path.split('/').collect();
        if !matches(&name, &name_parts, query.name_match, parts) {
            continue;
        }
        let mut made = match (&known, scenery.file(path)) {
            (Some(known), Some(file)) => SymbolRow { source: Source::Lsp, ..row(&shown, file, known) },
            _ => SymbolRow {
                symbol_id: unknown_id(&shown, &name_path, name_range.start),
                end_line: one.spot.whole.unwrap_or(one.spot.range).end.line,
                signature: None,
                doc: None,
                children: Vec::new(),
                source: Source::Lsp,
                file_path: shown.clone(),
                range: name_range,
                kind,
                name,
                name_path,
            },
        };
        made.range = name_range;
        rows.push(made);
    }
    rows.sort_by(|left, right| {
        (&left.file_path, left.range, &left.name).cmp(&(&right.file_path, right.range, &right.name))
    });
    rows.dedup_by(|left, right| left.file_path == right.file_path && left.range == right.range);
    rows
}

/// Some servers add parentheses or a signature to a name.
fn bare(name: &str) -> String {
    name.split(['(', ' ']).next().unwrap_or(name).to_owned()
}

/// Symbols by grammar, and why there may be more.
fn from_grammar(
    session: &Session,
    query: &SymbolQuery,
    parts: &[String],
    cancel: &Cancel,
) -> Result<(Vec<SymbolRow>, Option<&'static str>), Problem> {
    let Some(name) = parts.last() else { return Ok((Vec::new(), None)) };
    let named = Named {
        name,
        how: query.name_match,
        kinds: &query.kinds,
        language: query.language,
        scope: query.scope.as_ref().map(orienteer_base::RootedPath::absolute),
    };
    let defined = match query.name_match {
        // The table of words tells as quickly, and of all files.
        NameMatch::Exact => None,
        _ => session.defined_in_index(&named, cancel),
    };
    let mut cut = None;
    let (mut files, known, source) = match (defined, query.name_match) {
        (Some(defined), _) => {
            cut = defined
                .cut
                .then_some("there may be more names with these letters in order; ask for more of the name");
            (defined.files, defined.name_paths, Source::Index)
        }
        (None, NameMatch::Exact) => {
            let (files, source) = session.files_with(name, cancel)?;
            (files, HashSet::new(), source)
        }
        (None, how) => {
            let pattern = match how {
                NameMatch::Prefix => format!(r"(?i)\b{}", escape(name)),
                _ => {
                    let letters: Vec<String> =
                        name.chars().map(|letter| escape(&letter.to_string())).collect();
                    format!(r"(?i){}", letters.join(r"\w*"))
                }
            };
            let files = session.files_matching(&pattern, false, MOST_FILES, cancel)?;
            if files.len() >= MOST_FILES {
                cut = Some("more files have such a name than were looked through; narrow with `path`");
            }
            (files, HashSet::new(), Source::Text)
        }
    };
    if let Some(scope) = &query.scope {
        files.retain(|path| path.starts_with(scope.absolute()));
    }
    if let Some(wanted) = query.language {
        files.retain(|path| Language::by_path(path).is_some_and(|of| same(wanted, of)));
    }
    let written: Vec<&str> = parts.iter().map(String::as_str).collect();
    let wanted = |symbol: &Symbol| {
        let path: Vec<&str> = symbol.name_path.split('/').collect();
        let named = match query.name_match {
            NameMatch::Exact => fits(symbol, &query.query, &written),
            how => {
                matches(&symbol.name, &path, how, parts)
                    || (known.contains(&symbol.name_path) && is_inside(&path, parts))
            }
        };
        named && (query.kinds.is_empty() || query.kinds.contains(&symbol.kind))
    };
    let found = session.symbols_in(&files, &wanted, cancel)?;
    let one = |one: &Candidate| SymbolRow {
        source,
        ..row(&session.roots().show(&one.path), &one.outlined, &one.symbol)
    };
    Ok((found.iter().map(one).collect(), cut))
}

fn escape(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_alphanumeric() || c == '_' { vec![c] } else { vec!['\\', c] }).collect()
}

/// The same name first, then the same beginning, then the shortest; ties in order of path and place.
fn rank(rows: &mut [SymbolRow], name: &str) {
    let lower = name.to_lowercase();
    rows.sort_by_cached_key(|row| {
        let own = row.name.to_lowercase();
        let distance = match () {
            () if row.name == name => 0,
            () if own == lower => 1,
            () if own.starts_with(&lower) => 2,
            () if own.contains(&lower) => 3,
            () => 4,
        };
        // What the grammar does not know is a re-export or an import of something that it does.
        let known = row.signature.is_some();
        (distance, row.name.chars().count(), !known, row.file_path.clone(), row.range)
    });
}
