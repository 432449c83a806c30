//! Which forges are known, have they their tokens, and is what was written about them what counts?

use super::{Check, State};
use crate::config::Config;
use crate::config::hosts::HostBlock;
use crate::config::layers::Origin;
use crate::config::places::Variables;

/// One line about all of it, and one for each thing that was surely not meant so.
pub(super) fn checks(config: &Config, variables: &Variables) -> Vec<Check> {
    if config.layers.bool("remote.enabled") == Some(false) {
        return vec![fine("turned off by remote.enabled".to_owned())];
    }
    let hosts: Vec<&HostBlock> = config.layers.hosts.iter().map(|(block, _)| block).collect();
    let mut checks = vec![fine(known(&hosts, variables))];
    for (block, origin) in &config.layers.hosts {
        checks.extend(unset(block, origin, variables));
    }
    for (host, before, after) in &config.layers.described_twice {
        checks.push(twice(host, before, after));
    }
    checks
}

fn fine(message: String) -> Check {
    Check { name: "remote", state: State::Fine, message, advice: None }
}

fn known(hosts: &[&HostBlock], variables: &Variables) -> String {
    if hosts.is_empty() {
        return "no [[hosts]] blocks; github.com and gitlab.com are known without".to_owned();
    }
    let told = hosts.iter().map(|block| {
        let named = block.token_variable.as_deref();
        let token = match named {
            Some(name) if variables.get(name).is_some() => format!("token in {name}"),
            _ if block.token.is_some() => "token in its block".to_owned(),
            _ => "no token of its own".to_owned(),
        };
        format!("{} ({}, {token})", block.host, block.provider.as_str())
    });
    format!("hosts: {}", told.collect::<Vec<_>>().join(", "))
}

/// Without its token a host answers less, or as if private repositories were not there: nobody would guess why.
fn unset(block: &HostBlock, origin: &Origin, variables: &Variables) -> Option<Check> {
    let name = block.token_variable.as_deref().filter(|name| variables.get(name).is_none())?;
    Some(Check {
        name: "remote",
        state: State::Wrong,
        message: format!("{}: `token_variable` names {name}, which is not set ({origin})", block.host),
        advice: Some(format!(
            "set {name} where the client of orienteer is started, or take `token_variable` out of the block"
        )),
    })
}

/// In one file it is a slip; a project's file over the user's is how layers work.
fn twice(host: &str, before: &Origin, after: &Origin) -> Check {
    let slip = before == after;
    let place = if slip { format!("both in {after}") } else { format!("{after} over {before}") };
    Check {
        name: "remote",
        state: State::of(!slip),
        message: format!("{host} has two [[hosts]] blocks ({place}); the later one counts, alone"),
        advice: Some("write everything about a host into one block".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Given;

    /// What is found with this file of the user's, and with these variables.
    fn found(settings: &str, variables: &[(&str, &str)]) -> Vec<(bool, String)> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, settings).unwrap();
        let place = [("ORIENTEER_CONFIG", file.to_str().unwrap()), ("HOME", folder.path().to_str().unwrap())];
        let variables = Variables::from_pairs(place.into_iter().chain(variables.iter().copied()));
        let folder = folder.path().to_path_buf();
        let given = Given { variables, current_folder: folder, ..Given::default() };
        let config = Config::load(&given).unwrap();
        checks(&config, &given.variables).into_iter().map(|check| (check.is_ok(), check.message)).collect()
    }

    const MINE: &str = "[[hosts]]\nhost = 'git.example.org'\nprovider = 'forgejo'\ntoken_variable = 'MINE'\n";

    #[test]
    fn a_token_variable_that_is_not_set_is_told() {
        let told = found(MINE, &[]);
        assert_eq!((told.len(), told[1].0), (2, false), "{told:?}");
        assert!(told[1].1.contains("git.example.org") && told[1].1.contains("MINE"), "{told:?}");
        assert!(told[0].1.contains("git.example.org (forgejo, no token of its own)"), "{told:?}");
        // An empty one is as good as none.
        assert_eq!(found(MINE, &[("MINE", "")]).len(), 2);
        let told = found(MINE, &[("MINE", "s3cret")]);
        assert_eq!(told, [(true, "hosts: git.example.org (forgejo, token in MINE)".to_owned())]);
    }

    #[test]
    fn two_blocks_about_one_host_are_told() {
        let other = "[[hosts]]\nhost = 'https://Git.Example.org/'\nprovider = 'gitlab'\ntoken = 's3cret'\n";
        let told = found(&format!("{MINE}{other}"), &[("MINE", "x")]);
        assert_eq!((told.len(), told[1].0), (2, false), "{told:?}");
        assert!(told[1].1.starts_with("git.example.org has two [[hosts]] blocks"), "{told:?}");
        assert!(told[0].1.contains("gitlab, token in its block"), "the later one counts: {told:?}");
        assert!(!format!("{told:?}").contains("s3cret"), "{told:?}");
    }

    #[test]
    fn a_machine_without_forges_of_its_own_is_fine() {
        assert_eq!(
            found("[remote]\nenabled = false\n", &[]),
            [(true, "turned off by remote.enabled".to_owned())]
        );
        let told = found("", &[]);
        assert!(told.len() == 1 && told[0].0, "{told:?}");
    }
}
