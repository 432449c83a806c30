//! Outlines by grammar, made once per state of a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use orienteer_base::{Cancel, Language, Position};
use orienteer_lsp::text::{Milestones, Partial, Text, Texts};
use orienteer_syntax::{Limits, ParseError, Symbol, symbols};
use orienteer_watch::{Stamp, stamp};

use crate::packed::Packed;

/// Memory for outlines over all files; more and the least recently used half of the files goes.
const KEPT_BYTES: usize = 5 << 20;

/// What a file costs besides its path and its outline.
const ENTRY_BYTES: usize = 200;

const LIMITS: Limits = Limits { max_bytes: 4 << 20, max_time: Duration::from_secs(2), max_symbols: 20_000 };

/// A text with what it defines.
#[derive(Debug, Clone)]
pub(crate) struct Outlined {
    pub(crate) text: Arc<Text>,
    /// There is a grammar and it was used.
    pub(crate) parsed: bool,
    /// Empty where the language has no grammar here, or the file is too large.
    packed: Arc<Packed>,
    unpacked: Arc<Unpacked>,
}

/// As much of the outline as was asked for.
#[derive(Debug, Default)]
struct Unpacked {
    symbols: OnceLock<Vec<Symbol>>,
    /// Of each symbol, how many of its path there are up to it.
    nth: OnceLock<Vec<u32>>,
}

/// A grammar that ran out of time in a file is not tried again at once for what stands beside answers: every question that
/// shows the file would wait for it. Later there may be less to do at the same time.
const GIVEN_UP_FOR: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    Tries,
    GivesUp,
}

#[derive(Debug)]
struct Held {
    stamp: Stamp,
    /// Since when the grammar has been given up.
    given_up: Option<Instant>,
    packed: Arc<Packed>,
    milestones: Option<Milestones>,
    parsed: bool,
    used: u64,
}

/// What is known of a file in its present state.
struct Known {
    packed: Arc<Packed>,
    milestones: Option<Milestones>,
    parsed: bool,
}

#[derive(Debug, Default)]
struct State {
    held: HashMap<PathBuf, Held>,
    bytes: usize,
    clock: u64,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Outlines {
    state: Mutex<State>,
}

impl Outlines {
    /// The text and outline of a file as it is on disk now. Blocks.
    pub(crate) fn of(&self, texts: &Texts, path: &Path, cancel: &Cancel) -> std::io::Result<Outlined> {
        self.get(texts, path, Patience::Tries, cancel)
    }

    /// The same for what stands beside an answer: where a grammar ran out of time lately, there are no symbols. Nothing may
    /// be concluded from that.
    pub(crate) fn beside(&self, texts: &Texts, path: &Path, cancel: &Cancel) -> std::io::Result<Outlined> {
        self.get(texts, path, Patience::GivesUp, cancel)
    }

    fn get(
        &self,
        texts: &Texts,
        path: &Path,
        patience: Patience,
        cancel: &Cancel,
    ) -> std::io::Result<Outlined> {
        let (text, stamp, young) = texts.read_stamped(path)?;
        if !young && let Some(known) = self.known(path, &stamp, patience) {
            return Ok(Outlined {
                text,
                parsed: known.parsed,
                packed: known.packed,
                unpacked: Arc::default(),
            });
        }
        let head = text.text.lines().next().unwrap_or_default();
        let language = Language::by_path(path).or_else(|| Language::by_first_line(head));
        let made = language.map(|language| symbols(&text.text, language, &LIMITS, cancel));
        let parsed = matches!(made, Some(Ok(_)));
        // What was stopped says nothing about the next try.
        let stopped = matches!(made, Some(Err(ParseError::Stopped(_))));
        let given_up = matches!(made, Some(Err(ParseError::TimedOut { .. }))).then(Instant::now);
        let outline = made.and_then(Result::ok).unwrap_or_default();
        let packed = Arc::new(Packed::new(&outline, &text.text));
        if !young && !stopped {
            let milestones = Milestones::of(&text);
            self.keep(path, Held { stamp, given_up, packed: packed.clone(), milestones, parsed, used: 0 });
        }
        let unpacked = Arc::new(Unpacked { symbols: OnceLock::from(outline.symbols), ..Unpacked::default() });
        Ok(Outlined { text, parsed, packed, unpacked })
    }

    /// Whether the file was outlined, in this or an earlier state.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).held.contains_key(path)
    }

