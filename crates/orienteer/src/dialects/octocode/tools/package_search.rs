//! `packageSearch`: packages of npm and Python registries.

use orienteer_base::Problem;
use orienteer_base::remote::{Ecosystem, Package, PackageSearch as Search, Packages};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::asked::Asked;
use super::super::bulk::{FEW, Found, Query};
use super::super::forge;
use super::super::goals::Goals;
use super::super::usual::number;
use crate::tool::Ctx;

/// Forges whose kind needs no configuration.
const PUBLIC: &[&str] = &["github.com", "gitlab.com"];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct PackageSearch {
    #[serde(flatten)]
    _goals: Goals,
    /// Package name to search
    #[schemars(length(min = 1, max = 214))]
    name: String,
    /// Package ecosystem
    ecosystem: EcosystemArg,
    /// Max results
    #[serde(default = "number::<1>")]
    #[schemars(range(min = 1, max = 10))]
    search_limit: usize,
    /// Fetch full NPM metadata
    #[serde(default)]
    npm_fetch_metadata: bool,
    /// Fetch full PyPI metadata
    #[serde(default)]
    python_fetch_metadata: bool,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EcosystemArg {
    Npm,
    Python,
}

impl Query for PackageSearch {
    const TOOL: &'static str = "packageSearch";
    const TITLE: &'static str = "Look up packages";
    const DESCRIPTION: &'static str =
        "Search NPM and PyPI package registries to find package information and repository URLs.";
    const MOST: u64 = FEW;
    const OPEN_WORLD: bool = true;

    fn check(&self) -> Result<(), Problem> {
        forge::words("name", std::slice::from_ref(&self.name))
    }

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let (ecosystem, metadata) = match self.ecosystem {
            EcosystemArg::Npm => (Ecosystem::Npm, self.npm_fetch_metadata),
            EcosystemArg::Python => (Ecosystem::Python, self.python_fetch_metadata),
        };
        let query =
            Search { name: self.name.trim().to_owned(), ecosystem, limit: self.search_limit, metadata };
        let found = ctx.session.packages(query, &ctx.cancel).await?;
        let packages: Vec<Value> = found.rows.iter().map(|package| row(package, metadata)).collect();
        Ok(Found::new(json!({ "packages": packages }), hints(&found, &ctx, &asked)))
    }
}

fn row(package: &Package, metadata: bool) -> Value {
    let mut row = json!({
        "name": package.name,
        "version": package.version,
        "description": package.description.as_deref().unwrap_or_default(),
        "deprecated": package.deprecated.is_some(),
    });
    if let Some(repository) = &package.repository {
        row["repository"] = json!({ "type": "git", "url": repository.url });
        for (name, value) in [("owner", &repository.owner), ("repo", &repository.repo)] {
            if let Some(value) = value {
                row["repository"][name] = json!(value);
            }
        }
    }
    for (name, value) in
        [("homepage", &package.homepage), ("author", &package.author), ("license", &package.license)]
    {
        if let Some(value) = value {
            row[name] = json!(value);
        }
    }
    if metadata {
        let pairs = |pairs: &[(String, String)]| {
            pairs.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<serde_json::Map<_, _>>()
        };
        row["metadata"] = json!({
            "releases": package.releases,
            "distTags": pairs(&package.dist_tags),
            "dependencies": pairs(&package.dependencies),
        });
    }
    forge::visible(row)
}

fn hints(found: &Packages, ctx: &Ctx, asked: &Asked) -> Vec<String> {
    let mut hints: Vec<String> = found.note.iter().cloned().collect();
    if found.offline {
        let age = found.cached_ms.unwrap_or(0) / 1_000;
        hints.push(format!("The registry could not be reached; this is an answer of {age} s ago"));
    }
    for package in found.rows.iter().filter(|package| package.deprecated.is_some()) {
        let why = package.deprecated.as_deref().unwrap_or_default();
        hints.push(format!("{} is deprecated: {why}", package.name));
    }
    hints.extend(found.rows.first().and_then(|package| explore(package, ctx, asked)));
    if found.rows.is_empty() {
        let name = asked.text("name").unwrap_or_default();
        hints.push(format!("No package is called `{name}`"));
        let fields = json!({ "keywordsToSearch": [name] });
        hints.push(asked.other("Find a repository of that name", "githubSearchRepositories", fields));
    }
    if hints.is_empty() {
        hints.push(further(asked));
    }
    hints
}

/// What is left to ask about a package whose source is not known.
fn further(asked: &Asked) -> String {
    let field =
        if asked.text("ecosystem") == Some("python") { "pythonFetchMetadata" } else { "npmFetchMetadata" };
    if asked.row.get(field) == Some(&json!(true)) {
        return "It names no repository that can be asked: look at its homepage, or for a repository of its name"
            .to_owned();
    }
    asked.again("Its releases and dependencies", json!({ field: true }))
}

/// Where the code of a package is, on a forge that can be asked.
fn explore(package: &Package, ctx: &Ctx, asked: &Asked) -> Option<String> {
    let repository = package.repository.as_ref()?;
    let (owner, repo) = (repository.owner.as_deref()?, repository.repo.as_deref()?);
    let host = repository.host.as_deref()?;
    let setup = ctx.config().remote.as_ref()?;
    let known = PUBLIC.contains(&host) || setup.hosts.known.iter().any(|known| known.name == host);
    if !known {
        return None;
    }
    let path = repository.directory.as_deref().unwrap_or_default();
    let fields = json!({ "owner": owner, "repo": repo, "branch": "HEAD", "path": path, "host": host });
    Some(asked.other("See its source", "githubViewRepoStructure", fields))
}
