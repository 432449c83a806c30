//! Which pull requests does Forgejo have, and what is in them?
//!
//! Its list of a repository knows words, state, labels, author and assignee; across repositories it knows less. Dates,
//! merged and draft are sorted out here, page after page, up to a number of them.

use orienteer_base::remote::{Change, ChangeSearch, ChangeState, Page};
use orienteer_base::{ErrorKind, Problem};
use serde::Deserialize;

use super::details::add_details;
use super::{PAGE, User, has_more, request};
use crate::api::{Bucket, Request};
use crate::forge::changes::{common_repository, complete, joined, repository, wants_details};
use crate::forge::query::{range, wanted};
use crate::forge::repository::{Repository, spelled};
use crate::forge::span::within;
use crate::forge::{CHANGES, Caller};
use crate::path;

const MOST_PAGES: usize = 10;

/// A pull request, as the lists of issues and as the pull request itself describe it.
#[derive(Debug, Deserialize)]
struct Item {
    number: u64,
    title: String,
    state: String,
    user: Option<User>,
    body: Option<String>,
    labels: Option<Vec<Label>>,
    assignees: Option<Vec<User>>,
    draft: Option<bool>,
    created_at: Option<String>,
    updated_at: Option<String>,
    merged_at: Option<String>,
    html_url: String,
    url: Option<String>,
    base: Option<Branch>,
    head: Option<Branch>,
    pull_request: Option<Pull>,
    repository: Option<Named>,
}

#[derive(Debug, Deserialize)]
struct Label {
    name: String,
}

