//! Where is this used, and where does the word stand without anybody knowing why?

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::ask::{ReferencesQuery, Relation};
use orienteer_base::code::{FileCount, Place, Reference, References};
use orienteer_base::{Answer, Cancel, Completeness, Problem, Range, Reason, Source};
use orienteer_lsp::{Lease, Patience, Uses};
use orienteer_search::words::occurrences;

use crate::Session;
use crate::ahead::Ahead;
use crate::answering::{frame, instead, unreadable};
use crate::around::Around;
use crate::failure::problem;
use crate::known::{Known, Opened};
use crate::representatives::{Belonging, Configurations, Representative, representatives, themselves};
use crate::resolve::Pinned;
use crate::scenery::Scenery;
use crate::unexpanded::FoundLines;
use crate::workspace::{Places, WordPlace};

/// Files with uses that are painted on the spot, and the same of files that were outlined before: little is read of them.
const FEW: usize = 8;
const FEW_KNOWN: usize = 128;

/// Files that are read before the server names them: more would take the processor from it.
const AHEAD: usize = 12;

/// Servers that have the answer at hand give it sooner.
const SOON: Duration = Duration::from_millis(5);

/// Bytes of such a file: some ten milliseconds of work.
const LONGEST_AHEAD: u64 = 128 << 10;

/// Text hits that are told; the number of all is told beside.
const TOLD: usize = 20;

/// Projects that are made known to a server which knows only those of open files.
pub(crate) const MOST_OPENED: usize = 24;

/// The lines on which a server found something.
fn found_lines(uses: &Uses) -> FoundLines {
    let mut found = FoundLines::default();
    for (path, span) in uses.files() {
        let line = |at: usize| u32::try_from(uses.lines(at)?.start).ok()?.checked_add(1);
        found.add(path, span.filter_map(line));
    }
    found
}

impl Session {
    /// Every use of a symbol.
    pub async fn references(
        &self,
        query: ReferencesQuery,
        cancel: &Cancel,
    ) -> Result<Answer<References>, Problem> {
        let pinned = self.pin(&query.target, cancel).await?;
        let patience = self.patience(query.wait, cancel);
        let (file, at) = (pinned.file.absolute().to_path_buf(), pinned.position);
        let mut known = Known::All;
        let asked = async {
            let lease = self.lease(&file).await?;
            let recalled = lease.recall_uses(&file, at, query.include_declaration, &patience).await;
            let synced = match recalled {
                Ok(heard) => return Ok((lease, heard)),
                Err(synced) => synced,
            };
            let word = pinned.word.clone();
            let _ahead = word.map(|word| self.look_ahead(file.clone(), word, query.cross_check));
            known = self.make_known(&lease, &pinned, &patience, cancel).await;
            let keep = known == Known::All;
            let mut heard = lease.uses(&file, at, query.include_declaration, keep, &patience).await?;
            known.note(&mut heard.seen);
            let found = heard.value.files().map(|(path, _)| path.to_path_buf()).chain([file.clone()]);
            let word = pinned.word.as_deref();
            let why = self.unlisted(&lease, known, word, Some(found), &patience).await;
            heard.seen.lacks(why);
            heard.seen.synced_files += synced;
            if heard.value.is_empty() && heard.seen.ready {
                lease.ensure_known(&file, &patience).await?;
            }
            Ok((lease, heard))
        };
        match asked.await {
            Ok((lease, mut heard)) => {
                let lines =
                    if lease.is_restricted() { found_lines(&heard.value) } else { FoundLines::default() };
                heard.seen.needs_trust =
                    self.unexpanded(&lease, pinned.word.as_deref(), lines, cancel).await?;
                let mut answer = frame(&lease, &heard.seen, pinned.warnings.clone());
                let left_out = self.left_out(&lease, &heard.value, known, &pinned, &patience, cancel).await?;
                for (code, message, reason) in left_out {
                    answer.warnings.push(Warning::new(code, message));
                    answer.completeness = answer.completeness.and(Completeness::partial(reason));
                }
                let (mut value, beyond) = self.reference_rows(heard.value, &pinned, &query, cancel).await?;
                if let Some(warning) = unreadable(lease.server_id(), beyond) {
                    let partial = Completeness::partial(Reason::UnreadableAnswer);
                    answer.warnings.push(warning);
                    answer.completeness = answer.completeness.and(partial);
                }
                if query.include_declaration && !value.rows.iter().any(|row| row.is_declaration) {
                    self.mark_declared(&lease, &mut value, &pinned, &patience).await;
                }
                Ok(answer.map(|()| value))
            }
            Err(failure) if self.has_names(&failure, &file) => {
                let value = self.word_rows(&pinned, &query, cancel).await?;
                if value.total_count == 0 {
                    return Err(problem(failure));
                }
                let source = value.rows.first().map_or(Source::Text, |row| row.place.source);
                let mut answer = instead(value, failure, pinned.warnings);
                answer.source = source;
                Ok(answer)
            }
            Err(failure) => Err(problem(failure)),
        }
    }

