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

/// What outlines, hovers and previews make of a key: one line of what were many.
#[test]
fn a_private_key_that_was_folded_into_one_line_is_hidden() {
    let mut random = Random::new(9);
    let line = || "{{base64:64}}";
    let (begin, end) = ("{{fence:BEGIN PRIVATE KEY}}", "{{fence:END PRIVATE KEY}}");
    for template in [
        format!("const K: [&str; 4] = [\"{begin}\", \"{0}\", \"{0}\", \"{end}\"];", line()),
        format!("const K: [&str; 4] = [ \"{begin}\", \"{0}\", \"{0}\", \"{{{{base64:30}}}}…", line()),
        format!("var k = \"{begin}\\n\" + \"{0}\\n\" + \"{0}\\n\" + \"{end}\\n\"", line()),
        format!("const k = `{begin} {0} {0} {end}`", line()),
        format!("const k = `{begin} {0} {{{{base64:20}}}}…", line()),
        format!("k = b\"{begin}\" b\"{0}\" b\"{0}\" b\"{end}\"", line()),
        format!("\"{0}\", \"{0}\", \"abc=\", \"{end}\" ]", line()),
        format!(
            "{{\n  \"a\": \"{begin}\",\n  \"b\": \"{0}\",\n  \"c\": \"{0}\",\n  \"d\": \"{end}\"\n}}",
            line()
        ),
    ] {
        let text = expand(&template, &mut random);
        let shown = Redactor::default().redact(&text).text.into_owned();
        let leaked = text
            .as_bytes()
            .windows(20)
            .filter(|piece| piece.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte)))
            .filter_map(|piece| std::str::from_utf8(piece).ok())
            .find(|piece| shown.contains(piece));
        assert_eq!(leaked, None, "{text}\n{shown}");
        assert_eq!(shown.matches('\n').count(), text.matches('\n').count(), "{shown}");
        assert_eq!(Redactor::default().redact(&shown).text, shown, "twice is once");
    }
    let code =
        "if text.contains(\"-----BEGIN PRIVATE KEY-----\") { return Err(SomeVeryLongNameOfAnError2); }";
    assert_eq!(Redactor::default().redact(code).text, code);
}

#[test]
fn the_pieces_of_a_key_are_named() {
    let text = sample("a\n{{fence:BEGIN PRIVATE KEY}}\n{{pem:2}}\n{{fence:END PRIVATE KEY}}\nb\n");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(Redactor::default().private_keys(&text), lines[2..lines.len() - 2]);
    assert!(Redactor::default().private_keys("no key here").is_empty());
}
