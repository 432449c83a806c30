//! What answers the question best?

use std::sync::Arc;
use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::ask::Window;
use orienteer_base::search::{SearchHits, SearchMode};
use orienteer_base::{Answer, Cancel, Completeness, ErrorKind, Freshness, Problem, Reason, Source};
use orienteer_index::find::{Ask, Found, Unchecked, Unsupported};
use orienteer_index::query::{Filters, Query};
use orienteer_index::store::{Modes, Reader};

use super::Index;
use super::fresh::View;
use super::hits;
use super::ready::{Ready, Trouble};
use crate::Session;

/// How soon an index that is being brought up to date is worth asking again.
const ASK_AGAIN_MS: u64 = 1_000;

/// A search of the index.
#[derive(Debug, Clone)]
pub struct SearchQuery {
    /// What stands in the query box.
    pub text: String,
    pub filters: Filters,
    /// All when empty.
    pub modes: Vec<SearchMode>,
    /// Meanings are not compared, though a model is configured.
    pub words_alone: bool,
    /// Longer snippets, whole signatures and documentation.
    pub full: bool,
    /// Say what each score is made of.
    pub explain: bool,
    pub window: Window,
    /// The window is one of a list that was found as text, before there was an index.
    pub as_text: bool,
    /// How long to wait for an index that is being built.
    pub wait: Duration,
}

impl Session {
    /// What stands in the query box, and the filters beside it.
    pub(crate) fn parsed(&self, query: &SearchQuery) -> Result<Query, Problem> {
        let index = self.index()?;
        Ok(Query::new(&query.text, query.filters.clone(), &index.vocabulary())?)
    }

    /// What fits best in the workspace, over code, prose, comments, configuration and records. The first search builds the
    /// index.
    pub(crate) async fn search_index(
        &self,
        query: SearchQuery,
        cancel: &Cancel,
    ) -> Result<Answer<SearchHits>, Problem> {
        let index = self.index()?;
        let parsed = Arc::new(self.parsed(&query)?);
        if query.as_text {
            let message = "the first page was found as text; leave the cursor out to ask the index";
            let problem = Problem::new(ErrorKind::NotReady, message).detail("pages_of_text");
            return self.search_text_instead(&parsed, &query, problem, cancel).await;
        }
        let (asked, question) = (parsed.clone(), query.clone());
        let roots = self.roots().clone();
        let ready = self
            .ask_index(&index, query.wait, cancel, move |index, view, cancel| {
                let reader = view.store.read()?;
                let ask = Ask {
                    query: &asked,
                    modes: modes(&question.modes),
                    root: roots.workspace(),
                    skip: question.window.skip,
                    limit: question.window.limit,
                    explain: question.explain,
                    full: question.full,
                };
                let (found, warnings) = index.find(&reader, &ask, question.words_alone, &roots, cancel)?;
                if found.total == 0 {
                    nothing_else(&reader, &asked, &found)?;
                }
                let skipped = reader.meta("skipped")?.and_then(|count| count.parse().ok());
                Ok((found, warnings, skipped.unwrap_or_default()))
            })
            .await?;
        match ready {
            Ready::Yes((found, warnings, skipped), view, waited) => {
                let mut answer = frame(&index, &view, waited);
                answer.warnings.extend(warnings);
                tell(&mut answer, &found);
                tell_skipped(&mut answer, skipped);
                let value = SearchHits {
                    total: found.total,
                    more: found.capped,
                    ranking: found.ranking.as_str(),
                    hits: found.hits.into_iter().map(hits::row).collect(),
                };
                Ok(answer.map(|()| value))
            }
            // The next page of what the index found is not that of what stands in the text.
            Ready::No(problem) if query.window.skip > 0 => Err(problem),
            Ready::No(problem) => self.search_text_instead(&parsed, &query, problem, cancel).await,
        }
    }
}

