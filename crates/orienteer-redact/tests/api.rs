//! The public interface on small examples.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/shared.rs"]
mod support;

use std::borrow::Cow;

use orienteer_redact::{Options, Redactor};
use support::template::{Random, expand};

fn sample(template: &str) -> String {
    expand(template, &mut Random::new(5))
}

#[test]
fn only_the_value_is_replaced() {
    let text = sample("# deploy\nexport GITHUB_TOKEN=\"ghp_{{alnum:36}}\" # rotate\n");
    let output = Redactor::default().redact(&text);
    assert_eq!(output.text, "# deploy\nexport GITHUB_TOKEN=\"[REDACTED:github-token]\" # rotate\n");
    assert_eq!((output.findings[0].kind, output.findings[0].line, output.total()), ("github-token", 2, 1));
}

#[test]
fn harmless_text_is_borrowed() {
    let text = "fn main() { let token = lexer.next_token(); }\r\n";
    assert!(matches!(Redactor::default().redact(text).text, Cow::Borrowed(same) if same == text));
}

#[test]
fn values_on_one_line_are_counted() {
    let text = sample("ghp_{{alnum:36}} ghp_{{alnum:36}} AKIA{{upper:16}}");
    let output = Redactor::default().redact_from(&text, 90);
    assert_eq!(output.text, "[REDACTED:github-token] [REDACTED:github-token] [REDACTED:aws-access-key-id]");
    assert_eq!(output.counts()["github-token"], 2);
    assert!(output.findings.iter().all(|found| found.line == 90));
}

#[test]
fn a_private_key_keeps_its_lines_and_counts_once() {
    let text = sample("a\n{{fence:BEGIN PRIVATE KEY}}\n{{pem:2}}\n{{fence:END PRIVATE KEY}}\nb\n");
    let output = Redactor::default().redact(&text);
    let body = "[REDACTED:private-key]\n".repeat(3);
    let (begin, end) = (sample("{{fence:BEGIN PRIVATE KEY}}"), sample("{{fence:END PRIVATE KEY}}"));
    assert_eq!(output.text, format!("a\n{begin}\n{body}{end}\nb\n"));
    assert_eq!((output.total(), output.findings[0].line), (1, 3));
}

#[test]
fn kinds_can_be_disabled_and_values_allowed() {
    let text = sample("key: AKIA{{upper:16}}");
    let value = text.trim_start_matches("key: ").to_string();
    let disabled = Options { disabled_kinds: vec!["aws-access-key-id".into()], ..Options::default() };
    assert_eq!(Redactor::new(disabled).redact(&text).text, text);
    let allowed = Options { allowed_values: vec![value], ..Options::default() };
    assert_eq!(Redactor::new(allowed).redact(&text).text, text);
    assert_ne!(Redactor::default().redact(&text).text, text);
}

#[test]
fn kinds_are_listed_once() {
    let kinds: Vec<_> = orienteer_redact::kinds().map(|(kind, _)| kind).collect();
    let mut unique = kinds.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), kinds.len());
    assert!(kinds.contains(&"private-key") && kinds.contains(&"generic-secret"));
}

#[test]
fn a_password_in_its_place_is_one_whatever_words_it_holds() {
    let redactor = Redactor::default();
    for line in
        ["postgres://app:s3cr3tp4ss@db.acme.example/x", "redis://:adminAdmin7@cache.acme.example:6379"]
    {
        assert_eq!(redactor.redact(line).total(), 1, "{line}");
    }
    for line in ["postgres://user:password@localhost/x", "cvs://:pserver:anoncvs@sources.acme.example:/cvs"] {
        assert_eq!(redactor.redact(line).total(), 0, "{line}");
    }
}
