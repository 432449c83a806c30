//! Which merge requests on GitLab fit?

use orienteer_base::Problem;
use orienteer_base::remote::{Change, ChangeSearch, ChangeState, Page};
use serde::Deserialize;

use super::details::details;
use super::range::moments;
use super::{Project, group, has_more, place, total};
use crate::api::{Bucket, Request};
use crate::forge::changes::{complete, joined};
use crate::forge::query::wanted;
use crate::forge::{CHANGES, Caller};
use crate::path;

#[derive(Debug, Deserialize)]
pub(super) struct Item {
    pub(super) iid: u64,
    pub(super) project_id: u64,
    title: String,
    state: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    draft: Option<bool>,
    /// The name that drafts had before.
    #[serde(default)]
    work_in_progress: Option<bool>,
    #[serde(default)]
    author: Option<User>,
    /// May be null by the types of other clients.
    #[serde(default)]
    assignees: Option<Vec<User>>,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    source_branch: Option<String>,
    #[serde(default)]
    target_branch: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    updated_at: Option<String>,
    #[serde(default)]
    merged_at: Option<String>,
    web_url: String,
    #[serde(default)]
    references: Option<References>,
}

#[derive(Debug, Deserialize)]
pub(super) struct User {
    pub(super) username: String,
}

/// A name, or a description of it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Label {
    Name(String),
    Described { name: String },
}

#[derive(Debug, Deserialize)]
struct References {
    full: String,
}

pub async fn search_changes(caller: &Caller, query: &ChangeSearch) -> Result<Page<Change>, Problem> {
    let wanted = wanted(query.limit, query.page, 100)?;
    let (owner, repo) = place(query.owner.as_deref(), query.repo.as_deref());
    let project = match (owner, repo) {
        (Some(owner), Some(repo)) => Some(Project::new(owner, repo)?),
        (None, Some(_)) => {
            return Err(Problem::invalid("owner", "missing", "a project has an owner: write `owner`, too"));
        }
        (_, None) => None,
    };
    let scope = match (&project, owner) {
        (Some(project), _) => project.path("merge_requests"),
        (None, Some(owner)) => format!("groups/{}/merge_requests", path::segment(&group(owner)?)),
        (None, None) => "merge_requests".to_owned(),
    };
    if let Some(number) = query.number {
        let Some(project) = &project else {
            let message = "a number is one of a project: write `owner` and `repo`, too";
            return Err(Problem::invalid("number", "no_project", message));
        };
        let path = project.path(&format!("merge_requests/{number}"));
        let asked = Request { fresh_for: CHANGES, ..caller.request(path) };
        let item: Item = caller.json(&asked).await?;
        let (rows, incomplete) = rows(caller, query, vec![item], None).await?;
        let repository = rows.first().map(|row| row.repository.clone());
        return Ok(Page {
            rows,
            total: Some(1),
            has_more: false,
            incomplete,
            from: caller.provenance(repository, None),
        });
    }
    let filters = filters(query)?;
    let (mut items, mut all, mut more) = (Vec::new(), Some(0), false);
    let (states, incomplete) = states(query, wanted.limit);
    for (state, limit) in states {
        let asked = Request { bucket: Bucket::Search, fresh_for: CHANGES, ..caller.request(scope.clone()) };
        let asked = filters.iter().fold(asked, |asked, (name, value)| asked.query(name, value));
        let asked = asked.query("state", state).query("per_page", limit).query("page", wanted.page);
        let reply = caller.get(&asked).await.map_err(|error| {
            let missing_group = error.status() == Some(404) && project.is_none() && owner.is_some();
            let problem = Problem::from(error);
            if missing_group {
                let message = "there is no such group that can be seen; of a user, name a project with `repo`, or write \
                               `author` instead of `owner`";
                return Problem { message: message.to_owned(), ..problem }.field("owner");
            }
            problem
        })?;
        items.extend(reply.json::<Vec<Item>>()?);
        all = all.zip(total(&reply)).map(|(one, other)| one + other);
        more |= has_more(&reply);
    }
    items.sort_by(|one: &Item, other: &Item| other.updated_at.cmp(&one.updated_at));
    let (rows, incomplete) = rows(caller, query, items, incomplete).await?;
    Ok(Page {
        rows,
        total: all,
        has_more: more,
        incomplete,
        from: caller.provenance(project.map(|project| project.full_name), None),
    })
}

