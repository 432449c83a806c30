//! Findings, from what a server sent.

use std::path::Path;

use orienteer_base::code::Severity;
use serde_json::Value;

use super::Finding;
use crate::command::words;
use crate::items::Items;
use crate::live::{Live, Seen};
use crate::message::{Extent, Location, Point};
use crate::reading::{Entry, LeftOut, Reading, needed};
use crate::uri;

/// Findings that one check tells of.
const MOST: usize = 50_000;

/// Reads findings of several files, and counts what cannot be told.
#[derive(Debug)]
pub(super) struct Findings<'l> {
    live: &'l Live,
    left: usize,
    pub(super) unreadable: usize,
    pub(super) cut: usize,
}

impl<'l> Findings<'l> {
    pub(super) fn new(live: &'l Live) -> Self {
        Self { live, left: MOST, unreadable: 0, cut: 0 }
    }

    /// Those of a file, and why they are not all of them.
    pub(super) fn read(&mut self, file: &Path, items: &Items) -> (Vec<Finding>, Option<String>) {
        let mut reading = Reading::new(Seen::default());
        reading.unreadable(items.unreadable);
        let kept = items.list.len().min(self.left);
        self.left -= kept;
        reading.cut(items.cut + items.list.len() - kept);
        let here = uri::from_path(file);
        let mut findings = Vec::with_capacity(kept);
        for item in &items.list[..kept] {
            let found = finding(self.live, &here, item.get(), &mut reading);
            findings.extend(reading.keep(found));
        }
        let (unreadable, cut) = reading.counts();
        self.unreadable += unreadable;
        self.cut += cut;
        let why = match (unreadable, cut) {
            (0, 0) => None,
            (0, cut) => Some(format!("{cut} of its findings are left out, because there are too many")),
            (unreadable, _) => Some(format!("{unreadable} parts of its findings could not be read")),
        };
        (findings, why)
    }
}

/// Some servers count to -1 where they know no place, or name none: what is wrong is worth more than where.
fn somewhere(range: &Value, reading: &mut Reading) -> Extent {
    let mut number = |number: &Value| {
        reading.unreadable(usize::from(!(number.is_number() || number.is_null())));
        number.as_u64().unwrap_or_default()
    };
    let mut point =
        |point: &Value| Point { line: number(&point["line"]), character: number(&point["character"]) };
    Extent { start: point(&range["start"]), end: point(&range["end"]) }
}

fn finding(live: &Live, here: &str, raw: &str, reading: &mut Reading) -> Entry<Finding> {
    let item: Value = serde_json::from_str(raw).unwrap_or_default();
    if !item.is_object() {
        return Err(LeftOut::Unreadable);
    }
    let range = &item["range"];
    let range = match Extent::read(range) {
        Some(range) => range,
        None => {
            reading.unreadable(usize::from(!(range.is_object() || range.is_null())));
            somewhere(range, reading)
        }
    };
    let spot = reading.near(live, here, range)?;
    let related = reading.each(&item["relatedInformation"], |related, reading| {
        let place = needed(Location::read(&related["location"]))?;
        // Compilers name sources of libraries that are on no disk; without them the finding is what it is.
        let spot = reading.spot(live, &place).map_err(|_| LeftOut::Gone)?;
        Ok((spot.path, spot.range, related["message"].as_str().unwrap_or_default().to_owned()))
    });
    let message = match &item["message"] {
        Value::String(message) => message.clone(),
        other => words(other).unwrap_or_else(|| {
            reading.unreadable(1);
            String::new()
        }),
    };
    Ok(Finding {
        related,
        path: spot.path,
        range: spot.range,
        severity: match item["severity"].as_u64() {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Info,
            Some(4) => Severity::Hint,
            // The protocol leaves a missing one to the client: what is not called mild is not.
            _ => Severity::Error,
        },
        code: match &item["code"] {
            Value::String(code) => Some(code.clone()).filter(|code| !code.is_empty()),
            Value::Number(code) => Some(code.to_string()),
            Value::Object(code) => code.get("value").map(|value| match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            }),
            _ => None,
        },
        message,
        source: item["source"].as_str().map(str::to_owned),
        raw: raw.into(),
    })
}
