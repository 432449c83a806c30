//! Which repositories does Forgejo find?
//!
//! It looks for one text in names and descriptions, or for one topic. Everything else is sorted out here, page after
//! page, up to a number of them.

use orienteer_base::remote::{Page, RepoField, RepoHit, RepoOrder, RepoSearch};
use orienteer_base::{ErrorKind, Problem};
use serde::Deserialize;

use super::{PAGE, has_more, request};
use crate::api::{Bucket, Request};
use crate::forge::query::{keywords, range, wanted};
use crate::forge::span::within;
use crate::forge::{Caller, REPOSITORIES};
use crate::path;

const MOST_PAGES: usize = 10;

#[derive(Debug, Deserialize)]
struct Found {
    data: Option<Vec<Item>>,
}

#[derive(Debug, Deserialize)]
struct Item {
    full_name: String,
    description: Option<String>,
    html_url: String,
    #[serde(default)]
    stars_count: u64,
    #[serde(default)]
    forks_count: u64,
    language: Option<String>,
    topics: Option<Vec<String>>,
    default_branch: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    size: Option<u64>,
    #[serde(default)]
    archived: bool,
    licenses: Option<Vec<String>>,
}

pub async fn search_repositories(caller: &Caller, query: &RepoSearch) -> Result<Page<RepoHit>, Problem> {
    let rows = wanted(query.limit, query.page, 100)?;
    let asked = written(caller, query).await?;
    let sorted_here = sorts(query)?;
    let size = if sorted_here { PAGE } else { rows.limit.min(PAGE) };
    let asked = asked.query("limit", size);
    if !sorted_here && rows.limit <= PAGE {
        let reply = ask(caller, &asked, rows.page).await?;
        let found: Found = reply.json()?;
        let found: Vec<RepoHit> = found.data.into_iter().flatten().map(hit).collect();
        let total = reply.header("x-total-count").and_then(|total| total.parse().ok());
        let more = has_more(&reply, (rows.page - 1).saturating_mul(size), found.len());
        return Ok(Page {
            rows: found,
            total,
            has_more: more,
            incomplete: None,
            from: caller.provenance(None, None),
        });
    }
    // Enough of them for the page that was asked for, and one to know that there are more.
    let (skip, needed) =
        ((rows.page - 1).saturating_mul(rows.limit), rows.page.saturating_mul(rows.limit) + 1);
    let (mut fitting, mut incomplete, mut looked) = (Vec::new(), None, 0);
    for page in 1.. {
        let reply = ask(caller, &asked, page).await?;
        let found: Found = reply.json()?;
        let found = found.data.unwrap_or_default();
        let more = has_more(&reply, looked, found.len());
        looked += found.len();
        fitting.extend(found.into_iter().map(hit).filter(|hit| fits(hit, query)));
        if fitting.len() >= needed || !more {
            break;
        }
        if page == MOST_PAGES {
            incomplete =
                Some(format!("the first {looked} repositories were looked at; write a longer keyword"));
            break;
        }
    }
    let has_more = fitting.len() >= needed;
    // Whoever has looked at all of them has counted them.
    let total = (!has_more && incomplete.is_none()).then_some(fitting.len() as u64);
    let rows = fitting.into_iter().skip(skip).take(rows.limit).collect();
    Ok(Page { rows, total, has_more, incomplete, from: caller.provenance(None, None) })
}

async fn ask(caller: &Caller, asked: &Request, page: usize) -> Result<crate::api::Reply, Problem> {
    let answered = caller.get(&asked.clone().query("page", page)).await;
    answered.map_err(|error| {
        // Older versions do not know every order.
        if error.status() == Some(422) && error.to_string().contains("sort mode") {
            let message = format!("{error}; its version is too old for this order, leave `sort` out");
            return Problem::new(ErrorKind::Unsupported, message).field("sort");
        }
        error.into()
    })
}