/// Which states are asked for, and how many of each: merged is a state of its own here, and closed without being merged
/// is another.
fn states(query: &ChangeSearch, limit: usize) -> (Vec<(&'static str, usize)>, Option<String>) {
    match (query.state, query.merged) {
        (Some(ChangeState::Open), _) => (vec![("opened", limit)], None),
        (_, Some(true)) => (vec![("merged", limit)], None),
        (Some(ChangeState::Closed), Some(false)) => (vec![("closed", limit)], None),
        (Some(ChangeState::Closed), None) if limit < 2 => {
            let note =
                "only those that were merged: ask for two or more, or with merged=false, to see others, too";
            (vec![("merged", limit)], Some(note.to_owned()))
        }
        (Some(ChangeState::Closed), None) => {
            (vec![("merged", limit - limit / 2), ("closed", limit / 2)], None)
        }
        (None, Some(false)) if limit < 2 => {
            let note = "only open ones: ask for two or more, or with state=closed, to see others, too";
            (vec![("opened", limit)], Some(note.to_owned()))
        }
        (None, Some(false)) => (vec![("opened", limit - limit / 2), ("closed", limit / 2)], None),
        (None, None) => (vec![("all", limit)], None),
    }
}

fn filters(query: &ChangeSearch) -> Result<Vec<(&'static str, String)>, Problem> {
    if query.state == Some(ChangeState::Open) && query.merged == Some(true) {
        return Err(Problem::invalid(
            "merged",
            "contradiction",
            "what is open is not merged; leave one of them out",
        ));
    }
    let mut filters =
        vec![("scope", "all".to_owned()), ("order_by", "updated_at".to_owned()), ("sort", "desc".to_owned())];
    let mut add = |name, value: &Option<String>| {
        let value = value.as_deref().map(str::trim).filter(|value| !value.is_empty());
        filters.extend(value.map(|value| (name, value.to_owned())));
    };
    add("search", &query.query);
    add("author_username", &query.author);
    add("assignee_username", &query.assignee);
    if let Some(label) = query.labels.iter().find(|label| label.contains(',')) {
        let message = format!("`{label}` is not one label: write several as a list");
        return Err(Problem::invalid("labels", "bad_label", message));
    }
    if !query.labels.is_empty() {
        filters.push(("labels", query.labels.join(",")));
    }
    filters.extend(query.draft.map(|draft| ("wip", if draft { "yes" } else { "no" }.to_owned())));
    for (text, field, after, before) in [
        (&query.created, "created", "created_after", "created_before"),
        (&query.updated, "updated", "updated_after", "updated_before"),
    ] {
        let (from, to) = moments(field, text.as_deref())?;
        filters.extend(from.map(|time| (after, time)));
        filters.extend(to.map(|time| (before, time)));
    }
    Ok(filters)
}

/// Each with what was asked for beside it, side by side; and what is missing, after what is known to be already.
async fn rows(
    caller: &Caller,
    query: &ChangeSearch,
    items: Vec<Item>,
    incomplete: Option<String>,
) -> Result<(Vec<Change>, Option<String>), Problem> {
    let (rows, said) = complete(items, |item| {
        let (caller, query) = (caller.clone(), query.clone());
        async move {
            let (project, number) = (item.project_id, item.iid);
            details(&caller, &query, project, number, row(item)).await
        }
    })
    .await?;
    let notes: Vec<String> = incomplete.into_iter().chain(said).collect();
    Ok((rows, joined(&notes)))
}

fn row(item: Item) -> Change {
    let full = item.references.map(|references| references.full).unwrap_or_default();
    let repository = full.rsplit_once('!').map(|(project, _)| project.to_owned());
    // The address has it, too: https://host/group/name/-/merge_requests/1.
    let from_url = || {
        let (_, rest) = item.web_url.split_once("://")?;
        let (before, _) =
            rest.split_once("/-/merge_requests/").or_else(|| rest.split_once("/merge_requests/"))?;
        before.split_once('/').map(|(_, path)| path.to_owned())
    };
    Change {
        repository: repository.filter(|name| !name.is_empty()).or_else(from_url).unwrap_or_default(),
        number: item.iid,
        title: item.title,
        state: if matches!(item.state.as_str(), "opened" | "locked") {
            ChangeState::Open
        } else {
            ChangeState::Closed
        },
        merged: item.state == "merged",
        draft: item.draft.or(item.work_in_progress).unwrap_or(false),
        author: item.author.map(|user| user.username).unwrap_or_default(),
        association: None,
        body: item.description.filter(|text| !text.is_empty()),
        labels: item
            .labels
            .into_iter()
            .map(|label| match label {
                Label::Name(name) | Label::Described { name } => name,
            })
            .collect(),
        assignees: item.assignees.into_iter().flatten().map(|user| user.username).collect(),
        base: item.target_branch,
        head: item.source_branch,
        created_at: item.created_at,
        updated_at: item.updated_at,
        merged_at: item.merged_at,
        url: item.web_url,
        comments: None,
        commits: None,
        files: None,
    }
}
