//! The registries that this machine's own package managers use, compared with what those say themselves.
#![allow(clippy::disallowed_methods, reason = "the package managers are the judges")]

use std::process::Command;

use super::*;

/// What a program prints; its standard error when that is asked for.
fn said(program: &str, args: &[&str], variables: &[(&str, &str)]) -> (String, String) {
    let output = Command::new(program)
        .args(args)
        .envs(variables.iter().copied())
        .current_dir(std::env::temp_dir())
        .output()
        .unwrap_or_else(|error| panic!("`{program}` is needed to compare with: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn json(program: &str, args: &[&str]) -> serde_json::Value {
    let (out, err) = said(program, args, &[]);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{program} {args:?}: {error}\n{out}\n{err}"))
}

fn npm_spec() -> RegistrySpec {
    let (registry, _) = said("npm", &["config", "get", "registry"], &[]);
    spec(&registry)
}

async fn live(spec: &RegistrySpec, query: &PackageSearch) -> Packages {
    ask(&api(), spec, query).await.unwrap_or_else(|problem| panic!("{}: {problem}", query.name))
}

#[tokio::test]
async fn npm_view_says_the_same() {
    let spec = npm_spec();
    for name in ["left-pad", "@babel/core", "semver"] {
        let expected = json("npm", &["view", name, "--json"]);
        let text = |field: &str| expected[field].as_str();
        let found = live(&spec, &question(Ecosystem::Npm, name)).await;
        let package = &found.rows[0];
        assert_eq!(package.name, name);
        assert_eq!(Some(package.version.as_str()), text("version"), "{name}");
        assert_eq!(package.description.as_deref(), text("description"), "{name}");
        assert_eq!(package.license.as_deref(), text("license"), "{name}");
        assert_eq!(package.homepage.as_deref(), text("homepage"), "{name}");
        assert_eq!(package.deprecated.as_deref(), text("deprecated"), "{name}");
        let repository = package.repository.as_ref().unwrap();
        let url = expected["repository"]["url"].as_str().unwrap();
        let (owner, repo) = (repository.owner.as_deref().unwrap(), repository.repo.as_deref().unwrap());
        assert!(url.contains(&format!("{owner}/{repo}")), "{url} {repository:?}");
        assert_eq!(repository.directory.as_deref(), expected["repository"]["directory"].as_str(), "{name}");
    }
}

#[tokio::test]
async fn npm_view_says_the_same_about_releases_and_dependencies() {
    let expected = json("npm", &["view", "express", "--json"]);
    let query = PackageSearch { metadata: true, ..question(Ecosystem::Npm, "express") };
    let found = live(&npm_spec(), &query).await;
    let package = &found.rows[0];
    assert_eq!(Some(package.version.as_str()), expected["version"].as_str());
    for (tag, version) in &package.dist_tags {
        assert_eq!(Some(version.as_str()), expected["dist-tags"][tag].as_str(), "{tag}");
    }
    assert_eq!(package.dist_tags.len(), expected["dist-tags"].as_object().unwrap().len());
    let all = expected["versions"].as_array().unwrap();
    assert!(package.releases.iter().all(|release| all.iter().any(|known| *known == release.version)));
    assert_eq!(package.releases.len(), all.len().min(100));
    for (name, wanted) in &package.dependencies {
        assert_eq!(Some(wanted.as_str()), expected["dependencies"][name].as_str(), "{name}");
    }
    assert_eq!(package.dependencies.len(), expected["dependencies"].as_object().unwrap().len());
}

fn python_spec() -> RegistrySpec {
    let (help, _) = said("pip", &["install", "--help"], &[]);
    let words: Vec<&str> = help.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "(default").unwrap();
    let index = words[at + 1].trim_end_matches(['.', ')']).to_owned();
    let python = Ok(PythonIndexes { index_url: index, ..PythonIndexes::default() });
    RegistrySpec { python, ..spec("https://unused.example.org/") }
}

/// The newest version that pip knows, and its metadata.
fn pip(name: &str) -> (String, serde_json::Value) {
    let (versions, err) = said("pip", &["index", "versions", name], &[]);
    let newest = versions.split(['(', ')']).nth(1).unwrap_or_else(|| panic!("{versions}\n{err}")).to_owned();
    let report = json(
        "pip",
        &["install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps", "--report", "-", name],
    );
    (newest, report["install"][0]["metadata"].clone())
}

#[tokio::test]
async fn pip_says_the_same() {
    let spec = python_spec();
    for (written, name) in [("Requests", "requests"), ("typing.extensions", "typing_extensions")] {
        let (newest, metadata) = pip(name);
        let query = PackageSearch { metadata: true, ..question(Ecosystem::Python, written) };
        let found = live(&spec, &query).await;
        let package = &found.rows[0];
        assert_eq!(package.version, newest, "{name}");
        assert_eq!(Some(package.version.as_str()), metadata["version"].as_str());
        let plain = |name: &str| name.to_lowercase().replace('_', "-");
        assert_eq!(plain(&package.name), plain(metadata["name"].as_str().unwrap()));
        assert_eq!(package.description.as_deref(), metadata["summary"].as_str());
        let repository = package.repository.as_ref().unwrap();
        let urls = metadata["project_url"].to_string();
        let place =
            format!("{}/{}", repository.owner.as_deref().unwrap(), repository.repo.as_deref().unwrap());
        assert!(urls.contains(&place), "{urls} {place}");
        let required = metadata["requires_dist"].as_array().map_or(0, Vec::len);
        assert_eq!(package.dependencies.len(), required, "{name}");
        assert_eq!(package.releases[0].version, newest);
    }
}

#[tokio::test]
async fn the_simple_index_alone_leads_to_the_same_version() {
    let (newest, _) = pip("idna");
    let spec = python_spec();
    let index = spec.python.as_ref().unwrap().index_url.clone();
    let request = orienteer_remote::api::Request {
        accept: "text/html",
        expected: orienteer_remote::api::Expected::Bytes,
        ..orienteer_remote::api::Request::new(&index.parse().unwrap(), "idna/")
    };
    let page = String::from_utf8(api().get(&request).await.unwrap().body.to_vec()).unwrap();
    // The page as the index sends it, from a server that has nothing beside it.
    let stub = Stub::start(move |asked, _| match asked.target.as_str() {
        "/simple/idna/" => Answer::status(200, &page).with("Content-Type", "text/html"),
        _ => Answer::status(404, ""),
    });
    let alone = RegistrySpec {
        python: Ok(PythonIndexes { index_url: format!("{}simple", stub.url()), ..PythonIndexes::default() }),
        ..spec
    };
    let found = live(&alone, &question(Ecosystem::Python, "idna")).await;
    assert_eq!(found.rows[0].version, newest);
}

/// Cargo names the index that it cannot reach.
fn cargo_spec() -> RegistrySpec {
    let unreachable =
        [("CARGO_HTTP_PROXY", "http://127.0.0.1:9"), ("CARGO_NET_RETRY", "0"), ("NO_PROXY", "")];
    let (_, said) = said("cargo", &["info", "only-a-question"], &unreachable);
    let (before, _) = said.split_once("config.json`").unwrap_or_else(|| panic!("{said}"));
    let index = before.rsplit('`').next().unwrap().to_owned();
    let cargo = Ok(CargoRegistry { index, tokens: Tokens::default() });
    RegistrySpec { cargo, ..spec("https://unused.example.org/") }
}

#[tokio::test]
async fn cargo_info_says_the_same() {
    let spec = cargo_spec();
    for name in ["regex", "itoa", "serde_json"] {
        let (expected, err) =
            said("cargo", &["info", name, "--color", "never"], &[("CARGO_TERM_COLOR", "never")]);
        let value = |field: &str| {
            let line = expected.lines().find_map(|line| line.strip_prefix(field));
            line.unwrap_or_else(|| panic!("{field} {expected}\n{err}")).trim().to_owned()
        };
        let version = value("version:").split(' ').next().unwrap().to_owned();
        let query = PackageSearch { metadata: true, ..question(Ecosystem::Cargo, name) };
        let found = live(&spec, &query).await;
        let package = &found.rows[0];
        assert_eq!((package.name.as_str(), package.version.as_str()), (name, version.as_str()));
        assert_eq!(package.license.as_deref(), Some(value("license:").as_str()), "{name} {found:?}");
        let repository = package.repository.as_ref().unwrap();
        let place =
            format!("{}/{}", repository.owner.as_deref().unwrap(), repository.repo.as_deref().unwrap());
        assert!(value("repository:").contains(&place), "{name} {repository:?}");
        let description = package.description.clone().unwrap();
        let first = description.split_whitespace().collect::<Vec<_>>().join(" ");
        let plain = expected.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain.contains(&first), "{name}: {first}\n{plain}");
        assert_eq!(package.releases.iter().filter(|release| release.version == version).count(), 1);
    }
}
