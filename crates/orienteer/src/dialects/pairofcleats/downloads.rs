//! What `download_models`, `download_dictionaries` and `download_extensions` have in common: which name goes with which
//! address, and then all of them fetched, or those told that are there.
//!
//! Names and addresses are settled before the first byte is fetched. What does not fit together is an error that names it:
//! nothing that a caller wrote is left out in silence.

use orienteer_base::{ErrorKind, Problem};
use orienteer_engine::data::{Kind, Order};
use serde_json::{Map, Value, json};

use super::data::{self, Wish};
use super::repo::Repo;
use crate::tool::Ctx;

/// What one of the tools fetches.
pub(super) struct Sort {
    pub(super) kind: Kind,
    /// One of them, in words.
    pub(super) what: &'static str,
    /// The parameter that names them.
    pub(super) field: &'static str,
    /// Why none is needed.
    pub(super) nothing: &'static str,
}

impl Sort {
    /// With what that parameter says, as folders are called.
    pub(super) fn asked(
        &'static self,
        names: Vec<String>,
        url: Option<String>,
        sha256: Option<String>,
    ) -> Asked<'static> {
        Asked { sort: self, names, usual: None, spelled: &data::file_name, url, sha256 }
    }
}

/// What a call of one of the tools asks for.
pub(super) struct Asked<'a> {
    sort: &'static Sort,
    names: Vec<String>,
    /// The name of an address that has none where no parameter names any.
    usual: Option<String>,
    /// How a name before an address is written as that of a folder.
    spelled: &'a (dyn Fn(&str) -> String + Sync),
    url: Option<String>,
    sha256: Option<String>,
}

/// The payload of the call.
pub(super) async fn serve(asked: Asked<'_>, repo: &Repo, ctx: &Ctx) -> Result<Map<String, Value>, Problem> {
    let session = &repo.ctx.session;
    let wishes = data::wishes(asked.url.as_deref().unwrap_or_default(), asked.sha256.as_deref())?;
    if wishes.is_empty() {
        return asked.held(repo, ctx).await;
    }
    let orders = asked.orders(wishes)?;
    for order in &orders {
        session.check_data(order)?;
    }
    let mut fetched = Vec::new();
    for order in &orders {
        let one = data::fetch(session, order, &ctx.cancel).await;
        fetched.push(one.map_err(|problem| told(problem, &fetched))?);
    }
    Ok(asked.payload(repo, fetched, None))
}

/// What was fetched before something went wrong is there.
fn told(mut problem: Problem, fetched: &[Value]) -> Problem {
    let names: Vec<&str> = fetched.iter().filter_map(|one| one["name"].as_str()).collect();
    if !names.is_empty() {
        problem.message = format!("{}; {} is there", problem.message, names.join(", "));
    }
    problem
}

impl<'a> Asked<'a> {
    /// Names are spelled like this, and this is the usual one.
    pub(super) fn spelled(self, spelled: &'a (dyn Fn(&str) -> String + Sync), usual: &str) -> Self {
        Self { usual: Some(spelled(usual)), spelled, ..self }
    }

    /// Each address with its name. Names before an address must be among those of the parameter; addresses without one take
    /// those that are left, in order, and all of them must be taken.
    fn orders(&self, wishes: Vec<Wish>) -> Result<Vec<Order>, Problem> {
        let own: Vec<Option<String>> =
            wishes.iter().map(|wish| wish.name.as_deref().map(self.spelled)).collect();
        let Sort { kind, what, field, .. } = *self.sort;
        let mut left = self.names.clone();
        for name in own.iter().flatten() {
            match left.iter().position(|known| known == name) {
                Some(at) => drop(left.remove(at)),
                None if self.names.is_empty() => {}
                None => {
                    let message = format!(
                        "`url` has an address for `{name}`, which `{field}` does not name; it names {}",
                        listed(&self.names)
                    );
                    return Err(Problem::invalid(field, "contradiction", message));
                }
            }
        }
        let nameless = own.iter().filter(|name| name.is_none()).count();
        if self.names.is_empty() && nameless == 1 {
            left.extend(self.usual.clone());
        }
        if left.len() != nameless {
            let message = match (left.is_empty(), nameless) {
                (true, _) => format!(
                    "a {what} needs a name: {nameless} of {} addresses have none; write `name=https://…`, or give \
                     `{field}`",
                    wishes.len()
                ),
                (false, 0) => format!("`{field}` names {}, for which `url` has no address", listed(&left)),
                (false, _) => format!(
                    "`{field}` names {}, and {nameless} of the addresses have no name: write `name=https://…` before each",
                    listed(&left)
                ),
            };
            return Err(Problem::invalid(field, "missing_field", message));
        }
        let mut left = left.into_iter();
        let names: Vec<String> = own.into_iter().filter_map(|name| name.or_else(|| left.next())).collect();
        once(&names, field)?;
        let order = |(name, wish): (String, Wish)| wish.order(kind, name);
        Ok(names.into_iter().zip(wishes).map(order).collect())
    }

