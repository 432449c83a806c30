//! `githubSearchRepositories`: repositories of a forge.

use orienteer_base::Problem;
use orienteer_base::remote::{Page, RepoField, RepoHit, RepoOrder, RepoSearch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::asked::Asked;
use super::super::bulk::{FEW, Found, Query};
use super::super::forge::{self, At, PageArgs};
use super::super::goals::Goals;
use crate::tool::Ctx;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct GithubSearchRepositories {
    #[serde(flatten)]
    _goals: Goals,
    #[serde(flatten)]
    at: At,
    /// Keywords to search; these or topicsToSearch are required
    #[serde(default)]
    keywords_to_search: Vec<String>,
    /// Topic filters
    #[serde(default)]
    topics_to_search: Vec<String>,
    /// Organization/user filter
    owner: Option<String>,
    /// Star count (e.g., ">1000")
    stars: Option<String>,
    /// Repository size filter, in kilobytes
    size: Option<String>,
    /// Creation date filter
    created: Option<String>,
    /// Last update filter
    updated: Option<String>,
    /// Search scope
    #[serde(default, rename = "match")]
    match_in: Vec<FieldArg>,
    /// Sort order
    sort: Option<SortArg>,
    #[serde(flatten)]
    page: PageArgs,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FieldArg {
    Name,
    Description,
    Readme,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum SortArg {
    Forks,
    Stars,
    Updated,
    BestMatch,
}

impl Query for GithubSearchRepositories {
    const TOOL: &'static str = "githubSearchRepositories";
    const TITLE: &'static str = "Search repositories on a forge";
    const DESCRIPTION: &'static str = "Search GitHub repositories by keywords, topics, stars, and other criteria. Also GitLab and Forgejo, by provider or host.";
    const MOST: u64 = FEW;
    const OPEN_WORLD: bool = true;

    fn check(&self) -> Result<(), Problem> {
        if self.keywords_to_search.is_empty() && self.topics_to_search.is_empty() {
            let message = "at least one of `keywordsToSearch` and `topicsToSearch` is required";
            return Err(Problem::invalid("keywordsToSearch", "missing_field", message));
        }
        forge::words("keywordsToSearch", &self.keywords_to_search)?;
        forge::words("topicsToSearch", &self.topics_to_search)
    }

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let PageArgs { limit, page: number } = self.page;
        let fields = self.match_in.into_iter().map(|field| match field {
            FieldArg::Name => RepoField::Name,
            FieldArg::Description => RepoField::Description,
            FieldArg::Readme => RepoField::Readme,
        });
        let query = RepoSearch {
            at: self.at.place(&ctx),
            keywords: self.keywords_to_search,
            topics: self.topics_to_search,
            owner: self.owner,
            language: None,
            stars: self.stars,
            size: self.size,
            created: self.created,
            updated: self.updated,
            match_in: fields.collect(),
            order: match self.sort.unwrap_or(SortArg::BestMatch) {
                SortArg::BestMatch => RepoOrder::BestMatch,
                SortArg::Stars => RepoOrder::Stars,
                SortArg::Forks => RepoOrder::Forks,
                SortArg::Updated => RepoOrder::Updated,
            },
            limit,
            page: number,
        };
        let ask =
            |page| ctx.session.remote_search_repositories(RepoSearch { page, ..query.clone() }, &ctx.cancel);
        let page = ask(number).await?;
        let data = json!({
            "repositories": page.rows.iter().map(row).collect::<Vec<_>>(),
            "totalCount": forge::total(&page, number, limit, ask).await?,
            "pagination": forge::pagination(&page, number),
        });
        Ok(Found::new(data, hints(&page, number, &asked)))
    }
}

fn row(hit: &RepoHit) -> Value {
    let name = forge::named(&hit.full_name).map_or(hit.full_name.as_str(), |(_, name)| name);
    forge::visible(json!({
        "name": name,
        "full_name": hit.full_name,
        "description": hit.description.as_deref().unwrap_or_default(),
        "stars": hit.stars,
        "forks": hit.forks,
        "language": hit.language.as_deref().unwrap_or_default(),
        "topics": hit.topics,
        "updated_at": hit.updated_at.as_deref().unwrap_or_default(),
        "html_url": hit.url,
    }))
}

fn hints(page: &Page<RepoHit>, number: usize, asked: &Asked) -> Vec<String> {
    let mut hints = forge::page_notes(page);
    hints.extend(forge::next_page(page, number, asked));
    if let Some(hit) = page.rows.first()
        && let Some((owner, repo)) = forge::named(&hit.full_name)
    {
        let branch = hit.default_branch.as_deref().unwrap_or("HEAD");
        let fields = json!({ "owner": owner, "repo": repo, "branch": branch });
        hints.push(asked.other("See what the first one holds", "githubViewRepoStructure", fields));
    }
    if page.rows.is_empty() {
        if number > 1 {
            hints.push(asked.again("Nothing on this page; the first one", json!({ "page": 1 })));
            return hints;
        }
        hints.push(format!("Nothing on {}: try fewer or other words", page.from.host));
        let filters = ["owner", "stars", "size", "created", "updated", "match"];
        if filters.iter().any(|field| asked.row.contains_key(*field)) {
            let none = json!({ "owner": null, "stars": null, "size": null, "created": null, "updated": null, "match": null });
            hints.push(asked.again("Without filters", none));
        }
    }
    hints
}
