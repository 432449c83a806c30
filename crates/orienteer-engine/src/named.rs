//! Which symbols of the workspace have this name, as far as grammars can tell, and which files have this word?

use std::path::PathBuf;

use orienteer_base::ask::NameMatch;
use orienteer_base::question::{After, Case, Detail, FileOrder, Selection, TextQuery};
use orienteer_base::{Cancel, Conceal, Language, Problem, Source, SymbolKind};
use orienteer_search::words::occurrences;
use orienteer_syntax::{Symbol, supported};

use crate::Session;
use crate::index::Named;
use crate::outlines::Outlined;

/// More files than this from the table of words are looked through by a search first.
const FEW_FILES: usize = 300;

/// Files that a name is looked for in without a table of words.
const MOST_FILES: usize = 2_000;

/// Files that no grammar reads are looked through for a name one after the other.
const MOST_WITHOUT_GRAMMAR: usize = 200;

/// A symbol somewhere in the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) outlined: Outlined,
    pub(crate) symbol: Symbol,
}

impl Session {
    /// Every symbol of the workspace with a name, by grammar, in order of path and place; and what told where to look.
    pub(crate) fn symbols_named(
        &self,
        written: &str,
        kind: Option<SymbolKind>,
        cancel: &Cancel,
    ) -> Result<(Vec<Candidate>, Source), Problem> {
        let parts = name_parts(written);
        let Some(name) = parts.last() else {
            return Err(Problem::invalid("symbol_name", "empty_name", "`symbol_name` is empty"));
        };
        let kinds: Vec<SymbolKind> = kind.into_iter().collect();
        let named = Named { name, how: NameMatch::Exact, kinds: &kinds, language: None, scope: None };
        let (files, source) = match self.few_files_with(name) {
            Some(files) => (files, Source::Text),
            None => match self.defined_in_index(&named, cancel) {
                Some(defined) => (defined.files, Source::Index),
                None => self.files_with(name, cancel)?,
            },
        };
        let fits =
            |symbol: &Symbol| fits(symbol, written, &parts) && kind.is_none_or(|kind| symbol.kind == kind);
        Ok((self.symbols_in(&files, &fits, cancel)?, source))
    }

    /// Files that may contain a word, and what told.
    pub(crate) fn files_with(&self, word: &str, cancel: &Cancel) -> Result<(Vec<PathBuf>, Source), Problem> {
        if let Some(files) = self.few_files_with(word) {
            return Ok((files, Source::Text));
        }
        match self.holding_in_index(word, cancel) {
            Some(files) => Ok((files, Source::Index)),
            None => Ok((self.files_matching(word, true, MOST_FILES, cancel)?, Source::Text)),
        }
    }

    /// The same from memory, where they are few: the table names files that it could not hold for every word.
    fn few_files_with(&self, word: &str) -> Option<Vec<PathBuf>> {
        self.workspace().files_with(word).filter(|files| files.len() <= FEW_FILES)
    }

    /// Files with a match of a pattern, the first so many in order of path.
    pub(crate) fn files_matching(
        &self,
        pattern: &str,
        fixed_string: bool,
        most: usize,
        cancel: &Cancel,
    ) -> Result<Vec<PathBuf>, Problem> {
        let query = TextQuery {
            pattern: pattern.to_owned(),
            scope: self.roots().workspace_path(),
            fixed_string,
            case: Case::Sensitive,
            whole_word: false,
            multiline: false,
            // Hooks of git are nobody's code.
            selection: Selection {
                hidden: true,
                exclude: vec!["**/.git/**".to_owned()],
                ..Selection::default()
            },
            detail: Detail::FilesOnly,
            context_lines: 0,
            matches_per_file: 1,
            files_per_page: most,
            order: FileOrder::Path,
            after: After::default(),
            conceal: Conceal::default(),
        };
        let found = orienteer_search::search_text(self.roots(), &query, cancel)?;
        let root = self.roots().workspace();
        Ok(found.value.files.iter().map(|file| root.join(&file.file_path)).collect())
    }

    /// The symbols of files that fit, by grammar; the files are parsed side by side.
    pub(crate) fn symbols_in(
        &self,
        files: &[PathBuf],
        fits: &(dyn Fn(&Symbol) -> bool + Sync),
        cancel: &Cancel,
    ) -> Result<Vec<Candidate>, Problem> {
        let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8);
        let share = files.len().div_ceil(threads).max(1);
        let mut found: Vec<Candidate> = std::thread::scope(|scope| {
            let running: Vec<_> = files
                .chunks(share)
                .map(|files| {
                    scope.spawn(move || {
                        let mut found = Vec::new();
                        for path in files {
                            if cancel.is_cancelled() {
                                break;
                            }
                            let Ok(outlined) = self.outlined(path, cancel) else { continue };
                            let symbols = outlined.symbols().iter().filter(|symbol| fits(symbol));
                            let one = |symbol: &Symbol| Candidate {
                                path: path.clone(),
                                outlined: outlined.clone(),
                                symbol: symbol.clone(),
                            };
                            found.extend(symbols.map(one));
                        }
                        found
                    })
                })
                .collect();
            running.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
        });
        cancel.check()?;
        found.sort_by(|left, right| {
            (&left.path, left.symbol.name_range.start).cmp(&(&right.path, right.symbol.name_range.start))
        });
        Ok(found)
    }

    /// Where a name stands in code that no grammar reads, as ids that lead there: whether it is defined in those files only
    /// a server can tell.
    pub(crate) fn words_without_grammar(
        &self,
        written: &str,
        most: usize,
        cancel: &Cancel,
    ) -> Result<Vec<String>, Problem> {
        let Some(name) = name_parts(written).pop() else { return Ok(Vec::new()) };
        let (mut files, _) = self.files_with(name, cancel)?;
        let read = supported();
        files.retain(|path| {
            Language::by_path(path).is_some_and(|language| !language.is_data() && !read.contains(&language))
        });
        files.sort();
        let mut ids = Vec::new();
        for path in files.into_iter().take(MOST_WITHOUT_GRAMMAR) {
            cancel.check()?;
            let Ok(outlined) = self.outlined(&path, cancel) else { continue };
            if !outlined.parsed && occurrences(&outlined.text.text, name).next().is_some() {
                ids.push(format!("{}#{name}", self.roots().show(&path)));
            }
            if ids.len() == most {
                break;
            }
        }
        Ok(ids)
    }
}

/// `Type::method`, `Type.method` and `Type/method` are paths of two names.
pub(crate) fn name_parts(written: &str) -> Vec<&str> {
    let written = written.trim();
    let parts = written.split("::").flat_map(|part| part.split(['.', '/']));
    parts.map(|part| part.trim().trim_end_matches("()")).filter(|part| !part.is_empty()).collect()
}

/// Whether the end of a symbol's path is what was written.
pub(crate) fn fits(symbol: &Symbol, written: &str, parts: &[&str]) -> bool {
    if symbol.name == written || symbol.name_path == written {
        return true;
    }
    let path: Vec<&str> = symbol.name_path.split('/').collect();
    path.len() >= parts.len() && path[path.len() - parts.len()..] == *parts
}
