//! The same places as the raw server gives, cold and warm, and whether the answers say that they are complete.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::ours::{Answer, Ours, whole};
use super::places::{Places, real};
use super::raw::{Raw, Start};
use super::sample::Symbol;
use super::server::Subject;

/// Symbols that a fresh process is asked about at once, before its server is started.
pub(super) const BURST: usize = 20;

/// What a comparison found.
#[derive(Default)]
pub(super) struct Verdict {
    pub(super) answers: usize,
    pub(super) equal: usize,
    pub(super) complete: usize,
    /// One text for each answer that was not the same, or not complete.
    pub(super) differences: Vec<String>,
    /// Milliseconds of the first definition and the first references of each symbol on a ready server.
    pub(super) definition: Vec<f64>,
    pub(super) references: Vec<f64>,
}

impl Verdict {
    fn add(&mut self, what: &str, symbol: &Symbol, expected: &Places, found: &Places, answer: &Answer) {
        self.answers += 1;
        let state = answer.state();
        self.complete += usize::from(state == "complete");
        // A library may be named by a link to it: that is the same file.
        let same = found == expected || real(found) == real(expected);
        self.equal += usize::from(same);
        if same && state == "complete" {
            return;
        }
        let mut text = format!(
            "{what} of {} `{}` declared at {}, used at {}: {} places, raw {}; {state}\n",
            symbol.kind,
            symbol.name,
            symbol.declared,
            symbol.used,
            found.len(),
            expected.len()
        );
        for (sign, missing) in
            [("only raw ", expected.difference(found)), ("only ours", found.difference(expected))]
        {
            for place in missing.take(20) {
                text.push_str(&format!("  {sign} {place}\n"));
            }
        }
        if let Some(warnings) = answer.0.get("warnings").filter(|warnings| !warnings.is_null()) {
            text.push_str(&format!("  {warnings}\n"));
        }
        self.differences.push(text);
    }
}

impl Verdict {
    /// What a hover says is not compared; that it says something is.
    fn add_hover(&mut self, symbol: &Symbol, answer: &Answer) {
        self.answers += 1;
        self.complete += usize::from(answer.is_complete());
        let contents = &answer.0["contents"];
        if contents["type_info"].is_null() && contents["documentation"].is_null() {
            let state = answer.state();
            self.differences
                .push(format!("cold hover of `{}` at {}: nothing; {state}\n", symbol.name, symbol.used));
        } else {
            self.equal += 1;
        }
    }
}

/// Every symbol once, on a ready server.
pub(super) fn warm(
    ours: &mut Ours,
    symbols: impl IntoIterator<Item = Arc<Symbol>>,
) -> anyhow::Result<Verdict> {
    let mut verdict = Verdict::default();
    for symbol in symbols {
        let symbol = &*symbol;
        let at = ours.at(&symbol.used);
        let (answer, found, took) = ours.all_places("find_definition", &at, "definitions")?;
        verdict.definition.push(took);
        verdict.add("warm definition", symbol, &symbol.definition, &found, &answer);
        let at = ours.at(&symbol.declared);
        let (answer, found, took) = ours.all_places("find_references", &at, "references")?;
        verdict.references.push(took);
        verdict.add("warm references", symbol, &symbol.references, &found, &answer);
    }
    Ok(verdict)
}

/// Fresh processes and their first questions.
#[derive(Default)]
pub(super) struct Cold {
    pub(super) verdict: Verdict,
    /// Seconds from the question to the right answer.
    pub(super) definition_s: f64,
    pub(super) hover_s: f64,
    /// The same of the raw server.
    pub(super) raw_hover_s: f64,
    /// Seconds of each burst of questions.
    pub(super) bursts_s: Vec<f64>,
}

pub(super) fn cold(binary: &Path, subject: &Subject, symbols: &[Arc<Symbol>]) -> anyhow::Result<Cold> {
    let mut cold = Cold::default();
    let mut picks = symbols.iter().filter(|symbol| symbol.used_elsewhere);
    let (Some(first), Some(second)) = (picks.next(), picks.next()) else { return Ok(cold) };
    // One process that is asked for a definition first.
    let mut ours = Ours::start(binary, &subject.root, &subject.variables);
    let at = ours.at(&first.used);
    let begun = Instant::now();
    let (answer, found, _) = ours.all_places("find_definition", &at, "definitions")?;
    cold.verdict.add("cold definition", first, &first.definition, &found, &answer);
    cold.definition_s = until_complete(begun, answer, || Ok(ours.ask("find_definition", &at)?.0))?;
    drop(ours);
    // One that is asked for a hover first.
    let mut ours = Ours::start(binary, &subject.root, &subject.variables);
    let at = ours.at(&second.used);
    let begun = Instant::now();
    let (answer, _) = ours.ask("hover", &at)?;
    cold.verdict.add_hover(second, &answer);
    cold.hover_s = until_complete(begun, answer, || Ok(ours.ask("hover", &at)?.0))?;
    let start = Start::of(ours.ready(subject.id)?)?;
    drop(ours);
    cold.raw_hover_s = Raw::cold_hover(&start, subject, &second.used.path, &second.used_at)?;
    for symbols in symbols.chunks(BURST) {
        let seconds = burst(binary, subject, symbols, &mut cold.verdict)?;
        cold.bursts_s.push(seconds);
    }
    Ok(cold)
}

/// Definitions and references of some symbols, all of them the first questions of one process, which are sent before it has
/// started anything and wait for the same start. Returns the seconds until the last answer.
fn burst(
    binary: &Path,
    subject: &Subject,
    symbols: &[Arc<Symbol>],
    verdict: &mut Verdict,
) -> anyhow::Result<f64> {
    let mut ours = Ours::start(binary, &subject.root, &subject.variables);
    let mut questions = Vec::new();
    for symbol in symbols {
        for (tool, place) in [("find_definition", &symbol.used), ("find_references", &symbol.declared)] {
            let mut question = ours.at(place);
            whole(tool, &mut question);
            questions.push((tool, question));
        }
    }
    let begun = Instant::now();
    let answers = ours.ask_all(&questions)?;
    let seconds = begun.elapsed().as_secs_f64();
    for (index, ((tool, question), answer)) in questions.into_iter().zip(&answers).enumerate() {
        let symbol = &symbols[index / 2];
        let (what, field, expected) = match tool {
            "find_definition" => ("cold definition", "definitions", &symbol.definition),
            _ => ("cold references", "references", &symbol.references),
        };
        let found = ours.pages(tool, question, answer, field)?;
        verdict.add(what, symbol, expected, &found, answer);
    }
    Ok(seconds)
}

/// Asks again while the answer says that it is not complete.
fn until_complete(
    begun: Instant,
    mut answer: Answer,
    mut again: impl FnMut() -> anyhow::Result<Answer>,
) -> anyhow::Result<f64> {
    while !answer.is_complete() && begun.elapsed().as_secs() < 120 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        answer = again()?;
    }
    Ok(begun.elapsed().as_secs_f64())
}
