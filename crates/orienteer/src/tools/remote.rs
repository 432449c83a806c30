//! What all questions about remote code have in common: who is asked, where an answer came from, and text that a stranger
//! wrote.

use orienteer_base::answer::Warning;
use orienteer_base::remote::{Forge, Page, Provenance, RepoRef, Where};
use orienteer_base::{Completeness, Freshness, Problem, Reason, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::render::{Body, Reply, Row, Trust};
use crate::tool::Ctx;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProviderArg {
    Github,
    Gitlab,
    Forgejo,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AtArgs {
    /// Default: by host or configuration.
    provider: Option<ProviderArg>,
    /// Such as git.example.org; default: by provider or configuration.
    host: Option<String>,
}

impl AtArgs {
    pub(super) fn place(self) -> Where {
        let provider = self.provider.map(|provider| match provider {
            ProviderArg::Github => Forge::Github,
            ProviderArg::Gitlab => Forge::Gitlab,
            ProviderArg::Forgejo => Forge::Forgejo,
        });
        Where { provider, host: self.host.filter(|host| !host.trim().is_empty()) }
    }
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RepoArgs {
    /// User, organisation or path of groups.
    owner: String,
    repo: String,
    /// Branch, tag or commit; default: the default branch.
    #[serde(rename = "ref")]
    reference: Option<String>,
}

impl RepoArgs {
    pub(super) fn repo(self, at: AtArgs) -> Result<RepoRef, Problem> {
        let owner = named("owner", &self.owner, 200)?;
        let repo = named("repo", &self.repo, 150)?;
        let reference = match self.reference {
            Some(reference) => Some(named("ref", &reference, 255)?),
            None => None,
        };
        Ok(RepoRef { at: at.place(), owner, repo, reference })
    }
}

/// A name that is not empty, not endless and on one line.
pub(super) fn named(field: &'static str, text: &str, most: usize) -> Result<String, Problem> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > most || text.contains(char::is_control) {
        let message = format!("`{field}` has 1 to {most} characters on one line; this has {length}");
        return Err(Problem::invalid(field, "illegal_value", message));
    }
    Ok(text.trim().to_owned())
}

/// Where the next page begins: pages are the forge's, and a page that did not fit is gone through in steps.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
pub(super) struct Place {
    pub(super) page: usize,
    pub(super) skip: usize,
}

impl Default for Place {
    fn default() -> Self {
        Self { page: 1, skip: 0 }
    }
}

/// How far an answer can be trusted.
pub(super) fn trust(incomplete: Option<&str>, from: &Provenance) -> Trust {
    let completeness = match incomplete {
        Some(_) => Completeness::partial(Reason::Capped),
        None if from.offline => Completeness::partial(Reason::ServerUnavailable),
        None => Completeness::Complete,
    };
    Trust { completeness, source: Source::Text, freshness: Freshness::default() }
}

/// The fields and warnings that tell where an answer came from.
pub(super) fn provenance(reply: &mut Reply, incomplete: Option<&str>, from: &Provenance) {
    reply.trust = Some(trust(incomplete, from));
    reply.field("provenance", object(from));
    if let Some(why) = incomplete {
        reply.warnings.push(Warning::new("incomplete", why));
    }
    if from.offline {
        let age = from.cached_ms.unwrap_or(0) / 1_000;
        let message = format!("{} could not be reached; this is an answer of {age} s ago", from.host);
        reply.warnings.push(Warning::new("offline", message));
    }
}

/// A page of rows as a reply.
pub(super) fn paged<T>(
    ctx: &Ctx,
    page: &Page<T>,
    (one, several): (&str, &str),
    field: &'static str,
    row: impl Fn(&T) -> Row,
) -> Result<Reply, Problem> {
    let place: Place = ctx.position()?;
    let mut reply = Reply::default();
    provenance(&mut reply, page.incomplete.as_deref(), &page.from);
    if let Some(total) = page.total {
        reply.field("total_count", total);
    }
    reply.total = page.total;
    let host = &page.from.host;
    let noun = |number: u64| if number == 1 { one } else { several };
    reply.head.push(match (page.rows.len() as u64, page.total) {
        (0, _) if page.incomplete.is_none() => format!("No {one} found on {host}."),
        (0, _) => format!("No {one} found on {host}, which did not look everywhere."),
        (_, Some(total)) => format!("{total} {} on {host}", noun(total)),
        (shown, None) => format!("{shown} {} on {host}, perhaps of more", noun(shown)),
    });
    let rows: Vec<Row> = page.rows.iter().skip(place.skip).map(row).collect();
    let (shown, has_more) = (rows.len(), page.has_more);
    reply.body = Body::Rows { field, rows };
    reply.resume = Some(Box::new(move |kept| {
        let next = if !kept.all && kept.rows < shown && kept.rows > 0 {
            Place { page: place.page, skip: place.skip + kept.rows }
        } else if kept.all && has_more {
            Place { page: place.page + 1, skip: 0 }
        } else {
            return None;
        };
        serde_json::to_value(next).ok()
    }));
    Ok(reply)
}

/// A value of the vocabulary as a row's object.
pub(super) fn object(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_on_one_line() {
        assert_eq!(named("owner", " me ", 5).unwrap(), "me");
        for wrong in ["", "  ", "a\nb", "toolong"] {
            assert_eq!(named("owner", wrong, 5).unwrap_err().field, Some("owner"), "{wrong:?}");
        }
    }
}