/// The question as far as Forgejo takes it.
async fn written(caller: &Caller, query: &RepoSearch) -> Result<Request, Problem> {
    keywords(&query.keywords)?;
    let words = words(query);
    let asked = request(caller, "repos/search".to_owned());
    let asked = Request { bucket: Bucket::Search, fresh_for: REPOSITORIES, ..asked };
    let unsupported =
        |field, message: &str| Err(Problem::new(ErrorKind::Unsupported, message.to_owned()).field(field));
    let mut asked = match (words.iter().max_by_key(|word| word.len()), query.topics.as_slice()) {
        (Some(_), [_, ..]) => {
            return unsupported(
                "topics",
                "Forgejo looks for words or for a topic, not for both; leave one out",
            );
        }
        (None, [topic]) => asked.query("q", topic.trim()).query("topic", true),
        (None, [_, _, ..]) => {
            return unsupported("topics", "Forgejo looks for one topic at a time; write one");
        }
        (Some(word), []) => asked.query("q", word).query("includeDesc", in_descriptions(query)),
        (None, []) => {
            let message = "write at least one keyword or topic: everything else only narrows them down";
            return Err(Problem::invalid("keywords", "empty", message));
        }
    };
    if query.match_in.contains(&RepoField::Readme) {
        return unsupported("match", "Forgejo does not look into readme files; look in name and description");
    }
    if let Some(owner) = query.owner.as_deref() {
        asked = asked.query("uid", id(caller, owner).await?).query("exclusive", true);
    }
    let order = match query.order {
        RepoOrder::BestMatch => return Ok(asked),
        RepoOrder::Stars => "stars",
        RepoOrder::Forks => "forks",
        RepoOrder::Updated => "updated",
    };
    Ok(asked.query("sort", order).query("order", "desc"))
}

/// The number of a user or an organisation, which this search wants.
async fn id(caller: &Caller, owner: &str) -> Result<u64, Problem> {
    #[derive(Deserialize)]
    struct Owner {
        id: u64,
    }
    let path = format!("users/{}", path::segment(path::name("owner", owner)?));
    let found: Owner = caller.json(&Request { fresh_for: REPOSITORIES, ..request(caller, path) }).await?;
    Ok(found.id)
}

fn words(query: &RepoSearch) -> Vec<String> {
    let words = query.keywords.iter().flat_map(|keyword| keyword.split_whitespace());
    // A comma would mean one or the other.
    words.map(|word| word.trim_matches(['"', ',']).to_lowercase()).filter(|word| !word.is_empty()).collect()
}

fn in_descriptions(query: &RepoSearch) -> bool {
    query.match_in.is_empty() || query.match_in.contains(&RepoField::Description)
}

/// Whether something must be sorted out here.
fn sorts(query: &RepoSearch) -> Result<bool, Problem> {
    let mut any = words(query).len() > 1 || query.language.is_some();
    any |= query.match_in.contains(&RepoField::Description) && !query.match_in.contains(&RepoField::Name);
    for (field, range_of) in [
        ("stars", &query.stars),
        ("size", &query.size),
        ("created", &query.created),
        ("updated", &query.updated),
    ] {
        any |= range(field, range_of.as_deref())?.is_some();
    }
    Ok(any)
}

fn fits(hit: &RepoHit, query: &RepoSearch) -> bool {
    let name = hit.full_name.split('/').next_back().unwrap_or_default().to_lowercase();
    let description = hit.description.as_deref().unwrap_or_default().to_lowercase();
    let in_names = query.match_in.is_empty() || query.match_in.contains(&RepoField::Name);
    let has = |word: &String| {
        in_names && name.contains(word) || in_descriptions(query) && description.contains(word)
    };
    let in_range = |range: &Option<String>, value: Option<String>| {
        range
            .as_deref()
            .filter(|range| !range.trim().is_empty())
            .is_none_or(|range| value.is_some_and(|value| within(range, &value)))
    };
    let spoken = hit.language.as_deref().unwrap_or_default();
    words(query).iter().all(has)
        && query.language.as_deref().is_none_or(|language| spoken.eq_ignore_ascii_case(language.trim()))
        && in_range(&query.stars, Some(hit.stars.to_string()))
        && in_range(&query.size, hit.size_kb.map(|size| size.to_string()))
        && in_range(&query.created, hit.created_at.clone())
        && in_range(&query.updated, hit.updated_at.clone())
}

fn hit(item: Item) -> RepoHit {
    RepoHit {
        full_name: item.full_name,
        description: item.description.filter(|text| !text.is_empty()),
        url: item.html_url,
        stars: item.stars_count,
        forks: item.forks_count,
        language: item.language.filter(|text| !text.is_empty()),
        topics: item.topics.unwrap_or_default(),
        default_branch: item.default_branch,
        created_at: item.created_at,
        updated_at: item.updated_at,
        size_kb: item.size,
        archived: item.archived,
        license: item.licenses.and_then(|licenses| licenses.into_iter().next()),
    }
}
