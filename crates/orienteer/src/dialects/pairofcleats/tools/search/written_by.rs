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
    let out_of_time = answer.warnings.iter().any(|warning| warning.kind == "blame_cut");
    if looked_at > 0 && !committed(found) && out_of_time {
        let message = "git did not tell in time who wrote the results; ask for fewer files, or ask again";
        return Err(Problem::new(ErrorKind::NotReady, message).field("chunkAuthor"));
    }
    if looked_at > 0 && !committed(found) {
        let message =
            "`chunkAuthor` is told by git, which knows none of the results here; take the filter away";
        return Err(Problem::new(ErrorKind::Unsupported, message)
            .field("chunkAuthor")
            .detail("unsupported_filter")
            .fact("filters", vec!["chunkAuthor".to_owned()]));
    }
    // Not committed yet, or not told in time: nobody knows whether they belong here.
    let untold = found.hits.iter().filter(|hit| hit.blame.is_none()).count();
    let wanted = author.trim().to_lowercase();
    let wrote = |name: &str| name.to_lowercase().contains(&wanted);
    found.hits.retain(|hit| hit.blame.as_ref().and_then(|blame| blame.author.as_deref()).is_some_and(wrote));
    if found.total > looked_at {
        let message =
            format!("`chunkAuthor`: git was asked about the best {looked_at} of {} results", found.total);
        answer.warnings.push(Warning::new("not_checked", message));
        answer.completeness = answer.completeness.and(Completeness::partial(Reason::NotChecked));
    }
    if untold > 0 {
        let message = format!("`chunkAuthor`: git told nothing about {untold} of {looked_at} results");
        answer.warnings.push(Warning::new("not_checked", message));
        answer.completeness = answer.completeness.and(Completeness::partial(Reason::NotChecked));
    }
    let found = &mut answer.value;
    found.total = found.hits.len();
    found.hits.truncate(top);
    Ok(())
}

#[cfg(test)]
mod tests {
    use orienteer_base::Source;
    use orienteer_base::search::{HitBlame, SearchHit, SearchMode};

    use super::*;

    fn hit(author: Option<&str>) -> SearchHit {
        SearchHit {
            symbol_id: String::new(),
            mode: SearchMode::Code,
            kind: "function",
            name: None,
            name_path: None,
            file_path: "a.rs".to_owned(),
            line: 1,
            end_line: 2,
            language: None,
            signature: None,
            doc: None,
            snippet: Vec::new(),
            score: 1.0,
            why: Vec::new(),
            stale: false,
            blame: author.map(|author| HitBlame {
                commit: None,
                author: Some(author.to_owned()),
                time: None,
                changed: false,
            }),
            source: Source::Index,
        }
    }

    fn answer(hits: Vec<SearchHit>) -> Answer<SearchHits> {
        let total = hits.len();
        Answer::new(
            SearchHits { hits, total, ..SearchHits::default() },
            Completeness::Complete,
            Source::Index,
        )
    }

    #[test]
    fn what_git_did_not_tell_makes_the_answer_partial() {
        let mut all = answer(vec![hit(Some("Ada")), hit(Some("Grace"))]);
        keep("ada", 10, &mut all).unwrap();
        assert_eq!((all.value.total, all.completeness), (1, Completeness::Complete));
        let mut some = answer(vec![hit(Some("Ada")), hit(None)]);
        keep("ada", 10, &mut some).unwrap();
        assert_eq!(some.completeness, Completeness::partial(Reason::NotChecked));
        assert!(some.warnings[0].message.contains("nothing about 1 of 2"), "{:?}", some.warnings);
        let mut late = answer(vec![hit(None)]);
        late.warnings.push(Warning::new("blame_cut", "out of time"));
        assert_eq!(keep("ada", 10, &mut late).unwrap_err().kind, ErrorKind::NotReady);
        assert_eq!(keep("ada", 10, &mut answer(vec![hit(None)])).unwrap_err().kind, ErrorKind::Unsupported);
    }
}
