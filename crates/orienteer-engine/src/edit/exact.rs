//! Which name is meant, without any doubt? A question may be answered about a place nearby; a change may not.

use std::time::Duration;

use orienteer_base::{Cancel, ErrorKind, Language, Position, Problem, Range, Target};
use orienteer_search::words::is_word_char;
use orienteer_syntax::{Leaf, Limits, leaf_at};

use crate::Session;
use crate::named::name_parts;
use crate::outlines::Outlined;
use crate::resolve::Pinned;

const LIMITS: Limits = Limits { max_bytes: 8 << 20, max_time: Duration::from_secs(2), max_symbols: 0 };

/// A name that stands in a file of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Exact {
    pub(crate) pinned: Pinned,
    pub(crate) word: String,
    /// Of the word.
    pub(crate) range: Range,
}

impl Session {
    /// The one name that a target means: the place is on it, or exactly one definition has it.
    pub(crate) async fn pin_exactly(&self, target: &Target, cancel: &Cancel) -> Result<Exact, Problem> {
        let pinned = self.pin(target, cancel).await?;
        // Each of these says that another place was taken than the one that was meant.
        if let Some(doubt) = pinned.warnings.first() {
            let message =
                format!("{}; a change needs the exact place: give file_path, line and column", doubt.message);
            let problem = Problem::new(ErrorKind::NotFound, message).detail("inexact_target");
            return Err(problem.field(if target.line.is_some() { "line" } else { "symbol_name" }));
        }
        if pinned.file.is_named() {
            let message = format!(
                "`{}` is outside the allowed roots: it may be read, not changed",
                pinned.file.shown()
            );
            return Err(Problem::new(ErrorKind::PathNotAllowed, message).detail("outside_roots"));
        }
        let (session, target, flag) = (self.clone(), target.clone(), cancel.clone());
        self.sketch(cancel, false, move |_| {
            let outlined = session.outlined(pinned.file.absolute(), &flag)?;
            let exact = on_a_name(pinned, &outlined)?;
            wanted(&exact, &target)?;
            is_code(&exact, &outlined, &flag)?;
            Ok(exact)
        })
        .await
    }
}

/// The word that the place is on, not beside.
fn on_a_name(pinned: Pinned, outlined: &Outlined) -> Result<Exact, Problem> {
    let Position { line, column } = pinned.position;
    let chars: Vec<char> = outlined.text.line(line).unwrap_or_default().chars().collect();
    let is_word = |at: usize| chars.get(at).copied().is_some_and(is_word_char);
    let at = column as usize - 1;
    let place = format!("{}:{line}:{column}", pinned.file.shown());
    let nothing = |what: &str| {
        Problem::new(ErrorKind::NotFound, format!("at {place} stands {what}, not a name; point at a name"))
            .detail("no_symbol_here")
    };
    if !is_word(at) {
        return Err(nothing(match chars.get(at) {
            None => "the end of the line",
            Some(c) if c.is_whitespace() => "a blank",
            Some(_) => "a sign",
        }));
    }
    let start = (0..=at).rev().take_while(|at| is_word(*at)).last().unwrap_or(at);
    let end = (at..chars.len()).take_while(|at| is_word(*at)).last().unwrap_or(at) + 1;
    let word: String = chars[start..end].iter().collect();
    if word.chars().next().is_some_and(|first| first.is_ascii_digit()) {
        return Err(nothing("a number"));
    }
    let column = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    let range = Range { start: Position::new(line, column(start)), end: Position::new(line, column(end)) };
    Ok(Exact { pinned, word, range })
}

/// Where a name was given, too, it is the one that stands there.
fn wanted(exact: &Exact, target: &Target) -> Result<(), Problem> {
    let Some(written) = &target.symbol_name else { return Ok(()) };
    let parts = name_parts(written);
    let Some(last) = parts.last().filter(|last| **last != exact.word) else { return Ok(()) };
    let Position { line, column } = exact.range.start;
    let message = format!(
        "at {}:{line}:{column} stands `{}`, not `{}`",
        exact.pinned.file.shown(),
        exact.word,
        orienteer_base::error::cut(last)
    );
    Err(Problem::new(ErrorKind::NotFound, message).field("symbol_name").detail("inexact_target"))
}

/// A word in a comment or in a text names nothing, and a keyword is nobody's name.
fn is_code(exact: &Exact, outlined: &Outlined, cancel: &Cancel) -> Result<(), Problem> {
    let text = &outlined.text;
    let head = text.text.lines().next().unwrap_or_default();
    let language = Language::by_path(exact.pinned.file.absolute()).or_else(|| Language::by_first_line(head));
    let (Some(language), Some(at)) = (language, outlined.offset(exact.range.start)) else { return Ok(()) };
    // What has no grammar here, or takes too long, is left to the server.
    let what = match leaf_at(&text.text, language, at, &LIMITS, cancel) {
        Ok(Leaf::Comment) => "in a comment",
        Ok(Leaf::Text) => "in a string",
        Ok(Leaf::Keyword) => "a keyword",
        Ok(Leaf::Other) | Err(_) => return Ok(()),
    };
    let Position { line, column } = exact.range.start;
    let message = format!(
        "`{}` at {}:{line}:{column} is {what}, not a name; point at a name in the code",
        exact.word,
        exact.pinned.file.shown()
    );
    Err(Problem::new(ErrorKind::NotFound, message).detail("no_symbol_here"))
}
