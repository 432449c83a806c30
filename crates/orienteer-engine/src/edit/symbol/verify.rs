//! Does the text still make sense with these edits?
//!
//! The result is parsed before anybody sees it. Besides errors that were not there before, everything that was not
//! touched must still be what it was: a brace too many may be good syntax and still end somebody else's class.

use std::ops::Range;
use std::time::Duration;

use orienteer_base::error::cut;
use orienteer_base::{Cancel, ErrorKind, Language, LineIndex, Problem};
use orienteer_edit::TextEdit;
use orienteer_edit::text::{LineEnds, apply, normalise};
use orienteer_syntax::{Dissected, Limits, ParseError, Symbol, SyntaxError, dissect};

use super::compose::Way;

pub(crate) const LIMITS: Limits =
    Limits { max_bytes: 8 << 20, max_time: Duration::from_secs(5), max_symbols: 50_000 };

/// In larger outlines only places are compared, not what encloses them.
const FEW: usize = 2_000;

/// A text and what it is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before<'a> {
    pub(super) text: &'a str,
    pub(super) language: &'static Language,
    pub(super) seen: &'a Dissected,
    pub(super) cancel: &'a Cancel,
}

/// The same after edits that make sense.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) text: String,
    pub(super) seen: Dissected,
    /// Where the content is in it.
    pub(super) content: Range<usize>,
    pub(super) edits: Vec<TextEdit>,
}

/// The first way that makes sense; otherwise what is wrong with the first of all. `accept` is asked last: what else must
/// be true of the result.
pub(super) fn choose(
    before: &Before<'_>,
    ways: Vec<Way>,
    beside: Option<&Symbol>,
    accept: &dyn Fn(&Outcome) -> Result<(), Problem>,
) -> Result<Outcome, Problem> {
    let mut objection = None;
    for way in ways {
        before.cancel.check()?;
        match attempt(before, way, beside).and_then(|outcome| accept(&outcome).map(|()| outcome)) {
            Ok(outcome) => return Ok(outcome),
            Err(problem) => {
                objection.get_or_insert(problem);
            }
        }
    }
    Err(objection.unwrap_or_else(|| Problem::invalid("content", "no_content", "there is nothing to do")))
}

/// `beside`: the content stands where this symbol does, in nothing else.
fn attempt(before: &Before<'_>, way: Way, beside: Option<&Symbol>) -> Result<Outcome, Problem> {
    let outcome = carry_out(before, way)?;
    if let Some(error) = new_error(before, &outcome) {
        return Err(syntax_problem(&outcome.text, error, &outcome.content, true));
    }
    if before.seen.errors.is_empty() {
        undisturbed(before, &outcome, beside)?;
    }
    Ok(outcome)
}

/// The text after edits, whatever it is worth.
pub(super) fn carry_out(before: &Before<'_>, way: Way) -> Result<Outcome, Problem> {
    let ends = LineEnds::of(before.text);
    let Way { mut edits, content } = way;
    for edit in &mut edits {
        edit.new_text = ends.fit(&edit.new_text);
    }
    let brings = edits.get(content).cloned().unwrap_or_else(|| TextEdit::insert(0, ""));
    // Several edits at one place keep their order.
    let earlier = edits.iter().take(content).filter(|edit| edit.range.end <= brings.range.start);
    let later = edits.iter().skip(content + 1).filter(|edit| edit.range.end < brings.range.start);
    let moved = earlier
        .chain(later)
        .fold(brings.range.start, |at, edit| (at + edit.new_text.len()).saturating_sub(edit.range.len()));
    let content = moved..moved + brings.new_text.len();
    let edits = normalise(before.text, edits).map_err(|unfit| {
        Problem::new(ErrorKind::InternalError, format!("the edits do not fit: {unfit}"))
            .detail("overlapping_edits")
    })?;
    let text = apply(before.text, &edits);
    let seen = dissect(&text, before.language, None, &LIMITS, before.cancel).map_err(unparsed)?;
    Ok(Outcome { text, seen, content, edits })
}

pub(crate) fn unparsed(error: ParseError) -> Problem {
    match error {
        ParseError::Stopped(stopped) => stopped.into(),
        ParseError::NoGrammar { language } => {
            let message =
                format!("there is no grammar for {language} here, so its definitions cannot be told apart");
            Problem::new(ErrorKind::Unsupported, message).detail("no_grammar")
        }
        ParseError::TooLarge { .. } => {
            Problem::new(ErrorKind::TooLarge, format!("the file cannot be parsed: {error}"))
                .detail("file_too_large")
        }
        ParseError::TimedOut { .. } | ParseError::NoTree { .. } => {
            Problem::new(ErrorKind::Timeout, format!("the file cannot be parsed: {error}"))
                .detail("parse_failed")
        }
    }
}

/// An error that was not there before. A text that was broken already is read another way after every change: there,
/// only what begins in the content counts, or an error more than before.
fn new_error<'a>(before: &Before<'_>, after: &'a Outcome) -> Option<&'a SyntaxError> {
    let content = &after.content;
    let (old, new) = (&before.seen.errors, &after.seen.errors);
    let touches = |error: &&SyntaxError| error.range.start <= content.end && content.start <= error.range.end;
    if old.is_empty() {
        return new.iter().find(touches).or(new.first());
    }
    let longer = after.text.len();
    let known = |error: &&SyntaxError| {
        old.iter().any(|one| {
            let same_end =
                before.text.len().checked_sub(one.range.start) == longer.checked_sub(error.range.start);
            one.missing == error.missing && (one.range.start == error.range.start || same_end)
        })
    };
    let strange = |error: &&SyntaxError| !known(error);
    let begins = |error: &&SyntaxError| content.contains(&error.range.start);
    let inside = new.iter().filter(strange).find(begins);
    inside.or_else(|| if new.len() > old.len() { new.iter().find(strange) } else { None })
}

