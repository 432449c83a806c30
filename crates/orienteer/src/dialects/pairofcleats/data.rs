//! How are data files asked for, and how is told what became of them?
//!
//! Everything is fetched by address, and only with the SHA-256 that it must have. It is written behind the address, as
//! package managers do (`https://…/en.txt#sha256=…`), or beside it.

use orienteer_base::{Cancel, Digest, ErrorKind, Problem};
use orienteer_engine::Session;
use orienteer_engine::data::{Fault, Kind, Order, Verified};
use serde_json::{Value, json};

/// No call asks for more.
const MOST_ORDERS: usize = 20;

/// Where something is, and what it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) name: Option<String>,
    pub(super) url: String,
    pub(super) sha256: Digest,
}

/// Reads `name=url`, several of them separated by commas or blanks, each with or without its SHA-256 behind it.
pub(super) fn wishes(written: &str, sha256: Option<&str>) -> Result<Vec<Wish>, Problem> {
    let parts: Vec<&str> =
        written.split([',', ' ', '\t', '\r', '\n']).filter(|part| !part.is_empty()).collect();
    if parts.len() > MOST_ORDERS {
        let message =
            format!("`url` names {} files; at most {MOST_ORDERS} are fetched by one call", parts.len());
        return Err(Problem::invalid("url", "too_many", message));
    }
    if parts.is_empty() && sha256.is_some() {
        let message = "`sha256` is that of an address, and `url` has none; give both, or neither";
        return Err(Problem::invalid("sha256", "contradiction", message));
    }
    if parts.len() > 1 && sha256.is_some() {
        let message = "`sha256` is that of one file; write `#sha256=…` behind each address";
        return Err(Problem::invalid("sha256", "ambiguous", message));
    }
    parts.into_iter().map(|part| wish(part, sha256)).collect()
}

fn wish(part: &str, beside: Option<&str>) -> Result<Wish, Problem> {
    // An address has a colon before any `=`.
    let (name, address) = match part.split_once('=') {
        Some((name, address)) if !name.contains(':') => (Some(name.to_owned()), address),
        _ => (None, part),
    };
    let (url, behind) = match address.split_once("#sha256=") {
        Some((url, sum)) => (url, Some(sum)),
        None => (address, None),
    };
    let Some(sum) = behind.or(beside) else {
        let message = "data is fetched only with the SHA-256 that it must have: write `#sha256=…` behind the address, \
                       or give `sha256`";
        return Err(Problem::invalid("sha256", "missing_sha256", message));
    };
    let parse = |sum: &str| {
        Digest::parse(sum.trim()).ok_or_else(|| {
            Problem::invalid("sha256", "invalid_sha256", "a SHA-256 has 64 hexadecimal digits")
        })
    };
    let sha256 = parse(sum)?;
    if beside.map(parse).transpose()?.is_some_and(|beside| beside != sha256) {
        let message = "`sha256` and the sum behind the address differ; give one of them";
        return Err(Problem::invalid("sha256", "contradiction", message));
    }
    Ok(Wish { name, url: url.to_owned(), sha256 })
}

/// A name that can be that of a folder: `org/model` becomes `org--model`.
pub(super) fn file_name(name: &str) -> String {
    name.trim().replace(['/', '\\'], "--")
}

/// Whether an address is that of an archive whose files are wanted.
fn is_archive(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    [".zip", ".tar.gz", ".tgz"].iter().any(|end| path.ends_with(end))
}

impl Wish {
    pub(super) fn order(self, kind: Kind, name: String) -> Order {
        let unpack = is_archive(&self.url);
        Order { kind, name, url: self.url, sha256: self.sha256, unpack }
    }
}

/// Fetches one thing and says what became of it.
pub(super) async fn fetch(session: &Session, order: &Order, cancel: &Cancel) -> Result<Value, Problem> {
    let delivery = session.fetch_data(order, cancel).await?;
    let bytes: u64 = delivery.record.files.values().map(|file| file.bytes).sum();
    Ok(json!({
        "name": order.name,
        "status": if delivery.received == 0 { "present" } else { "fetched" },
        "path": delivery.folder.display().to_string(),
        "files": delivery.record.files.len(),
        "bytes": bytes,
        "received": delivery.received,
        "sha256": order.sha256.to_string(),
    }))
}

