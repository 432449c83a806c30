//! What all queries to forges have in common: who is asked, what strangers wrote, and how far an answer goes.

use std::future::Future;

use orienteer_base::remote::{Forge, Page, Provenance, Where};
use orienteer_base::{ErrorKind, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::asked::Asked;
use super::settings::Settings;
use super::usual::number;
use crate::render::invisible::show_in;
use crate::tool::Ctx;

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

/// The last page that may be asked for.
const LAST_PAGE: usize = 10;

/// Which of the results of a search.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub(super) struct PageArgs {
    /// Results per query
    #[serde(default = "number::<10>")]
    #[schemars(range(min = 1, max = 100))]
    pub(super) limit: usize,
    /// Page number
    #[serde(default = "number::<1>")]
    #[schemars(range(min = 1, max = 10))]
    pub(super) page: usize,
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

/// How many results there are. Some forges do not count: then at least those that were seen. A page without any tells
/// nothing of those before it, so `before` is asked for them; what they answered is usually still in the cache. The rows
/// are what was asked for: where the others cannot be had, or were not all looked at, none were seen, and
/// [`page_notes`] says what the number is.
pub(super) async fn total<T, F>(
    page: &Page<T>,
    number: usize,
    limit: usize,
    before: impl Fn(usize) -> F,
) -> Result<u64, Problem>
where
    F: Future<Output = Result<Page<T>, Problem>>,
{
    let seen = |number: usize, rows: usize| (number.saturating_sub(1).saturating_mul(limit) + rows) as u64;
    if let Some(total) = page.total {
        return Ok(total);
    }
    if !page.rows.is_empty() {
        return Ok(seen(number, page.rows.len()));
    }
    if page.incomplete.is_some() {
        return Ok(0);
    }
    for earlier in (1..number).rev() {
        let found = match before(earlier).await {
            Ok(found) => found,
            Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
            Err(_) => break,
        };
        if found.total.is_some() || !found.rows.is_empty() {
            return Ok(found.total.unwrap_or(seen(earlier, found.rows.len())));
        }
    }
    Ok(0)
}

/// `currentPage` and `hasMore`.
pub(super) fn pagination<T>(page: &Page<T>, number: usize) -> Value {
    json!({ "currentPage": number, "hasMore": page.has_more })
}

/// How to go on where there is more; that there is, where no page leads to it.
pub(super) fn next_page<T>(page: &Page<T>, number: usize, asked: &Asked) -> Option<String> {
    if !page.has_more {
        return None;
    }
    Some(if number < LAST_PAGE {
        asked.again(&format!("Page {}", number + 1), json!({ "page": number + 1 }))
    } else {
        "This is the last page that can be asked for, and there is more: raise limit, or narrow the search"
            .to_owned()
    })
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
    show_in(&mut value);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: usize, total: Option<u64>) -> Page<usize> {
        let from = Provenance {
            provider: Forge::Gitlab,
            host: "h".to_owned(),
            repository: None,
            commit: None,
            cached_ms: None,
            offline: false,
        };
        Page { rows: (0..rows).collect(), total, has_more: false, incomplete: None, from }
    }

    #[tokio::test]
    async fn a_page_without_rows_is_counted_by_those_before_it() {
        // Seven results on pages of three, by a forge that does not count.
        let asked = std::sync::Mutex::new(Vec::new());
        let before = async |number: usize| {
            asked.lock().unwrap().push(number);
            Ok::<_, Problem>(page(7_usize.saturating_sub((number - 1) * 3).min(3), None))
        };
        let count = async |number: usize| {
            let here = before(number).await.unwrap();
            total(&here, number, 3, before).await.unwrap()
        };
        assert_eq!((count(1).await, count(3).await), (3, 7));
        assert_eq!(*asked.lock().unwrap(), [1, 3], "what has rows needs no other page");
        assert_eq!((count(4).await, count(6).await), (7, 7));
        let counted = total(&page(0, Some(40)), 9, 3, before).await;
        assert_eq!(counted, Ok(40));
        let nothing = async |_| Ok::<_, Problem>(page(0, None));
        assert_eq!(total(&page(0, None), 5, 3, nothing).await, Ok(0));
    }

    #[tokio::test]
    async fn counting_does_not_spoil_an_answer() {
        let refused = async |_: usize| {
            Err::<Page<usize>, Problem>(Problem::new(ErrorKind::RateLimited, "not so many at once"))
        };
        assert_eq!(total(&page(0, None), 5, 3, refused).await, Ok(0));
        let stopped =
            async |_: usize| Err::<Page<usize>, Problem>(Problem::new(ErrorKind::Cancelled, "stopped"));
        assert!(total(&page(0, None), 5, 3, stopped).await.is_err(), "nobody waits for the answer");
        let partly = Page { incomplete: Some("too much to look at".to_owned()), ..page(0, None) };
        assert_eq!(total(&partly, 5, 3, stopped).await, Ok(0), "nobody is asked");
    }
}
