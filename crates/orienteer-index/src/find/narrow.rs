//! Which part of the index may answer at all?

use std::ops::Range;
use std::sync::Arc;

use orienteer_base::language::LANGUAGES;
use orienteer_base::{Cancel, Language};
use orienteer_syntax::facts::support;
use orienteer_syntax::grammar;

use super::conditions::{self, conditions, nanoseconds};
use super::error::FindError;
use super::means::Means;
use super::stands::Within;
use super::{Ask, Note, Unchecked, Unsupported};
use crate::query::{Filters, Kind, Name, Pattern, Row, Wanted};
use crate::store::{
    Condition, File, FileSet, Mode, Modes, NameMatch, Plan, Reader, Symbol, SymbolId, SymbolLookup,
};

/// More symbols with one name are not told apart one by one.
const MOST_SYMBOLS: usize = 4_096;
/// Files that are looked at to name their languages.
const MOST_NAMED: usize = 64;

/// What the filters leave.
#[derive(Debug)]
pub(super) struct Narrowed {
    pub(super) plan: Plan,
    pub(super) modes: Modes,
    /// All files of the index.
    pub(super) files: FileSet,
    pub(super) unsupported: Vec<Unsupported>,
    pub(super) notes: Vec<Note>,
    /// Nothing can pass, and the notes say why.
    pub(super) nothing: bool,
    /// What stands between definitions is no answer.
    pub(super) only_symbols: bool,
    /// The names in `symbol:` have to be compared answer by answer.
    pub(super) compare_symbols: bool,
    pub(super) unchecked: Vec<Unchecked>,
    /// Comments are told from the rest: asked for by `kind:`, or refused.
    asks_comments: bool,
    no_comments: bool,
}

pub(super) fn narrow(
    reader: &Reader<'_>,
    ask: &Ask<'_>,
    means: &Means<'_>,
    cancel: &Cancel,
) -> Result<Narrowed, FindError> {
    let filters = &ask.query.filters;
    let mut narrowed = Narrowed {
        plan: Plan { files: None, conditions: conditions(filters) },
        modes: modes(ask.modes, filters),
        files: reader.files_where(&Plan::default(), cancel)?,
        unsupported: Vec::new(),
        notes: Vec::new(),
        nothing: false,
        only_symbols: conditions::is_about_symbols(filters),
        compare_symbols: false,
        unchecked: Vec::new(),
        asks_comments: filters.kind.groups.iter().flatten().any(|kind| *kind == Kind::Comment),
        no_comments: filters.kind.none.contains(&Kind::Comment),
    };
    if filters.is_empty() {
        return Ok(narrowed);
    }
    narrowed.branch(reader, filters)?;
    narrowed.of_files(reader, filters, means, cancel)?;
    narrowed.supported(reader, filters, cancel)?;
    narrowed.of_symbols(reader, filters, cancel)?;
    Ok(narrowed)
}

/// `kind:comment` means comments and nothing else. Records are asked for by `kind:record` and `meta:`, whatever else is
/// looked at.
fn modes(asked: Modes, filters: &Filters) -> Modes {
    let kinds = &filters.kind;
    let only = |wanted: Kind| kinds.groups.iter().any(|group| group.iter().all(|kind| *kind == wanted));
    let records =
        !filters.meta.groups.is_empty() || kinds.groups.iter().flatten().any(|kind| *kind == Kind::Record);
    let wanted = |mode: &&Mode| match mode {
        Mode::Comments => (asked.has(**mode) || only(Kind::Comment)) && !kinds.none.contains(&Kind::Comment),
        Mode::Records => (asked.has(**mode) || records) && !only(Kind::Comment),
        _ => asked.has(**mode) && !only(Kind::Comment),
    };
    Modes::of(&Mode::ALL.iter().filter(wanted).copied().collect::<Vec<_>>())
}

impl Narrowed {
    /// Whether files of a mode may answer: comments may stand in files of every sort, but hardly in records.
    pub(super) fn takes(&self, mode: Mode) -> bool {
        self.modes.has(mode) || (self.modes.has(Mode::Comments) && mode != Mode::Records)
    }

    /// Whether it matters what in a file is a comment.
    pub(super) fn minds_comments(&self, file: &File) -> bool {
        self.asks_comments || self.no_comments || !self.modes.has(file.mode)
    }

