//! Which repositories does GitHub find?

use orienteer_base::Problem;
use orienteer_base::remote::{Page, RepoField, RepoHit, RepoOrder, RepoSearch};
use serde::Deserialize;

use super::code::{Found, incomplete};
use super::request;
use crate::api::{Bucket, Request};
use crate::forge::query::{keywords, qualifier, range, wanted};
use crate::forge::{Caller, REPOSITORIES};
use crate::path;

/// Of what GitHub says about a repository, the part that is shown.
#[derive(Debug, Deserialize)]
struct Item {
    full_name: String,
    description: Option<String>,
    html_url: String,
    #[serde(default)]
    stargazers_count: u64,
    #[serde(default)]
    forks_count: u64,
    language: Option<String>,
    #[serde(default)]
    topics: Vec<String>,
    default_branch: Option<String>,
    created_at: Option<String>,
    pushed_at: Option<String>,
    updated_at: Option<String>,
    size: Option<u64>,
    #[serde(default)]
    archived: bool,
    license: Option<License>,
}

#[derive(Debug, Deserialize)]
struct License {
    spdx_id: Option<String>,
    name: Option<String>,
}

pub async fn search_repositories(caller: &Caller, query: &RepoSearch) -> Result<Page<RepoHit>, Problem> {
    let wanted = wanted(query.limit, query.page, 100)?.within_the_first_thousand()?;
    let asked = Request {
        bucket: Bucket::Search,
        fresh_for: REPOSITORIES,
        ..request(caller, "search/repositories".to_owned())
    };
    let mut asked =
        asked.query("q", written(query)?).query("per_page", wanted.limit).query("page", wanted.page);
    let order = match query.order {
        RepoOrder::BestMatch => None,
        RepoOrder::Stars => Some("stars"),
        RepoOrder::Forks => Some("forks"),
        RepoOrder::Updated => Some("updated"),
    };
    if let Some(order) = order {
        asked = asked.query("sort", order).query("order", "desc");
    }
    let found: Found<Item> = caller.json(&asked).await?;
    Ok(Page {
        has_more: wanted.more(found.total_count),
        total: Some(found.total_count),
        incomplete: incomplete(found.incomplete_results),
        rows: found.items.into_iter().map(hit).collect(),
        from: caller.provenance(None, None),
    })
}

fn written(query: &RepoSearch) -> Result<String, Problem> {
    let mut text = keywords(&query.keywords)?;
    for topic in &query.topics {
        qualifier(&mut text, "topics", "topic", Some(topic))?;
    }
    if text.is_empty() {
        let message = "write at least one keyword or topic: everything else only narrows them down";
        return Err(Problem::invalid("keywords", "empty", message));
    }
    if let Some(owner) = query.owner.as_deref() {
        qualifier(&mut text, "owner", "user", Some(path::name("owner", owner)?))?;
    }
    qualifier(&mut text, "language", "language", query.language.as_deref())?;
    qualifier(&mut text, "stars", "stars", range("stars", query.stars.as_deref())?)?;
    qualifier(&mut text, "size", "size", range("size", query.size.as_deref())?)?;
    qualifier(&mut text, "created", "created", range("created", query.created.as_deref())?)?;
    qualifier(&mut text, "updated", "pushed", range("updated", query.updated.as_deref())?)?;
    let fields: Vec<&str> = query
        .match_in
        .iter()
        .map(|field| match field {
            RepoField::Name => "name",
            RepoField::Description => "description",
            RepoField::Readme => "readme",
        })
        .collect();
    qualifier(&mut text, "match", "in", Some(&fields.join(",")))?;
    Ok(text)
}

fn hit(item: Item) -> RepoHit {
    RepoHit {
        full_name: item.full_name,
        description: item.description,
        url: item.html_url,
        stars: item.stargazers_count,
        forks: item.forks_count,
        language: item.language,
        topics: item.topics,
        default_branch: item.default_branch,
        created_at: item.created_at,
        // The other date moves with every star.
        updated_at: item.pushed_at.or(item.updated_at),
        size_kb: item.size,
        archived: item.archived,
        license: item
            .license
            .and_then(|license| license.spdx_id.filter(|id| id != "NOASSERTION").or(license.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_has_its_word() {
        let all = RepoSearch {
            keywords: vec!["web server".into()],
            topics: vec!["cli".into(), "rust".into()],
            owner: Some("acme".into()),
            language: Some("Rust".into()),
            stars: Some(">1000".into()),
            size: Some("10..50".into()),
            created: Some(">=2024-01-01".into()),
            updated: Some("<2025-01-01".into()),
            match_in: vec![RepoField::Name, RepoField::Readme],
            ..RepoSearch::default()
        };
        assert_eq!(
            written(&all).unwrap(),
            "\"web server\" topic:cli topic:rust user:acme language:Rust stars:>1000 size:10..50 \
             created:>=2024-01-01 pushed:<2025-01-01 in:name,readme"
        );
    }

    #[test]
    fn filters_alone_are_no_question() {
        let only = RepoSearch { stars: Some(">1".into()), ..RepoSearch::default() };
        assert_eq!(written(&only).unwrap_err().detail, Some("empty"));
        let topic = RepoSearch { topics: vec!["cli".into()], ..RepoSearch::default() };
        assert_eq!(written(&topic).unwrap(), "topic:cli");
        let odd = RepoSearch { stars: Some("many".into()), ..topic };
        assert_eq!(written(&odd).unwrap_err().field, Some("stars"));
    }
}
