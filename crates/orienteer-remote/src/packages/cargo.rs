//! What does a registry of crates say about them?
//!
//! The sparse index has versions and dependencies; description, licence and repository are known to the registry's API.
//! Mirrors often have none: then they are read from the crate itself, as Cargo does.

mod archive;
mod index;
mod web;

use orienteer_base::Problem;
use orienteer_base::remote::Package;
use reqwest::Url;

use self::index::Config;
use super::ask::{Asker, Missing, address, below, linked, unreadable};
use super::registry::CargoRegistry;
use super::{Found, MOST_RELEASES};

const JSON: &str = "application/json";

/// The index that Cargo reads.
pub(super) fn registry(registry: &CargoRegistry) -> Result<Url, Problem> {
    address(&registry.index, "Cargo's settings (its `config.toml` and CARGO_REGISTRIES_*)")
}

/// The crate of exactly this name.
pub(super) async fn exact(
    asker: &Asker,
    registry: &Url,
    name: &str,
    metadata: bool,
) -> Result<Option<Found>, Problem> {
    one(asker, registry, name, metadata).await.map(Some).or_else(Missing::absent)
}

async fn one(asker: &Asker, registry: &Url, name: &str, metadata: bool) -> Result<Found, Missing> {
    let (config, asker) = config(asker, registry).await?;
    let reply = asker.text(&below(registry, &index::path(name)), "text/plain, */*").await?;
    let mut lines = index::lines(&String::from_utf8_lossy(&reply.body));
    // It does not tell capitals from small letters, and must not answer about anything else.
    lines.retain(|line| line.name.eq_ignore_ascii_case(name));
    let package = index::package(&lines, metadata, MOST_RELEASES);
    let package = package.ok_or_else(|| unreadable(&reply, "no versions in the index"))?;
    let mut found = Found::from(package);
    if metadata {
        found.note_releases(lines.len());
    }
    if let Some(answer) = described(&asker, registry, &config, &found.package.name).await {
        answer.complete(&mut found.package);
    } else if let Some(manifest) = manifest(&asker, registry, &config, &lines).await {
        manifest.complete(&mut found.package);
    } else {
        found.note(
            "neither the registry's API nor the crate itself could be read, so the index alone was: description, \
             licence, repository and author are not known"
                .to_owned(),
        );
    }
    Ok(found)
}

/// What the crate says about itself.
async fn manifest(
    asker: &Asker,
    registry: &Url,
    config: &Config,
    lines: &[index::Line],
) -> Option<archive::Manifest> {
    let line = index::newest_of(lines)?;
    let url = linked(registry, &line.download(&config.dl)?)?;
    let reply = asker.text(&url, "*/*").await.ok()?;
    let (body, line) = (std::sync::Arc::clone(&reply.body), line.clone());
    // Unpacking takes a while, during which others want to be answered.
    let read = tokio::task::spawn_blocking(move || archive::manifest(&body, &line)).await;
    read.ok().flatten()
}

/// The index's own description, and how to go on asking: a token is shown only to a registry that wants one.
async fn config(asker: &Asker, registry: &Url) -> Result<(Config, Asker), Missing> {
    let url = below(registry, "config.json");
    let open = asker.anonymous();
    let reply = match open.json(&url, JSON).await {
        Ok(reply) => reply,
        // It may hide even this.
        Err(Missing::Problem(problem)) if problem.kind == orienteer_base::ErrorKind::AuthRequired => {
            asker.json(&url, JSON).await?
        }
        Err(missing) => return Err(missing),
    };
    let config: Config = reply.json().map_err(|error| Missing::Unreadable(error.into()))?;
    let asker = if config.auth_required { asker.clone() } else { open };
    Ok((config, asker))
}

fn api(registry: &Url, config: &Config) -> Option<Url> {
    linked(registry, config.api.as_deref()?)
}

/// What the API says; a mirror without one is no reason to fail.
async fn described(asker: &Asker, registry: &Url, config: &Config, name: &str) -> Option<web::Answer> {
    let url = below(&api(registry, config)?, &format!("api/v1/crates/{name}"));
    asker.json(&url, JSON).await.ok()?.json().ok()
}

/// The registry's own search; nothing when it has none.
pub(super) async fn search(
    asker: &Asker,
    registry: &Url,
    text: &str,
    limit: usize,
) -> Result<Option<Vec<Package>>, Problem> {
    let (config, asker) = match config(asker, registry).await {
        Ok(known) => known,
        Err(missing) => return missing.absent(),
    };
    let Some(api) = api(registry, &config) else { return Ok(None) };
    let mut url = below(&api, "api/v1/crates");
    url.query_pairs_mut().append_pair("q", text).append_pair("per_page", &limit.to_string());
    match asker.json(&url, JSON).await {
        Ok(reply) => Ok(reply.json::<web::Found>().ok().map(web::Found::packages)),
        Err(Missing::Unreadable(_)) => Ok(None),
        Err(missing) => missing.absent(),
    }
}
