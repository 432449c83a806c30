//! Which lines show best why a place was found?

use std::ops::Range;

use orienteer_base::LineIndex;

use super::SnippetLine;
use super::matches::Matches;
use super::words::Words;

/// Lines of a short snippet, and of a long one.
const FEW: usize = 3;
const MANY: usize = 12;
/// Characters of a line; of a longer one what is around the match.
const WIDEST: usize = 200;

/// What lines are chosen from.
pub(super) struct Source<'s> {
    pub(super) text: &'s str,
    pub(super) lines: &'s LineIndex,
    /// The bytes of the answer.
    pub(super) extent: &'s [Range<usize>],
    pub(super) words: &'s Words,
    pub(super) matches: &'s Matches,
    /// Where something stands exactly as it was asked for.
    pub(super) exact: &'s [Range<usize>],
    /// Where the name stands.
    pub(super) name: Option<usize>,
}

/// One line in the making.
struct Line {
    number: usize,
    worth: f64,
    concepts: Vec<u16>,
    /// The first match in it.
    at: usize,
}

impl Source<'_> {
    /// The lines that match best, in order, and where the first match stands.
    pub(super) fn lines(&self, full: bool) -> (Vec<SnippetLine>, Option<usize>) {
        let most = if full { MANY } else { FEW };
        let matched = self.matched();
        let mut chosen: Vec<usize> = best(&matched, self.words, most);
        let first = chosen
            .iter()
            .filter_map(|number| matched.iter().find(|line| line.number == *number))
            .map(|line| line.at)
            .min();
        if chosen.is_empty() {
            let start =
                self.name.or_else(|| self.extent.first().map(|range| range.start)).unwrap_or_default();
            chosen.push(self.number(start));
        }
        self.fill(&mut chosen, most);
        chosen.sort_unstable();
        let snippet = chosen.into_iter().filter_map(|number| {
            let line = matched.iter().find(|line| line.number == number);
            let text = self.lines.line_text(self.text, number)?;
            let start = self.lines.line_bytes(number)?.start;
            let at = line.map_or(0, |line| line.at.saturating_sub(start));
            Some(SnippetLine {
                number: u32::try_from(number + 1).unwrap_or(u32::MAX),
                text: cut(text, at),
                matched: line.is_some(),
            })
        });
        (snippet.collect(), first)
    }

    fn number(&self, offset: usize) -> usize {
        self.lines.locate(self.text, offset, orienteer_base::ColumnUnit::Utf8).0
    }

    /// Every line that has something of the question.
    fn matched(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        let mut add = |number: usize, at: usize, worth: f64, concept: Option<u16>| {
            let line = match lines.binary_search_by_key(&number, |line| line.number) {
                Ok(place) => &mut lines[place],
                Err(place) => {
                    lines.insert(place, Line { number, worth: 0.0, concepts: Vec::new(), at });
                    &mut lines[place]
                }
            };
            line.at = line.at.min(at);
            match concept {
                Some(concept) if line.concepts.contains(&concept) => {}
                Some(concept) => {
                    line.concepts.push(concept);
                    line.worth += worth;
                }
                None => line.worth += worth,
            }
        };
        for place in &self.matches.places {
            let start = place.start as usize;
            let share =
                self.words.concepts.get(usize::from(place.concept)).map_or(0.0, |concept| concept.share);
            add(self.number(start), start, share * f64::from(place.weight), Some(place.concept));
        }
        for range in self.exact {
            // A match may begin with the line break before it.
            let inside = self.text.get(range.clone()).unwrap_or_default();
            let start = range.start + (inside.len() - inside.trim_start().len());
            add(self.number(start.min(range.end)), start.min(range.end), 2.0, None);
        }
        lines
    }

    /// Adds lines beside those chosen: after them first, as code is read.
    fn fill(&self, chosen: &mut Vec<usize>, most: usize) {
        let is_own = |number: usize| {
            self.lines.line_bytes(number).is_some_and(|bytes| {
                self.extent.iter().any(|range| bytes.start < range.end && range.start < bytes.end)
                    && self.text.get(bytes).is_some_and(|text| !text.trim().is_empty())
            })
        };
        let wanted = most.min(if most == FEW { 2 } else { most });
        let Some(first) = chosen.first().copied() else { return };
        for number in (first + 1..first + 1 + most).chain((first.saturating_sub(most)..first).rev()) {
            if chosen.len() >= wanted {
                return;
            }
            if !chosen.contains(&number) && is_own(number) {
                chosen.push(number);
            }
        }
    }
}

/// The numbers of the best lines, best first: each next one for what it adds.
fn best(lines: &[Line], words: &Words, most: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut seen: Vec<u16> = Vec::new();
    while chosen.len() < most {
        let worth = |line: &Line| {
            let old: f64 = line
                .concepts
                .iter()
                .filter(|concept| seen.contains(concept))
                .filter_map(|concept| words.concepts.get(usize::from(*concept)))
                .map(|concept| concept.share)
                .sum();
            // What is shown already counts a little.
            line.worth - 0.8 * old
        };
        let left = lines.iter().filter(|line| !chosen.contains(&line.number));
        let next =
            left.max_by(|one, other| worth(one).total_cmp(&worth(other)).then(other.number.cmp(&one.number)));
        let Some(next) = next else { break };
        if worth(next) < 0.02 && !chosen.is_empty() {
            break;
        }
        seen.extend(&next.concepts);
        chosen.push(next.number);
    }
    chosen
}

/// A line, or of a long one what is around a byte of it.
fn cut(line: &str, at: usize) -> String {
    let count = line.chars().count();
    let line_end = line.trim_end();
    if count <= WIDEST {
        return line_end.to_owned();
    }
    let at = line.get(..line.floor_char_boundary(at)).unwrap_or_default().chars().count();
    let start = at.saturating_sub(WIDEST / 4).min(count - WIDEST);
    let inner: String = line.chars().skip(start).take(WIDEST).collect();
    let (before, after) = (if start > 0 { "…" } else { "" }, if start + WIDEST < count { "…" } else { "" });
    format!("{before}{}{after}", inner.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_match() {
        let line = format!("{}needle{}", "é".repeat(500), "x".repeat(500));
        let shown = cut(&line, 1000);
        assert!(shown.contains("needle") && shown.starts_with('…') && shown.ends_with('…'));
        assert!(shown.chars().count() <= WIDEST + 2);
        assert_eq!(cut("short", 3), "short");
        assert!(cut(&"y".repeat(300), 0).starts_with('y'));
        assert!(cut(&"y".repeat(300), 299).ends_with('y'));
    }
}
