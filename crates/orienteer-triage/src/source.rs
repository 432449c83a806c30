//! How does each source write a finding down? One file for each.
//!
//! A source gets a piece of a file (an alert, a report, a run) and gives what it finds in it, each finding or the reason why
//! it is none.

mod aws_inspector;
mod cargo_audit;
mod dependabot;
mod field;
mod generic;
mod npm_audit;
mod osv;
mod pip_audit;
mod sarif;

use orienteer_base::triage::{Finding, Format, Severity};
use serde_json::Value;

use crate::pages::Page;
use crate::{cvss, ecosystem, id};
use field::Notes;

/// Findings of one piece, and what is worth knowing about it.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Each with the part of the piece that it was made from, where that is to be kept.
    pub(crate) findings: Vec<(Result<Finding, String>, Option<Value>)>,
    keep_raw: bool,
    pub(crate) notes: Vec<String>,
    /// The source says that there is more than it wrote here.
    pub(crate) partial: bool,
    /// Pages that it wrote, with what they are pages of.
    pub(crate) pages: Vec<(String, Page)>,
}

impl Given {
    /// Adds what became of an item.
    fn give(&mut self, found: Result<Finding, String>, item: &Value) {
        let raw = (self.keep_raw && found.is_ok()).then(|| item.clone());
        self.findings.push((found, raw));
    }

    fn refuse(&mut self, reason: impl Into<String>) {
        self.findings.push((Err(reason.into()), None));
    }

    fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Notes that something is missing.
    fn lack(&mut self, note: impl Into<String>) {
        self.partial = true;
        self.note(note);
    }
}

struct Row {
    format: Format,
    /// Whether a piece is written as this source writes.
    recognise: fn(&Value) -> bool,
    /// The second value holds what stood around the piece.
    read: fn(&Value, &Value, &mut Given),
    /// What a piece must have, for messages.
    needs: &'static str,
}

/// From the most telling shape to the least.
const SOURCES: &[Row] = &[
    Row {
        format: Format::Sarif,
        recognise: sarif::recognise,
        read: sarif::read,
        needs: "`runs`, or `tool` and `results`",
    },
    Row {
        format: Format::AwsInspector,
        recognise: aws_inspector::recognise,
        read: aws_inspector::read,
        needs: "`findingArn`",
    },
    Row {
        format: Format::Dependabot,
        recognise: dependabot::recognise,
        read: dependabot::read,
        needs: "`security_advisory` (REST), or `securityAdvisory` or `securityVulnerability` (GraphQL)",
    },
    Row {
        format: Format::NpmAudit,
        recognise: npm_audit::recognise,
        read: npm_audit::read,
        needs: "`auditReportVersion` and `vulnerabilities`, or `advisories`",
    },
    Row {
        format: Format::CargoAudit,
        recognise: cargo_audit::recognise,
        read: cargo_audit::read,
        needs: "`vulnerabilities.list`, or `advisory` and `package`",
    },
    Row {
        format: Format::PipAudit,
        recognise: pip_audit::recognise,
        read: pip_audit::read,
        needs: "`name` and `vulns`",
    },
    Row {
        format: Format::Osv,
        recognise: osv::recognise,
        read: osv::read,
        needs: "`id` and `modified`, or `source` and `packages`",
    },
    Row {
        format: Format::Generic,
        recognise: generic::recognise,
        read: generic::read,
        needs: "`key` or `id`, and `title`",
    },
];

/// Who wrote this; `None` when nobody we know.
pub(crate) fn recognise(piece: &Value) -> Option<Format> {
    SOURCES.iter().find(|row| (row.recognise)(piece)).map(|row| row.format)
}

/// Whether what stands around a piece says where it comes from, so that nobody else needs to.
pub(crate) fn says_where(format: Format, around: &Value) -> bool {
    !around.is_null() && (format != Format::Dependabot || dependabot::names_repository(around))
}

