//! Which token belongs to this host, and may it be sent there?

mod netrc;

use orienteer_base::remote::Forge;
use reqwest::Url;

use crate::client::is_here;
use crate::host::Host;
use crate::secret::Secret;

pub use netrc::netrc;

/// Where a token was found. The first in this order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Config,
    Environment,
    /// `gh` or `glab` were asked.
    Program,
    Netrc,
}

/// A token that was found for a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// As people write the host, with the port where it has one.
    pub host: String,
    pub source: Source,
    /// Of a pair of user and password.
    pub user: Option<String>,
    pub secret: Secret,
}

/// How a token is written in the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scheme {
    Bearer,
    /// `token …`, as Gitea has it.
    Token,
    /// As it is.
    Bare,
    Basic {
        user: String,
    },
}

/// A token with the one place that it may be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    secret: Secret,
    scheme: Scheme,
    name: String,
    port: u16,
}

impl Credential {
    /// Bound to the host and the port of this address.
    pub fn new(secret: Secret, scheme: Scheme, at: &Url) -> Option<Self> {
        let (name, port) = place(at)?;
        Some(Self { secret, scheme, name, port })
    }

    /// Whether this address is the place that it belongs to, and nobody on the way can read it.
    pub fn fits(&self, url: &Url) -> bool {
        let same = place(url).is_some_and(|(name, port)| name == self.name && port == self.port);
        same && (url.scheme() == "https" || is_here(url))
    }

    /// The value of the header `Authorization`.
    pub(crate) fn header(&self) -> String {
        let secret = self.secret.reveal();
        match &self.scheme {
            Scheme::Bearer => format!("Bearer {secret}"),
            Scheme::Token => format!("token {secret}"),
            Scheme::Bare => secret.to_owned(),
            Scheme::Basic { user } => {
                use base64::Engine as _;
                let pair = format!("{user}:{secret}");
                format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair))
            }
        }
    }

    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        self.secret.fingerprint()
    }
}

fn place(url: &Url) -> Option<(String, u16)> {
    Some((url.host_str()?.to_ascii_lowercase(), url.port_or_known_default()?))
}

/// All tokens that were found, the most explicit first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Credentials(Vec<Known>);

impl Credentials {
    pub fn new(mut known: Vec<Known>) -> Self {
        known.sort_by_key(|known| known.source);
        Self(known)
    }

    /// The token of a forge. What was found for another port is another host's.
    pub fn of(&self, host: &Host) -> Option<Credential> {
        let known = self.0.iter().find(|known| belongs(known, host))?;
        let scheme = match (&known.user, known.source, host.forge) {
            (Some(user), Source::Netrc, _) => Scheme::Basic { user: user.clone() },
            (_, _, Forge::Github | Forge::Gitlab) => Scheme::Bearer,
            (_, _, Forge::Forgejo) => Scheme::Token,
        };
        Credential::new(known.secret.clone(), scheme, &host.api)
    }
}

/// The name that people use, or the one of the API: `.netrc` files have both.
fn belongs(known: &Known, host: &Host) -> bool {
    let written = known.host.trim_end_matches('/').to_ascii_lowercase();
    let api = host.api.host_str().unwrap_or_default();
    let api = host.api.port().map_or_else(|| api.to_owned(), |port| format!("{api}:{port}"));
    // A `.netrc` cannot write ports, so its names are good for secure connections on the usual port only.
    written == host.name
        || written == api
        || written.strip_suffix(":443").is_some_and(|name| name == host.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Hosts;
    use orienteer_base::remote::Where;

    fn known(host: &str, source: Source, secret: &str) -> Known {
        Known { host: host.into(), source, user: None, secret: Secret::new(secret).unwrap() }
    }

    fn host(forge: Forge, name: &str) -> Host {
        Hosts::default().resolve(&Where { provider: Some(forge), host: Some(name.into()) }).unwrap()
    }

    fn sent(credentials: &Credentials, host: &Host) -> Option<String> {
        credentials.of(host).map(|credential| credential.header())
    }

    #[test]
    fn the_most_explicit_token_counts() {
        let credentials = Credentials::new(vec![
            known("github.com", Source::Program, "gh"),
            known("github.com", Source::Config, "config"),
            known("github.com", Source::Environment, "variable"),
        ]);
        assert_eq!(sent(&credentials, &host(Forge::Github, "github.com")).unwrap(), "Bearer config");
    }

    #[test]
    fn a_token_belongs_to_one_name_and_port() {
        let credentials = Credentials::new(vec![known("git.example.org", Source::Config, "x")]);
        assert_eq!(sent(&credentials, &host(Forge::Forgejo, "git.example.org")).unwrap(), "token x");
        for other in
            ["git.example.org:8443", "example.org", "evil.git.example.org", "git.example.org.evil.net"]
        {
            assert_eq!(sent(&credentials, &host(Forge::Forgejo, other)), None, "{other}");
        }
    }

    #[test]
    fn a_token_is_sent_to_its_own_place_over_https_only() {
        let url = |text| Url::parse(text).unwrap();
        let credentials = Credentials::new(vec![known("github.com", Source::Environment, "x")]);
        let credential = credentials.of(&host(Forge::Github, "github.com")).unwrap();
        assert!(credential.fits(&url("https://api.github.com/repos/a/b")));
        for other in [
            "https://github.com/a",
            "http://api.github.com/repos",
            "https://api.github.com:8443/repos",
            "https://api.github.com.evil.net/",
        ] {
            assert!(!credential.fits(&url(other)), "{other}");
        }
        let here =
            Credential::new(Secret::new("x").unwrap(), Scheme::Bare, &url("http://127.0.0.1:3000/")).unwrap();
        assert!(here.fits(&url("http://127.0.0.1:3000/a")) && !here.fits(&url("http://127.0.0.1:3001/a")));
        assert!(!format!("{credential:?} {credentials:?}").contains("\"x\""));
    }

    #[test]
    fn a_pair_of_a_netrc_is_sent_as_a_pair() {
        let all = netrc("machine git.example.org login me password p4ss");
        let credentials = Credentials::new(all);
        let header = sent(&credentials, &host(Forge::Gitlab, "git.example.org")).unwrap();
        assert_eq!(header, "Basic bWU6cDRzcw==");
    }
}
