//! Which pull requests does GitHub have, and what is in them?

use orienteer_base::Problem;
use orienteer_base::remote::{Change, ChangeSearch, ChangeState, Page};
use serde::Deserialize;

use super::code::{Found, incomplete, scope};
use super::details::add_details;
use super::request;
use crate::api::{Bucket, Request};
use crate::forge::changes::{common_repository, complete, joined, repository, wants_details};
use crate::forge::query::{qualifier, range, wanted};
use crate::forge::repository::{Repository, spelled};
use crate::forge::{CHANGES, Caller};

/// A pull request, as the search for issues and as the pull request itself describe it.
#[derive(Debug, Deserialize)]
pub(super) struct Item {
    pub(super) number: u64,
    title: String,
    state: String,
    user: Option<User>,
    author_association: Option<String>,
    body: Option<String>,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    assignees: Vec<User>,
    #[serde(default)]
    draft: Option<bool>,
    created_at: Option<String>,
    updated_at: Option<String>,
    merged_at: Option<String>,
    html_url: String,
    /// Of the pull request itself.
    base: Option<Branch>,
    head: Option<Branch>,
    url: Option<String>,
    /// Of the search.
    repository_url: Option<String>,
    pull_request: Option<Pull>,
}

#[derive(Debug, Deserialize)]
pub(super) struct User {
    pub(super) login: String,
}

#[derive(Debug, Deserialize)]
struct Label {
    name: String,
}

#[derive(Debug, Deserialize)]
struct Pull {
    merged_at: Option<String>,
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
    let (mut rows, total, has_more, cut) = match query.number {
        Some(number) => (vec![one(caller, query, number).await?], Some(1), false, None),
        None => search(caller, query).await?,
    };
    let mut notes: Vec<String> = cut.into_iter().collect();
    if wants_details(query) {
        let said;
        (rows, said) = complete(rows, |change| {
            let (caller, query) = (caller.clone(), query.clone());
            async move { add_details(&caller, &query, change).await }
        })
        .await?;
        notes.extend(said);
    }
    let from = caller.provenance(common_repository(&rows), None);
    Ok(Page { rows, total, has_more, incomplete: joined(&notes), from })
}

type Searched = (Vec<Change>, Option<u64>, bool, Option<String>);

async fn search(caller: &Caller, query: &ChangeSearch) -> Result<Searched, Problem> {
    let wanted = wanted(query.limit, query.page, 100)?.within_the_first_thousand()?;
    let asked =
        Request { bucket: Bucket::Search, fresh_for: CHANGES, ..request(caller, "search/issues".to_owned()) };
    let asked = asked.query("q", written(query)?).query("per_page", wanted.limit).query("page", wanted.page);
    let found: Found<Item> = caller.json(&asked).await?;
    let rows = found.items.into_iter().map(|item| change(item, None)).collect();
    let more = wanted.more(found.total_count);
    Ok((rows, Some(found.total_count), more, incomplete(found.incomplete_results)))
}

async fn one(caller: &Caller, query: &ChangeSearch, number: u64) -> Result<Change, Problem> {
    let repository = repository(query)?;
    let path = repository.path(&format!("pulls/{number}"));
    let item: Item = caller.json(&Request { fresh_for: CHANGES, ..request(caller, path) }).await?;
    Ok(change(item, Some(&repository)))
}

fn written(query: &ChangeSearch) -> Result<String, Problem> {
    let text = query.query.as_deref().unwrap_or_default().trim();
    let mut text = crate::forge::query::keywords(&[text.to_owned()]).map(|_| text.to_owned())?;
    qualifier(&mut text, "query", "is", Some("pr"))?;
    scope(&mut text, query.owner.as_deref(), query.repo.as_deref())?;
    let state = query.state.map(|state| match state {
        ChangeState::Open => "open",
        ChangeState::Closed => "closed",
    });
    qualifier(&mut text, "state", "state", state)?;
    qualifier(&mut text, "author", "author", query.author.as_deref())?;
    qualifier(&mut text, "assignee", "assignee", query.assignee.as_deref())?;
    for label in &query.labels {
        qualifier(&mut text, "labels", "label", Some(label))?;
    }
    match query.merged {
        Some(true) => qualifier(&mut text, "merged", "is", Some("merged"))?,
        Some(false) => qualifier(&mut text, "merged", "-is", Some("merged"))?,
        None => {}
    }
    let draft = query.draft.map(|draft| draft.to_string());
    qualifier(&mut text, "draft", "draft", draft.as_deref())?;
    qualifier(&mut text, "created", "created", range("created", query.created.as_deref())?)?;
    qualifier(&mut text, "updated", "updated", range("updated", query.updated.as_deref())?)?;
    Ok(text)
}

fn change(item: Item, repository: Option<&Repository>) -> Change {
    let merged_at = item.merged_at.or(item.pull_request.and_then(|pull| pull.merged_at));
    let base = item.base.as_ref();
    let name = base.and_then(|base| base.repo.as_ref()).map(|repo| repo.full_name.clone());
    let name =
        name.or_else(|| spelled(item.repository_url.as_deref())).or_else(|| spelled(item.url.as_deref()));
    Change {
        repository: name.or_else(|| repository.map(Repository::full_name)).unwrap_or_default(),
        number: item.number,
        title: item.title,
        state: if item.state == "open" { ChangeState::Open } else { ChangeState::Closed },
        merged: merged_at.is_some(),
        draft: item.draft.unwrap_or(false),
        // The accounts of those who left are gone; GitHub shows them as this one.
        author: item.user.map_or_else(|| "ghost".to_owned(), |user| user.login),
        association: item.author_association.map(|association| association.to_lowercase()),
        body: item.body.filter(|body| !body.is_empty()),
        labels: item.labels.into_iter().map(|label| label.name).collect(),
        assignees: item.assignees.into_iter().map(|user| user.login).collect(),
        base: item.base.map(|branch| branch.name),
        head: item.head.map(|branch| branch.name),
        created_at: item.created_at,
        updated_at: item.updated_at,
        merged_at,
        url: item.html_url,
        comments: None,
        commits: None,
        files: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_has_its_word() {
        let all = ChangeSearch {
            owner: Some("rust-lang".into()),
            repo: Some("cargo".into()),
            query: Some("fix the cache".into()),
            state: Some(ChangeState::Closed),
            author: Some("me".into()),
            assignee: Some("you".into()),
            labels: vec!["bug".into(), "good first issue".into()],
            merged: Some(true),
            draft: Some(false),
            created: Some(">=2024-01-01".into()),
            updated: Some("2024-01-01..2024-12-31".into()),
            ..ChangeSearch::default()
        };
        assert_eq!(
            written(&all).unwrap(),
            "fix the cache is:pr repo:rust-lang/cargo state:closed author:me assignee:you label:bug \
             label:\"good first issue\" is:merged draft:false created:>=2024-01-01 updated:2024-01-01..2024-12-31"
        );
        let not = ChangeSearch { merged: Some(false), ..ChangeSearch::default() };
        assert_eq!(written(&not).unwrap(), "is:pr -is:merged");
    }
}