    /// As what a file may answer, and what of it counts then.
    pub(super) fn ways<'c>(&self, file: &File, comments: &'c [Range<usize>]) -> Vec<(Mode, Within<'c>)> {
        let mut ways = Vec::new();
        if self.modes.has(file.mode) {
            let within = if self.no_comments { Within::Code(comments) } else { Within::Anything };
            ways.push((file.mode, within));
        }
        if self.modes.has(Mode::Comments) && self.minds_comments(file) {
            ways.push((Mode::Comments, Within::Comments(comments)));
        }
        ways
    }

    fn note(&mut self, kind: &'static str, message: String) {
        self.notes.push(Note { kind, message });
    }

    /// A filter that cannot be asked of any file, and why.
    fn refuse(&mut self, filter: &'static str, kind: &'static str, message: String) {
        self.nothing = true;
        self.unchecked.push(Unchecked { kind, filter: Some(filter), files: self.files.len() });
        if !self.notes.iter().any(|note| note.message == message) {
            self.note(kind, message);
        }
    }

    /// The index is of one branch.
    fn branch(&mut self, reader: &Reader<'_>, filters: &Filters) -> Result<(), FindError> {
        let Some(wanted) = filters.text(Name::Branch) else { return Ok(()) };
        let branch = reader.meta("branch")?.filter(|branch| !branch.is_empty());
        match branch {
            Some(branch) if wanted.allows(&[&branch], |pattern, branch| pattern.matches(branch)) => {}
            Some(branch) => self.refuse(
                "branch",
                "branch",
                format!(
                    "the index was built on branch `{branch}`, so nothing of another branch is in it; check that \
                     branch out and build the index"
                ),
            ),
            None => self.refuse(
                "branch",
                "branch",
                "the index was built without git or without a branch, so `branch` cannot be asked; leave it out"
                    .to_owned(),
            ),
        }
        Ok(())
    }

    /// Filters on paths and on the history of files.
    fn of_files(
        &mut self,
        reader: &Reader<'_>,
        filters: &Filters,
        means: &Means<'_>,
        cancel: &Cancel,
    ) -> Result<(), FindError> {
        let paths: Vec<&Wanted<Pattern>> =
            [Name::Path, Name::File, Name::Ext].iter().filter_map(|name| filters.text(*name)).collect();
        let author = filters.text(Name::Author);
        let by_history = author.is_some() || !filters.churn.is_empty();
        let why = means.no_history.unwrap_or("there is no git history here");
        if by_history && means.history.is_none() {
            for word in asked_of_history(filters) {
                let message = format!("author and churn are told by git, and {why}; leave those filters out");
                self.refuse(word, "no_git", message);
            }
            return Ok(());
        }
        let mut old = None;
        if let Some(moment) = filters.modified_after {
            let since = Condition::ModifiedSince(nanoseconds(moment));
            match means.history {
                // What git does not know is judged by its file.
                Some(_) => {
                    old = Some((
                        moment,
                        reader.files_where(&Plan { files: None, conditions: vec![since] }, cancel)?,
                    ))
                }
                None => {
                    self.plan.conditions.push(since);
                    self.note(
                        "no_git",
                        format!("modified_after goes by the times of the files, because {why}"),
                    );
                }
            }
        }
        if paths.is_empty() && !by_history && old.is_none() {
            return Ok(());
        }
        let (mut kept, mut unknown) = (Vec::new(), 0);
        for (at, id) in self.files.iter().enumerate() {
            if at.is_multiple_of(1024) {
                cancel.check()?;
            }
            let Some(path) = reader.path(id) else { continue };
            let shown = path.shown();
            if !paths.iter().all(|wanted| wanted.allows(&[&shown], |pattern, shown| pattern.matches(shown))) {
                continue;
            }
            let history =
                means.history.filter(|_| by_history || old.is_some()).and_then(|history| history(&path));
            // It may have been committed before what was read of the history, by anybody and often.
            if by_history && means.history_cut && history.is_none() {
                unknown += 1;
                continue;
            }
            let changed = old.as_ref().is_none_or(|(moment, newer)| match &history {
                Some(history) => history.last_time.saturating_mul(1_000_000_000) >= nanoseconds(*moment),
                None => newer.has(id),
            });
            let commits = history.as_ref().map_or(0, |history| u64::from(history.commits));
            let whom: Vec<String> = history
                .iter()
                .map(|history| format!("{} <{}>", history.last_author, history.last_email))
                .collect();
            let by = author.is_none_or(|wanted| wanted.allows(&whom, |pattern, whom| pattern.matches(whom)));
            if changed && by && filters.churn.holds(commits) {
                kept.push(id);
            }
        }
        if unknown > 0 {
            let message = format!(
                "the git history was not read to its beginning, and {unknown} files are not in what was read: who \
                 changed them, and how often, is not known, so they are left out"
            );
            let filter = asked_of_history(filters).first().copied();
            self.unchecked.push(Unchecked { kind: "history_cut", filter, files: unknown });
            self.note("history_cut", message);
        }
        self.nothing |= kept.is_empty();
        if kept.is_empty() && !self.files.is_empty() {
            self.note("no_files", "no file of the index passes the filters on paths and history".to_owned());
        }
        self.plan.files = Some(Arc::new(FileSet::new(kept)));
        Ok(())
    }

    /// Passes over languages whose tables cannot answer, and says so.
    fn supported(
        &mut self,
        reader: &Reader<'_>,
        filters: &Filters,
        cancel: &Cancel,
    ) -> Result<(), FindError> {
        let fills = |language: &'static Language, row: &Row| match row.needs {
            [] => !needs_outline(row.name, filters) || grammar(language).is_some(),
            needs => needs.iter().all(|field| support(language).contains(field)),
        };
        let asks = |row: &&Row| !row.needs.is_empty() || needs_outline(row.name, filters);
        let rows: Vec<&'static Row> = filters.names().into_iter().filter(asks).collect();
        if rows.is_empty() {
            return Ok(());
        }
        // Only what would be looked at otherwise: `lang:rust calls:x` says nothing about Lua. Data has no calls in any
        // language, and nobody would miss them, except who asks for that very data.
        let data = asks_languages(filters);
        for row in &rows {
            let unable =
                |language: &&'static Language| (data || !language.is_data()) && !fills(language, row);
            let unable: Vec<&'static Language> = LANGUAGES.iter().filter(unable).collect();
            let mut conditions = of_files(&self.plan.conditions);
            conditions.push(Condition::Languages(unable));
            let plan = Plan { files: self.plan.files.clone(), conditions };
            let passed = reader.files_where(&plan, cancel)?;
            let mut languages: Vec<&'static str> = Vec::new();
            for id in passed.iter().take(MOST_NAMED) {
                let language = reader.file(id)?.and_then(|file| file.language);
                languages.extend(language.map(|language| language.id));
            }
            languages.sort_unstable();
            languages.dedup();
            if !passed.is_empty() {
                self.unsupported.push(Unsupported { filter: row.word, languages, files: passed.len() });
            }
        }
        if rows.iter().any(|row| !row.needs.is_empty()) {
            let all = |language: &&'static Language| rows.iter().all(|row| fills(language, row));
            self.plan.conditions.push(Condition::Languages(LANGUAGES.iter().filter(all).collect()));
        }
        Ok(())
    }

    /// Definitions by their names, with everything inside them.
    fn of_symbols(
        &mut self,
        reader: &Reader<'_>,
        filters: &Filters,
        cancel: &Cancel,
    ) -> Result<(), FindError> {
        let Some(wanted) = filters.text(Name::Symbol) else { return Ok(()) };
        for group in &wanted.groups {
            match called(reader, group, cancel)? {
                Some(symbols) => self.plan.conditions.push(Condition::Symbols(symbols)),
                None => self.compare_symbols = true,
            }
        }
        self.compare_symbols |= !wanted.none.is_empty();
        Ok(())
    }
}

