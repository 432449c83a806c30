//! What all queries to forges have in common: who is asked, what strangers wrote, and how far an answer goes.

use orienteer_base::remote::{Forge, Page, Provenance, Where};
use orienteer_base::{ErrorKind, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::settings::Settings;
use crate::tool::Ctx;
use crate::tools::remote::shown_in;

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Provider {
    Github,
    Gitlab,
    Forgejo,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct At {
    /// Which kind of forge; default: by host or configuration, otherwise GitHub
    provider: Option<Provider>,
    /// Host of the forge, such as git.example.org; default: by provider or configuration
    host: Option<String>,
}

impl At {
    pub(super) fn place(self, ctx: &Ctx) -> Where {
        let provider = self.provider.map(|provider| match provider {
            Provider::Github => Forge::Github,
            Provider::Gitlab => Forge::Gitlab,
            Provider::Forgejo => Forge::Forgejo,
        });
        let host = self.host.filter(|host| !host.trim().is_empty());
        let configured = ctx.config().remote.as_ref().is_some_and(|remote| remote.hosts.default.is_some());
        if provider.is_none()
            && host.is_none()
            && !configured
            && let Some(usual) = ctx.settings::<Settings>().and_then(|settings| settings.usual.clone())
        {
            return usual;
        }
        Where { provider, host }
    }
}

/// `owner/name` of a repository; the owner may be a path of groups.
pub(super) fn named(repository: &str) -> Option<(&str, &str)> {
    repository.rsplit_once('/').filter(|(owner, name)| !owner.is_empty() && !name.is_empty())
}

/// A repository alone does not say whose it is.
pub(super) fn has_owner(owner: Option<&str>, repo: Option<&str>) -> Result<(), Problem> {
    if owner.is_none() && repo.is_some_and(|repo| !repo.contains('/')) {
        return Err(Problem::invalid("owner", "missing_field", "`repo` needs `owner` beside it"));
    }
    Ok(())
}

/// Words to look for are not empty and stand on one line.
pub(super) fn words(field: &'static str, words: &[String]) -> Result<(), Problem> {
    match words.iter().find(|word| word.trim().is_empty() || word.contains(char::is_control)) {
        None => Ok(()),
        Some(_) => {
            let message = format!("`{field}` has an entry that is empty or not on one line");
            Err(Problem::new(ErrorKind::InvalidParams, message).field(field).detail("illegal_value"))
        }
    }
}

/// How many results there are. Some forges do not count: then at least those that were seen.
pub(super) fn total<T>(page: &Page<T>, number: usize, limit: usize) -> u64 {
    let seen = number.saturating_sub(1).saturating_mul(limit) + page.rows.len();
    page.total.unwrap_or(seen as u64)
}

/// There is more, and no page that leads to it.
pub(super) fn last_page() -> String {
    "This is the last page that can be asked for, and there is more: raise limit, or narrow the search"
        .to_owned()
}

/// What has to be known about an answer beside its rows.
pub(super) fn notes(incomplete: Option<&str>, from: &Provenance) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(why) = incomplete {
        notes.push(format!("Not everything was looked at: {why}"));
    }
    if from.offline {
        let age = from.cached_ms.unwrap_or(0) / 1_000;
        notes.push(format!("{} could not be reached; this is an answer of {age} s ago", from.host));
    }
    notes
}

/// The same for a page, where the forge may not have counted.
pub(super) fn page_notes<T>(page: &Page<T>) -> Vec<String> {
    let mut notes = notes(page.incomplete.as_deref(), &page.from);
    if page.total.is_none() && (page.has_more || page.rows.is_empty()) {
        notes.push(format!("{} does not count results: totalCount is what was seen so far", page.from.host));
    }
    notes
}

/// What a stranger wrote, with what does not show written out.
pub(super) fn visible(mut value: Value) -> Value {
    shown_in(&mut value);
    value
}
