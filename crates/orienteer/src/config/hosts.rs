//! `[[hosts]]` blocks: forges and their tokens.

use orienteer_base::remote::Forge;
use orienteer_engine::remote::host_name;

use super::blocks::{self, Shape};
use super::layers::ConfigError;
use super::value::Secret;

/// A forge as the user describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostBlock {
    /// A name such as `git.example.org`, with a port where it has one.
    pub host: String,
    pub provider: Forge,
    /// Where its API is, when not at the usual place.
    pub api_url: Option<String>,
    pub token: Option<Secret>,
    /// The environment variable that holds the token.
    pub token_variable: Option<String>,
}

/// As written; unknown fields are refused before this is read.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    host: String,
    provider: String,
    api_url: Option<String>,
    token: Option<String>,
    token_variable: Option<String>,
}

const FIELDS: &[(&str, Shape)] = &[
    ("host", Shape::Text),
    ("provider", Shape::Text),
    ("api_url", Shape::Text),
    ("token", Shape::Text),
    ("token_variable", Shape::Text),
];

/// Reads `[[hosts]]`. Values are never quoted in errors: tokens are among them.
pub fn parse(value: &toml::Value, place: &str) -> Result<Vec<HostBlock>, ConfigError> {
    blocks::read(value, "hosts", FIELDS, &["host", "provider"], place, one)
}

fn one(block: &toml::Value, place: &str) -> Result<HostBlock, ConfigError> {
    let block: Block = block
        .clone()
        .try_into()
        .map_err(|_: toml::de::Error| ConfigError::new(format!("{place} cannot be understood")))?;
    let provider = Forge::ALL.iter().copied().find(|forge| forge.as_str() == block.provider);
    let Some(provider) = provider else {
        let legal: Vec<&str> = Forge::ALL.iter().map(|forge| forge.as_str()).collect();
        return Err(ConfigError::new(format!("{place}: `provider` must be one of {}", legal.join(", "))));
    };
    let host = host_name(&block.host).map_err(|problem| ConfigError::new(format!("{place}: {problem}")))?;
    if block.token.is_some() && block.token_variable.is_some() {
        return Err(ConfigError::new(format!("{place}: give `token` or `token_variable`, not both")));
    }
    if block.token.as_ref().is_some_and(|token| token.trim().is_empty()) {
        let message =
            format!("{place}: `token` is empty: give it a value, or leave it out to ask without one");
        return Err(ConfigError::new(message));
    }
    Ok(HostBlock {
        host,
        provider,
        api_url: block.api_url.filter(|url| !url.is_empty()),
        token: block.token.map(Secret),
        token_variable: block.token_variable.filter(|name| !name.is_empty()),
    })
}
