//! What we add to a warm question: raw and ours in turn, symbol by symbol. A second raw server is asked as well: by as much as
//! it differs from the first, nothing can be told.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ours::Ours;
use super::places::Place;
use super::quiet;
use super::raw::Raw;
use super::sample::Symbol;
use crate::bench::percentile;

/// References of common names take seconds with some servers.
const REFERENCES_FOR: Duration = Duration::from_secs(30);
const ROUNDS: usize = 2;
/// Questions to which we added most, for whoever wants to know why.
const WORST_TOLD: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Definition,
    Hover,
    References,
    ReferencesAnew,
    ReferencesOnly,
    Outline,
}

impl Operation {
    pub(super) const ALL: [Self; 6] = [
        Self::Definition,
        Self::Hover,
        Self::Outline,
        Self::References,
        Self::ReferencesAnew,
        Self::ReferencesOnly,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Hover => "hover",
            Self::References => "references",
            Self::ReferencesAnew => "references, asked anew",
            Self::ReferencesOnly => "references, `cross_check: false`",
            Self::Outline => "outline",
        }
    }

    fn is_references(self) -> bool {
        matches!(self, Self::References | Self::ReferencesAnew | Self::ReferencesOnly)
    }

    /// Asked at a letter of the name at which nobody has asked yet: the same work for the server, and an answer that is not
    /// known from before.
    fn is_anew(self) -> bool {
        self == Self::ReferencesAnew
    }

    /// `letter`: of the name, for references.
    fn ask_raw(self, raw: &mut Raw, symbol: &Symbol, letter: u64) -> anyhow::Result<f64> {
        let (declared, used, method) = (&symbol.declared.path, &symbol.used.path, self.method());
        let (_, took) = match self {
            Self::Definition | Self::Hover => raw.ask(method, used, &symbol.used_at),
            Self::References | Self::ReferencesAnew | Self::ReferencesOnly => {
                let mut position = symbol.declared_at.clone();
                position["character"] = json!(position["character"].as_u64().unwrap_or_default() + letter);
                raw.ask(method, declared, &position)
            }
            Self::Outline => raw.ask(method, declared, &Value::Null),
        }?;
        Ok(took)
    }

    fn method(self) -> &'static str {
        match self {
            Self::Definition => "textDocument/definition",
            Self::Hover => "textDocument/hover",
            Self::References | Self::ReferencesAnew | Self::ReferencesOnly => "textDocument/references",
            Self::Outline => "textDocument/documentSymbol",
        }
    }

    /// Ours keeps fewer documents open than the raw side does. An outline that was asked for before is not asked for again, so
    /// that this opens the document and does nothing else.
    fn open_in_ours(self, ours: &mut Ours, symbol: &Symbol) -> anyhow::Result<()> {
        let place = match self {
            Self::Definition | Self::Hover => &symbol.used,
            Self::References | Self::ReferencesAnew | Self::ReferencesOnly => &symbol.declared,
            Self::Outline => return Ok(()),
        };
        ours.ask("document_symbols", &json!({ "file_path": ours.at(place)["file_path"], "depth": 1 }))?;
        Ok(())
    }

    fn ask_ours(self, ours: &mut Ours, symbol: &Symbol, letter: u64) -> anyhow::Result<f64> {
        let place = &symbol.declared;
        let declared = ours.at(&Place { column: place.column + letter, ..place.clone() });
        let (_, took) = match self {
            Self::Definition => ours.ask("find_definition", &ours.at(&symbol.used)),
            Self::Hover => ours.ask("hover", &ours.at(&symbol.used)),
            Self::References | Self::ReferencesAnew => ours.ask("find_references", &declared),
            Self::ReferencesOnly => {
                let mut question = declared;
                question["cross_check"] = json!(false);
                ours.ask("find_references", &question)
            }
            Self::Outline => ours.ask("document_symbols", &json!({ "file_path": declared["file_path"] })),
        }?;
        Ok(took)
    }
}

/// Milliseconds of all sides, each question in one place.
#[derive(Debug, Default)]
pub(super) struct Times {
    pub(super) raw: Vec<f64>,
    pub(super) second: Vec<f64>,
    pub(super) ours: Vec<f64>,
    /// What of ours was not the time of its own server, as ours tells that.
    pub(super) inside: Vec<f64>,
}

impl Times {
    /// What we add, as the difference of the percentiles.
    pub(super) fn added(&self, part: f64) -> f64 {
        percentile(&self.ours, part) - percentile(&self.raw, part)
    }

    /// The same of the second raw server.
    pub(super) fn apart(&self, part: f64) -> f64 {
        percentile(&self.second, part) - percentile(&self.raw, part)
    }