/// What there is of a kind, and whether it is as it was fetched.
pub(super) async fn held(session: &Session, kind: Kind, cancel: &Cancel) -> Result<Vec<Value>, Problem> {
    let all = session.verify_data(cancel).await?;
    all.iter().filter(|one| one.kind == kind).map(|one| verified(session, one)).collect()
}

pub(super) fn verified(session: &Session, one: &Verified) -> Result<Value, Problem> {
    let faults: Vec<Value> = one.faults.iter().map(fault).collect();
    Ok(json!({
        "name": one.name,
        "status": if faults.is_empty() { "present" } else { "damaged" },
        "path": session.data_folder(one.kind, &one.name)?.display().to_string(),
        "faults": faults,
    }))
}

fn fault(fault: &Fault) -> Value {
    match fault {
        Fault::Missing { path } => json!({ "kind": "missing", "path": path }),
        Fault::Changed { path } => json!({ "kind": "changed", "path": path }),
        Fault::Added { path } => json!({ "kind": "added", "path": path }),
        Fault::NoRecord { reason } => json!({ "kind": "no_record", "reason": reason }),
    }
}

/// A place of the caller's own for what is kept in the cache.
pub(super) fn no_other_place(field: &'static str, value: Option<&str>) -> Result<(), Problem> {
    match value {
        None => Ok(()),
        Some(_) => {
            let message = format!(
                "`{field}`: data files are kept in the cache and nowhere else; PAIROFCLEATS_CACHE_ROOT moves all of it"
            );
            Err(Problem::new(ErrorKind::Unsupported, message).field(field).detail("fixed_place"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "9f9f90dbe3e5ee1218c86b8839db1995a4d2d2a6e1dd3c5f4b1b2d9f1f0d4a55";

    #[test]
    fn addresses_bring_their_names_and_sums() {
        let one = wishes(&format!("en=https://example.org/a?b=c#sha256={SUM}"), None).unwrap();
        assert_eq!((one[0].name.as_deref(), one[0].url.as_str()), (Some("en"), "https://example.org/a?b=c"));
        let bare = wishes("https://example.org/a?b=c", Some(SUM)).unwrap();
        assert_eq!((bare[0].name.as_deref(), bare[0].url.as_str()), (None, "https://example.org/a?b=c"));
        let two = wishes(&format!("a=https://x/a#sha256={SUM}, b=https://x/b#sha256={SUM}"), None).unwrap();
        assert_eq!(two.iter().map(|wish| wish.name.clone().unwrap()).collect::<Vec<_>>(), ["a", "b"]);
        assert!(wishes("", None).unwrap().is_empty());
    }

    #[test]
    fn nothing_is_fetched_without_a_sum() {
        let detail = |written: &str, sum: Option<&str>| wishes(written, sum).unwrap_err().detail.unwrap();
        assert_eq!(detail("https://example.org/a", None), "missing_sha256");
        assert_eq!(detail("https://example.org/a#sha256=abc", None), "invalid_sha256");
        assert_eq!(detail("https://x/a https://x/b", Some(SUM)), "ambiguous");
        assert_eq!(detail(&"https://x/a ".repeat(21), None), "too_many");
        assert_eq!(detail("", Some(SUM)), "contradiction", "a sum of nothing");
        let other = format!("https://x/a#sha256={}", SUM.replace('9', "8"));
        assert_eq!(detail(&other, Some(SUM)), "contradiction", "two sums of one file");
    }

    #[test]
    fn archives_are_known_by_their_ends() {
        assert!(is_archive("https://x/a.TAR.GZ?x#y") && is_archive("https://x/a.zip"));
        assert!(!is_archive("https://x/zip") && !is_archive("https://x/a.txt?b=.zip"));
        assert_eq!(file_name("org/model v1"), "org--model v1");
    }
}
