//! What stands directly above a definition: comments and attributes, without a blank line between.

use std::ops::Range;

/// More of them are made by a program.
const MAX_ATTRIBUTES: usize = 64;

/// Comments of the text, and the run of comments and attributes that was met last.
#[derive(Debug, Default)]
pub(super) struct Lead {
    /// Neighbouring line comments joined.
    pub(super) comments: Vec<Range<usize>>,
    /// Whether the last comment may be joined by another.
    joins: bool,
    start: usize,
    end: usize,
    /// Parts of the run, in order.
    docs: Vec<Range<usize>>,
    attributes: Vec<Range<usize>>,
}

impl Lead {
    /// A comment that is about what it stands in.
    pub(super) fn inner_comment(&mut self, text: &str, range: Range<usize>) {
        self.comment(text, range);
        (self.start, self.end) = (0, 0);
    }

    pub(super) fn comment(&mut self, text: &str, range: Range<usize>) {
        let Some(written) = text.get(range.clone()) else { return };
        // Some grammars count the line break to the comment.
        let written = written.trim_ascii_end();
        let range = range.start..range.start + written.len();
        if range.is_empty() {
            return;
        }
        let own_line = begins_line(text, range.start);
        let line = !written.starts_with("/*") && !written.contains('\n');
        match self.comments.last_mut() {
            Some(last)
                if own_line && line && self.joins && is_directly_above(text, last.end, range.start) =>
            {
                last.end = range.end;
            }
            _ => self.comments.push(range.clone()),
        }
        self.joins = own_line && line;
        // What stands behind code is about that code, unless it is marked as documentation of what follows.
        if own_line || written.starts_with("///") || written.starts_with("/**") {
            self.extend(text, &range);
            self.docs.push(range);
        }
    }

    pub(super) fn attribute(&mut self, text: &str, range: Range<usize>) {
        self.extend(text, &range);
        if self.attributes.len() < MAX_ATTRIBUTES {
            self.attributes.push(range);
        }
    }

    fn extend(&mut self, text: &str, range: &Range<usize>) {
        if self.start == self.end || !is_directly_above(text, self.end, range.start) {
            self.docs.clear();
            self.attributes.clear();
            self.start = range.start;
        }
        self.end = range.end;
    }

    /// Where what is above a definition begins, if anything is.
    pub(super) fn above(&self, text: &str, start: usize) -> Option<usize> {
        if self.start == self.end {
            return None;
        }
        // Decorators before an `export` are met before the definition that begins with them.
        let begins_with_one =
            start < self.end && self.attributes.iter().any(|attribute| attribute.start == start);
        (begins_with_one || is_directly_above(text, self.end, start)).then_some(self.start)
    }

    pub(super) fn docs(&self) -> &[Range<usize>] {
        &self.docs
    }

    pub(super) fn attributes(&self) -> &[Range<usize>] {
        &self.attributes
    }
}

/// Nothing but blanks and at most one line break between two places.
fn is_directly_above(text: &str, end: usize, start: usize) -> bool {
    let Some(between) = text.as_bytes().get(end..start) else { return false };
    let mut breaks = 0;
    for byte in between {
        match byte {
            b'\n' => breaks += 1,
            b' ' | b'\t' | b'\r' => {}
            _ => return false,
        }
        if breaks > 1 {
            return false;
        }
    }
    true
}

fn begins_line(text: &str, start: usize) -> bool {
    let before = text.as_bytes().get(..start).unwrap_or_default();
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    before.len() == blanks || before.get(before.len() - blanks - 1) == Some(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Lead {
        let mut lead = Lead::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if let Some(found) = line.find("//") {
                lead.comment(text, at + found..at + line.len());
            }
            at += line.len();
        }
        lead
    }

    #[test]
    fn neighbouring_line_comments_are_one() {
        let text = "// a\n  // b\n\n// c\nx // d\n// e\n";
        let lead = read(text);
        let comments: Vec<&str> = lead.comments.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(comments, ["// a\n  // b", "// c", "// d", "// e"]);
    }

    #[test]
    fn only_what_is_directly_above_leads() {
        let text = "// a\n// b\nfn";
        assert_eq!(read(text).above(text, 10), Some(0));
        let text = "// a\n\n// b\nfn";
        assert_eq!(read(text).above(text, 11), Some(6));
        let text = "// a\n\nfn";
        assert_eq!(read(text).above(text, 6), None);
        let text = "x // a\nfn";
        assert_eq!(read(text).above(text, 7), None);
        assert_eq!(Lead::default().above("", 0), None);
    }
}