/// Filters that only the history of a repository can answer.
fn asked_of_history(filters: &Filters) -> Vec<&'static str> {
    let told = |row: &&Row| matches!(row.name, Name::Author | Name::ChurnMin | Name::ChurnMax);
    filters.names().into_iter().filter(told).map(|row| row.word).collect()
}

/// Whether a filter says nothing about files without an outline.
fn needs_outline(name: Name, filters: &Filters) -> bool {
    match name {
        Name::Symbol | Name::Signature => true,
        Name::Kind => {
            filters.kind.groups.iter().any(|group| group.iter().all(|kind| matches!(kind, Kind::Symbol(_))))
        }
        _ => false,
    }
}

/// Whether any filter asks for definitions, or for what is known about them.
pub(super) fn asks_definitions(filters: &Filters) -> bool {
    let asks = |row: &&Row| !row.needs.is_empty() || needs_outline(row.name, filters);
    filters.names().iter().any(asks)
}

/// Whether all filters are about whole files, so that they hold of whatever is in one.
pub(super) fn is_about_files(filters: &Filters) -> bool {
    let of_files = |row: &&Row| {
        matches!(
            row.name,
            Name::Path
                | Name::File
                | Name::Ext
                | Name::Lang
                | Name::Author
                | Name::ChurnMin
                | Name::ChurnMax
                | Name::ModifiedAfter
                | Name::ModifiedSince
                | Name::Branch
                | Name::Test
                | Name::Generated
                | Name::Vendored
        )
    };
    filters.names().iter().all(of_files)
}

