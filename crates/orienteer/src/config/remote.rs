//! Which forges are known, which tokens belong to them, and where packages come from.

use std::path::PathBuf;

use orienteer_engine::registries::RegistryOverrides;
use orienteer_engine::remote::{HostSpec, Hosts, Known, RemoteSetup, Token, TokenSource, host_name, netrc};

use super::layers::{Layers, read_optional};
use super::places::Variables;

/// Variables that hold a token, the host it belongs to, and the variable that names another host.
const TOKENS: [(&str, Option<&str>, Option<&str>); 5] = [
    ("GH_TOKEN", Some("github.com"), None),
    ("GITHUB_TOKEN", Some("github.com"), None),
    ("GH_ENTERPRISE_TOKEN", None, Some("GH_HOST")),
    ("GITHUB_ENTERPRISE_TOKEN", None, Some("GH_HOST")),
    ("GITLAB_TOKEN", Some("gitlab.com"), Some("GITLAB_HOST")),
];

/// `None` when questions about remote code are turned off.
pub(super) fn setup(layers: &Layers, variables: &Variables, cache: PathBuf) -> Option<RemoteSetup> {
    if layers.bool("remote.enabled") == Some(false) {
        return None;
    }
    let text = |name: &str| layers.text(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let known = layers.hosts.iter().map(|(block, _)| HostSpec {
        name: block.host.clone(),
        forge: block.provider,
        api: block.api_url.clone(),
    });
    Some(RemoteSetup {
        cache: Some(cache),
        hosts: Hosts { known: known.collect(), default: text("remote.default_host") },
        known: tokens(layers, variables),
        ask_programs: layers.bool("remote.ask_programs").unwrap_or(true),
        registries: RegistryOverrides {
            npm: text("packages.npm_registry"),
            python: text("packages.python_index"),
            cargo: text("packages.cargo_index"),
        },
    })
}

/// Every token that can be found without asking a program, each with its host.
fn tokens(layers: &Layers, variables: &Variables) -> Vec<Known> {
    let mut all = Vec::new();
    let mut add = |host: &str, source: TokenSource, token: &str| {
        if let Some(secret) = Token::new(token) {
            all.push(Known { host: host.to_owned(), source, user: None, secret });
        }
    };
    for (block, _) in &layers.hosts {
        let named = block.token_variable.as_deref().and_then(|name| variables.get(name));
        if let Some(token) = block.token.as_ref().map(|token| token.0.as_str()).or(named) {
            add(&block.host, TokenSource::Config, token);
        }
    }
    for (name, usual, other) in TOKENS {
        let host = other.and_then(|name| variables.get(name)).or(usual);
        if let (Some(token), Some(host)) = (variables.get(name), host) {
            // One that is no host has no token.
            if let Ok(host) = host_name(host) {
                add(&host, TokenSource::Environment, token);
            }
        }
    }
    // A file that cannot be read has no tokens for us: git and curl say what is wrong with it.
    let file = variables.netrc_file().and_then(|path| read_optional(&path).ok().flatten());
    all.extend(file.map(|text| netrc(&text)).unwrap_or_default());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::layers::Origin;

    fn layers(text: &str) -> Layers {
        let mut layers = Layers::built_in().unwrap();
        layers.file(text, &Origin::BuiltIn).unwrap();
        layers
    }

    fn hosts(setup: &RemoteSetup) -> Vec<(&str, TokenSource)> {
        setup.known.iter().map(|known| (known.host.as_str(), known.source)).collect()
    }

    #[test]
    fn every_token_is_bound_to_its_host() {
        let text = "[[hosts]]\nhost = 'https://Git.Example.org/'\nprovider = 'forgejo'\ntoken_variable = 'MINE'\n\
                    [[hosts]]\nhost = 'ghe.example.org'\nprovider = 'github'\ntoken = 'abc'\n";
        let variables = Variables::from_pairs([
            ("MINE", "t1"),
            ("GITHUB_TOKEN", "t2"),
            ("GITLAB_TOKEN", "t3"),
            ("GITLAB_HOST", "https://gitlab.example.org"),
            ("GH_ENTERPRISE_TOKEN", "nobody knows for whom"),
        ]);
        let setup = setup(&layers(text), &variables, "/c".into()).unwrap();
        assert_eq!(
            hosts(&setup),
            [
                ("git.example.org", TokenSource::Config),
                ("ghe.example.org", TokenSource::Config),
                ("github.com", TokenSource::Environment),
                ("gitlab.example.org", TokenSource::Environment),
            ]
        );
        let shown = format!("{setup:?}");
        assert!(
            ["t1", "t2", "t3", "abc"].iter().all(|token| !shown.contains(&format!("\"{token}\""))),
            "{shown}"
        );
    }

    #[test]
    fn a_netrc_is_read_and_a_missing_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("netrc");
        let variables = Variables::from_pairs([("NETRC", file.to_str().unwrap())]);
        assert_eq!(hosts(&setup(&layers(""), &variables, "/c".into()).unwrap()), []);
        std::fs::write(&file, "machine git.example.org login me password secret\n").unwrap();
        let found = setup(&layers(""), &variables, "/c".into()).unwrap();
        assert_eq!(hosts(&found), [("git.example.org", TokenSource::Netrc)]);
    }

    #[test]
    fn it_can_be_turned_off_and_hosts_are_checked() {
        let variables = Variables::default();
        assert!(setup(&layers("[remote]\nenabled = false\n"), &variables, "/c".into()).is_none());
        let error =
            |text: &str| Layers::built_in().unwrap().file(text, &Origin::BuiltIn).unwrap_err().message;
        let wrong = error("[[hosts]]\nhost = 'a'\nprovider = 'bitbucket'\ntoken = 's3cr3t'\n");
        assert!(wrong.contains("github, gitlab, forgejo") && !wrong.contains("s3cr3t"), "{wrong}");
        assert!(error("[[hosts]]\nprovider = 'github'\n").contains("`host` is required"));
        assert!(error("[[hosts]]\nhost = 'a'\nprovder = 'github'\n").contains("did you mean `provider`?"));
        let both = "[[hosts]]\nhost = 'a'\nprovider = 'github'\ntoken = 'x'\ntoken_variable = 'y'\n";
        assert!(error(both).contains("not both"));
        for empty in ["", "  "] {
            let text = format!("[[hosts]]\nhost = 'a'\nprovider = 'github'\ntoken = '{empty}'\n");
            assert!(error(&text).contains("`token` is empty"));
        }
    }

    #[test]
    fn a_project_that_is_not_trusted_names_no_hosts() {
        let mut layers = Layers::built_in().unwrap();
        let text = "[[hosts]]\nhost = 'evil.example'\nprovider = 'github'\n[remote]\ndefault_host = 'evil.example'\n";
        let without = Layers::built_in().unwrap();
        assert_eq!(layers.project_file(text, std::path::Path::new("/p"), Some(&without)), []);
        assert!(layers.hosts.is_empty() && layers.text("remote.default_host").is_none());
        assert_eq!(layers.withheld, ["hosts (evil.example)", "remote.default_host"]);
    }
}
