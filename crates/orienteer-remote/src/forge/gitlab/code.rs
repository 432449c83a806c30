//! Where does GitLab find these words in code?
//!
//! In one project every GitLab can look. In a group, and everywhere, only those can that have its advanced search: the
//! others say so, and so do we.

use std::collections::BTreeMap;

use orienteer_base::remote::{CodeHit, CodeMatch, CodeSearch, Page, TextMatch};
use orienteer_base::{ErrorKind, Problem};
use serde::Deserialize;
use tokio::task::JoinSet;

use super::{Known, Project, group, has_more, known, place, total};
use crate::api::{ApiError, Bucket, Request};
use crate::forge::query::{qualifier, wanted};
use crate::forge::{CODE_SEARCH, Caller, FILES};
use crate::path;

const MOST_KEYWORDS: usize = 5;
/// Fragments that are longer say no more.
const MOST_MATCHES: usize = 50;

#[derive(Debug, Deserialize)]
struct Blob {
    #[serde(default)]
    path: Option<String>,
    /// The same under its older name.
    #[serde(default)]
    filename: Option<String>,
    #[serde(default)]
    data: String,
    #[serde(default, rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    startline: u64,
    project_id: u64,
}

/// How far a search reaches.
enum Scope {
    Project(Project),
    Group(String),
    Everywhere,
}

pub async fn search_code(caller: &Caller, query: &CodeSearch) -> Result<Page<CodeHit>, Problem> {
    let wanted = wanted(query.limit, query.page, 100)?;
    let text = written(query)?;
    let scope = match place(query.owner.as_deref(), query.repo.as_deref()) {
        (Some(owner), Some(repo)) => Scope::Project(Project::new(owner, repo)?),
        (Some(owner), None) => Scope::Group(group(owner)?),
        (None, None) => Scope::Everywhere,
        (None, Some(_)) => {
            return Err(Problem::invalid("owner", "missing", "a project has an owner: write `owner`, too"));
        }
    };
    let path = match &scope {
        Scope::Project(project) => project.path("search"),
        Scope::Group(group) => format!("groups/{}/search", path::segment(group)),
        Scope::Everywhere => "search".to_owned(),
    };
    let asked = Request { bucket: Bucket::CodeSearch, fresh_for: CODE_SEARCH, ..caller.request(path) };
    let asked = asked.query("scope", "blobs").query("search", text);
    let asked = asked.query("per_page", wanted.limit).query("page", wanted.page);
    let reply = caller.get(&asked).await.map_err(|error| refused(error, caller, &scope))?;
    let mut blobs: Vec<Blob> = reply.json()?;
    let mut incomplete = (query.keywords.len() > 1).then(|| {
        "without its advanced search, GitLab looks for several keywords as one phrase; ask for one at a time to be sure"
            .to_owned()
    });
    if query.match_in == Some(CodeMatch::Path) {
        blobs.retain(|blob| query.keywords.iter().any(|word| holds(name(blob), word)));
        incomplete = Some(
            "GitLab cannot search in paths alone: hits in the text of this page were left out. List the tree to see all \
             paths"
                .to_owned(),
        );
    }
    let projects = projects(caller, &scope, &blobs).await?;
    let repository = match &scope {
        Scope::Project(_) => projects.values().next().map(|known| known.path_with_namespace.clone()),
        Scope::Group(_) | Scope::Everywhere => None,
    };
    Ok(Page {
        rows: blobs.into_iter().map(|blob| hit(blob, &projects, &query.keywords)).collect(),
        total: total(&reply),
        has_more: has_more(&reply),
        incomplete,
        from: caller.provenance(repository, None),
    })
}

/// The question as GitLab's search takes it.
fn written(query: &CodeSearch) -> Result<String, Problem> {
    if query.keywords.len() > MOST_KEYWORDS {
        let message = format!("there are {} keywords; write 1 to {MOST_KEYWORDS}", query.keywords.len());
        return Err(Problem::invalid("keywords", "too_many", message));
    }
    let words: Vec<&str> =
        query.keywords.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
    let mut text = words.join(" ");
    if text.is_empty() {
        let message = "GitLab's code search needs at least one keyword. To find files by name, list the tree";
        return Err(Problem::invalid("keywords", "empty", message));
    }
    let extension = query.extension.as_deref().map(|extension| extension.trim_start_matches('.'));
    qualifier(&mut text, "extension", "extension", extension)?;
    qualifier(&mut text, "filename", "filename", query.filename.as_deref())?;
    qualifier(&mut text, "path", "path", query.path.as_deref().map(|path| path.trim_matches('/')))?;
    Ok(text)
}

