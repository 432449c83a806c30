//! What may be used to answer, besides the store?

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use orienteer_base::answer::Warning;
use orienteer_base::{Cancel, ErrorKind, Problem, Roots};
use orienteer_index::find::{Ask, Found, Meaning, Means, Wanted, find, read_parts, read_wanted};
use orienteer_index::git::{GitError, History};
use orienteer_index::query::{Filters, Name};
use orienteer_index::store::{File, Reader, RelativePath, trigrams_path};
use orienteer_index::trigram::Trigrams;

use super::Index;
use super::inside::{Foreign, Inside};
use super::ready::Trouble;

/// Commits that are read for questions about authors and churn.
const MOST_COMMITS: usize = 50_000;

/// What was opened for one generation and holds for the next question too.
#[derive(Debug, Default)]
pub(super) struct Kept {
    trigrams: Option<(u64, Arc<Trigrams>)>,
}

/// What the log says, with the commit that was checked out.
pub(super) type ReadLog = Option<(String, Arc<History>)>;

impl Index {
    /// Asks the store with everything there is.
    pub(super) fn find(
        &self,
        reader: &Reader<'_>,
        ask: &Ask<'_>,
        words_alone: bool,
        roots: &Roots,
        cancel: &Cancel,
    ) -> Result<(Found, Vec<Warning>), Trouble> {
        let mut warnings = Vec::new();
        let trigrams = self.trigrams(reader.generation());
        let (history, why) = self.history_for(reader, &ask.query.filters, cancel)?;
        let history_of = |path: &RelativePath| {
            history.as_ref().and_then(|history| history.files.get(&path.absolute("".as_ref())).cloned())
        };
        let foreign: Mutex<HashSet<RelativePath>> = Mutex::default();
        let exclude = |file: &File| {
            foreign.lock().unwrap_or_else(PoisonError::into_inner).insert(file.path.clone());
        };
        let inside = Inside::new(roots);
        let text_of = |file: &File| match inside.read(file) {
            Ok(now) => now,
            Err(Foreign) => {
                exclude(file);
                None
            }
        };
        let glimpse_of = |file: &File, bytes: &mut Vec<u8>, wanted: Wanted<'_>| match inside.open(file) {
            Ok(opened) => read_wanted(&mut opened?, file, bytes, wanted),
            Err(Foreign) => {
                exclude(file);
                None
            }
        };
        let parts_of = |file: &File, ranges: &[Range<usize>]| match inside.open(file) {
            Ok(opened) => read_parts(&opened?, file, ranges),
            Err(Foreign) => None,
        };
        let wanted = if words_alone { Ok(None) } else { self.meanings(reader, cancel) };
        let meanings = match wanted {
            Ok(known) => known.filter(|_| ask.query.has_words()),
            Err(why) => {
                warnings.push(Warning::new("no_model", format!("meanings were not compared: {why}")));
                None
            }
        };
        if let Some(left) = meanings.as_ref().map(|known| known.left).filter(|left| *left > 0) {
            let message =
                format!("{left} changed files were compared by their words alone; build_index helps");
            warnings.push(Warning::new("no_vectors", message));
        }
        let means = Means {
            trigrams: trigrams.as_deref(),
            meaning: meanings.as_ref().map(|known| Meaning {
                model: &known.model,
                vectors: &known.file,
                since: &known.since,
                threads: self.build.options.threads,
            }),
            history: if history.is_some() { Some(&history_of) } else { None },
            history_cut: history.as_ref().is_some_and(|history| !history.complete),
            no_history: why.as_deref(),
            blame: ask.full.then_some(&self.git),
            text: Some(&text_of),
            glimpse: Some(&glimpse_of),
            parts: Some(&parts_of),
            ..Means::default()
        };
        let mut found = find(reader, ask, &means, cancel)?;
        // What lies outside of the roots now is not told of, whatever the index remembers.
        let foreign = foreign.into_inner().unwrap_or_else(PoisonError::into_inner);
        let before = found.hits.len();
        found.hits.retain(|hit| !foreign.contains(&hit.path));
        found.total = found.total.saturating_sub(before - found.hits.len());
        Ok((found, warnings))
    }

    /// The trigram file of a generation; without it, expressions are looked for in more files.
    fn trigrams(&self, generation: u64) -> Option<Arc<Trigrams>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, trigrams)) = &kept.trigrams
            && *known == generation
        {
            return Some(trigrams.clone());
        }
        let path = trigrams_path(&self.build.folder, generation);
        let opened = Trigrams::open(&path).map(Arc::new);
        kept.trigrams = opened.as_ref().ok().map(|trigrams| (generation, trigrams.clone()));
        opened.ok()
    }

    /// What version control says, where a filter asks for it, or why it does not. Where nothing else can tell, the question
    /// has no answer.
    fn history_for(
        &self,
        reader: &Reader<'_>,
        filters: &Filters,
        cancel: &Cancel,
    ) -> Result<(Option<Arc<History>>, Option<String>), Trouble> {
        let asked = |names: &[Name]| {
            filters.names().into_iter().filter(|row| names.contains(&row.name)).map(|row| row.word).next()
        };
        if let Some(filter) = asked(&[Name::Branch])
            && reader.meta("branch")?.is_none_or(|branch| branch.is_empty())
        {
            let why = self.git.head(&self.build.root, cancel).err();
            return Err(untold(filter, "no branch was known when the index was built", why).into());
        }
        let needed = asked(&[Name::Author, Name::ChurnMin, Name::ChurnMax]);
        if needed.is_none() && asked(&[Name::ModifiedAfter, Name::ModifiedSince]).is_none() {
            return Ok((None, None));
        }
        match (self.history(cancel), needed) {
            (Ok(None), Some(filter)) => Err(untold(filter, "there is no git history here", None).into()),
            (Ok(history), _) => Ok((history, None)),
            (Err(GitError::Git(orienteer_process::GitError::Stopped(stopped))), _) => {
                Err(Problem::from(stopped).into())
            }
            (Err(error), Some(filter)) => Err(untold(filter, "git did not answer", Some(error)).into()),
            (Err(error), None) => Ok((None, Some(error.to_string()))),
        }
    }

    /// Who changed what, read once per commit. `None` without version control.
    fn history(&self, cancel: &Cancel) -> Result<Option<Arc<History>>, GitError> {
        let root = &self.build.root;
        let Some(commit) = self.git.head(root, cancel)?.and_then(|head| head.commit) else { return Ok(None) };
        // Held while git reads: who asks meanwhile needs the same.
        let mut kept = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.as_ref().filter(|(known, _)| *known == commit).map(|(_, read)| read.clone());
        let history = match known {
            Some(history) => history,
            None => {
                let Some(read) = self.git.history(root, MOST_COMMITS, cancel)? else { return Ok(None) };
                let history = Arc::new(read);
                *kept = Some((commit, history.clone()));
                history
            }
        };
        Ok(Some(history))
    }
}

/// A filter that only version control can answer, without it.
fn untold(filter: &str, why: &str, error: Option<GitError>) -> Problem {
    let said = error.map(|error| format!(" ({error})")).unwrap_or_default();
    let message = format!("`{filter}` is told by version control, and {why}{said}; take the filter away");
    Problem::new(ErrorKind::Unsupported, message)
        .detail("unsupported_filter")
        .fact("filters", vec![filter.to_owned()])
}
