//! One pass over a text: keywords, then the rules they call for, each on its own line.

use std::ops::Range;

use regex::bytes::Regex;

use crate::judge::Candidate;
use crate::keywords::{Meaning, keywords};
use crate::rules::Rule;
use crate::span::{Span, merge};
use crate::{compiled, marker, pem, rules};

/// On very long lines a rule looks only this far around its keyword: minified code stays cheap.
const BEFORE: usize = 256;
const AFTER: usize = 8192;

/// A rejected value up to this length is searched again for a smaller match inside it.  Longer ones
/// are not, so that the work stays linear.
const RETRY_LEN: usize = 512;

struct Window {
    rule: u16,
    range: Range<usize>,
}

/// The pieces of `text` that are secrets, sorted and without overlaps.
pub(crate) fn scan(text: &str, enabled: &dyn Fn(&str) -> bool, allowed: &dyn Fn(&str) -> bool) -> Vec<Span> {
    let (windows, keys) = windows(text);
    if windows.is_empty() && keys.is_empty() {
        return Vec::new();
    }
    let mut spans = pem::scan(text, &keys);
    spans.retain(|span| enabled(span.kind));
    for window in windows {
        let index = usize::from(window.rule);
        let Some(rule) = rules::get(index) else { continue };
        let slice = &text[window.range.clone()];
        if !enabled(rule.kind) || rule.needs.is_some_and(|byte| !slice.as_bytes().contains(&byte)) {
            continue;
        }
        let Some(regex) = compiled::regex(index, rule.pattern) else { continue };
        each_value(rule, regex, slice, |value| {
            if !allowed(&slice[value.clone()]) {
                let range = window.range.start + value.start..window.range.start + value.end;
                spans.push(Span { range, kind: rule.kind, rank: window.rule + 1, counted: true });
            }
        });
    }
    if !spans.is_empty() {
        let markers = marker::ranges(text);
        spans.retain(|span| !marker::touches(&markers, &span.range));
    }
    merge(spans)
}

/// The pieces of `text` that are bodies of private keys.
pub(crate) fn private_keys(text: &str) -> Vec<Span> {
    pem::scan(text, &windows(text).1)
}

/// Where each rule has to look, and where `PRIVATE KEY` stands.
fn windows(text: &str) -> (Vec<Window>, Vec<usize>) {
    let bytes = text.as_bytes();
    let mut windows: Vec<Window> = Vec::new();
    let mut keys = Vec::new();
    let mut last = vec![usize::MAX; rules::count()];
    let mut line = 0..0;
    keywords().each(text, |at, meaning| {
        let rule = match meaning {
            Meaning::PrivateKey => return keys.push(at),
            Meaning::Rule(rule) => rule,
        };
        let slot = &mut last[usize::from(rule)];
        if let Some(window) = windows.get(*slot)
            && at < window.range.end
            && (window.range.end - at > AFTER / 2 || window.range.end == line.end)
        {
            return;
        }
        if !(line.start <= at && at < line.end) {
            line = line_at(bytes, at);
        }
        let start = floor(text, line.start.max(at.saturating_sub(BEFORE)));
        let end = ceil(text, line.end.min(at + AFTER));
        match windows.get_mut(*slot) {
            Some(window) if start <= window.range.end && window.range.start >= line.start => {
                window.range.end = window.range.end.max(end);
            }
            _ => {
                *slot = windows.len();
                windows.push(Window { rule, range: start..end });
            }
        }
    });
    (windows, keys)
}

/// Finds every accepted value of one rule in one window.
fn each_value(rule: &Rule, regex: &Regex, slice: &str, mut found: impl FnMut(Range<usize>)) {
    let mut locations = regex.capture_locations();
    let mut at = 0;
    while at <= slice.len() {
        let Some(whole) = regex.captures_read_at(&mut locations, slice.as_bytes(), at) else { return };
        let Some((start, end)) = locations.get(rule.group) else { return };
        // Byte classes may stop inside a character; the whole character belongs to the value then.
        let value = floor(slice, start)..ceil(slice, end);
        let candidate = Candidate {
            line: slice,
            value: value.clone(),
            key: name_start(slice, whole.start())..value.start,
        };
        if candidate.value().is_empty() {
            at = whole.end().max(at) + 1;
        } else if candidate.entropy() >= rule.min_entropy && (rule.check)(&candidate) {
            at = value.end;
            found(value);
        } else if value.len() > RETRY_LEN {
            at = value.end;
        } else {
            at = value.start.max(whole.start() + 1).max(at + 1);
        }
    }
}

/// The beginning of the name that `at` is a part of.
fn name_start(slice: &str, at: usize) -> usize {
    let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$');
    at - slice.as_bytes()[..at].iter().rev().take(64).take_while(part).count()
}

/// The line around `at`, without its line feed.
fn line_at(bytes: &[u8], at: usize) -> Range<usize> {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |found| found + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |found| at + found);
    start..end
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
