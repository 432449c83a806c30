//! `search_packages`: packages of npm, Python and Cargo registries.

use orienteer_base::answer::Warning;
use orienteer_base::remote::{Ecosystem, Package, PackageRelease, PackageSearch};
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
    for (label, values) in [
        ("releases", package.releases.iter().map(release).collect::<Vec<_>>()),
        ("tags", package.dist_tags.iter().map(|(tag, version)| format!("{tag} {version}")).collect()),
        ("needs", package.dependencies.iter().map(|(name, wanted)| format!("{name} {wanted}")).collect()),
    ] {
        if !values.is_empty() {
            line.push_str(&format!("\n    {label}: {}", visible(&values.join(", "))));
        }
    }
    Row::new(remote::object(package), line)
}

/// A version, its day, and whether it was taken back.
fn release(release: &PackageRelease) -> String {
    let day = release.published_at.as_deref().and_then(|moment| moment.get(..10));
    let day = day.map(|day| format!(" ({day})")).unwrap_or_default();
    let yanked = if release.yanked { " yanked" } else { "" };
    format!("{}{day}{yanked}", release.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_base::remote::FoundBy;

    #[test]
    fn the_text_has_what_the_structure_has() {
        let release = |version: &str, day: Option<&str>, yanked| PackageRelease {
            version: version.into(),
            published_at: day.map(str::to_owned),
            yanked,
        };
        let package = Package {
            name: "demo".into(),
            version: "2.0.0".into(),
            description: None,
            license: Some("MIT".into()),
            repository: None,
            homepage: None,
            author: None,
            deprecated: None,
            found_by: FoundBy::Exact,
            releases: vec![
                release("2.0.0", Some("2024-05-06T07:08:09Z"), false),
                release("1.\u{202e}0", Some("ü"), true),
            ],
            dist_tags: vec![("latest".into(), "2.0.0".into())],
            dependencies: vec![("left".into(), "^1".into()), ("right".into(), "*".into())],
        };
        let told = row(&package);
        assert_eq!(
            told.line.lines().collect::<Vec<_>>(),
            [
                "demo 2.0.0  MIT",
                "    releases: 2.0.0 (2024-05-06), 1.\\u{202e}0 yanked",
                "    tags: latest 2.0.0",
                "    needs: left ^1, right *",
            ]
        );
        let bare = Package { releases: vec![], dist_tags: vec![], dependencies: vec![], ..package };
        assert_eq!(row(&bare).line, "demo 2.0.0  MIT");
    }
}