/// Everything of an answer but its value, from how true the index was.
fn frame(index: &Index, view: &View, waited: Duration) -> Answer<()> {
    let mut answer = Answer::new((), Completeness::Complete, Source::Index);
    answer.freshness = Freshness {
        generation: view.generation,
        synced_files: view.synced,
        waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
    };
    if view.stale > 0 {
        answer.completeness =
            Completeness::Partial { reason: Reason::NotIndexed, retry_after_ms: Some(ASK_AGAIN_MS) };
        let message = format!("{} changed files are not in the index yet; ask again shortly", view.stale);
        answer.warnings.push(Warning::new("stale_files", message));
    } else if !view.complete {
        answer.completeness = Completeness::partial(Reason::NotIndexed);
        let message =
            "some folders could not be looked at, or there are too many files: changes may be missing";
        answer.warnings.push(Warning::new("stale_files", message));
    }
    if view.unseen > 0 {
        answer.completeness = answer.completeness.and(Completeness::partial(Reason::NotChecked));
        let message = format!(
            "{} indexed files lie in folders that are not watched, such as caches: what changed there since is not \
             seen; build_index looks again, an ignore file leaves them out",
            view.unseen
        );
        answer.warnings.push(Warning::new("unwatched_files", message));
    }
    if let Some(error) = &index.rules_error {
        answer.warnings.push(Warning::new("risk_rules", error.clone()));
    }
    answer
}

/// What the asker should know about the answer.
fn tell(answer: &mut Answer<()>, found: &Found) {
    for note in &found.notes {
        answer.warnings.push(Warning::new(note.kind, note.message.clone()));
    }
    // Of a large file the beginning is known, which is enough where something was found.
    let matters = |one: &Unchecked| found.total == 0 || one.kind != "partly_indexed";
    if found.unchecked.iter().any(matters) {
        answer.completeness = answer.completeness.and(Completeness::partial(Reason::NotChecked));
    }
    for unsupported in &found.unsupported {
        answer.warnings.push(Warning::new("unsupported_filter", passed_over(unsupported)));
        answer.completeness = answer.completeness.and(Completeness::partial(Reason::NotChecked));
    }
    if found.capped {
        answer.completeness = answer.completeness.and(Completeness::partial(Reason::Capped));
    }
}

/// What stands in files that could not be read was not looked for: it might fit better than what was found.
fn tell_skipped(answer: &mut Answer<()>, skipped: u64) {
    if skipped > 0 {
        let message = format!(
            "{skipped} files or folders could not be read when the index was built, so what is in them is not found; \
             `build_index` names them"
        );
        answer.warnings.push(Warning::new("unreadable_files", message));
        answer.completeness = answer.completeness.and(Completeness::partial(Reason::Unreadable));
    }
}

fn passed_over(unsupported: &Unsupported) -> String {
    let Unsupported { filter, languages, files } = unsupported;
    format!("`{filter}` is not known for {} ({files} files passed over)", languages.join(", "))
}

/// An empty list says that nothing fits. Where a filter could not be asked of any file, that would be a lie.
fn nothing_else(reader: &Reader<'_>, query: &Query, found: &Found) -> Result<(), Trouble> {
    if found.unsupported.is_empty() {
        return Ok(());
    }
    let passed = |id: &str| found.unsupported.iter().any(|one| one.languages.contains(&id));
    let counts = reader.counts()?;
    let mut languages = counts.languages.iter().filter_map(|(language, ..)| *language);
    let asked = languages.any(|language| {
        !passed(language.id) && !language.is_data() && query.filters.lang.allows_one(language)
    });
    if asked {
        return Ok(());
    }
    let said: Vec<String> = found.unsupported.iter().map(passed_over).collect();
    let message = format!("{}; take the filter away, or ask for other languages", said.join("; "));
    let filters = found.unsupported.iter().map(|one| one.filter.to_owned()).collect::<Vec<_>>();
    let problem = Problem::new(ErrorKind::Unsupported, message).detail("unsupported_filter");
    Err(problem.fact("filters", filters).into())
}

fn modes(wanted: &[SearchMode]) -> Modes {
    if wanted.is_empty() { Modes::ALL } else { Modes::of(wanted) }
}
