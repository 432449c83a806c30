//! Which registries do the user's own package managers name, and what may be told to each of them?
//!
//! Nothing here knows an address: whoever asks the package managers fills this in.

use base64::Engine as _;
use orienteer_base::Problem;
use orienteer_base::remote::Ecosystem;
use reqwest::Url;

use super::names::decoded;
use crate::client::address;
use crate::credential::{Credential, Scheme};
use crate::secret::Secret;

/// What is known of each ecosystem, or why nothing is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrySpec {
    pub npm: Result<NpmRegistries, Problem>,
    pub python: Result<PythonIndexes, Problem>,
    pub cargo: Result<CargoRegistry, Problem>,
}

/// As npm's configuration has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NpmRegistries {
    pub default: String,
    /// `@scope` and its registry.
    pub scopes: Vec<(String, String)>,
    pub tokens: Tokens,
}

/// As the configuration of pip or uv has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PythonIndexes {
    /// A simple index, as `--index-url` takes it.
    pub index_url: String,
    /// Asked in order when the first one does not know a name.
    pub extra: Vec<String>,
    pub tokens: Tokens,
}

/// The registry that Cargo takes crates from, after any replacement of sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CargoRegistry {
    /// A sparse index, with or without `sparse+`.
    pub index: String,
    pub tokens: Tokens,
}

/// What the user's configuration has for certain addresses, and for nobody else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens(Vec<(Url, Credential)>);

impl Tokens {
    /// For everything below an address, which may be written without its scheme, as npm does. What cannot be sent
    /// anywhere is passed over.
    pub fn add(&mut self, below: &str, secret: &Secret, scheme: &Scheme) {
        let written = match below.strip_prefix("//") {
            // Plain HTTP is possible on this machine only; elsewhere the second is no address.
            Some(rest) => vec![format!("https://{rest}"), format!("http://{rest}")],
            None => vec![below.to_owned()],
        };
        for url in written.iter().filter_map(|text| address(text).ok()) {
            if let Some(credential) = Credential::new(secret.clone(), scheme.clone(), &url) {
                self.0.push((url, credential));
            }
        }
    }

    /// For an address and, where nothing nearer is known, for its whole host: files and descriptions are beside an index,
    /// not below it, and package managers show them the same token.
    pub fn add_for_host(&mut self, address: &str, secret: &Secret, scheme: &Scheme) {
        self.add(address, secret, scheme);
        if let Ok(url) = Url::parse(address) {
            self.add(&format!("{}/", url.origin().ascii_serialization()), secret, scheme);
        }
    }

    /// A user and a password in Base64, as npm keeps them.
    pub fn add_encoded(&mut self, below: &str, user: &str, password: &str) {
        let decoded = base64::engine::general_purpose::STANDARD.decode(password.trim()).ok();
        let password = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(secret) = password.as_deref().and_then(Secret::new) {
            self.add(below, &secret, &Scheme::Basic { user: user.to_owned() });
        }
    }

    /// Takes user and password out of an address, where pip's users write them, and keeps them for its host.
    pub fn take_from(&mut self, written: &str) -> String {
        let Ok(mut url) = Url::parse(written) else { return written.to_owned() };
        let user = decoded(url.username());
        let password = url.password().map(decoded);
        if user.is_empty() && password.is_none() {
            return written.to_owned();
        }
        // Both can only fail for addresses without a host, which have no user either.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        if let Some(secret) = password.as_deref().and_then(Secret::new) {
            self.add_for_host(url.as_str(), &secret, &Scheme::Basic { user });
        }
        url.to_string()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What goes with a request to this address: that of the nearest address above it.
    pub fn of(&self, url: &Url) -> Option<&Credential> {
        self.0
            .iter()
            .filter(|(below, credential)| is_below(url, below) && credential.fits(url))
            .max_by_key(|(below, _)| below.path().len())
            .map(|(_, credential)| credential)
    }
}

/// Same scheme, host and port, and a path that continues the other one at a slash.
fn is_below(url: &Url, above: &Url) -> bool {
    let folder = above.path().trim_end_matches('/');
    url.origin() == above.origin()
        && url.path().strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl RegistrySpec {
    /// Nothing is known, for the same reason everywhere.
    pub fn unknown(problem: &Problem) -> Self {
        Self { npm: Err(problem.clone()), python: Err(problem.clone()), cargo: Err(problem.clone()) }
    }
}

/// How people call an ecosystem's registry.
pub(crate) fn called(ecosystem: Ecosystem) -> &'static str {
    match ecosystem {
        Ecosystem::Npm => "npm",
        Ecosystem::Python => "Python",
        Ecosystem::Cargo => "Cargo",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn tokens() -> Tokens {
        let mut tokens = Tokens::default();
        tokens.add("https://example.org/", &Secret::new("wide").unwrap(), &Scheme::Bearer);
        tokens.add("//example.org/team/npm/", &Secret::new("narrow").unwrap(), &Scheme::Bearer);
        tokens
    }

    fn of(tokens: &Tokens, text: &str) -> Option<String> {
        tokens.of(&url(text)).map(Credential::header)
    }

    #[test]
    fn the_nearest_address_above_decides_which_token_goes_along() {
        let tokens = tokens();
        assert_eq!(of(&tokens, "https://example.org/team/npm/left-pad").as_deref(), Some("Bearer narrow"));
        assert_eq!(of(&tokens, "https://example.org/team/npm-other/x").as_deref(), Some("Bearer wide"));
        assert_eq!(of(&tokens, "https://example.org/x").as_deref(), Some("Bearer wide"));
    }

    #[test]
    fn a_token_goes_to_no_other_host_port_or_scheme() {
        let tokens = tokens();
        for other in [
            "https://example.org.evil.test/team/npm/x",
            "https://example.org:8443/team/npm/x",
            "http://example.org/team/npm/x",
            "https://sub.example.org/x",
        ] {
            assert_eq!(of(&tokens, other), None, "{other}");
        }
    }

    #[test]
    fn user_and_password_of_an_address_are_sent_and_not_shown() {
        let mut tokens = Tokens::default();
        let shown = tokens.take_from("https://me:p%40ss@example.org/simple");
        assert_eq!(shown, "https://example.org/simple");
        assert_eq!(of(&tokens, "https://example.org/simple/x/").as_deref(), Some("Basic bWU6cEBzcw=="));
        assert_eq!(of(&tokens, "https://example.org/pypi/x/json").as_deref(), Some("Basic bWU6cEBzcw=="));
        assert_eq!(of(&tokens, "https://files.example.org/simple/x/"), None);
        assert_eq!(tokens.take_from("https://example.org/simple"), "https://example.org/simple");
        let mut tokens = Tokens::default();
        tokens.add_encoded("//example.org/npm/", "me", "cEBzcw==");
        assert_eq!(of(&tokens, "https://example.org/npm/x").as_deref(), Some("Basic bWU6cEBzcw=="));
    }

    #[test]
    fn plain_http_gets_a_token_on_this_machine_only() {
        let mut tokens = Tokens::default();
        for below in ["//127.0.0.1:4873/", "//example.org/"] {
            tokens.add(below, &Secret::new("x").unwrap(), &Scheme::Bearer);
        }
        assert_eq!(of(&tokens, "http://127.0.0.1:4873/x").as_deref(), Some("Bearer x"));
        assert_eq!(of(&tokens, "http://example.org/x"), None);
    }

    #[test]
    fn debug_output_shows_no_token() {
        assert!(!format!("{:?}", tokens()).contains("narrow"));
    }
}
