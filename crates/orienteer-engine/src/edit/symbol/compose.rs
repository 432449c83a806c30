//! Which edits of the text does an operation mean?
//!
//! Each function gives the ways in which it can be meant, the likeliest first: how the content is indented and whether a
//! comma is wanted shows only when the result is parsed.

use std::ops::Range;

use orienteer_base::Language;
use orienteer_edit::TextEdit;
use orienteer_syntax::Anatomy;
use orienteer_syntax::anatomy::Shape;

use super::indent::{readings, trimmed, unit};
use super::lines::{Lines, indentation, line_end, line_start};

/// A definition in its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) text: &'a str,
    pub(super) language: &'static Language,
    pub(super) anatomy: &'a Anatomy,
    /// The line break of the text.
    pub(super) newline: &'static str,
}

/// One way to do it: the edits, and which of them brings the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) edits: Vec<TextEdit>,
    pub(super) content: usize,
}

impl Way {
    fn of(edit: TextEdit) -> Self {
        Self { edits: vec![edit], content: 0 }
    }
}

/// Another text in place of the definition itself. What stands in front of it stays; `super::above` sees to it when the
/// content brings its own.
pub(super) fn replace(subject: &Subject<'_>, content: &str, strings: &[Range<usize>]) -> Vec<Way> {
    let Anatomy { core, separator, .. } = subject.anatomy;
    let content = trimmed(content);
    let base = indentation(subject.text, line_start(subject.text, core.start));
    // Who writes the sign behind it means the one that is there.
    let end = match separator {
        Some((range, sign)) if content.ends_with(*sign) => range.end,
        _ => core.end,
    };
    let read = readings(content, base, strings);
    read.into_iter().map(|new| Way::of(TextEdit::new(core.start..end, new))).collect()
}

/// Another body.
pub(super) fn replace_body(subject: &Subject<'_>, content: &str, strings: &[Range<usize>]) -> Vec<Way> {
    let Some(body) = &subject.anatomy.body else { return Vec::new() };
    let (text, newline) = (subject.text, subject.newline);
    let content = trimmed(content);
    let outer = indentation(text, line_start(text, subject.anatomy.core.start));
    let place = |range: Range<usize>, new: String| Way::of(TextEdit::new(range, new));
    let inner = text.get(body.inner.clone()).unwrap_or_default();
    match body.shape {
        Shape::Enclosed => {
            let mut ways = Vec::new();
            let signs =
                (text.get(body.range.start..body.inner.start), text.get(body.inner.end..body.range.end));
            let bare = content.trim_start();
            let (open, close) = (signs.0.unwrap_or_default(), signs.1.unwrap_or_default());
            if bare.starts_with(open) && bare.ends_with(close) && bare.len() >= open.len() + close.len() {
                let read = readings(content, outer, strings).into_iter();
                ways.extend(read.map(|new| place(body.range.clone(), new)));
            }
            if content.is_empty() {
                ways.push(place(
                    body.inner.clone(),
                    if open == "do" { newline.to_owned() } else { String::new() },
                ));
                return ways;
            }
            if !content.contains('\n') && !inner.contains('\n') {
                ways.push(place(body.inner.clone(), format!(" {} ", content.trim())));
                return ways;
            }
            let deeper =
                first_indentation(inner).map_or_else(|| format!("{outer}{}", unit(text)), str::to_owned);
            let closing = line_start(text, body.inner.end);
            let own_line = text.get(closing..body.inner.end).is_some_and(|before| before.trim().is_empty());
            let closing = if own_line { indentation(text, closing) } else { outer };
            let read = readings(content, &deeper, strings).into_iter();
            ways.extend(
                read.map(|new| {
                    place(body.inner.clone(), format!("{newline}{deeper}{new}{newline}{closing}"))
                }),
            );
            ways
        }
        Shape::Lines => {
            let line = line_start(text, body.range.start);
            let own_line = text.get(line..body.range.start).is_some_and(|before| before.trim().is_empty());
            // Documentation stays unless the content brings its own.
            let kept = body.docstring.clone().filter(|_| !begins_with_string(content));
            if !own_line && !content.contains('\n') {
                return vec![place(body.range.clone(), content.trim().to_owned())];
            }
            let deeper =
                if own_line { indentation(text, line).to_owned() } else { format!("{outer}{}", unit(text)) };
            let read = readings(content, &deeper, strings).into_iter();
            read.map(|new| match (&kept, own_line) {
                (Some(kept), _) => place(kept.end..body.range.end, format!("{newline}{deeper}{new}")),
                (None, true) => place(body.range.clone(), new),
                (None, false) => place(body.range.clone(), format!("{newline}{deeper}{new}")),
            })
            .collect()
        }
        Shape::Expression => {
            let mut ways = Vec::new();
            for range in [&body.inner, &body.range] {
                let read = readings(content, outer, strings).into_iter();
                ways.extend(read.map(|new| place(range.clone(), new)));
            }
            ways
        }
    }
}

/// The indentation of the first line of a body of several lines.
fn first_indentation(inner: &str) -> Option<&str> {
    let line = inner.lines().skip(1).find(|line| !line.trim().is_empty())?;
    Some(indentation(line, 0)).filter(|indent| !indent.is_empty())
}