/// What GitLab refuses a search for, in words that help.
fn refused(error: ApiError, caller: &Caller, scope: &Scope) -> Problem {
    let (status, host) = (error.status(), caller.host.name.clone());
    let problem = Problem::from(error);
    match (status, scope) {
        (Some(401), _) if !caller.has_token() => {
            let message =
                format!("GitLab's search needs a token, also for public code; configure one for {host}");
            Problem { message, ..problem }
        }
        (Some(400 | 403), Scope::Group(_) | Scope::Everywhere) => {
            let message = format!(
                "{host} cannot search code in a whole group or everywhere, because that needs GitLab's advanced search \
                 (it says: {problem}); name one project with `owner` and `repo`"
            );
            Problem::new(ErrorKind::Unsupported, message).detail("advanced_search").fact("host", host)
        }
        (Some(404), Scope::Group(group)) => {
            let message = format!(
                "there is no group `{group}` on {host} that can be seen; the projects of a user are searched one by one: \
                 write `repo`, too"
            );
            Problem { message, ..problem }
        }
        _ => problem,
    }
}

/// What the projects of these hits are called.
async fn projects(caller: &Caller, scope: &Scope, blobs: &[Blob]) -> Result<BTreeMap<u64, Known>, Problem> {
    let mut found = BTreeMap::new();
    if let Scope::Project(project) = scope {
        let known = known(caller, project).await?;
        found.extend(blobs.iter().map(|blob| (blob.project_id, known.clone())));
        return Ok(found);
    }
    let mut lookups = JoinSet::new();
    let ids: std::collections::BTreeSet<u64> = blobs.iter().map(|blob| blob.project_id).collect();
    for id in ids {
        let caller = caller.clone();
        lookups.spawn(async move {
            let asked = Request { fresh_for: FILES, ..caller.request(format!("projects/{id}")) };
            (id, caller.json::<Known>(&asked).await)
        });
    }
    while let Some(outcome) = lookups.join_next().await {
        // A hit whose project cannot be seen is still a hit: it keeps its number.
        if let Ok((id, Ok(known))) = outcome {
            found.insert(id, known);
        }
    }
    Ok(found)
}

fn name(blob: &Blob) -> &str {
    blob.path.as_deref().or(blob.filename.as_deref()).unwrap_or_default()
}

fn holds(text: &str, word: &str) -> bool {
    text.to_lowercase().contains(&word.to_lowercase())
}

fn hit(blob: Blob, projects: &BTreeMap<u64, Known>, keywords: &[String]) -> CodeHit {
    let path = name(&blob).to_owned();
    let known = projects.get(&blob.project_id);
    let at = blob.reference.as_deref().unwrap_or("HEAD");
    let encoded = path::encoded(&path).unwrap_or_default();
    let line = if blob.startline > 0 { format!("#L{}", blob.startline) } else { String::new() };
    let url =
        known.map_or_else(String::new, |known| format!("{}/-/blob/{at}/{encoded}{line}", known.web_url));
    CodeHit {
        repository: known.map_or_else(
            || format!("project {}", blob.project_id),
            |known| known.path_with_namespace.clone(),
        ),
        path,
        url,
        reference: blob.reference,
        text_matches: if blob.data.is_empty() {
            Vec::new()
        } else {
            vec![TextMatch { matches: places(&blob.data, keywords), fragment: blob.data }]
        },
    }
}

/// Where the keywords are in a fragment, in characters. GitLab does not say.
fn places(fragment: &str, keywords: &[String]) -> Vec<(usize, usize)> {
    let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
    let text: Vec<char> = fragment.chars().map(lower).collect();
    let mut found = Vec::new();
    for word in keywords {
        let word: Vec<char> = word.trim().chars().map(lower).collect();
        if word.is_empty() || word.len() > text.len() {
            continue;
        }
        let hits = text.windows(word.len()).enumerate().filter(|(_, window)| *window == word.as_slice());
        found.extend(hits.map(|(at, _)| (at, at + word.len())).take(MOST_MATCHES));
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(keywords: &[&str]) -> CodeSearch {
        let keywords = keywords.iter().map(|word| (*word).to_owned()).collect();
        CodeSearch { keywords, limit: 10, page: 1, ..CodeSearch::default() }
    }

    #[test]
    fn filters_are_written_as_gitlab_has_them() {
        let all = CodeSearch {
            extension: Some(".rs".into()),
            filename: Some("lib*".into()),
            path: Some("/src/".into()),
            ..search(&["main"])
        };
        assert_eq!(written(&all).unwrap(), "main extension:rs filename:lib* path:src");
        assert_eq!(written(&search(&[" "])).unwrap_err().detail, Some("empty"));
        assert_eq!(written(&search(&["a"; 6])).unwrap_err().detail, Some("too_many"));
    }

    #[test]
    fn keywords_are_found_in_characters_whatever_their_case() {
        let words = ["größe".to_owned(), "X".to_owned()];
        assert_eq!(places("Größe x größe", &words), [(0, 5), (6, 7), (8, 13)]);
        assert_eq!(places("", &words), []);
    }
}
