//! What does an npm registry say about packages?

mod document;

use std::collections::HashMap;

use orienteer_base::Problem;
use orienteer_base::remote::{FoundBy, Package};
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;

use self::document::{Document, manifest_package, person, repository_of, sorted_tags};
use super::ask::{Asker, Missing, address, below, unreadable};
use super::registry::NpmRegistries;
use super::{Found, MOST_RELEASES};
use crate::api::Reply;

const JSON: &str = "application/json";
/// The short form that installing needs; registries that do not know it send the long one.
const SHORT: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";

/// The registry that has a name: that of its scope, where it has one of its own.
pub(super) fn registry(registries: &NpmRegistries, name: &str) -> Result<Url, Problem> {
    let scope = name.split_once('/').map(|(scope, _)| scope).filter(|scope| scope.starts_with('@'));
    let own = registries.scopes.iter().find(|(known, _)| Some(known.as_str()) == scope);
    address(own.map_or(&registries.default, |(_, url)| url), "npm's settings (`npm config get registry`)")
}

/// The package of exactly this name.
pub(super) async fn exact(
    asker: &Asker,
    registry: &Url,
    name: &str,
    metadata: bool,
) -> Result<Option<Found>, Problem> {
    let outcome =
        if metadata { whole(asker, registry, name).await } else { latest(asker, registry, name).await };
    outcome.map(Some).or_else(Missing::absent)
}

/// The newest version alone, where the registry has that door.
async fn latest(asker: &Asker, registry: &Url, name: &str) -> Result<Found, Missing> {
    match manifest(asker, registry, name, false).await {
        // Either the package is missing, or the door, or the tag: the document tells.
        Err(Missing::Absent | Missing::Unreadable(_)) => document(asker, registry, name, false, SHORT).await,
        other => other,
    }
}

async fn whole(asker: &Asker, registry: &Url, name: &str) -> Result<Found, Missing> {
    match document(asker, registry, name, true, JSON).await {
        Err(Missing::TooLarge) => {
            let mut found = manifest(asker, registry, name, true).await?;
            found.note("its document is too large to be read, so its releases are not listed".to_owned());
            let tags = below(registry, &format!("-/package/{}/dist-tags", encoded(name)));
            if let Ok(reply) = asker.json(&tags, JSON).await
                && let Ok(tags) = reply.json::<HashMap<String, String>>()
            {
                found.package.dist_tags = sorted_tags(&tags);
            }
            Ok(found)
        }
        other => other,
    }
}

async fn manifest(asker: &Asker, registry: &Url, name: &str, metadata: bool) -> Result<Found, Missing> {
    let reply = asker.json(&below(registry, &format!("{}/latest", encoded(name))), JSON).await?;
    let manifest: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    // Some registries answer with the whole document, whatever was asked for.
    let package = manifest_package(name, &manifest, metadata);
    let package = package.ok_or_else(|| unreadable(&reply, "no version in the description of a package"))?;
    about(name, package, &reply)
}

async fn document(
    asker: &Asker,
    registry: &Url,
    name: &str,
    metadata: bool,
    accept: &'static str,
) -> Result<Found, Missing> {
    let reply = asker.json(&below(registry, &encoded(name)), accept).await?;
    let document: Document<'_> =
        serde_json::from_slice(&reply.body).map_err(|error| unreadable(&reply, &error.to_string()))?;
    // A document without versions is what remains of a package that was taken away.
    let package = document.package(name, metadata, MOST_RELEASES).ok_or(Missing::Absent)?;
    let mut found = about(name, package, &reply)?;
    if metadata {
        found.note_releases(document.count());
    }
    Ok(found)
}

/// What a registry sends is believed only about the package that was asked for. Capitals make another one, although some
/// registries do not tell them apart.
fn about(name: &str, package: Package, reply: &Reply) -> Result<Found, Missing> {
    if package.name == name {
        Ok(Found::from(package))
    } else if package.name.eq_ignore_ascii_case(name) {
        Err(Missing::Absent)
    } else {
        Err(unreadable(reply, "the description of another package"))
    }
}

/// A scope and its name are one part of the address.
fn encoded(name: &str) -> String {
    name.replace('/', "%2f")
}

#[derive(Debug, Deserialize)]
struct Hits {
    objects: Vec<Hit>,
}

#[derive(Debug, Deserialize)]
struct Hit {
    package: Value,
}

/// The registry's own search; nothing when it has none.
pub(super) async fn search(
    asker: &Asker,
    registry: &Url,
    text: &str,
    limit: usize,
) -> Result<Option<Vec<Package>>, Problem> {
    let mut url = below(registry, "-/v1/search");
    url.query_pairs_mut().append_pair("text", text).append_pair("size", &limit.to_string());
    let reply = match asker.json(&url, JSON).await {
        Ok(reply) => reply,
        // A page in place of results: the registry has something else at that address.
        Err(Missing::Unreadable(_)) => return Ok(None),
        Err(missing) => return missing.absent(),
    };
    let Ok(hits) = reply.json::<Hits>() else { return Ok(None) };
    Ok(Some(hits.objects.iter().filter_map(|hit| hit_package(&hit.package)).collect()))
}

fn hit_package(hit: &Value) -> Option<Package> {
    let name = hit.get("name").and_then(Value::as_str)?;
    let mut package = manifest_package(name, hit, false)?;
    let link = |kind: &str| hit.get("links").and_then(|links| links.get(kind));
    package.repository = package.repository.or_else(|| link("repository").and_then(repository_of));
    package.homepage =
        package.homepage.or_else(|| link("homepage").and_then(Value::as_str).map(str::to_owned));
    package.author = package.author.or_else(|| hit.get("author").and_then(person));
    package.found_by = FoundBy::Search;
    Some(package)
}