/// Whether languages are asked for: by name, or by the names of their files.
fn asks_languages(filters: &Filters) -> bool {
    let named = |name: Name| filters.text(name).is_some_and(|wanted| !wanted.groups.is_empty());
    !filters.lang.groups.is_empty() || named(Name::Ext) || named(Name::File)
}

/// Those of some conditions that are about whole files.
pub(super) fn of_files(conditions: &[Condition]) -> Vec<Condition> {
    fn is_of_files(condition: &Condition) -> bool {
        match condition {
            Condition::Languages(_) | Condition::Flags(_) | Condition::ModifiedSince(_) => true,
            Condition::Not(inner) => is_of_files(inner),
            Condition::Any(inner) => inner.iter().all(is_of_files),
            _ => false,
        }
    }
    conditions.iter().filter(|condition| is_of_files(condition)).cloned().collect()
}

/// The symbols that any of these names, and what is defined inside them; `None` where they are too many to tell.
fn called(
    reader: &Reader<'_>,
    patterns: &[Pattern],
    cancel: &Cancel,
) -> Result<Option<Vec<SymbolId>>, FindError> {
    let mut found: Vec<Symbol> = Vec::new();
    for pattern in patterns {
        let mut look = |name: String, loosest: NameMatch| {
            let lookup = SymbolLookup { name, loosest, limit: MOST_SYMBOLS, ..SymbolLookup::default() };
            let hits = reader.symbols(&lookup, cancel)?;
            let all = hits.len() < MOST_SYMBOLS;
            let before = found.len();
            let named = |symbol: &Symbol| pattern.matches(&symbol.name_path);
            found.extend(hits.into_iter().map(|hit| hit.symbol).filter(named));
            Ok::<_, FindError>((all, found.len() > before))
        };
        let Some(name) = pattern.literal() else {
            let Some(name) = longest_literal(pattern.text()) else { return Ok(None) };
            if !look(name.to_owned(), NameMatch::Contains)?.0 {
                return Ok(None);
            }
            continue;
        };
        // Names may end with a mark, and headings are sentences.
        let mut ends = ["", "?", "!", "="].iter().map(|end| format!("{name}{end}"));
        let (mut all, mut any) = (true, false);
        ends.try_for_each(|name| {
            let (complete, some) = look(name, NameMatch::IgnoringCase)?;
            (all, any) = (all && complete, any || some);
            Ok::<_, FindError>(())
        })?;
        if all && (!any || pattern.text().contains(char::is_whitespace)) {
            all = look(name, NameMatch::Contains)?.0;
        }
        if !all {
            return Ok(None);
        }
    }
    let mut ids: Vec<SymbolId> = Vec::new();
    found.sort_by_key(|symbol| symbol.id);
    found.dedup_by_key(|symbol| symbol.id);
    for group in found.chunk_by(|one, other| one.file == other.file) {
        cancel.check()?;
        let Some(file) = group.first().map(|symbol| symbol.file) else { continue };
        let Some(file) = reader.file(file)? else { continue };
        let inside = |symbol: &&Symbol| {
            group.iter().any(|outer| {
                outer.id == symbol.id
                    || (outer.range.start <= symbol.range.start
                        && symbol.range.end <= outer.range.end
                        && is_within(&symbol.name_path, &outer.name_path))
            })
        };
        ids.extend(reader.symbols_of(&file)?.iter().filter(inside).map(|symbol| symbol.id));
    }
    Ok(Some(ids))
}

fn is_within(path: &str, container: &str) -> bool {
    path.strip_prefix(container).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The longest stretch of a value with `*` that every match has in its name; `None` for expressions.
fn longest_literal(text: &str) -> Option<&str> {
    if text.starts_with('/') {
        return None;
    }
    let name = text.trim_end_matches("()").rsplit(['.', ':', '/', '#', '>']).next()?;
    let longest = name.split(['*', '?']).max_by_key(|part| part.len())?;
    (longest.len() >= 2 && longest.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$'))
        .then_some(longest)
}

/// Whether a path is one of those that a question names.
pub(super) fn names_a_file(filters: &Filters) -> bool {
    [Name::Path, Name::File]
        .iter()
        .any(|name| filters.text(*name).is_some_and(|wanted| !wanted.groups.is_empty()))
}
