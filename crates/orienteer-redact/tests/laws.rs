//! What holds for every text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/shared.rs"]
mod support;

use std::borrow::Cow;

use orienteer_redact::Redactor;
use proptest::prelude::*;
use support::template::{Random, expand};

/// The longest marker: `[REDACTED:`, the longest kind and `]`.
fn longest_marker() -> usize {
    orienteer_redact::kinds().map(|(kind, _)| kind.len()).max().unwrap() + 11
}

/// Pieces that rules react to, so that random joins of them come close to every edge.
const PIECES: &[&str] = &[
    "password",
    "token",
    "secret",
    "=",
    ": ",
    "\"",
    "'",
    "\n",
    "\r\n",
    " ",
    "://",
    "user",
    ":",
    "@",
    "host",
    "ghp_{{alnum:36}}",
    "AKIA{{upper:16}}",
    "{{base64:40}}",
    "{{hex:40}}",
    "{{pw:16}}",
    "Bearer ",
    "Basic ",
    "{{fence:BEGIN PRIVATE KEY}}",
    "{{fence:END PRIVATE KEY}}",
    "{{base64:64}}",
    "\n{{pem:3}}\n",
    "\\n",
    "é",
    "密钥",
    "[REDACTED:jwt]",
    "[REDACTED:",
    "]",
    "machine h login l password ",
    "sk-",
    "eyJ{{b64url:20}}",
    ".",
    ";",
    "Server=db;",
    "Password=",
    "--token ",
    "ENV API_KEY ",
    "<password>",
    "</password>",
    "{\"value\":\"",
    "}",
    "AccountKey=",
    "$",
    "${X}",
];

fn check(text: &str) {
    let redactor = Redactor::default();
    let once = redactor.redact(text);
    let twice = redactor.redact(&once.text);
    assert_eq!(once.text, twice.text);
    assert!(twice.findings.is_empty());
    assert_eq!(text.matches('\n').count(), once.text.matches('\n').count());
    assert_eq!(text.matches('\r').count(), once.text.matches('\r').count());
    if once.findings.is_empty() {
        assert!(matches!(once.text, Cow::Borrowed(same) if same == text));
    }
    let lines = text.matches('\n').count() as u32 + 1;
    assert!(once.findings.iter().all(|found| (1..=lines).contains(&found.line) && found.count > 0));
    let markers = once.text.matches("[REDACTED:").count();
    assert!(once.text.len() <= text.len() + markers * longest_marker());
    assert_untouched_outside(text, &once.text);
}

/// What stands between markers is found in the original, in the same order.
fn assert_untouched_outside(text: &str, output: &str) {
    let mut rest = text;
    for (nth, part) in output.split("[REDACTED:").enumerate() {
        let kept = if nth == 0 { part } else { part.split_once(']').map_or(part, |(_, kept)| kept) };
        let at = rest.find(kept).unwrap_or_else(|| panic!("{kept:?} is not in {rest:?}"));
        rest = &rest[at + kept.len()..];
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn joined_pieces(picks in prop::collection::vec(0..PIECES.len(), 0..24), seed in any::<u64>()) {
        let joined: String = picks.iter().map(|pick| PIECES[*pick]).collect();
        check(&expand(&joined, &mut Random::new(seed)));
    }

    #[test]
    fn noise_after_a_name(value in "[!-~é]{0,60}", spaced in any::<bool>()) {
        check(&format!("password{}=\"{value}\" # {value}", if spaced { " " } else { "" }));
    }
}

#[test]
fn long_lines_take_linear_time() {
    for piece in ["sk-", "password=", "://a:", "eyJ", "token: ", "{{fence:BEGIN PRIVATE KEY}}", "machine "] {
        let piece = expand(piece, &mut Random::new(1));
        let text = piece.repeat(400_000 / piece.len());
        let start = std::time::Instant::now();
        let _ = Redactor::default().redact(&text);
        assert!(start.elapsed().as_secs() < 20, "{piece}: {:?}", start.elapsed());
    }
}