    /// Looks for the word and outlines the files that have it, which are those that the server will name. What was begun
    /// is finished, or it would be begun anew by each question; so nothing long is begun.
    fn look_ahead(&self, asked: PathBuf, word: String, cross_check: bool) -> Ahead {
        self.ahead_after(SOON, move |session, stop| {
            let workspace = session.workspace();
            let files: Vec<PathBuf> = if cross_check {
                let places = workspace.places_of(&word, session.engine().fleet.texts()).unwrap_or_default();
                places.iter().map(|(path, _)| path.clone()).collect()
            } else if workspace.has_words() {
                let files = workspace.files_with(&word).or_else(|| session.holding_in_index(&word, stop));
                files.unwrap_or_default()
            } else {
                Vec::new()
            };
            for path in nearest(files, &asked).iter().take(AHEAD) {
                if stop.is_cancelled() {
                    break;
                }
                let short = || path.metadata().is_ok_and(|data| data.len() <= LONGEST_AHEAD);
                if !session.engine().outlines.has(path) && short() {
                    drop(session.outlined(path, &Cancel::new()));
                }
            }
        })
    }

    /// Asks the server where the symbol is declared when no grammar knows it: a local, a parameter.
    async fn mark_declared(
        &self,
        lease: &Lease,
        found: &mut References,
        pinned: &Pinned,
        patience: &Patience,
    ) {
        let asked =
            lease.definition(pinned.file.absolute(), pinned.position, Relation::Definition, patience).await;
        for spot in asked.map(|heard| heard.value).unwrap_or_default() {
            let shown = self.roots().show(&spot.path);
            for row in &mut found.rows {
                let place = &row.place;
                row.is_declaration |= place.range.start == spot.range.start && place.file_path == shown;
            }
        }
    }

    /// Opens one file with the word of each project: a server that knows only the projects of open files then knows
    /// all that matter. Files outside any project are each their own.
    pub(crate) async fn open_text_hits(
        &self,
        lease: &Lease,
        pinned: &Pinned,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Opened {
        let Some(word) = &pinned.word else { return Opened::All };
        match self.representatives_of(lease, word, cancel).await {
            Ok(Some(chosen)) => {
                // The file that is asked about is open and stands for its own part.
                let file = pinned.file.absolute();
                let own = if lease.definition_of_server().opens_text_hits {
                    Configurations::new(lease.root()).belonging(file)
                } else {
                    Belonging::of_itself(file)
                };
                let others = chosen.iter().filter(|one| one.of != own).map(|one| one.file.clone());
                let some: Vec<PathBuf> = others.take(MOST_OPENED + 1).collect();
                let few = &some[..some.len().min(MOST_OPENED)];
                // What cannot be opened is found by text below.
                match lease.open(few, patience).await {
                    _ if some.len() > MOST_OPENED => Opened::Some,
                    Ok(true) => Opened::All,
                    Ok(false) => Opened::Late,
                    Err(_) => Opened::Some,
                }
            }
            // Nobody can tell which projects have the word.
            _ => Opened::Some,
        }
    }

    async fn representatives_of(
        &self,
        lease: &Lease,
        word: &str,
        cancel: &Cancel,
    ) -> Result<Option<Arc<Vec<Representative>>>, Problem> {
        let known = self.engine().known_workspace(self.roots().workspace());
        let choice = (lease.server_id().to_owned(), lease.root().to_path_buf(), word.to_owned());
        let before = known.as_ref().and_then(|workspace| workspace.chosen_before(&choice));
        if before.is_some() {
            return Ok(before);
        }
        let (session, flag) = (self.clone(), cancel.clone());
        let by_project = lease.definition_of_server().opens_text_hits;
        let choose = move |_: &mut Scenery<'_>| {
            let (id, root, word) = &choice;
            let choose = |mut files: Vec<PathBuf>| {
                let fleet = &session.engine().fleet;
                files.retain(|path| fleet.owners(path).iter().any(|owner| owner.id == *id));
                // One of them may be the asked file's own, and one more tells that there are too many.
                if by_project {
                    representatives(files, root, MOST_OPENED + 2)
                } else {
                    themselves(files, root, MOST_OPENED + 2)
                }
            };
            flag.check()?;
            let workspace = session.workspace();
            Ok(match workspace.chosen_with(&choice, choose) {
                Some(chosen) => Some(chosen),
                // Too many files for a table of words: the index knows them, too.
                None => session.holding_in_index(word, &flag).map(choose).map(Arc::new),
            })
        };
        // Where the words are known, this is a look into a table and at the folders above some files.
        let has_words = known.is_some_and(|workspace| workspace.has_words());
        if has_words { self.sketch(cancel, false, choose).await } else { self.paint(cancel, choose).await }
    }

