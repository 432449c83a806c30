//! Which projects on GitLab fit?

use orienteer_base::remote::{Page, RepoField, RepoHit, RepoOrder, RepoSearch};
use orienteer_base::{ErrorKind, Problem};
use serde::Deserialize;

use super::range::moments;
use super::{group, has_more, total};
use crate::api::{ApiError, Bucket, Reply, Request};
use crate::forge::query::{range, wanted};
use crate::forge::span::within;
use crate::forge::{Caller, REPOSITORIES};
use crate::path;

#[derive(Debug, Deserialize)]
struct Item {
    path_with_namespace: String,
    web_url: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    star_count: u64,
    #[serde(default)]
    forks_count: u64,
    /// May be null by the types of other clients.
    #[serde(default)]
    topics: Option<Vec<String>>,
    /// The name that topics had before.
    #[serde(default)]
    tag_list: Option<Vec<String>>,
    #[serde(default)]
    default_branch: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    last_activity_at: Option<String>,
    #[serde(default)]
    archived: bool,
    #[serde(default)]
    license: Option<License>,
    #[serde(default)]
    statistics: Option<Statistics>,
}

#[derive(Debug, Deserialize)]
struct License {
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Statistics {
    #[serde(default)]
    repository_size: Option<u64>,
}

impl Item {
    fn topics(&self) -> &[String] {
        let named = self.topics.as_deref().filter(|topics| !topics.is_empty());
        named.or(self.tag_list.as_deref()).unwrap_or_default()
    }
}

/// What GitLab itself does not filter by.
#[derive(Debug, Default)]
struct Rest {
    stars: Option<String>,
    created: Option<String>,
    name_only: Vec<String>,
    /// Of an owner's projects. GitLab is asked for these as well, but documents them for everybody's projects only, and a
    /// parameter that it does not know it passes over in silence.
    updated: Option<String>,
    topics: Vec<String>,
}

pub async fn search_repositories(caller: &Caller, query: &RepoSearch) -> Result<Page<RepoHit>, Problem> {
    let wanted = wanted(query.limit, query.page, 100)?;
    let (filters, rest) = filters(query)?;
    let asked = |path: String| {
        let asked = Request { bucket: Bucket::Search, fresh_for: REPOSITORIES, ..caller.request(path) };
        let asked = filters.iter().fold(asked, |asked, (name, value)| asked.query(name, value));
        asked.query("per_page", wanted.limit).query("page", wanted.page)
    };
    let mut notes = Vec::new();
    let reply = match query.owner.as_deref() {
        Some(owner) => {
            if query.language.is_some() {
                notes.push(
                    "GitLab filters by language only when no owner is named, so all languages are here",
                );
            }
            of_owner(caller, &group(owner)?, asked).await?
        }
        None => caller.get(&asked("projects".to_owned())).await?,
    };
    let items: Vec<Item> = reply.json()?;
    let found = items.len();
    let rows: Vec<RepoHit> = items.into_iter().filter(|item| rest.fits(item)).map(row).collect();
    if rows.len() < found {
        notes.push(
            "GitLab cannot filter by all of this itself: rows of this page that do not fit were left out",
        );
    }
    Ok(Page {
        total: total(&reply).filter(|_| rows.len() == found),
        has_more: has_more(&reply),
        rows,
        incomplete: (!notes.is_empty()).then(|| notes.join("; ")),
        from: caller.provenance(None, None),
    })
}

/// The projects of a group with those of its subgroups, or of a user.
async fn of_owner(
    caller: &Caller,
    owner: &str,
    asked: impl Fn(String) -> Request,
) -> Result<Reply, ApiError> {
    let encoded = path::segment(owner);
    let in_group = asked(format!("groups/{encoded}/projects")).query("include_subgroups", "true");
    match caller.get(&in_group).await {
        Err(error) if error.status() == Some(404) && !owner.contains('/') => {
            caller.get(&asked(format!("users/{encoded}/projects"))).await
        }
        other => other,
    }
}

type Filters = Vec<(&'static str, String)>;

fn filters(query: &RepoSearch) -> Result<(Filters, Rest), Problem> {
    let mut filters = Filters::new();
    let words: Vec<&str> =
        query.keywords.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() && query.topics.is_empty() && query.owner.is_none() {
        let message = "write keywords, topics or an owner: everything at once is not a search";
        return Err(Problem::invalid("keywords", "empty", message));
    }
    if !words.is_empty() {
        filters.push(("search", words.join(" ")));
    }
    if !query.topics.is_empty() {
        filters.push(("topic", query.topics.join(",")));
    }
    if let Some(language) = query.language.as_deref().filter(|_| query.owner.is_none()) {
        filters.push(("with_programming_language", language.to_owned()));
    }
    if range("size", query.size.as_deref())?.is_some() {
        return Err(unsupported(
            "size",
            "GitLab shows the size of a project to its members only; leave `size` out",
        ));
    }
    if query.match_in.contains(&RepoField::Readme) {
        return Err(unsupported(
            "match",
            "GitLab does not look into readme files; look in name and description",
        ));
    }
    let (after, before) = moments("updated", query.updated.as_deref())?;
    filters.extend(after.map(|time| ("last_activity_after", time)));
    filters.extend(before.map(|time| ("last_activity_before", time)));
    let order = match query.order {
        // What many have starred is what is meant most often; GitLab has no better measure for everybody's projects.
        RepoOrder::BestMatch | RepoOrder::Stars => "star_count",
        RepoOrder::Updated => "last_activity_at",
        RepoOrder::Forks => {
            return Err(unsupported("sort", "GitLab cannot order projects by forks; use stars or updated"));
        }
    };
    filters.push(("order_by", order.to_owned()));
    filters.push(("sort", "desc".to_owned()));
    let name_only = query.match_in == [RepoField::Name];
    let rest = Rest {
        stars: range("stars", query.stars.as_deref())?.map(str::to_owned),
        created: range("created", query.created.as_deref())?.map(str::to_owned),
        name_only: if name_only {
            words.iter().map(|word| word.to_lowercase()).collect()
        } else {
            Vec::new()
        },
        updated: range("updated", query.updated.as_deref())?
            .filter(|_| query.owner.is_some())
            .map(str::to_owned),
        topics: query.owner.as_ref().map(|_| separate(&query.topics)).unwrap_or_default(),
    };
    Ok((filters, rest))
}

/// GitLab takes commas between topics, so a topic with one is two.
fn separate(topics: &[String]) -> Vec<String> {
    let topics = topics.iter().flat_map(|topic| topic.split(','));
    topics.map(str::trim).filter(|topic| !topic.is_empty()).map(str::to_owned).collect()
}

fn unsupported(field: &'static str, message: &str) -> Problem {
    Problem::new(ErrorKind::Unsupported, message).field(field)
}

impl Rest {
    fn fits(&self, item: &Item) -> bool {
        let name = format!("{} {}", item.name, item.path_with_namespace).to_lowercase();
        let fits =
            |range: &Option<String>, value: &str| range.as_deref().is_none_or(|range| within(range, value));
        fits(&self.stars, &item.star_count.to_string())
            && fits(&self.created, item.created_at.as_deref().unwrap_or_default())
            // Times of another zone cannot be compared letter by letter; GitLab has looked at them.
            && item.last_activity_at.as_deref().is_none_or(|time| !time.ends_with('Z') || fits(&self.updated, time))
            && self
                .topics
                .iter()
                .all(|topic| item.topics().iter().any(|one| one.eq_ignore_ascii_case(topic)))
            && self.name_only.iter().all(|word| name.contains(word))
    }
}

fn row(item: Item) -> RepoHit {
    RepoHit {
        topics: item.topics().to_vec(),
        full_name: item.path_with_namespace,
        description: item.description.filter(|text| !text.is_empty()),
        url: item.web_url,
        stars: item.star_count,
        forks: item.forks_count,
        language: None,
        default_branch: item.default_branch,
        created_at: item.created_at,
        updated_at: item.last_activity_at,
        size_kb: item.statistics.and_then(|known| known.repository_size).map(|bytes| bytes.div_ceil(1024)),
        archived: item.archived,
        license: item.license.and_then(|license| license.key.or(license.name)),
    }
}
