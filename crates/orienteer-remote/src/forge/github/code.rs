//! Where does GitHub find these words in code?

use orienteer_base::Problem;
use orienteer_base::remote::{CodeHit, CodeMatch, CodeSearch, Page, TextMatch};
use serde::Deserialize;

use super::{TEXT_MATCHES, request};
use crate::api::{ApiError, Bucket, Request};
use crate::forge::query::{keywords, qualifier, wanted};
use crate::forge::repository::Repository;
use crate::forge::{CODE_SEARCH, Caller};
use crate::path;
use crate::reference::is_commit;

const MOST_KEYWORDS: usize = 5;

#[derive(Debug, Deserialize)]
pub(super) struct Found<T> {
    pub(super) total_count: u64,
    #[serde(default)]
    pub(super) incomplete_results: bool,
    pub(super) items: Vec<T>,
}

#[derive(Debug, Deserialize)]
struct Item {
    path: String,
    html_url: String,
    repository: Named,
    #[serde(default)]
    text_matches: Vec<Fragment>,
}

#[derive(Debug, Deserialize)]
struct Named {
    full_name: String,
}

#[derive(Debug, Deserialize)]
struct Fragment {
    fragment: Option<String>,
    #[serde(default)]
    matches: Vec<Place>,
}

#[derive(Debug, Deserialize)]
struct Place {
    #[serde(default)]
    text: String,
    #[serde(default)]
    indices: Vec<usize>,
}

pub async fn search_code(caller: &Caller, query: &CodeSearch) -> Result<Page<CodeHit>, Problem> {
    let wanted = wanted(query.limit, query.page, 100)?.within_the_first_thousand()?;
    let asked = Request {
        accept: TEXT_MATCHES,
        bucket: Bucket::CodeSearch,
        fresh_for: CODE_SEARCH,
        ..request(caller, "search/code".to_owned())
    };
    let asked = asked.query("q", written(query)?).query("per_page", wanted.limit).query("page", wanted.page);
    let answered = caller.get(&asked).await;
    let reply = answered.map_err(|error| needs_token(error, caller))?;
    let found: Found<Item> = reply.json()?;
    Ok(Page {
        rows: found.items.into_iter().map(hit).collect(),
        total: Some(found.total_count),
        has_more: wanted.more(found.total_count),
        incomplete: incomplete(found.incomplete_results),
        from: caller.provenance(None, None),
    })
}

/// The question as GitHub's search takes it. It looks at default branches only, so a reference has no place in it.
fn written(query: &CodeSearch) -> Result<String, Problem> {
    if query.keywords.len() > MOST_KEYWORDS {
        let message = format!("there are {} keywords; write 1 to {MOST_KEYWORDS}", query.keywords.len());
        return Err(Problem::invalid("keywords", "too_many", message));
    }
    let mut text = keywords(&query.keywords)?;
    if text.is_empty() {
        let message = "GitHub's code search needs at least one keyword: filters alone find nothing. To find files by name, \
                       list the tree";
        return Err(Problem::invalid("keywords", "empty", message));
    }
    scope(&mut text, query.owner.as_deref(), query.repo.as_deref())?;
    let extension = query.extension.as_deref().map(|extension| extension.trim_start_matches('.'));
    qualifier(&mut text, "extension", "extension", extension)?;
    qualifier(&mut text, "filename", "filename", query.filename.as_deref())?;
    let folder = query.path.as_deref().map(|path| path.trim_matches('/'));
    qualifier(&mut text, "path", "path", folder)?;
    let place = query.match_in.map(|place| match place {
        CodeMatch::File => "file",
        CodeMatch::Path => "path",
    });
    qualifier(&mut text, "match", "in", place)?;
    Ok(text)
}

/// Whose repositories are looked at. `owner/repo` in one is understood.
pub(super) fn scope(text: &mut String, owner: Option<&str>, repo: Option<&str>) -> Result<(), Problem> {
    let (owner, repo) = match (owner, repo.and_then(|repo| repo.split_once('/'))) {
        (None, Some((owner, repo))) => (Some(owner), Some(repo)),
        _ => (owner, repo),
    };
    match (owner, repo) {
        (Some(owner), Some(repo)) => {
            let full_name = Repository::new(owner, repo)?.full_name();
            qualifier(text, "repo", "repo", Some(&full_name))
        }
        (Some(owner), None) => qualifier(text, "owner", "user", Some(path::name("owner", owner)?)),
        (None, Some(_)) => {
            Err(Problem::invalid("owner", "missing", "a repository has an owner: write `owner`, too"))
        }
        (None, None) => Ok(()),
    }
}

pub(super) fn incomplete(is: bool) -> Option<String> {
    is.then(|| "GitHub ran out of time before it had looked everywhere; narrow the search down".to_owned())
}

