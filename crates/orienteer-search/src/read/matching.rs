//! Which lines of this file match?

use std::collections::VecDeque;
use std::fs::File;

use orienteer_base::answer::Warning;
use orienteer_base::listing::{Excerpt, FileText};
use orienteer_base::{Answer, Cancel, Conceal, ErrorKind, Problem};
use regex::{Regex, RegexBuilder};

use super::LARGEST_WHOLE;
use super::decode::Decoded;
use crate::window;

/// More memory than this for a compiled pattern is refused.
const PATTERN: usize = 10 << 20;

/// What to look for.
#[derive(Debug)]
pub(super) struct Wanted {
    regex: Regex,
    context: usize,
    skip: usize,
    conceal: Conceal,
}

impl Wanted {
    pub(super) fn new(
        pattern: &str,
        regex: bool,
        case_sensitive: bool,
        context: usize,
        skip: usize,
        conceal: Conceal,
    ) -> Result<Self, Problem> {
        crate::text::check_length(pattern)?;
        let escaped = if regex { pattern.to_owned() } else { regex::escape(pattern) };
        let regex = RegexBuilder::new(&escaped)
            .case_insensitive(!case_sensitive)
            .size_limit(PATTERN)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => {
                    Problem::invalid("match_string", "pattern_too_large", "the pattern is too large")
                }
                error => {
                    let message =
                        format!("the pattern is not valid: {}", crate::text::tail(&error.to_string()));
                    Problem::invalid("match_string", "invalid_regex", message)
                }
            })?;
        Ok(Self { regex, context: context.min(crate::text::MOST_CONTEXT), skip, conceal })
    }
}

pub(super) fn read(
    file: &mut File,
    decoded: Decoded,
    wanted: Wanted,
    max_chars: usize,
    mut text: FileText,
    cancel: &Cancel,
) -> Result<Answer<FileText>, Problem> {
    let mut lines = Lines::new(wanted, max_chars);
    let mut unfinished = String::new();
    let mut chars = 0;
    text.lossy = super::each_chunk(file, decoded, &text, cancel, |chunk| {
        chars += chunk.chars().count();
        for piece in chunk.split_inclusive('\n') {
            if !piece.ends_with('\n') || !unfinished.is_empty() {
                if (unfinished.len() + piece.len()) as u64 > LARGEST_WHOLE {
                    let message = format!(
                        "line {} is longer than the {LARGEST_WHOLE} bytes that are searched",
                        lines.number + 1
                    );
                    return Err(Problem::new(ErrorKind::TooLarge, message).detail("line_too_long"));
                }
                unfinished.push_str(piece);
                if !piece.ends_with('\n') {
                    continue;
                }
                lines.line(&unfinished);
                unfinished.clear();
            } else {
                lines.line(piece);
            }
        }
        Ok(())
    })?;
    if !unfinished.is_empty() {
        lines.line(&unfinished);
    }
    text.total_lines = lines.number;
    text.total_chars = chars;
    text.total_matches = lines.total;
    let capped = lines.full;
    text.matches = Some(lines.kept);
    let mut answer = super::answer(text, capped);
    if !lines.shortened.is_empty() {
        let named: Vec<String> = lines.shortened.iter().take(5).map(usize::to_string).collect();
        let message = format!("lines too long to show are windows around the match: {}", named.join(", "));
        answer = answer.warn(Warning::new("shortened", message));
    }
    Ok(answer)
}

/// Goes through the lines and keeps matches until the budget is used up.
struct Lines {
    wanted: Wanted,
    budget: usize,
    number: usize,
    total: usize,
    kept: Vec<Excerpt>,
    recent: VecDeque<String>,
    /// The first kept match that still lacks lines after it.
    open: usize,
    full: bool,
    /// Numbers of lines that were cut.
    shortened: Vec<usize>,
}

impl Lines {
    fn new(wanted: Wanted, budget: usize) -> Self {
        Self {
            wanted,
            budget,
            number: 0,
            total: 0,
            kept: Vec::new(),
            recent: VecDeque::new(),
            open: 0,
            full: false,
            shortened: Vec::new(),
        }
    }

    fn line(&mut self, line: &str) {
        self.number += 1;
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let found = self.wanted.regex.find(line).map(|found| found.start());
        let own = found.and_then(|at| {
            self.total += 1;
            self.excerpt(line, at)
        });
        self.neighbour(line);
        self.kept.extend(own);
    }

    fn excerpt(&mut self, line: &str, at: usize) -> Option<Excerpt> {
        if self.full || self.total <= self.wanted.skip {
            return None;
        }
        let column = line[..at].chars().count();
        let (content, cut) = window::window(line, column, &self.wanted.conceal);
        let before: Vec<String> = self.recent.iter().cloned().collect();
        let cost = content.chars().count() + before.iter().map(|line| line.chars().count()).sum::<usize>();
        // The first match is shown whatever it costs: an answer without any would say there is none.
        if cost > self.budget && !self.kept.is_empty() {
            self.full = true;
            return None;
        }
        self.budget = self.budget.saturating_sub(cost);
        if cut {
            self.shortened.push(self.number);
        }
        Some(Excerpt { line: self.number, column: column + 1, content, before, after: Vec::new() })
    }

    /// A line as context of the matches before it and, perhaps, after it.
    fn neighbour(&mut self, line: &str) {
        let done = self.full && self.open >= self.kept.len();
        if self.wanted.context == 0 || done {
            return;
        }
        let (text, cut) = window::window(line, 0, &self.wanted.conceal);
        if self.open < self.kept.len() {
            self.budget = self.budget.saturating_sub(text.chars().count());
            if cut {
                self.shortened.push(self.number);
            }
        }
        for open in &mut self.kept[self.open..] {
            open.after.push(text.clone());
        }
        while self.kept.get(self.open).is_some_and(|open| open.after.len() >= self.wanted.context) {
            self.open += 1;
        }
        if self.recent.len() == self.wanted.context {
            self.recent.pop_front();
        }
        self.recent.push_back(text);
    }
}