/// What a source's piece says. `around` holds the other fields of the object that the piece stood in.
pub(crate) fn read(format: Format, piece: &Value, around: &Value, keep_raw: bool) -> Given {
    let mut given = Given { keep_raw, ..Given::default() };
    let Some(row) = SOURCES.iter().find(|row| row.format == format) else { return given };
    if !piece.is_object() {
        given.refuse(format!("it is {}, not an object", kind(piece)));
    } else if !(row.recognise)(piece) {
        let other = recognise(piece).filter(|other| *other != format);
        let hint = other.map(|other| format!("; it looks like {}", other.as_str())).unwrap_or_default();
        given.refuse(format!("as {} it must have {}{hint}", format.as_str(), row.needs));
    } else {
        (row.read)(piece, around, &mut given);
    }
    given
}

/// Whether what stands around a list says that it goes on elsewhere, as AWS and GraphQL write it.
pub(crate) fn has_more(around: &Value) -> bool {
    let token = field::first(around, &["nextToken", "NextToken"]).and_then(field::plain);
    token.is_some() || field::flag(around, &["pageInfo.hasNextPage"]) == Some(true)
}

/// Whose list an entry stands in, as far as it says so.
pub(crate) fn owner(format: Format, piece: &Value) -> String {
    let account = field::first(piece, &["awsAccountId", "detail.awsAccountId"]).and_then(field::plain);
    account.map_or_else(|| format.as_str().to_owned(), |account| format!("{} {account}", format.as_str()))
}

pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Gives a finding its key and id, and fills in what follows from the rest.
fn finish(mut finding: Finding, key: &[&str], notes: Notes) -> Finding {
    finding.key = key.join("|");
    finding.id = id::of_finding(finding.source, &finding.key);
    let known = &mut finding.vulnerability;
    if known.severity == Severity::Unknown
        && let Some(severity) = cvss::worst(&known.cvss)
    {
        known.severity = severity;
    }
    let ids = known.ids.clone();
    known.aliases.retain(|alias| !ids.contains(alias));
    if known.title.is_empty() {
        let first =
            known.description.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let title = if first.is_empty() { ids.first().map_or("", String::as_str) } else { first };
        known.title = title.chars().take(field::SHORT).collect();
    }
    for package in &mut finding.packages {
        if package.purl.is_none() {
            package.purl = ecosystem::purl(package);
        }
    }
    finding.warnings.extend(notes.0);
    finding
}

/// A word for how bad it is, in the words of any source.
fn severity(word: &str, notes: &mut Notes) -> Severity {
    let normal = word.trim().to_ascii_lowercase();
    Severity::parse(&normal).unwrap_or_else(|| match normal.as_str() {
        "moderate" | "warning" => Severity::Medium,
        "error" | "important" => Severity::High,
        "note" | "negligible" => Severity::Low,
        "none" | "informational" | "information" => Severity::Info,
        "untriaged" | "" => Severity::Unknown,
        _ => {
            notes.add(format!("severity `{}` is no word that is known", orienteer_base::error::cut(word)));
            Severity::Unknown
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_piece_of_another_source_is_refused_with_its_name() {
        let alert = json!({ "number": 1, "security_advisory": {}, "dependency": {} });
        let given = read(Format::Osv, &alert, &Value::Null, false);
        let reason = given.findings[0].0.as_ref().unwrap_err();
        assert!(reason.contains("it looks like dependabot"), "{reason}");
        for odd in [json!(null), json!(3), json!("x"), json!([])] {
            assert!(read(Format::Generic, &odd, &Value::Null, false).findings[0].0.is_err());
            assert_eq!(recognise(&odd), None);
        }
    }

    #[test]
    fn words_of_every_source_are_understood() {
        let mut notes = Notes::default();
        assert_eq!(severity("MODERATE", &mut notes), Severity::Medium);
        assert_eq!(severity("Informational", &mut notes), Severity::Info);
        assert!(notes.0.is_empty());
        assert_eq!(severity("spicy", &mut notes), Severity::Unknown);
        assert_eq!(notes.0.len(), 1);
    }
}