    /// What is there of what was named, or all of it.
    async fn held(&self, repo: &Repo, ctx: &Ctx) -> Result<Map<String, Value>, Problem> {
        once(&self.names, self.sort.field)?;
        let mut held = data::held(&repo.ctx.session, self.sort.kind, &ctx.cancel).await?;
        if !self.names.is_empty() {
            held.retain(|one| self.names.iter().any(|name| one["name"] == name.as_str()));
            let is_here = |name: &&String| held.iter().any(|one| one["name"] == name.as_str());
            let missing: Vec<String> = self.names.iter().filter(|name| !is_here(name)).cloned().collect();
            if !missing.is_empty() {
                let message = format!(
                    "the {} {} is not here, and nothing is fetched but by address: give `url` and `sha256`",
                    self.sort.what,
                    listed(&missing)
                );
                let problem = Problem::new(ErrorKind::NotFound, message).field(self.sort.field);
                return Err(problem.detail("not_fetched"));
            }
        }
        Ok(self.payload(repo, held, Some(self.sort.nothing)))
    }

    fn payload(&self, repo: &Repo, items: Vec<Value>, message: Option<&str>) -> Map<String, Value> {
        let all = |status: &str| items.iter().all(|item| item["status"] == status);
        let status = match message {
            // What is there and is not what it was is never nothing to do.
            _ if items.iter().any(|item| item["status"] == "damaged") => "damaged",
            Some(_) => "nothing_to_do",
            None if all("present") => "present",
            None => "fetched",
        };
        let mut payload = Map::new();
        payload.insert("repoPath".to_owned(), json!(repo.shown()));
        payload.insert("status".to_owned(), json!(status));
        if let Some(message) = message {
            payload.insert("message".to_owned(), json!(message));
        }
        payload.insert(self.sort.kind.folder().to_owned(), Value::Array(items));
        payload
    }
}

/// A name that is there twice would be written over, or looked for twice.
fn once(names: &[String], field: &'static str) -> Result<(), Problem> {
    let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
    match twice {
        None => Ok(()),
        Some((_, name)) => {
            let message = format!("`{name}` is named twice; each needs a name of its own");
            Err(Problem::invalid(field, "contradiction", message))
        }
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "9f9f90dbe3e5ee1218c86b8839db1995a4d2d2a6e1dd3c5f4b1b2d9f1f0d4a55";

    static WORDS: Sort =
        Sort { kind: Kind::Dictionary, what: "dictionary", field: "lang", nothing: "none is needed" };

    /// Names with their addresses, or what is wrong.
    fn settled(names: &[&str], usual: Option<&str>, urls: &[&str]) -> Result<Vec<(String, String)>, String> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let asked = Asked { usual: usual.map(str::to_owned), ..WORDS.asked(names, None, None) };
        let written: Vec<String> = urls.iter().map(|url| format!("{url}#sha256={SUM}")).collect();
        let orders = asked.orders(data::wishes(&written.join(" "), None).unwrap());
        let pairs = |orders: Vec<Order>| orders.into_iter().map(|order| (order.name, order.url)).collect();
        orders.map(pairs).map_err(|problem| problem.message)
    }

    #[test]
    fn every_name_has_its_address_and_every_address_its_name() {
        let pair = |name: &str, url: &str| (name.to_owned(), url.to_owned());
        let (a, b) = ("https://x/a", "https://x/b");
        assert_eq!(settled(&["en", "de"], None, &[a, b]).unwrap(), [pair("en", a), pair("de", b)]);
        assert_eq!(
            settled(&["en", "de"], None, &["de=https://x/a", b]).unwrap(),
            [pair("de", a), pair("en", b)]
        );
        assert_eq!(settled(&["en"], None, &["en=https://x/a"]).unwrap(), [pair("en", a)]);
        assert_eq!(settled(&[], None, &["org/m=https://x/a"]).unwrap(), [pair("org--m", a)]);
        assert_eq!(settled(&[], Some("usual"), &[a]).unwrap(), [pair("usual", a)]);
        assert_eq!(settled(&["own"], Some("usual"), &[a]).unwrap(), [pair("own", a)]);
    }

    #[test]
    fn what_does_not_fit_together_is_named() {
        let (a, b) = ("https://x/a", "https://x/b");
        for (names, usual, urls, said) in [
            (&["en", "de"][..], None, &[a][..], "`en`, `de`"),
            (&["en", "de"], None, &["en=https://x/a"], "`de`, for which `url` has no address"),
            (&["en"], None, &["fr=https://x/a"], "`fr`, which `lang` does not name; it names `en`"),
            (&["en"], None, &[a, b], "`en`, and 2 of the addresses have no name"),
            (&[], None, &[a], "needs a name: 1 of 1"),
            (&[], Some("usual"), &[a, b], "needs a name: 2 of 2"),
            (&[], None, &["en=https://x/a", "en=https://x/b"], "`en` is named twice"),
            (&["en", "en"], None, &[a, b], "`en` is named twice"),
        ] {
            let wrong = settled(names, usual, urls).unwrap_err();
            assert!(wrong.contains(said), "{names:?} {urls:?}: {wrong}");
        }
    }
}
