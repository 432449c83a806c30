//! Which index does Cargo use?
//!
//! Cargo has no stable command that tells. It says where it cannot reach an index, though, and that it cannot is easy to
//! arrange: with a proxy that nobody answers at, nothing leaves this machine. `cargo info` knows a default registry of the
//! user's, and resolving a dependency knows replaced sources; the first address that either names is the one.

use std::path::PathBuf;

use orienteer_base::{Cancel, ErrorKind, Problem, private};
use orienteer_remote::{CargoRegistry, Scheme, Secret, Tokens};

use super::run::{Runner, Tool, missing, silent};
use super::settings;
use crate::blocking::blocking;

/// Without proxies and exceptions from them, so that no request can get past the one that is set.
const CARGO: &[Tool] = &[Tool {
    program: "cargo",
    before: &[],
    variables: &["CARGO_HOME", "CARGO_REGIST*", "CARGO_SOURCE*", "RUSTUP_*"],
}];
const SETTING: &str = "packages.cargo_index";
const WHAT: &str = "crates";
/// The discard port: nothing answers there, and asking costs no time.
const UNREACHABLE: &[(&str, &str)] = &[
    ("CARGO_HTTP_PROXY", "http://127.0.0.1:9"),
    ("CARGO_NET_RETRY", "0"),
    ("CARGO_NET_OFFLINE", "false"),
    ("CARGO_TERM_COLOR", "never"),
    ("CARGO_TERM_QUIET", "false"),
    ("RUST_BACKTRACE", "0"),
];
/// A crate that is only asked for.
const NAME: &str = "only-a-question";
const MANIFEST: &str = "[package]\nname = \"question\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
    [dependencies]\nonly-a-question = \"*\"\n\n[workspace]\n";

pub(super) async fn ask(runner: &Runner) -> Result<CargoRegistry, Problem> {
    let Some(info) = runner.ask(CARGO, &["info", NAME], UNREACHABLE).await? else {
        return Err(missing(&["cargo"], WHAT, SETTING));
    };
    if let Some(index) = address_in(&info.stderr.text()) {
        return Ok(registry(runner, index).await);
    }
    let manifest = project(runner).await?.to_string_lossy().into_owned();
    let question = ["generate-lockfile", "--manifest-path", manifest.as_str()];
    let said =
        runner.ask(CARGO, &question, UNREACHABLE).await?.map(|finished| finished.stderr.text().into_owned());
    match said.as_deref().and_then(address_in) {
        Some(index) => Ok(registry(runner, index).await),
        // A folder of vendored crates, or an index in git, which cannot be asked for one crate.
        None => Err(silent("cargo", WHAT, SETTING, said.as_deref().unwrap_or_default())),
    }
}

/// An empty project with one dependency, for the question that needs one.
async fn project(runner: &Runner) -> Result<PathBuf, Problem> {
    let folder = runner.folder.join("cargo-question");
    blocking(&Cancel::new(), move || {
        let manifest = folder.join("Cargo.toml");
        let write = || {
            private::folder(&folder.join("src"))?;
            private::write(&folder.join("src/lib.rs"), b"")?;
            private::write(&manifest, MANIFEST.as_bytes())
        };
        write().map_err(|error| {
            let message = format!("{} cannot be written: {error}", folder.display());
            Problem::new(ErrorKind::InternalError, message)
        })?;
        Ok(manifest)
    })
    .await
}

/// Where `config.json` could not be had from is the index.
fn address_in(said: &str) -> Option<String> {
    let (before, _) = said.split_once("/config.json`")?;
    let start = before.rfind('`')?;
    let address = before.get(start + 1..)?;
    address.contains("://").then(|| format!("{address}/"))
}

/// The index with the token that the user has for it.
pub(super) async fn registry(runner: &Runner, index: String) -> CargoRegistry {
    let mut tokens = Tokens::default();
    if let Some((name, token)) = token(runner, &index).await
        && let Some(secret) = Secret::new(&token)
    {
        tracing::debug!(registry = name, "a token of Cargo's is known for this registry");
        tokens.add_for_host(bare(&index), &secret, &Scheme::Bare);
    }
    CargoRegistry { index, tokens }
}

fn bare(index: &str) -> &str {
    index.strip_prefix("sparse+").unwrap_or(index)
}

/// The name of the registry that has this index, and its token. The public registry needs none for reading.
async fn token(runner: &Runner, index: &str) -> Option<(String, String)> {
    let home = runner.variable("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = runner.variable("HOME").or_else(|| runner.variable("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".cargo"))
    })?;
    let mut known = Vec::new();
    for file in ["config.toml", "config", "credentials.toml", "credentials"] {
        if let Some(text) = runner.file(&home.join(file)).await {
            known.extend(settings::toml(&text));
        }
    }
    let value = |name: &str| known.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let names = known.iter().filter_map(|(name, _)| name.strip_prefix("registries.")?.split('.').next());
    let names: Vec<String> = names.map(str::to_owned).chain(from_variables(runner)).collect();
    names.into_iter().find_map(|name| {
        let variable = |what: &str| runner.variable(&format!("CARGO_REGISTRIES_{}_{what}", shouted(&name)));
        let own = variable("INDEX").or_else(|| value(&format!("registries.{name}.index")))?;
        if bare(&own).trim_end_matches('/') != bare(index).trim_end_matches('/') {
            return None;
        }
        let token = variable("TOKEN").or_else(|| value(&format!("registries.{name}.token")))?;
        Some((name, token))
    })
}

fn shouted(name: &str) -> String {
    name.to_ascii_uppercase().replace('-', "_")
}

/// Registries that are named in variables alone.
fn from_variables(runner: &Runner) -> Vec<String> {
    let name = |variable: &str| {
        let name = variable.strip_prefix("CARGO_REGISTRIES_")?.strip_suffix("_INDEX")?;
        Some(name.to_ascii_lowercase())
    };
    runner.environment.iter().filter_map(|(variable, _)| name(variable.to_str()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_what_cargo_says() {
        let said = "    Updating `mine` index\nerror: download of config.json failed\n\nCaused by:\n  failed to download \
            from `https://mirror.example.org/team/index/config.json`\n\nCaused by:\n  [7] Could not connect";
        assert_eq!(address_in(said).as_deref(), Some("https://mirror.example.org/team/index/"));
        for other in ["", "error: crates-io is replaced with source dir `/x`", "`a` /config.json`"] {
            assert_eq!(address_in(other), None, "{other}");
        }
    }
}
