//! What stands around a definition, line by line?

use orienteer_base::SymbolKind as K;
use orienteer_syntax::Anatomy;

/// The lines of a definition with everything that belongs to it, and the blank ones around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lines {
    /// Nothing else stands on them.
    pub(super) own: bool,
    /// Where the first of them begins.
    pub(super) start: usize,
    /// Where the last of them ends, before and after its line break.
    pub(super) end: usize,
    pub(super) next: usize,
    /// Blank lines above and where they begin; blank lines below and where they end.
    pub(super) above: usize,
    pub(super) above_start: usize,
    pub(super) below: usize,
    pub(super) below_end: usize,
    /// Nothing of the same block stands above, or below.
    pub(super) first: bool,
    pub(super) last: bool,
    /// Of its first line.
    pub(super) indent: String,
}

impl Lines {
    pub(super) fn of(text: &str, anatomy: &Anatomy) -> Self {
        let (from, to) = (anatomy.start(), anatomy.end());
        let start = line_start(text, from);
        let end = line_end(text, to);
        let next = next_line(text, end);
        let is_blank = |from: usize, to: usize| text.get(from..to).unwrap_or_default().trim().is_empty();
        let before = text.get(start..from).unwrap_or_default().trim_start_matches('\u{feff}');
        let own = before.trim().is_empty() && is_blank(to, end);
        let indent = indentation(text, start).to_owned();

        let (mut above, mut above_start) = (0, start);
        while above_start > 0 {
            let line = line_start(text, above_start - 1);
            if !is_blank(line, above_start) {
                break;
            }
            (above, above_start) = (above + 1, line);
        }
        let (mut below, mut below_end) = (0, next);
        while below_end < text.len() {
            let line = next_line(text, line_end(text, below_end));
            if !is_blank(below_end, line) {
                break;
            }
            (below, below_end) = (below + 1, line);
        }
        let neighbour = above_start.checked_sub(1).map(|at| line_start(text, at));
        let first = neighbour.is_none_or(|line| {
            let written = text.get(line..above_start).unwrap_or_default().trim_end();
            indentation(text, line).len() < indent.len() || written.ends_with(['{', '(', '['])
        });
        let rest = text.get(below_end..).unwrap_or_default();
        let written = rest.trim_start_matches([' ', '\t']);
        let closes = written.starts_with(['}', ')', ']']) || is_word(written, "end");
        let last = rest.trim().is_empty() || closes || indentation(text, below_end).len() < indent.len();
        Self { own, start, end, next, above, above_start, below, below_end, first, last, indent }
    }

    /// How many blank lines go between the definition and something new beside it.
    pub(super) fn gap(&self, anatomy: &Anatomy, language: &str, after: bool) -> usize {
        let above = (!self.first).then_some(self.above);
        let below = (!self.last).then_some(self.below);
        let near = if after { below.or(above) } else { above.or(below) };
        match near {
            // Values stand in groups: the blank line that ends one does not part it.
            Some(_) if is_value(anatomy.symbol.kind) => above.into_iter().chain(below).min().unwrap_or(0),
            Some(near) => near,
            None if is_value(anatomy.symbol.kind) => 0,
            None if language == "python" && self.indent.is_empty() => 2,
            None => 1,
        }
    }
}

fn is_value(kind: K) -> bool {
    matches!(kind, K::Constant | K::EnumMember | K::Field | K::Key | K::Property | K::TypeAlias | K::Variable)
}

fn is_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

/// Where the line around a place ends, before its line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let line = rest.find('\n').map_or(rest, |end| rest.get(..end).unwrap_or_default());
    at + line.strip_suffix('\r').unwrap_or(line).len()
}

fn next_line(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    end + if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) }
}

/// The blanks at the beginning of a line.
pub(super) fn indentation(text: &str, line: usize) -> &str {
    let rest = text.get(line..).unwrap_or_default();
    let rest = if line == 0 { rest.trim_start_matches('\u{feff}') } else { rest };
    let length = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest.get(..length).unwrap_or_default()
}
