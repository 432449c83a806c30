//! `remote_search_code`: words in the code of a forge.

use orienteer_base::Problem;
use orienteer_base::remote::{CodeHit, CodeMatch, CodeSearch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remote::{self, AtArgs, Place};
use crate::render::text::visible;
use crate::render::{Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct RemoteSearchCode;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[serde(flatten)]
    at: AtArgs,
    /// 1 to 5 words or phrases; all must match.
    #[schemars(length(min = 1, max = 5))]
    keywords: Vec<String>,
    owner: Option<String>,
    repo: Option<String>,
    /// Without the dot.
    extension: Option<String>,
    filename: Option<String>,
    /// Only below this folder.
    path: Option<String>,
    /// Match contents or paths.
    #[serde(rename = "match")]
    match_in: Option<MatchArg>,
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    max_results: usize,
}

fn ten() -> usize {
    10
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MatchArg {
    File,
    Path,
}

impl Tool for RemoteSearchCode {
    const NAME: &'static str = "remote_search_code";
    const TITLE: &'static str = "Search code on a forge";
    const DESCRIPTION: &'static str = "Search code on GitHub, GitLab or Forgejo by words, with owner, repo, extension, filename or path. Forges search default branches only and say when they did not look everywhere.";
    const TOOLSET: Toolset = Toolset::Remote;
    const OPEN_WORLD: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("results", "array"), ("total_count", "integer"), ("provenance", "object")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let place: Place = ctx.position()?;
        for keyword in &args.keywords {
            remote::named("keywords", keyword, 256)?;
        }
        if args.repo.is_some() && args.owner.is_none() {
            let message = "`repo` needs `owner` beside it";
            return Err(Problem::invalid("owner", "missing_field", message));
        }
        let query = CodeSearch {
            at: args.at.place(),
            keywords: args.keywords,
            owner: args.owner,
            repo: args.repo,
            extension: args.extension,
            filename: args.filename,
            path: args.path,
            match_in: args.match_in.map(|wanted| match wanted {
                MatchArg::File => CodeMatch::File,
                MatchArg::Path => CodeMatch::Path,
            }),
            limit: args.max_results,
            page: place.page,
        };
        let page = ctx.session.remote_search_code(query, &ctx.cancel).await?;
        remote::paged(&ctx, &page, ("file", "files"), "results", row)
    }
}

fn row(hit: &CodeHit) -> Row {
    let mut line = format!("{}  {}", visible(&hit.repository), visible(&hit.path));
    for found in &hit.text_matches {
        for fragment in found.fragment.lines().filter(|line| !line.trim().is_empty()).take(6) {
            line.push_str("\n    ");
            line.push_str(fragment);
        }
    }
    Row::new(remote::object(hit), line)
}