/// The place of an error, in the words of an answer. `after`: the text is what it would be.
pub(crate) fn syntax_problem(
    text: &str,
    error: &SyntaxError,
    content: &Range<usize>,
    after: bool,
) -> Problem {
    // Where the parser gave up may be far above; the content is what is new.
    let at = if content.contains(&error.range.end) || error.range.end >= content.end {
        error.range.start.max(content.start.min(error.range.end))
    } else {
        error.range.start
    };
    let blanks = text.get(at..error.range.end).map_or(0, |rest| rest.len() - rest.trim_start().len());
    let at = if blanks < error.range.len() { at + blanks } else { at };
    let index = LineIndex::new(text);
    let place = index.position(text, at);
    let line = index.line_text(text, place.line as usize - 1).unwrap_or_default();
    let what = match &error.missing {
        Some(sign) => format!("`{sign}` is missing"),
        None => "the grammar cannot read on".to_owned(),
    };
    let message = if after {
        format!(
            "nothing was planned: the file would have a syntax error at line {}, column {} ({what}): `{}`",
            place.line,
            place.column,
            cut(line.trim())
        )
    } else {
        format!(
            "a syntax error at line {}, column {} ({what}): `{}`",
            place.line,
            place.column,
            cut(line.trim())
        )
    };
    Problem::new(ErrorKind::InvalidParams, message)
        .detail("syntax_error")
        .fact("line", i64::from(place.line))
        .fact("column", i64::from(place.column))
        .fact("text", cut(line))
}

/// Whether every definition that was not touched is where and what it was.
fn undisturbed(before: &Before<'_>, after: &Outcome, beside: Option<&Symbol>) -> Result<(), Problem> {
    let Some(first) = after.edits.iter().map(|edit| edit.range.start).min() else { return Ok(()) };
    let last = after.edits.iter().map(|edit| edit.range.end).max().unwrap_or(first);
    let moved = |at: usize| {
        let tail = before.text.len().saturating_sub(at);
        after.text.len().saturating_sub(tail)
    };
    let mut places = std::collections::HashMap::new();
    for symbol in &after.seen.outline.symbols {
        places.insert((symbol.name_range.start, symbol.name.as_str()), symbol);
    }
    for old in &before.seen.outline.symbols {
        let at = match (old.name_range.end <= first, old.name_range.start >= last) {
            (true, _) => old.name_range.start,
            (_, true) => moved(old.name_range.start),
            _ => continue,
        };
        let Some(new) = places.get(&(at, old.name.as_str())) else { return Err(disturbed(old)) };
        // What encloses the edits must still enclose them.
        let encloses = old.range.start < first && old.range.end > last;
        if new.kind != old.kind || (encloses && new.range.end != moved(old.range.end)) {
            return Err(disturbed(old));
        }
        if before.seen.outline.symbols.len() > FEW {
            continue;
        }
        let inside = |symbol: &Symbol, outline: &orienteer_syntax::Outline| {
            around(outline, &symbol.name_range).map(|around| around.name.clone())
        };
        if inside(new, &after.seen.outline) != inside(old, &before.seen.outline) {
            return Err(disturbed(old));
        }
    }
    let Some(beside) = beside else { return Ok(()) };
    let brought =
        after.seen.outline.symbols.iter().find(|symbol| after.content.contains(&symbol.name_range.start));
    let Some(brought) = brought else { return Ok(()) };
    let (here, there) =
        (around(&after.seen.outline, &brought.name_range), around(&before.seen.outline, &beside.name_range));
    if here.map(|symbol| &symbol.name) == there.map(|symbol| &symbol.name) {
        return Ok(());
    }
    let (here, there) = (inside_of(here), inside_of(there));
    let message = format!(
        "nothing was planned: `{}` would stand {here}, and `{}` stands {there}; check the content's indentation and brackets",
        cut(&brought.name),
        cut(&beside.name),
    );
    Err(Problem::invalid("content", "structure_changed", message))
}

fn inside_of(symbol: Option<&Symbol>) -> String {
    symbol.map_or_else(
        || "at the top level".to_owned(),
        |symbol| format!("inside `{}`", cut(&symbol.name_path)),
    )
}

/// The innermost definition around another one's name.
fn around<'o>(outline: &'o orienteer_syntax::Outline, name: &Range<usize>) -> Option<&'o Symbol> {
    let holds = |symbol: &&Symbol| {
        symbol.range.start <= name.start && name.end <= symbol.range.end && symbol.name_range != *name
    };
    // Names in the same declaration enclose each other; the shortest one that is larger than the name's own counts.
    let own =
        outline.symbols.iter().find(|symbol| symbol.name_range == *name).map(|symbol| symbol.range.clone());
    let larger = |symbol: &&Symbol| own.as_ref().is_none_or(|own| symbol.range != *own);
    outline.symbols.iter().filter(holds).filter(larger).min_by_key(|symbol| symbol.range.len())
}

fn disturbed(symbol: &Symbol) -> Problem {
    let message = format!(
        "nothing was planned: the content would change what `{}` is or where it stands; check its brackets and indentation",
        cut(&symbol.name_path)
    );
    Problem::invalid("content", "structure_changed", message)
}
