//! Outlines by grammar, made once per state of a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use orienteer_base::{Cancel, Language, Position};
use orienteer_lsp::text::{Text, Texts};
use orienteer_syntax::{Limits, Outline, ParseError, Symbol, symbols};
use orienteer_watch::Stamp;

/// Symbols that are kept in memory over all files, about 300 bytes each; more and the least recently used half of the
/// files goes.
const KEPT: usize = 60_000;

const LIMITS: Limits = Limits { max_bytes: 4 << 20, max_time: Duration::from_secs(2), max_symbols: 20_000 };

/// A text with what it defines.
#[derive(Debug, Clone)]
pub(crate) struct Outlined {
    pub(crate) text: Arc<Text>,
    /// Empty where the language has no grammar here, or the file is too large.
    pub(crate) outline: Arc<Outline>,
    /// Of each symbol, how many of its path there are up to it.
    nth: Arc<[u32]>,
    /// There is a grammar and it was used.
    pub(crate) parsed: bool,
}

#[derive(Debug)]
struct Held {
    stamp: Stamp,
    outline: Arc<Outline>,
    nth: Arc<[u32]>,
    parsed: bool,
    used: u64,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Outlines {
    state: Mutex<(u64, HashMap<PathBuf, Held>)>,
}

impl Outlines {
    /// The text and outline of a file as it is on disk now. Blocks.
    pub(crate) fn of(&self, texts: &Texts, path: &Path, cancel: &Cancel) -> std::io::Result<Outlined> {
        let (text, stamp, young) = texts.read_stamped(path)?;
        let head = text.text.lines().next().unwrap_or_default();
        let language = Language::by_path(path).or_else(|| Language::by_first_line(head));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        let clock = state.0;
        if let Some(held) = state.1.get_mut(path)
            && held.stamp == stamp
            && !young
        {
            held.used = clock;
            let (outline, nth) = (held.outline.clone(), held.nth.clone());
            return Ok(Outlined { text, outline, nth, parsed: held.parsed });
        }
        drop(state);
        let made = language.map(|language| symbols(&text.text, language, &LIMITS, cancel));
        let parsed = matches!(made, Some(Ok(_)));
        // What was stopped or ran out of time says nothing about the next try.
        let gave_up = matches!(made, Some(Err(ParseError::Stopped(_) | ParseError::TimedOut { .. })));
        let outline = Arc::new(made.and_then(Result::ok).unwrap_or_default());
        let nth = numbers(&outline);
        if young || gave_up {
            return Ok(Outlined { text, outline, nth, parsed });
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let symbols: usize = state.1.values().map(|held| held.outline.symbols.len() + 1).sum();
        if symbols + outline.symbols.len() > KEPT {
            let mut used: Vec<u64> = state.1.values().map(|held| held.used).collect();
            used.sort_unstable();
            let middle = used.get(used.len() / 2).copied().unwrap_or_default();
            state.1.retain(|_, held| held.used > middle);
        }
        let held = Held { stamp, outline: outline.clone(), nth: nth.clone(), parsed, used: clock };
        state.1.insert(path.to_path_buf(), held);
        Ok(Outlined { text, outline, nth, parsed })
    }
}

fn numbers(outline: &Outline) -> Arc<[u32]> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    outline
        .symbols
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

    /// Symbols that begin at or before an offset, the nearest first, with their places in the outline.
    fn before(&self, offset: usize) -> impl Iterator<Item = (usize, &Symbol)> {
        let symbols = &self.outline.symbols;
        let end = symbols.partition_point(|symbol| symbol.range.start <= offset);
        symbols[..end].iter().enumerate().rev()
    }

    /// The innermost symbol around an offset: of those around it, the one that begins last.
    pub(crate) fn enclosing(&self, offset: usize) -> Option<&Symbol> {
        self.before(offset).find(|(_, symbol)| symbol.range.contains(&offset)).map(|(_, symbol)| symbol)
    }

    /// The symbol whose name stands at an offset.
    pub(crate) fn named_at(&self, offset: usize) -> Option<&Symbol> {
        // A name is near the beginning of its definition: nothing but what is inside stands between.
        let mut near = self.before(offset).take(64).map(|(_, symbol)| symbol);
        near.find(|symbol| symbol.name_range.start <= offset && offset <= symbol.name_range.end)
    }

    /// The symbol whose name begins at an offset.
    pub(crate) fn named_from(&self, offset: usize) -> Option<&Symbol> {
        let mut near = self.before(offset).take(64).map(|(_, symbol)| symbol);
        near.find(|symbol| symbol.name_range.start == offset)
    }

    /// Which of the symbols of its path a symbol is, from 1.
    pub(crate) fn nth(&self, symbol: &Symbol) -> u32 {
        let mut near = self.before(symbol.range.start);
        let found =
            near.find(|(_, other)| other.name_range == symbol.name_range && other.name == symbol.name);
        found.and_then(|(at, _)| self.nth.get(at).copied()).unwrap_or(1)
    }
}
