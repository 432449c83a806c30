//! Which forge is meant, and under which address does it answer?

use orienteer_base::Problem;
use orienteer_base::error::cut;
use orienteer_base::remote::{Forge, Where};
use reqwest::Url;

use crate::client::address;

/// Where public code is, unless somebody says otherwise.
const GITHUB: &str = "github.com";
const GITLAB: &str = "gitlab.com";
/// Accounts of GitHub with a name of their own have their API one name in front.
const GITHUB_TENANTS: &str = ".ghe.com";

/// A forge that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    pub forge: Forge,
    /// As people write it, in small letters, with the port where it has one.
    pub name: String,
    pub api: Url,
    pub web: Url,
}

/// A host as the configuration has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSpec {
    pub name: String,
    pub forge: Forge,
    /// Where its API is, when not at the usual place.
    pub api: Option<String>,
}

/// All hosts that the configuration has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    pub known: Vec<HostSpec>,
    /// Asked when a question names neither host nor forge.
    pub default: Option<String>,
}

impl Hosts {
    pub fn resolve(&self, at: &Where) -> Result<Host, Problem> {
        let Some(written) = at.host.as_deref().or(self.default.as_deref().filter(|_| at.provider.is_none()))
        else {
            return self.of_forge(at.provider.unwrap_or(Forge::Github));
        };
        let name = name(written)?;
        let forge = match (self.forge_of(&name), at.provider) {
            (Some(known), Some(asked)) if known != asked => {
                let (known, asked) = (known.as_str(), asked.as_str());
                return Err(Problem::invalid(
                    "provider",
                    "other_forge",
                    format!(
                        "`{name}` is configured as {known}, not {asked}; leave `provider` out or write {known}"
                    ),
                ));
            }
            (known, asked) => known.or(asked),
        };
        let Some(forge) = forge else { return Err(self.unknown(&name)) };
        self.host(forge, name)
    }

    fn of_forge(&self, forge: Forge) -> Result<Host, Problem> {
        let configured = self.known.iter().find(|spec| spec.forge == forge).map(|spec| spec.name.as_str());
        let usual = match forge {
            Forge::Github => Some(GITHUB),
            Forge::Gitlab => Some(GITLAB),
            Forge::Forgejo => None,
        };
        match configured.or(usual) {
            Some(known) => self.host(forge, name(known)?),
            None => Err(Problem::invalid(
                "host",
                "host_missing",
                "Forgejo and Gitea have no host of their own: write `host`, or configure one with its forge",
            )),
        }
    }

    fn spec(&self, name: &str) -> Option<&HostSpec> {
        self.known.iter().find(|spec| spec.name.eq_ignore_ascii_case(name))
    }

    fn forge_of(&self, name: &str) -> Option<Forge> {
        let usual = match name {
            GITHUB => Some(Forge::Github),
            GITLAB => Some(Forge::Gitlab),
            _ if name.ends_with(GITHUB_TENANTS) => Some(Forge::Github),
            _ => None,
        };
        self.spec(name).map(|spec| spec.forge).or(usual)
    }

    fn unknown(&self, name: &str) -> Problem {
        let known = self.known.iter().map(|spec| spec.name.clone());
        let message = format!(
            "which forge `{name}` runs is not known: write `provider` (github, gitlab or forgejo) in the question, or \
             configure the host with its forge"
        );
        Problem::invalid("provider", "unknown_host", message)
            .candidates(known.chain([GITHUB.to_owned(), GITLAB.to_owned()]).collect())
    }

    fn host(&self, forge: Forge, name: String) -> Result<Host, Problem> {
        let web = web(&name)?;
        let api = match self.spec(&name).and_then(|spec| spec.api.as_deref()) {
            Some(api) => {
                address(api).map_err(|error| Problem::invalid("api", "bad_address", error.to_string()))?
            }
            None => usual_api(forge, &name, &web)?,
        };
        Ok(Host { forge, name, api, web })
    }
}

fn usual_api(forge: Forge, name: &str, web: &Url) -> Result<Url, Problem> {
    let text = match forge {
        Forge::Github if name == GITHUB || name.ends_with(GITHUB_TENANTS) => format!("https://api.{name}"),
        Forge::Github => format!("{web}api/v3"),
        Forge::Gitlab => format!("{web}api/v4"),
        Forge::Forgejo => format!("{web}api/v1"),
    };
    address(&text).map_err(|error| Problem::invalid("host", "bad_host", error.to_string()))
}