    /// Where we added most.
    fn worst(&self, count: usize) -> Vec<usize> {
        let added = |at: usize| self.ours[at] - self.raw[at];
        let mut all: Vec<usize> = (0..self.ours.len().min(self.raw.len())).collect();
        all.sort_by(|left, right| added(*right).total_cmp(&added(*left)));
        all.truncate(count);
        all
    }

    fn of(&self, at: usize) -> [f64; 3] {
        [self.raw[at], self.ours[at], self.inside[at]]
    }

    /// What we add, as the percentile of the differences in each pair.
    pub(super) fn paired(&self, part: f64) -> f64 {
        let differences: Vec<f64> = self.ours.iter().zip(&self.raw).map(|(ours, raw)| ours - raw).collect();
        percentile(&differences, part)
    }
}

pub(super) fn measure(
    (raw, second): (&mut Raw, &mut Raw),
    ours: &mut Ours,
    symbols: &[Arc<Symbol>],
    pid: u32,
) -> anyhow::Result<Vec<(Operation, Times)>> {
    // The other two were asked when the places were compared.
    let begun = Instant::now();
    for symbol in symbols {
        Operation::Definition.ask_raw(second, symbol, 0)?;
        // More of them than will be asked about.
        if begun.elapsed() < REFERENCES_FOR * 2 {
            Operation::References.ask_raw(second, symbol, 0)?;
        }
    }
    let mut all = Vec::new();
    // References are asked last: they open documents that some servers then check.
    for operation in Operation::ALL {
        // Definitions and references were asked when the places were compared.
        if matches!(operation, Operation::Hover | Operation::Outline) {
            for symbol in symbols {
                operation.ask_raw(raw, symbol, 0)?;
                operation.ask_raw(second, symbol, 0)?;
                operation.ask_ours(ours, symbol, 0)?;
            }
        }
        quiet::wait(&[pid, raw.pid(), second.pid()]);
        let mut times = Times::default();
        let mut about = Vec::new();
        let (mut asked, _) = ours.asked(operation.method())?;
        let begun = Instant::now();
        let rounds = if operation.is_references() { 1 } else { ROUNDS };
        for round in 0..rounds {
            for (index, symbol) in symbols.iter().enumerate() {
                if operation.is_references() && begun.elapsed() > REFERENCES_FOR {
                    break;
                }
                let letter = u64::from(operation.is_anew());
                if symbol.name.len() as u64 <= letter || !symbol.name.is_ascii() {
                    continue;
                }
                about.push(symbol);
                // A document that has to be opened first is not warm, on no side.
                for raw in [&mut *raw, &mut *second] {
                    raw.open(&symbol.declared.path);
                    raw.open(&symbol.used.path);
                }
                operation.open_in_ours(ours, symbol)?;
                for turn in 0..3 {
                    match (round + index + turn) % 3 {
                        0 => times.raw.push(operation.ask_raw(raw, symbol, letter)?),
                        1 => {
                            let took = operation.ask_ours(ours, symbol, letter)?;
                            times.ours.push(took);
                            let (now, last) = ours.asked(operation.method())?;
                            times.inside.push(if now > asked { took - last } else { took });
                            asked = now;
                        }
                        _ => times.second.push(operation.ask_raw(second, symbol, letter)?),
                    }
                }
            }
        }
        println!(
            "   {}: raw {:.2}/{:.2}, ours {:.2}/{:.2}, added {:.2}/{:.2}, paired {:.2}/{:.2}, second raw {:.2}/{:.2}, inside ours {:.2}/{:.2} ms (p50/p95 of {}; {:.0} s)",
            operation.name(),
            percentile(&times.raw, 0.5),
            percentile(&times.raw, 0.95),
            percentile(&times.ours, 0.5),
            percentile(&times.ours, 0.95),
            times.added(0.5),
            times.added(0.95),
            times.paired(0.5),
            times.paired(0.95),
            times.apart(0.5),
            times.apart(0.95),
            percentile(&times.inside, 0.5),
            percentile(&times.inside, 0.95),
            times.raw.len(),
            begun.elapsed().as_secs_f64()
        );
        for at in times.worst(WORST_TOLD) {
            let (symbol, [raw, ours, inside]) = (about[at], times.of(at));
            let Place { path, line, .. } = &symbol.declared;
            println!(
                "     {} ({}:{line}): raw {raw:.2}, ours {ours:.2}, inside ours {inside:.2} ms",
                symbol.name,
                path.display()
            );
        }
        all.push((operation, times));
    }
    Ok(all)
}
