//! Which package is meant, and what does its registry say about it?
//!
//! A name is looked up first. Where nothing has it, or more rows are wanted, the registry's own search is asked; where
//! there is none, names that look like it are tried, and the answer says so.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`registry`] | Which registries do the user's package managers name, and what may be told to each? |
//! | `ask` | How is a registry asked? |
//! | `names` | How is a name spelled, and which names look like it? |
//! | `npm`, `pypi`, `cargo` | What does this kind of registry say? |
//! | `repository` | Which repository does a package name, however it is spelled? |
//! | `version` | Which of two versions is the newer one? |

mod ask;
mod cargo;
mod names;
mod npm;
mod pypi;
pub mod registry;
mod repository;
mod version;

use orienteer_base::remote::{Ecosystem, FoundBy, Package, PackageSearch, Packages};
use orienteer_base::{Cancel, Problem};
use reqwest::Url;
use tokio::task::JoinSet;

use self::ask::Asker;
use self::names::Asked;
pub use self::registry::{CargoRegistry, NpmRegistries, PythonIndexes, RegistrySpec, Tokens};
use crate::api::Api;

/// More releases than anybody reads; the newest are shown.
const MOST_RELEASES: usize = 100;

/// A package, and what must be said beside it.
#[derive(Debug)]
struct Found {
    package: Package,
    notes: Vec<String>,
}

impl From<Package> for Found {
    fn from(package: Package) -> Self {
        Self { package, notes: Vec::new() }
    }
}

impl Found {
    fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn note_releases(&mut self, all: usize) {
        let shown = self.package.releases.len();
        if shown < all {
            self.note(format!("the newest {shown} of {all} releases are listed"));
        }
    }
}

/// Looks a package up, or looks for packages.
pub async fn search(
    api: &Api,
    registries: &RegistrySpec,
    query: &PackageSearch,
    cancel: &Cancel,
) -> Result<Packages, Problem> {
    let asked = names::asked(&query.name, query.ecosystem)?;
    if !(1..=10).contains(&query.limit) {
        let message = format!("`limit` is {}, and may be 1 to 10", query.limit);
        return Err(Problem::invalid("limit", "out_of_range", message));
    }
    let registry = Registry::of(api, registries, query.ecosystem, &asked)?;
    let mut notes = Vec::new();
    let mut rows = Vec::new();
    if let Some(name) = &asked.exact
        && let Some(found) = registry.exact(name, query.metadata).await?
    {
        notes.extend(found.notes);
        rows.push(found.package);
    }
    cancel.check()?;
    if rows.len() < query.limit {
        match registry.search(&asked.text, query.limit).await {
            Ok(Some(found)) => add(&mut rows, found, query.limit),
            Ok(None) if rows.is_empty() => {
                cancel.check()?;
                let (found, note) = registry.similar(&asked, query).await?;
                notes.push(note);
                rows = found;
            }
            Ok(None) => {
                notes.push("this registry has no search, so the exact name alone was looked up".to_owned())
            }
            Err(problem) if rows.is_empty() => return Err(problem),
            Err(problem) => notes.push(format!("the exact name alone was looked up: {problem}")),
        }
    }
    cancel.check()?;
    if rows.is_empty() && notes.is_empty() {
        notes.push(format!(
            "nothing is called `{}`, and the registry's search finds nothing for it",
            asked.text
        ));
    }
    let seen = registry.asker.seen();
    Ok(Packages {
        rows,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        cached_ms: seen.cached_ms,
        offline: seen.offline,
    })
}

/// The rows of a search after the exact one, each once.
fn add(rows: &mut Vec<Package>, found: Vec<Package>, limit: usize) {
    for package in found {
        if rows.len() < limit && !rows.iter().any(|known| known.name == package.name) {
            rows.push(package);
        }
    }
}

/// One registry with its address.
#[derive(Debug, Clone)]
struct Registry {
    asker: Asker,
    place: Place,
}

#[derive(Debug, Clone)]
enum Place {
    Npm(NpmRegistries),
    Python(Vec<Url>),
    Cargo(Url),
}

impl Registry {
    fn of(api: &Api, all: &RegistrySpec, ecosystem: Ecosystem, asked: &Asked) -> Result<Self, Problem> {
        let (tokens, place) = match ecosystem {
            Ecosystem::Npm => {
                let known = all.npm.as_ref().map_err(Clone::clone)?;
                // A bad address is told before anything is asked.
                npm::registry(known, &asked.text)?;
                (&known.tokens, Place::Npm(known.clone()))
            }
            Ecosystem::Python => {
                let known = all.python.as_ref().map_err(Clone::clone)?;
                (&known.tokens, Place::Python(pypi::indexes(known)?))
            }
            Ecosystem::Cargo => {
                let known = all.cargo.as_ref().map_err(Clone::clone)?;
                (&known.tokens, Place::Cargo(cargo::registry(known)?))
            }
        };
        Ok(Self { asker: Asker::new(api, tokens), place })
    }

    async fn exact(&self, name: &str, metadata: bool) -> Result<Option<Found>, Problem> {
        match &self.place {
            Place::Npm(all) => npm::exact(&self.asker, &npm::registry(all, name)?, name, metadata).await,
            Place::Python(indexes) => pypi::exact(&self.asker, indexes, name, metadata).await,
            Place::Cargo(index) => cargo::exact(&self.asker, index, name, metadata).await,
        }
    }

    /// Nothing when the registry has no search.
    async fn search(&self, text: &str, limit: usize) -> Result<Option<Vec<Package>>, Problem> {
        match &self.place {
            Place::Npm(all) => npm::search(&self.asker, &npm::registry(all, text)?, text, limit).await,
            Place::Python(_) => Ok(None),
            Place::Cargo(index) => cargo::search(&self.asker, index, text, limit).await,
        }
    }

    /// Names that look like the asked one, side by side, and a sentence about that.
    async fn similar(&self, asked: &Asked, query: &PackageSearch) -> Result<(Vec<Package>, String), Problem> {
        let names = names::similar(asked, query.ecosystem);
        let mut tries = JoinSet::new();
        for (at, name) in names.iter().cloned().enumerate() {
            let (registry, metadata) = (self.clone(), query.metadata);
            tries.spawn(async move { (at, registry.exact(&name, metadata).await) });
        }
        let (mut found, mut failed) = (Vec::new(), None);
        while let Some(outcome) = tries.join_next().await {
            match outcome {
                Ok((at, Ok(Some(row)))) => found.push((at, row.package)),
                Ok((_, Err(problem))) => failed = Some(problem),
                Ok((_, Ok(None))) | Err(_) => {}
            }
        }
        if let (true, Some(problem)) = (found.is_empty(), failed) {
            return Err(problem);
        }
        found.sort_by_key(|(at, _)| *at);
        let mut rows = Vec::new();
        add(&mut rows, found.into_iter().map(|(_, package)| package).collect(), query.limit);
        for row in &mut rows {
            row.found_by = FoundBy::SimilarName;
        }
        let kind = registry::called(query.ecosystem);
        let tried = if names.is_empty() {
            "no similar name could be made of it".to_owned()
        } else {
            format!("similar names were tried: {}", names.join(", "))
        };
        let note =
            format!("no package is called `{}`, and this {kind} registry has no search; {tried}", asked.text);
        Ok((rows, note))
    }
}