    async fn reference_rows(
        &self,
        uses: Arc<Uses>,
        pinned: &Pinned,
        query: &ReferencesQuery,
        cancel: &Cancel,
    ) -> Result<(References, usize), Problem> {
        let session = self.clone();
        let flag = cancel.clone();
        let (word, query) = (pinned.word.clone(), query.clone());
        let known = self.engine().known_workspace(self.roots().workspace());
        // The first look for words reads the whole workspace.
        let has_words = !query.cross_check || known.as_ref().is_some_and(|workspace| workspace.has_words());
        let is_at_hand = |path: &Path| self.has_at_hand(path);
        let files = uses.files().count();
        let places = match word.as_ref().filter(|_| query.cross_check) {
            Some(word) => known.and_then(|workspace| workspace.places_before(word)).map(Some),
            None => Some(None),
        };
        // Nothing can stop what is done on the spot, so nothing long may be left to do.
        let is_ready = || {
            let outlines = &self.engine().outlines;
            places.is_some() && uses.files().all(|(path, _)| outlines.is_current(path))
        };
        let few = has_words && (files <= FEW || (files <= FEW_KNOWN && is_ready()));
        let at_hand = files <= FEW
            && uses.files().all(|(path, _)| is_at_hand(path))
            && places.as_ref().is_some_and(|places| {
                let mut told = places.iter().flat_map(|places| places.iter()).take(TOLD);
                told.all(|(path, _)| is_at_hand(path))
            });
        let rows = move |scenery: &mut Scenery<'_>| {
            let count = |(path, span): (&Path, std::ops::Range<usize>)| FileCount {
                file_path: scenery.show(path),
                count: span.len(),
            };
            let files = uses.files().map(count).collect();
            let window = query.window;
            let shown = window.skip..window.skip.saturating_add(window.limit).min(uses.len());
            let mut rows = Vec::with_capacity(shown.len());
            let expected = shown.len();
            for (path, span) in uses.files() {
                let span = span.start.max(shown.start)..span.end.min(shown.end);
                if span.is_empty() {
                    continue;
                }
                flag.check()?;
                let row = |around: &Around<'_>, at: usize| {
                    let range = around.range(&uses, at)?;
                    let named = |name: String| word.as_ref().is_none_or(|word| name == *word);
                    Some(Reference {
                        is_declaration: query.include_declaration
                            && around.name_at(range.start).is_some_and(named),
                        place: around.place(range, query.snippet, Source::Lsp),
                    })
                };
                let all = |around: &Around<'_>| -> Vec<Reference> {
                    span.clone().filter_map(|at| row(around, at)).collect()
                };
                let whole = query.snippet.is_some();
                rows.extend(if whole { all(&scenery.around(path)) } else { scenery.lines_of(path, all) });
            }
            // The first page tells what is not explained; the others would repeat it.
            let word = word.filter(|_| query.cross_check && query.window.skip == 0);
            let (unconfirmed, unconfirmed_total) = match word {
                Some(word) => {
                    let texts = session.engine().fleet.texts();
                    let places = places.flatten().or_else(|| session.workspace().places_of(&word, texts));
                    unexplained(scenery, &uses, &word, places.as_deref(), query.include_declaration, &flag)?
                }
                None => (Vec::new(), None),
            };
            // Places beyond the end of their file are none.
            let beyond = expected - rows.len();
            let total_count = uses.len() - beyond;
            Ok((References { rows, total_count, files, unconfirmed, unconfirmed_total }, beyond))
        };
        if few { self.sketch(cancel, at_hand, rows).await } else { self.paint(cancel, rows).await }
    }

    /// Every occurrence of the word as text.
    async fn word_rows(
        &self,
        pinned: &Pinned,
        query: &ReferencesQuery,
        cancel: &Cancel,
    ) -> Result<References, Problem> {
        let Some(word) = pinned.word.clone() else { return Ok(References::default()) };
        let (session, flag, query) = (self.clone(), cancel.clone(), query.clone());
        self.paint(cancel, move |scenery| {
            let mut hits: Vec<(PathBuf, Range, bool)> = Vec::new();
            let mut files = Vec::new();
            let (holding, source) = session.files_with(&word, &flag)?;
            for path in holding {
                flag.check()?;
                let Some(file) = scenery.file(&path) else { continue };
                let declared: HashSet<usize> = file
                    .symbols()
                    .iter()
                    .filter(|symbol| symbol.name == word)
                    .map(|symbol| symbol.name_range.start)
                    .collect();
                let found: Vec<_> = occurrences(&file.text.text, &word)
                    .map(|range| (range.clone(), declared.contains(&range.start)))
                    .filter(|(_, declared)| query.include_declaration || !declared)
                    .map(|(range, declared)| {
                        (path.clone(), file.text.lines.range(&file.text.text, range), declared)
                    })
                    .collect();
                if !found.is_empty() {
                    files.push(FileCount { file_path: session.roots().show(&path), count: found.len() });
                }
                hits.extend(found);
            }
            let total_count = hits.len();
            let shown = hits.into_iter().skip(query.window.skip).take(query.window.limit);
            let rows = shown
                .map(|(path, range, is_declaration)| Reference {
                    place: scenery.place(&path, range, query.snippet, source),
                    is_declaration,
                })
                .collect();
            Ok(References { rows, total_count, files, unconfirmed: Vec::new(), unconfirmed_total: None })
        })
        .await
    }
}

