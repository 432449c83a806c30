//! Who wrote the newest lines of a result? Asked of git for each, because nothing that is indexed knows it.

use orienteer_base::answer::Warning;
use orienteer_base::search::SearchHits;
use orienteer_base::{Answer, Completeness, ErrorKind, Problem, Reason};

/// Results that git is asked about.
pub(super) const LOOKED_AT: usize = 100;

/// Keeps the results of one author, as many as are wanted.
pub(super) fn keep(author: &str, top: usize, answer: &mut Answer<SearchHits>) -> Result<(), Problem> {
    let found = &mut answer.value;
    let looked_at = found.hits.len();
    let committed = |hits: &SearchHits| hits.hits.iter().any(|hit| hit.blame.is_some());
    if looked_at > 0 && !committed(found) {
        let message =
            "`chunkAuthor` is told by git, which knows none of the results here; take the filter away";
        return Err(Problem::new(ErrorKind::Unsupported, message)
            .field("chunkAuthor")
            .detail("unsupported_filter")
            .fact("filters", vec!["chunkAuthor".to_owned()]));
    }
    let wanted = author.trim().to_lowercase();
    let wrote = |name: &str| name.to_lowercase().contains(&wanted);
    found.hits.retain(|hit| hit.blame.as_ref().and_then(|blame| blame.author.as_deref()).is_some_and(wrote));
    if found.total > looked_at {
        let message =
            format!("`chunkAuthor`: git was asked about the best {looked_at} of {} results", found.total);
        answer.warnings.push(Warning::new("not_checked", message));
        answer.completeness = answer.completeness.and(Completeness::partial(Reason::NotChecked));
    }
    let found = &mut answer.value;
    found.total = found.hits.len();
    found.hits.truncate(top);
    Ok(())
}
