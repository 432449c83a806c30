//! Lines of a file: as they are in the structure, each with its number in the text.
//!
//! The number is a fence as well: whatever a file says, none of its lines looks like one of ours.

use std::borrow::Cow;

use serde_json::json;

use super::super::{Kept, invisible};
use super::measure::{Outcome, written};

/// What is shown.
pub(super) struct Lines<'r> {
    pub(super) text: &'r str,
    pub(super) first: usize,
    pub(super) numbers: &'r [Option<usize>],
    pub(super) raw: bool,
}

impl Lines<'_> {
    /// Before the line at an index.
    fn fence(&self, at: usize) -> String {
        match self.numbers.get(at) {
            Some(Some(number)) => format!("{number}| "),
            Some(None) => "…| ".to_owned(),
            None => format!("{}| ", self.first + at),
        }
    }

    fn shown<'l>(&self, line: &'l str) -> Cow<'l, str> {
        if self.raw { invisible::shown(line) } else { line.into() }
    }
}

/// Adds as many whole lines as fit, or the beginning of the first one; `None` when nothing of it does.
pub(super) fn add(outcome: &mut Outcome, field: &str, lines: &Lines<'_>, room: usize) -> Option<Kept> {
    let text = lines.text;
    let (mut left, mut end, mut shown) = (room, 0, String::new());
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let fence = lines.fence(at);
        let cost = written(&fence) + written(line) + written(&lines.shown(line));
        if cost <= left {
            left -= cost;
            end += line.len();
            shown.push_str(&fence);
            shown.push_str(&lines.shown(line));
        } else if at == 0 {
            // A single line that is longer than the budget.
            let mut size = written(&fence);
            for (offset, c) in line.char_indices() {
                let mut bytes = [0; 4];
                let plain: &str = c.encode_utf8(&mut bytes);
                size += written(plain) + written(&lines.shown(plain));
                if size > left {
                    break;
                }
                end = offset + c.len_utf8();
            }
            shown = fence + &lines.shown(&line[..end]);
            break;
        } else {
            break;
        }
    }
    let all = end == text.len();
    if end == 0 && !text.is_empty() {
        return None;
    }
    let kept = &text[..end];
    let count = kept.matches('\n').count();
    let tail = kept.rsplit('\n').next().unwrap_or_default().chars().count();
    outcome.structured.insert(field.to_owned(), json!(kept));
    if !all {
        let shown = count + usize::from(tail > 0);
        outcome.structured.insert("end_line".to_owned(), json!(lines.first + shown - 1));
        outcome.structured.insert("returned_results".to_owned(), json!(shown));
    }
    if !outcome.text.is_empty() && !shown.is_empty() {
        outcome.text.push('\n');
    }
    outcome.text.push_str(&shown);
    Some(Kept { lines: count, tail, all, ..Kept::default() })
}