#[derive(Debug, Deserialize)]
struct Pull {
    merged_at: Option<String>,
    draft: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Branch {
    #[serde(rename = "ref")]
    name: String,
    repo: Option<Named>,
}

#[derive(Debug, Deserialize)]
struct Named {
    full_name: String,
}

pub async fn search_changes(caller: &Caller, query: &ChangeSearch) -> Result<Page<Change>, Problem> {
    let mut page = match query.number {
        Some(number) => {
            let rows = vec![one(caller, query, number).await?];
            Page {
                rows,
                total: Some(1),
                has_more: false,
                incomplete: None,
                from: caller.provenance(None, None),
            }
        }
        None => search(caller, query).await?,
    };
    let mut notes: Vec<String> = page.incomplete.take().into_iter().collect();
    if wants_details(query) {
        let said;
        (page.rows, said) = complete(page.rows, |change| {
            let (caller, query) = (caller.clone(), query.clone());
            async move { add_details(&caller, &query, change).await }
        })
        .await?;
        notes.extend(said);
    }
    page.incomplete = joined(&notes);
    page.from = caller.provenance(common_repository(&page.rows), None);
    Ok(page)
}

async fn one(caller: &Caller, query: &ChangeSearch, number: u64) -> Result<Change, Problem> {
    let repository = repository(query)?;
    let path = repository.path(&format!("pulls/{number}"));
    let item: Item = caller.json(&Request { fresh_for: CHANGES, ..request(caller, path) }).await?;
    Ok(change(item, Some(&repository)))
}

async fn search(caller: &Caller, query: &ChangeSearch) -> Result<Page<Change>, Problem> {
    let rows = wanted(query.limit, query.page, 100)?;
    let (asked, repository) = written(caller, query)?;
    let sorted_here = sorts(query)?;
    let size = if sorted_here { PAGE } else { rows.limit.min(PAGE) };
    let asked = asked.query("limit", size);
    let (skip, needed) =
        ((rows.page - 1).saturating_mul(rows.limit), rows.page.saturating_mul(rows.limit) + 1);
    let whole = !sorted_here && rows.limit <= PAGE;
    let (mut fitting, mut incomplete, mut total, mut more) = (Vec::new(), None, None, false);
    let mut looked = if whole { skip } else { 0 };
    for page in if whole { rows.page } else { 1 }.. {
        let reply = caller.get(&asked.clone().query("page", page)).await?;
        let found: Option<Vec<Item>> = reply.json()?;
        let found = found.unwrap_or_default();
        more = has_more(&reply, looked, found.len());
        looked += found.len();
        let found = found.into_iter().map(|item| change(item, repository.as_ref()));
        fitting.extend(found.filter(|change| fits(change, query)));
        if whole {
            total = reply.header("x-total-count").and_then(|total| total.parse().ok());
            break;
        }
        if fitting.len() >= needed || !more {
            more = fitting.len() >= needed;
            break;
        }
        if page == MOST_PAGES {
            incomplete = Some(format!("the latest {looked} pull requests were looked at; narrow it down"));
            break;
        }
    }
    // Whoever has looked at all of them has counted them.
    if !whole && !more && incomplete.is_none() {
        total = Some(fitting.len() as u64);
    }
    let skip = if whole { 0 } else { skip };
    let rows = fitting.into_iter().skip(skip).take(rows.limit).collect();
    Ok(Page { rows, total, has_more: more, incomplete, from: caller.provenance(None, None) })
}

/// The question as far as Forgejo takes it.
fn written(caller: &Caller, query: &ChangeSearch) -> Result<(Request, Option<Repository>), Problem> {
    let text = query.query.as_deref().unwrap_or_default().trim();
    let (mut asked, repository) = match (query.owner.as_deref(), query.repo.as_deref()) {
        (Some(owner), Some(repo)) => {
            let repository = Repository::new(owner, repo)?;
            let mut asked = request(caller, repository.path("issues"));
            if let Some(author) = query.author.as_deref() {
                asked = asked.query("created_by", path::name("author", author)?);
            }
            if let Some(assignee) = query.assignee.as_deref() {
                asked = asked.query("assigned_by", path::name("assignee", assignee)?);
            }
            (asked, Some(repository))
        }
        (None, Some(_)) => {
            return Err(Problem::invalid(
                "owner",
                "missing",
                "a repository has an owner: write `owner`, too",
            ));
        }
        (owner, None) => {
            for (field, given) in [("author", &query.author), ("assignee", &query.assignee)] {
                if given.is_some() {
                    let message = format!(
                        "across repositories Forgejo cannot look for an {field}; write `owner` and `repo`"
                    );
                    return Err(Problem::new(ErrorKind::Unsupported, message).field(field));
                }
            }
            let asked = request(caller, "repos/issues/search".to_owned());
            match owner {
                Some(owner) => (asked.query("owner", path::name("owner", owner)?), None),
                None => (asked, None),
            }
        }
    };
    let state = match query.state {
        Some(ChangeState::Open) => "open",
        Some(ChangeState::Closed) => "closed",
        None => "all",
    };
    asked = Request {
        bucket: Bucket::Search,
        fresh_for: CHANGES,
        ..asked.query("type", "pulls").query("state", state)
    };
    if !text.is_empty() {
        asked = asked.query("q", text);
    }
    if !query.labels.is_empty() {
        asked = asked.query("labels", query.labels.join(","));
    }
    Ok((asked, repository))
}

/// Whether something must be sorted out here.
fn sorts(query: &ChangeSearch) -> Result<bool, Problem> {
    let dates = range("created", query.created.as_deref())?.is_some()
        | range("updated", query.updated.as_deref())?.is_some();
    Ok(dates || query.merged.is_some() || query.draft.is_some())
}

fn fits(change: &Change, query: &ChangeSearch) -> bool {
    let in_range = |range: &Option<String>, value: &Option<String>| {
        let range = range.as_deref().filter(|range| !range.trim().is_empty());
        range.is_none_or(|range| value.as_deref().is_some_and(|value| within(range, value)))
    };
    query.merged.is_none_or(|merged| change.merged == merged)
        && query.draft.is_none_or(|draft| change.draft == draft)
        && in_range(&query.created, &change.created_at)
        && in_range(&query.updated, &change.updated_at)
}

fn change(item: Item, repository: Option<&Repository>) -> Change {
    let pull = item.pull_request.as_ref();
    let draft = item.draft.or(pull.and_then(|pull| pull.draft)).unwrap_or_else(|| is_draft(&item.title));
    let merged_at = item.merged_at.or(item.pull_request.and_then(|pull| pull.merged_at));
    let name = item.base.as_ref().and_then(|base| base.repo.as_ref()).or(item.repository.as_ref());
    let name = name.map(|named| named.full_name.clone()).or_else(|| spelled(item.url.as_deref()));
    Change {
        repository: name.or_else(|| repository.map(Repository::full_name)).unwrap_or_default(),
        number: item.number,
        state: if item.state == "open" { ChangeState::Open } else { ChangeState::Closed },
        merged: merged_at.is_some(),
        draft,
        author: item.user.map_or_else(|| "ghost".to_owned(), |user| user.login),
        association: None,
        body: item.body.filter(|body| !body.is_empty()),
        labels: item.labels.into_iter().flatten().map(|label| label.name).collect(),
        assignees: item.assignees.into_iter().flatten().map(|user| user.login).collect(),
        base: item.base.map(|branch| branch.name),
        head: item.head.map(|branch| branch.name),
        created_at: item.created_at,
        updated_at: item.updated_at,
        merged_at,
        url: item.html_url,
        title: item.title,
        comments: None,
        commits: None,
        files: None,
    }
}

/// Drafts are marked in their titles; newer versions say it, too.
fn is_draft(title: &str) -> bool {
    let title = title.trim_start().to_lowercase();
    title.starts_with("wip:") || title.starts_with("[wip]") || title.starts_with("draft:")
}
