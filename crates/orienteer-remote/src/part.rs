//! Which part of a text was asked for?

use orienteer_base::Problem;
use orienteer_base::error::cut as shortened;
use orienteer_base::question::Part;

/// Patterns come from outside: one that needs more than this is refused.
const MOST_OF_A_PATTERN: usize = 1 << 20;

/// A part of a text, and where it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    pub content: String,
    /// 1-based; 0 when there is nothing.
    pub start_line: usize,
    pub end_line: usize,
    pub total_lines: usize,
    pub total_chars: usize,
    /// In Unicode scalar values.
    pub char_offset: usize,
    pub has_more: bool,
    pub matched_lines: Vec<usize>,
    /// First and last line of each stretch.
    pub stretches: Vec<(usize, usize)>,
}

/// Cuts the part out.
pub fn part(text: &str, wanted: &Part) -> Result<Piece, Problem> {
    let lines = Lines::of(text);
    let piece = match wanted {
        Part::Whole => lines.between(1, lines.count()),
        Part::Lines { start, end } => by_lines(&lines, *start, *end)?,
        Part::Chars { offset, length } => by_chars(&lines, *offset, *length)?,
        Part::Matching { pattern, regex, case_sensitive, context_lines, skip } => {
            let mut found = matching(text, &lines, pattern, *regex, *case_sensitive)?;
            found.drain(..(*skip).min(found.len()));
            around(&lines, found, *context_lines)
        }
    };
    Ok(Piece { total_lines: lines.count(), total_chars: text.chars().count(), ..piece })
}

/// A text and where its lines begin. A line break at the end does not begin another line.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).filter(|at| *at < text.len()).collect();
        Self { text, starts }
    }

    fn count(&self) -> usize {
        self.starts.len()
    }

    /// Where a line begins, counted from 1; after the last, the end.
    fn start(&self, line: usize) -> usize {
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// The line that this byte is in.
    fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte)
    }

    /// Lines `start` to `end`, both in the text.
    fn between(&self, start: usize, end: usize) -> Piece {
        let (from, to) = (self.start(start), self.start(end + 1));
        Piece {
            content: self.text.get(from..to).unwrap_or_default().to_owned(),
            start_line: start.min(self.count()),
            end_line: end,
            char_offset: self.text.get(..from).unwrap_or_default().chars().count(),
            has_more: to < self.text.len(),
            stretches: if start <= end { vec![(start, end)] } else { Vec::new() },
            ..Piece::default()
        }
    }
}

fn by_lines(lines: &Lines<'_>, start: usize, end: usize) -> Result<Piece, Problem> {
    let count = lines.count();
    if start == 0 || start > end {
        let message = format!(
            "lines {start} to {end} are none: lines are counted from 1, and the first is not after the last"
        );
        return Err(Problem::invalid("start_line", "invalid_range", message));
    }
    if start > count.max(1) {
        let message = format!("line {start} is after the end: the file has {count} lines");
        return Err(Problem::invalid("start_line", "after_end", message)
            .fact("total_lines", i64::try_from(count).unwrap_or(i64::MAX)));
    }
    Ok(lines.between(start, end.min(count)))
}

fn by_chars(lines: &Lines<'_>, offset: usize, length: usize) -> Result<Piece, Problem> {
    let text = lines.text;
    let Some(from) = text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(offset) else {
        let count = text.chars().count();
        let message = format!("offset {offset} is after the end: the file has {count} characters");
        return Err(Problem::invalid("char_offset", "after_end", message)
            .fact("total_chars", i64::try_from(count).unwrap_or(i64::MAX)));
    };
    let rest = text.get(from..).unwrap_or_default();
    let to = rest.char_indices().nth(length).map_or(text.len(), |(at, _)| from + at);
    let (start_line, end_line) = (lines.at(from), lines.at(to.saturating_sub(1).max(from)));
    Ok(Piece {
        content: text.get(from..to).unwrap_or_default().to_owned(),
        start_line,
        end_line,
        stretches: vec![(start_line, end_line)],
        char_offset: offset,
        has_more: to < text.len(),
        ..Piece::default()
    })
}

/// The lines that match, in order.
fn matching(
    text: &str,
    lines: &Lines<'_>,
    pattern: &str,
    regex: bool,
    case_sensitive: bool,
) -> Result<Vec<usize>, Problem> {
    if pattern.is_empty() {
        return Err(Problem::invalid(
            "match_string",
            "empty",
            "an empty text matches everywhere; write what to look for",
        ));
    }
    let source = if regex { pattern.to_owned() } else { regex::escape(pattern) };
    let built = regex::RegexBuilder::new(&source)
        .case_insensitive(!case_sensitive)
        .multi_line(true)
        .size_limit(MOST_OF_A_PATTERN)
        .build();
    let found = built.map_err(|error| {
        let message = format!("`{}` is not a regular expression: {error}", shortened(pattern));
        Problem::invalid("match_string", "invalid_regex", message)
    })?;
    let mut matched = Vec::new();
    for hit in found.find_iter(text) {
        let (first, last) = (lines.at(hit.start()), lines.at(hit.end().saturating_sub(1).max(hit.start())));
        let next = matched.last().map_or(first, |last: &usize| first.max(last + 1));
        matched.extend(next..=last.min(lines.count()));
    }
    Ok(matched)
}

/// Matching lines with those around them. What lies between two such places is left out, and a line says so.
fn around(lines: &Lines<'_>, matched: Vec<usize>, context: usize) -> Piece {
    let mut windows: Vec<(usize, usize)> = Vec::new();
    for line in &matched {
        let (start, end) =
            (line.saturating_sub(context).max(1), line.saturating_add(context).min(lines.count()));
        match windows.last_mut() {
            Some(last) if start <= last.1 + 1 => last.1 = end,
            _ => windows.push((start, end)),
        }
    }
    let (Some(first), Some(last)) = (windows.first().copied(), windows.last().copied()) else {
        return Piece::default();
    };
    let mut content = String::new();
    let mut before = first.0;
    for (start, end) in windows.iter().copied() {
        if start > before {
            if !content.ends_with('\n') {
                content.push('\n');
            }
            content.push_str(&format!("[lines {before} to {} left out]\n", start - 1));
        }
        content.push_str(lines.text.get(lines.start(start)..lines.start(end + 1)).unwrap_or_default());
        before = end + 1;
    }
    let has_more = last.1 < lines.count();
    Piece {
        content,
        start_line: first.0,
        end_line: last.1,
        has_more,
        matched_lines: matched,
        stretches: windows,
        ..lines.between(first.0, last.1)
    }
}

#[cfg(test)]
mod tests;
