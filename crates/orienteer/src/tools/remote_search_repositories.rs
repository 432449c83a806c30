//! `remote_search_repositories`: repositories of a forge.

use orienteer_base::Problem;
use orienteer_base::remote::{RepoField, RepoHit, RepoOrder, RepoSearch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remote::{self, AtArgs, Place};
use crate::render::text::visible;
use crate::render::{Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct RemoteSearchRepositories;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    at: AtArgs,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    topics: Vec<String>,
    owner: Option<String>,
    language: Option<String>,
    /// >1000, 10..50, 42
    stars: Option<String>,
    /// In kilobytes, as stars.
    size: Option<String>,
    /// >2024-01-01, 2024-01-01..2024-12-31
    created: Option<String>,
    updated: Option<String>,
    #[serde(default, rename = "match")]
    match_in: Vec<FieldArg>,
    #[serde(default)]
    sort: SortArg,
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    max_results: usize,
}

fn ten() -> usize {
    10
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FieldArg {
    Name,
    Description,
    Readme,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SortArg {
    #[default]
    BestMatch,
    Stars,
    Forks,
    Updated,
}

impl Tool for RemoteSearchRepositories {
    const NAME: &'static str = "remote_search_repositories";
    const TITLE: &'static str = "Search repositories on a forge";
    const DESCRIPTION: &'static str = "Search repositories on GitHub, GitLab or Forgejo by words or topics, with stars, size, dates and order.";
    const TOOLSET: Toolset = Toolset::Remote;
    const OPEN_WORLD: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("repositories", "array"), ("total_count", "integer"), ("provenance", "object")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let place: Place = ctx.position()?;
        if args.keywords.is_empty() && args.topics.is_empty() && args.owner.is_none() {
            let message = "give `keywords`, `topics` or `owner`: a search needs something to look for";
            return Err(Problem::invalid("keywords", "missing_field", message));
        }
        let query = RepoSearch {
            at: args.at.place(),
            keywords: args.keywords,
            topics: args.topics,
            owner: args.owner,
            language: args.language,
            stars: args.stars,
            size: args.size,
            created: args.created,
            updated: args.updated,
            match_in: args
                .match_in
                .into_iter()
                .map(|field| match field {
                    FieldArg::Name => RepoField::Name,
                    FieldArg::Description => RepoField::Description,
                    FieldArg::Readme => RepoField::Readme,
                })
                .collect(),
            order: match args.sort {
                SortArg::BestMatch => RepoOrder::BestMatch,
                SortArg::Stars => RepoOrder::Stars,
                SortArg::Forks => RepoOrder::Forks,
                SortArg::Updated => RepoOrder::Updated,
            },
            limit: args.max_results,
            page: place.page,
        };
        let page = ctx.session.remote_search_repositories(query, &ctx.cancel).await?;
        remote::paged(&ctx, &page, ("repository", "repositories"), "repositories", row)
    }
}

fn row(hit: &RepoHit) -> Row {
    let mut line = format!("{}  ★ {}", visible(&hit.full_name), hit.stars);
    if let Some(language) = &hit.language {
        line.push_str(&format!("  {}", visible(language)));
    }
    if hit.archived {
        line.push_str("  (archived)");
    }
    if let Some(description) = &hit.description {
        line.push_str(&format!("\n    {}", visible(description)));
    }
    Row::new(remote::object(hit), line)
}