    /// Whether the outline was made, of this or an earlier state, in good time.
    pub(crate) fn has_at_hand(&self, path: &Path) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.held.get(path).is_some_and(|held| held.given_up.is_none())
    }

    /// Whether the outline is of the file as it is now, and was made in good time.
    pub(crate) fn is_current(&self, path: &Path) -> bool {
        let Some(now) = stamp(path) else { return false };
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.held.get(path).is_some_and(|held| held.given_up.is_none() && held.stamp == now)
    }

    /// For who shows some lines of a file: if it is large, was outlined and is not in memory, without reading all of it.
    pub(crate) fn glimpse(&self, texts: &Texts, path: &Path) -> Option<(Partial, Arc<Packed>)> {
        let now = stamp(path)?;
        if now.is_recent() || texts.held(path, &now).is_some() {
            return None;
        }
        let Known { packed, milestones, .. } = self.known(path, &now, Patience::GivesUp)?;
        Some((Partial::open(path, now, milestones?)?, packed))
    }

    fn known(&self, path: &Path, stamp: &Stamp, patience: Patience) -> Option<Known> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let clock = state.clock;
        let fresh = |held: &&mut Held| {
            let given_up = |since: Instant| patience == Patience::Tries || since.elapsed() >= GIVEN_UP_FOR;
            held.stamp == *stamp && !held.given_up.is_some_and(given_up)
        };
        let held = state.held.get_mut(path).filter(fresh)?;
        held.used = clock;
        let (packed, milestones) = (held.packed.clone(), held.milestones.clone());
        Some(Known { packed, milestones, parsed: held.parsed })
    }

    fn keep(&self, path: &Path, mut held: Held) {
        let cost = |path: &Path, held: &Held| {
            let milestones = held.milestones.as_ref().map_or(0, Milestones::size);
            path.as_os_str().len() + held.packed.size() + milestones + ENTRY_BYTES
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        held.used = state.clock;
        state.bytes += cost(path, &held);
        if let Some(old) = state.held.insert(path.to_path_buf(), held) {
            state.bytes -= cost(path, &old);
        }
        if state.bytes <= KEPT_BYTES {
            return;
        }
        let mut used: Vec<u64> = state.held.values().map(|held| held.used).collect();
        used.sort_unstable();
        let middle = used.get(used.len() / 2).copied().unwrap_or_default();
        state.held.retain(|_, held| held.used > middle);
        state.bytes = state.held.iter().map(|(path, held)| cost(path, held)).sum();
    }
}

fn numbers(symbols: &[Symbol]) -> Vec<u32> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    symbols
        .iter()
        .map(|symbol| {
            let number = seen.entry(&symbol.name_path).or_default();
            *number += 1;
            *number
        })
        .collect()
}

impl Outlined {
    pub(crate) fn offset(&self, position: Position) -> Option<usize> {
        self.text.lines.offset_of(&self.text.text, position)
    }

    /// All symbols, in order.
    pub(crate) fn symbols(&self) -> &[Symbol] {
        self.unpacked.symbols.get_or_init(|| self.packed.outline(&self.text.text))
    }

    /// There are more symbols than these.
    pub(crate) fn truncated(&self) -> bool {
        self.packed.truncated
    }

    pub(crate) fn packed(&self) -> &Packed {
        &self.packed
    }

    /// The symbol whose name stands at an offset.
    pub(crate) fn named_at(&self, offset: usize) -> Option<Symbol> {
        self.packed.symbol(self.packed.standing_at(offset)?, self.text.text.as_str())
    }

    /// The symbol whose name begins at an offset, and which of its path it is, from 1. For whoever wants most of the
    /// outline: all of it is unpacked.
    pub(crate) fn known_from(&self, offset: usize) -> Option<(&Symbol, u32)> {
        let at = self.packed.before(offset, 64, |item| item.name_range().start == offset)?;
        let symbol = self.symbols().get(at).filter(|symbol| symbol.name_range.start == offset)?;
        Some((symbol, self.numbers().get(at).copied().unwrap_or(1)))
    }

    fn numbers(&self) -> &[u32] {
        self.unpacked.nth.get_or_init(|| numbers(self.symbols()))
    }

    /// Which of the symbols of its path a symbol is, from 1.
    pub(crate) fn nth(&self, symbol: &Symbol) -> u32 {
        let nth = self.numbers();
        let same = |at: &usize| self.symbols()[*at].name == symbol.name;
        let found =
            self.packed.before(symbol.range.start, usize::MAX, |item| item.name_range() == symbol.name_range);
        found.filter(same).and_then(|at| nth.get(at).copied()).unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grammar_that_ran_out_of_time_is_left_alone_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rs");
        std::fs::write(&path, "fn a() {}\n").unwrap();
        let stamp = orienteer_watch::stamp(&path).unwrap();
        let outlines = Outlines::default();
        let packed = Arc::<Packed>::default;
        let held =
            |given_up| Held { stamp, given_up, packed: packed(), milestones: None, parsed: false, used: 0 };
        outlines.keep(&path, held(Some(Instant::now())));
        let beside = || outlines.known(&path, &stamp, Patience::GivesUp);
        assert!(beside().is_some_and(|known| !known.parsed));
        // Who asks about this file wants to know what it defines.
        assert!(outlines.known(&path, &stamp, Patience::Tries).is_none());
        let long_ago = Instant::now().checked_sub(GIVEN_UP_FOR).unwrap();
        outlines.keep(&path, held(Some(long_ago)));
        assert!(beside().is_none(), "it is tried again");
    }
}
