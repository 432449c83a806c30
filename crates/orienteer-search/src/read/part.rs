//! Which stretch of the file is this?

use std::fs::File;

use orienteer_base::listing::FileText;
use orienteer_base::question::Part;
use orienteer_base::{Answer, Cancel, Problem};

use super::decode::Decoded;

/// Refuses what no file could satisfy.
pub(super) fn check(part: &Part) -> Result<(), Problem> {
    match part {
        Part::Lines { start: 0, .. } => {
            Err(Problem::invalid("start_line", "invalid_range", "lines are counted from 1"))
        }
        Part::Lines { start, end } if start > end => {
            let message = format!("the range {start}-{end} ends before it starts");
            Err(Problem::invalid("end_line", "invalid_range", message))
        }
        _ => Ok(()),
    }
}

pub(super) fn read(
    file: &mut File,
    decoded: Decoded,
    part: &Part,
    max_chars: usize,
    mut text: FileText,
    cancel: &Cancel,
) -> Result<Answer<FileText>, Problem> {
    let mut cursor = Cursor::new(part, max_chars);
    text.lossy = super::each_chunk(file, decoded, &text, cancel, |chunk| {
        cursor.chunk(chunk);
        Ok(())
    })?;
    text.total_lines = cursor.total_lines();
    text.total_chars = cursor.chars;
    cursor.check_end(part)?;
    let (line, offset) = cursor.first.unwrap_or((cursor.line, cursor.chars));
    text.start_line = if cursor.chars == 0 { 1 } else { line };
    text.char_offset = offset;
    let content = &cursor.content;
    // One character more than the budget was kept: it tells a cut from an end.
    let kept = if cursor.taken > max_chars { cut(content, max_chars) } else { content.len() };
    text.content = content[..kept].to_owned();
    if cursor.taken > max_chars {
        text.next_char_offset = Some(offset + text.content.chars().count());
    }
    let ends = text.content.matches('\n').count();
    let open = !text.content.is_empty() && !text.content.ends_with('\n');
    text.end_line = text.start_line + ends + usize::from(open) - 1;
    let capped = text.next_char_offset.is_some();
    Ok(super::answer(text, capped))
}

/// The byte where a text of more than `max_chars` characters is cut: after a line where there is one.
fn cut(content: &str, max_chars: usize) -> usize {
    let most = content.char_indices().nth(max_chars).map_or(content.len(), |(at, _)| at);
    content[..most].rfind('\n').map_or(most, |at| at + 1)
}

/// Walks over the file and takes the part.
struct Cursor<'p> {
    part: &'p Part,
    max_chars: usize,
    /// 1-based number of the line that the next character is on.
    line: usize,
    chars: usize,
    last: Option<char>,
    content: String,
    taken: usize,
    first: Option<(usize, usize)>,
}

impl<'p> Cursor<'p> {
    fn new(part: &'p Part, max_chars: usize) -> Self {
        Self { part, max_chars, line: 1, chars: 0, last: None, content: String::new(), taken: 0, first: None }
    }

    fn chunk(&mut self, chunk: &str) {
        for piece in chunk.split_inclusive('\n') {
            let count = piece.chars().count();
            self.take(piece, count);
            self.chars += count;
            self.line += usize::from(piece.ends_with('\n'));
        }
        self.last = chunk.chars().next_back().or(self.last);
    }

    fn take(&mut self, piece: &str, count: usize) {
        if self.taken > self.max_chars {
            return;
        }
        let (from, to) = match *self.part {
            Part::Whole | Part::Matching { .. } => (0, count),
            Part::Lines { start, end } if (start..=end).contains(&self.line) => (0, count),
            Part::Lines { .. } => return,
            Part::Chars { offset, length } => {
                let end = offset.saturating_add(length).min(self.chars + count);
                if offset >= self.chars + count || end <= self.chars {
                    return;
                }
                (offset.saturating_sub(self.chars), end - self.chars)
            }
        };
        if to <= from {
            return;
        }
        self.first.get_or_insert((self.line, self.chars + from));
        let room = self.max_chars.saturating_add(1) - self.taken;
        let to = to.min(from.saturating_add(room));
        self.content.push_str(slice(piece, count, from, to));
        self.taken += to - from;
    }

    fn total_lines(&self) -> usize {
        self.line - 1 + usize::from(self.last.is_some_and(|last| last != '\n'))
    }

    /// Refuses a part that starts behind the end, saying where the end is.
    fn check_end(&self, part: &Part) -> Result<(), Problem> {
        match *part {
            // The first line of an empty file is the least surprising thing to ask for.
            Part::Lines { start, .. } if start > self.total_lines().max(1) => {
                let message =
                    format!("line {start} is behind the end; the file has {} lines", self.total_lines());
                Err(Problem::invalid("start_line", "behind_end", message))
            }
            Part::Chars { offset, .. } if offset > self.chars => {
                let message =
                    format!("character {offset} is behind the end; the file has {} characters", self.chars);
                Err(Problem::invalid("char_offset", "behind_end", message))
            }
            _ => Ok(()),
        }
    }
}

/// The characters `from..to` of a piece that has `count`.
fn slice(piece: &str, count: usize, from: usize, to: usize) -> &str {
    if from == 0 && to == count {
        return piece;
    }
    let byte = |at: usize| piece.char_indices().nth(at).map_or(piece.len(), |(byte, _)| byte);
    &piece[byte(from)..byte(to)]
}