/// The files that share most folders with one first: what a build or a package manager has put beside the sources holds
/// the same words, and no server names it.
fn nearest(mut files: Vec<PathBuf>, to: &Path) -> Vec<PathBuf> {
    let shared = |path: &PathBuf| path.iter().zip(to).take_while(|(left, right)| left == right).count();
    files.sort_by_cached_key(|path| std::cmp::Reverse(shared(path)));
    files
}

/// The word as text where no reference stands: the first few and how many. `places`: everywhere it stands, if it is known.
/// `declared`: names of definitions count, too; where declarations were not asked for, they are left out of the first few.
fn unexplained(
    scenery: &mut Scenery<'_>,
    uses: &Uses,
    word: &str,
    places: Option<&Places>,
    declared: bool,
    cancel: &Cancel,
) -> Result<(Vec<Place>, Option<usize>), Problem> {
    let Some(places) = places else { return Ok((Vec::new(), None)) };
    // As the server counts, so that no file has to be read for it.
    let unit = uses.unit();
    let width: usize = word.chars().map(|letter| unit.width(letter)).sum();
    let explained: HashMap<&Path, std::ops::Range<usize>> = uses.files().collect();
    let mut told: Vec<(&Path, &WordPlace)> = Vec::new();
    let mut total = 0;
    for (path, hits) in places.iter() {
        cancel.check()?;
        let known = explained.get(path.as_path()).cloned().unwrap_or_default();
        let strangers =
            hits.iter().filter(|hit| !uses.has_word(known.clone(), hit.start(unit), width as u64));
        for hit in strangers {
            total += 1;
            if told.len() < TOLD {
                told.push((path, hit));
            }
        }
    }
    let mut shown = Vec::new();
    for hits in told.chunk_by(|left, right| left.0 == right.0) {
        let Some((path, _)) = hits.first() else { continue };
        let read = scenery.lines_of(path, |around| -> Vec<Option<Place>> {
            let is_name = |hit: &WordPlace| {
                !declared && around.name_at(hit.range(word).start).is_some_and(|name| name == word)
            };
            let readable = hits.iter().filter(|_| around.is_readable());
            let place = |hit: &WordPlace| around.place(hit.range(word), None, Source::Text);
            readable.map(|(_, hit)| (!is_name(hit)).then(|| place(hit))).collect()
        });
        total -= read.iter().filter(|place| place.is_none()).count();
        shown.extend(read.into_iter().flatten());
    }
    Ok((shown, Some(total)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_the_asked_one_are_read_ahead_of_copies_elsewhere() {
        let files = ["/p/dist/b/c.ts", "/p/src/a.ts", "/p/src/b/d.ts", "/p/docs/x.md"].map(PathBuf::from);
        let sorted = nearest(files.to_vec(), Path::new("/p/src/b/c.ts"));
        assert_eq!(
            sorted,
            ["/p/src/b/d.ts", "/p/src/a.ts", "/p/dist/b/c.ts", "/p/docs/x.md"].map(PathBuf::from)
        );
    }
}