fn begins_with_string(content: &str) -> bool {
    let written = content.trim_start().trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B', 'f', 'F']);
    written.starts_with(['"', '\''])
}

/// Something new above or below.
pub(super) fn insert(
    subject: &Subject<'_>,
    content: &str,
    after: bool,
    strings: &[Range<usize>],
) -> Vec<Way> {
    let lines = Lines::of(subject.text, subject.anatomy);
    let content = trimmed(content);
    let commas = if subject.anatomy.in_commas { [true, false] } else { [false, true] };
    let mut ways = Vec::new();
    for with_comma in commas {
        for new in readings(content, &lines.indent, strings) {
            let new = if with_comma { new.trim_end_matches(',').to_owned() } else { new };
            ways.push(match (lines.own, after) {
                (true, true) => below(subject, &lines, new, with_comma),
                (true, false) => above(subject, &lines, new, with_comma),
                (false, after) => inline(subject, new, after, with_comma),
            });
        }
    }
    ways
}

fn below(subject: &Subject<'_>, lines: &Lines, new: String, with_comma: bool) -> Way {
    let breaks = subject.newline.repeat(lines.gap(subject.anatomy, subject.language.id, true) + 1);
    let has_comma = matches!(subject.anatomy.separator, Some((_, ',')));
    let sign = if with_comma && has_comma { "," } else { "" };
    let insert = TextEdit::insert(lines.end, format!("{breaks}{}{new}{sign}", lines.indent));
    if with_comma && !has_comma {
        // The new one is the last, and what was the last needs a comma now.
        return Way { edits: vec![TextEdit::insert(subject.anatomy.core.end, ","), insert], content: 1 };
    }
    Way::of(insert)
}

fn above(subject: &Subject<'_>, lines: &Lines, new: String, with_comma: bool) -> Way {
    let breaks = subject.newline.repeat(lines.gap(subject.anatomy, subject.language.id, false) + 1);
    let sign = if with_comma { "," } else { "" };
    let mark =
        if lines.start == 0 && subject.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    Way::of(TextEdit::insert(lines.start.max(mark), format!("{}{new}{sign}{breaks}", lines.indent)))
}

/// Beside something that shares its line.
fn inline(subject: &Subject<'_>, new: String, after: bool, with_comma: bool) -> Way {
    let Anatomy { core, separator, .. } = subject.anatomy;
    let edit = match (after, separator, with_comma) {
        (true, Some((range, ',')), true) => TextEdit::insert(range.end, format!(" {new},")),
        (true, _, true) => TextEdit::insert(core.end, format!(", {new}")),
        (true, Some((range, _)), false) => TextEdit::insert(range.end, format!(" {new}")),
        (true, None, false) => TextEdit::insert(core.end, format!(" {new}")),
        (false, _, true) => TextEdit::insert(subject.anatomy.start(), format!("{new}, ")),
        (false, _, false) => TextEdit::insert(subject.anatomy.start(), format!("{new} ")),
    };
    Way::of(edit)
}

/// Nothing in its place, and no hole either.
pub(super) fn delete(subject: &Subject<'_>) -> Way {
    let (text, anatomy) = (subject.text, subject.anatomy);
    let lines = Lines::of(text, anatomy);
    // What was the last entry leaves no comma behind that was not there before it.
    let ends_list = anatomy.in_commas && !matches!(anatomy.separator, Some((_, ',')));
    let comma = anatomy.comma_before.clone().filter(|_| ends_list);
    if !lines.own {
        return Way::of(TextEdit::new(inline_extent(text, anatomy, comma), ""));
    }
    let (mut from, mut to) = (lines.start, lines.next);
    match (lines.first, lines.last) {
        (true, _) => to = lines.below_end,
        (false, true) => from = lines.above_start,
        (false, false) if lines.above <= lines.below => from = lines.above_start,
        (false, false) => to = lines.below_end,
    }
    // The text ends without a line break, and still does.
    if to == text.len() && !text.ends_with('\n') && from > 0 {
        from = line_end(text, line_start(text, from - 1));
    }
    if from == 0 && text.starts_with('\u{feff}') {
        from = '\u{feff}'.len_utf8();
    }
    let whole = TextEdit::new(from..to, "");
    match comma {
        Some(comma) if comma.end <= from => Way { edits: vec![TextEdit::new(comma, ""), whole], content: 1 },
        _ => Way::of(whole),
    }
}

fn inline_extent(text: &str, anatomy: &Anatomy, comma: Option<Range<usize>>) -> Range<usize> {
    let end = anatomy.separator.as_ref().map_or(anatomy.core.end, |(range, _)| range.end);
    if let Some(comma) = comma {
        return comma.start..end;
    }
    let start = anatomy.start();
    let before = text.get(..start).unwrap_or_default();
    let kept = before.trim_end_matches([' ', '\t']);
    if kept.ends_with([',', ';', '}']) {
        return kept.len()..end;
    }
    let after = text.get(end..).unwrap_or_default();
    start..end + (after.len() - after.trim_start_matches([' ', '\t']).len())
}