/// This search alone is closed to those without a token.
fn needs_token(error: ApiError, caller: &Caller) -> Problem {
    let refused = error.status() == Some(401) && !caller.has_token();
    let problem = Problem::from(error);
    if refused {
        let message = format!(
            "GitHub's code search needs a token, also for public code; configure one for {}",
            caller.host.name
        );
        return Problem { message, ..problem };
    }
    problem
}

fn hit(item: Item) -> CodeHit {
    let text_matches = item.text_matches.into_iter().filter_map(|found| {
        let fragment = found.fragment?;
        let matches = found.matches.iter().filter_map(|place| located(&fragment, place)).collect();
        Some(TextMatch { fragment, matches })
    });
    CodeHit {
        repository: item.repository.full_name,
        reference: searched(&item.html_url),
        text_matches: text_matches.collect(),
        path: item.path,
        url: item.html_url,
    }
}

/// The commit in `…/blob/COMMIT/path`.
fn searched(url: &str) -> Option<String> {
    let commit = url.split("/blob/").nth(1)?.split('/').next()?;
    is_commit(commit).then(|| commit.to_owned())
}

/// Where the text is in the fragment, in characters. What the numbers count is not written down, so the text decides.
fn located(fragment: &str, place: &Place) -> Option<(usize, usize)> {
    let length = place.text.chars().count();
    let &[start, end] = place.indices.as_slice() else { return None };
    let characters: Vec<char> = fragment.chars().collect();
    if place.text.is_empty() {
        return (start <= end && end <= characters.len()).then_some((start, end));
    }
    let at = |from: usize| {
        let end = from.checked_add(length)?;
        let piece = characters.get(from..end)?;
        piece.iter().copied().eq(place.text.chars()).then_some((from, end))
    };
    let by_bytes = || at(fragment.get(..start)?.chars().count());
    let by_search = || at(fragment.get(..fragment.find(&place.text)?)?.chars().count());
    at(start).or_else(by_bytes).or_else(by_search)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(keywords: &[&str]) -> CodeSearch {
        let keywords = keywords.iter().map(|word| (*word).to_owned()).collect();
        CodeSearch { keywords, limit: 10, page: 1, ..CodeSearch::default() }
    }

    #[test]
    fn every_filter_has_its_word() {
        let all = CodeSearch {
            owner: Some("rust-lang".into()),
            repo: Some("cargo".into()),
            extension: Some(".rs".into()),
            filename: Some("lib.rs".into()),
            path: Some("/src/a b/".into()),
            match_in: Some(CodeMatch::File),
            ..search(&["fn main", "Workspace"])
        };
        assert_eq!(
            written(&all).unwrap(),
            "\"fn main\" Workspace repo:rust-lang/cargo extension:rs filename:lib.rs path:\"src/a b\" in:file"
        );
        let owner = CodeSearch { owner: Some("rust-lang".into()), ..search(&["x"]) };
        assert_eq!(written(&owner).unwrap(), "x user:rust-lang");
        let both = CodeSearch { repo: Some("rust-lang/cargo".into()), ..search(&["x"]) };
        assert_eq!(written(&both).unwrap(), "x repo:rust-lang/cargo");
    }

    #[test]
    fn what_github_would_refuse_is_told_before() {
        assert_eq!(written(&search(&[])).unwrap_err().detail, Some("empty"));
        assert_eq!(written(&search(&["a"; 6])).unwrap_err().detail, Some("too_many"));
        let repo = CodeSearch { repo: Some("cargo".into()), ..search(&["x"]) };
        assert_eq!(written(&repo).unwrap_err().field, Some("owner"));
    }

    #[test]
    fn matches_are_placed_in_characters_whatever_was_counted() {
        let place = |text: &str, indices: [usize; 2]| Place { text: text.into(), indices: indices.into() };
        let fragment = "größe größe";
        assert_eq!(located(fragment, &place("größe", [6, 11])), Some((6, 11)));
        assert_eq!(located(fragment, &place("größe", [8, 15])), Some((6, 11)), "bytes");
        assert_eq!(located(fragment, &place("größe", [3, 9])), Some((0, 5)), "somewhere");
        assert_eq!(located(fragment, &place("absent", [0, 6])), None);
        assert_eq!(located(fragment, &place("größe", [900, 905])), Some((0, 5)));
        assert_eq!(located(fragment, &place("größe", [usize::MAX, usize::MAX])), Some((0, 5)));
        assert_eq!(located(fragment, &place("absent", [usize::MAX, 0])), None);
    }

    #[test]
    fn the_commit_is_in_the_address() {
        let commit = "a".repeat(40);
        let url = format!("https://github.com/a/b/blob/{commit}/src/x.rs");
        assert_eq!(searched(&url), Some(commit));
        assert_eq!(searched("https://github.com/a/b/blob/main/src/x.rs"), None);
    }
}