/// Secure, unless it is this machine, which has no certificate.
fn web(name: &str) -> Result<Url, Problem> {
    address(&format!("http://{name}/"))
        .or_else(|_| address(&format!("https://{name}/")))
        .map_err(|error| Problem::invalid("host", "bad_host", error.to_string()))
}

/// The name alone: agents write addresses where names are wanted, and capitals.
pub fn name(written: &str) -> Result<String, Problem> {
    let bare =
        written.trim().trim_start_matches("https://").trim_start_matches("http://").trim_end_matches('/');
    let name = bare.to_ascii_lowercase();
    let odd = |character: char| !(character.is_alphanumeric() || ".-_:[]".contains(character));
    if name.is_empty() || name.contains(odd) {
        let message = format!("`{}` is not a host; write a name such as git.example.org", cut(written));
        return Err(Problem::invalid("host", "bad_host", message));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(provider: Option<Forge>, host: Option<&str>) -> Where {
        Where { provider, host: host.map(str::to_owned) }
    }

    fn configured() -> Hosts {
        let spec = |name: &str, forge, api: Option<&str>| HostSpec {
            name: name.into(),
            forge,
            api: api.map(str::to_owned),
        };
        Hosts {
            known: vec![
                spec("git.example.org", Forge::Forgejo, None),
                spec("code.example.org", Forge::Github, Some("https://api.code.example.org/x")),
            ],
            default: None,
        }
    }

    #[test]
    fn every_forge_has_its_api_where_it_usually_is() {
        let hosts = Hosts::default();
        for (provider, host, api) in [
            (None, None, "https://api.github.com/"),
            (Some(Forge::Gitlab), None, "https://gitlab.com/api/v4"),
            (None, Some("GitHub.com"), "https://api.github.com/"),
            (None, Some("https://gitlab.com/"), "https://gitlab.com/api/v4"),
            (None, Some("acme.ghe.com"), "https://api.acme.ghe.com/"),
            (Some(Forge::Github), Some("ghe.example.org:8443"), "https://ghe.example.org:8443/api/v3"),
            (Some(Forge::Forgejo), Some("127.0.0.1:3000"), "http://127.0.0.1:3000/api/v1"),
            (Some(Forge::Gitlab), Some("[::1]:80"), "http://[::1]/api/v4"),
        ] {
            let found = hosts.resolve(&at(provider, host)).unwrap();
            assert_eq!(found.api.as_str(), api, "{provider:?} {host:?}");
        }
    }

    #[test]
    fn the_configuration_says_which_forge_a_host_runs() {
        let hosts = configured();
        let found = hosts.resolve(&at(None, Some("git.example.org"))).unwrap();
        assert_eq!((found.forge, found.api.as_str()), (Forge::Forgejo, "https://git.example.org/api/v1"));
        assert_eq!(hosts.resolve(&at(Some(Forge::Forgejo), None)).unwrap().name, "git.example.org");
        let found = hosts.resolve(&at(Some(Forge::Github), None)).unwrap();
        assert_eq!(found.api.as_str(), "https://api.code.example.org/x");
        let hosts = Hosts { default: Some("git.example.org".into()), ..configured() };
        assert_eq!(hosts.resolve(&at(None, None)).unwrap().forge, Forge::Forgejo);
    }

    #[test]
    fn what_is_not_known_is_told_with_what_to_write() {
        let hosts = configured();
        let error = hosts.resolve(&at(None, Some("elsewhere.example"))).unwrap_err();
        assert_eq!((error.field, error.detail), (Some("provider"), Some("unknown_host")));
        assert!(
            error.message.contains("`elsewhere.example`") && error.message.contains("forgejo"),
            "{error}"
        );
        assert_eq!(error.candidates[0], "git.example.org");
        let error = hosts.resolve(&at(Some(Forge::Gitlab), Some("git.example.org"))).unwrap_err();
        assert!(error.message.contains("configured as forgejo, not gitlab"), "{error}");
        let error = Hosts::default().resolve(&at(Some(Forge::Forgejo), None)).unwrap_err();
        assert_eq!(error.detail, Some("host_missing"));
        for odd in ["", "user@host", "host/path", "a b", "host?x"] {
            let error = hosts.resolve(&at(Some(Forge::Github), Some(odd))).unwrap_err();
            assert_eq!(error.detail, Some("bad_host"), "{odd}");
        }
    }
}
