//! `search_packages`: packages of npm, Python and Cargo registries.

use orienteer_base::answer::Warning;
use orienteer_base::remote::{Ecosystem, Package, PackageSearch};
use orienteer_base::{Completeness, Freshness, Problem, Reason, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remote;
use crate::render::text::visible;
use crate::render::{Body, Reply, Row, Trust};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct SearchPackages;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    name: String,
    ecosystem: EcosystemArg,
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10))]
    max_results: usize,
    /// Releases, tags and dependencies, too.
    #[serde(default)]
    metadata: bool,
}

fn one() -> usize {
    1
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EcosystemArg {
    Npm,
    Python,
    Cargo,
}

impl Tool for SearchPackages {
    const NAME: &'static str = "search_packages";
    const TITLE: &'static str = "Look up packages";
    const DESCRIPTION: &'static str = "Look up a package of npm, Python or Cargo in the registry that the user's package manager uses: version, licence, repository (owner and name), deprecation. Says whether the name is exact, searched or similar.";
    const TOOLSET: Toolset = Toolset::Remote;
    const OPEN_WORLD: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("packages", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let query = PackageSearch {
            name: remote::named("name", &args.name, 214)?,
            ecosystem: match args.ecosystem {
                EcosystemArg::Npm => Ecosystem::Npm,
                EcosystemArg::Python => Ecosystem::Python,
                EcosystemArg::Cargo => Ecosystem::Cargo,
            },
            limit: args.max_results,
            metadata: args.metadata,
        };
        let found = ctx.session.packages(query, &ctx.cancel).await?;
        let completeness = if found.offline {
            Completeness::partial(Reason::ServerUnavailable)
        } else if found.note.is_some() {
            Completeness::partial(Reason::Heuristic)
        } else {
            Completeness::Complete
        };
        let mut reply = Reply {
            trust: Some(Trust { completeness, source: Source::Text, freshness: Freshness::default() }),
            ..Reply::default()
        };
        if let Some(note) = &found.note {
            reply.warnings.push(Warning::new("name_not_exact", note.clone()));
        }
        if found.offline {
            let age = found.cached_ms.unwrap_or(0) / 1_000;
            let message = format!("the registry could not be reached; this is an answer of {age} s ago");
            reply.warnings.push(Warning::new("offline", message));
        }
        if found.rows.is_empty() {
            reply.head.push(format!("No package is called `{}`.", visible(&args.name)));
        }
        reply.total = Some(found.rows.len() as u64);
        reply.body = Body::Rows { field: "packages", rows: found.rows.iter().map(row).collect() };
        Ok(reply)
    }
}

fn row(package: &Package) -> Row {
    let mut line = format!("{} {}", visible(&package.name), visible(&package.version));
    if let Some(license) = &package.license {
        line.push_str(&format!("  {}", visible(license)));
    }
    if let Some(repository) = &package.repository {
        line.push_str(&format!("  {}", visible(&repository.url)));
    }
    if let Some(why) = &package.deprecated {
        line.push_str(&format!("  (deprecated: {})", visible(why)));
    }
    if let Some(description) = &package.description {
        line.push_str(&format!("\n    {}", visible(description)));
    }
    Row::new(remote::object(package), line)
}
