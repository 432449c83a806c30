//! Which marks are in the box?

use std::collections::HashSet;

use orienteer_base::nearest::nearest;

use super::error::{QueryError, shown};
use super::expression::{self, Expression};
use super::filters::Filters;
use super::phrase;
use super::table::{ROWS, Row, Shape};
use super::value::{Sense, Vocabulary};
use super::{MOST_WORDS, Need, Phrase, Term};
use crate::analyse::wholes_and_parts;

/// The most phrases, the most expressions, and the most warnings.
const MOST_OTHERS: usize = 16;

/// After so many slashes that begin no expression and names that are no filters, a text is not looked at for more.
const MOST_DOUBTS: usize = 200;
/// The most characters kept of a word as it was written.
const LONGEST_TERM: usize = 256;

/// So many words around something in quotes make a sentence.
const LEAST_AROUND: usize = 3;

/// Words that say little where others stand beside them. They are never dropped here.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has", "have",
    "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "should", "that",
    "the", "their", "then", "there", "these", "this", "to", "was", "we", "what", "when", "where", "which",
    "who", "why", "will", "with", "you", "your",
];

/// Words that are one slip away from a filter and stand before colons in ordinary text and code.
const ORDINARY: &[&str] = &["user", "users", "line", "list", "link", "text", "used", "base", "read", "write"];

/// What the box says.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) terms: Vec<Term>,
    pub(super) phrases: Vec<Phrase>,
    pub(super) expressions: Vec<Expression>,
    pub(super) filters: Filters,
    pub(super) warnings: Vec<String>,
    /// The words in their order, without marks and filters.
    pub(super) spoken: String,
    /// What a sentence says when its quotes mean nothing.
    pub(super) plain: Option<Box<Scanned>>,
}

pub(super) fn scan(text: &str, vocabulary: &Vocabulary) -> Result<Scanned, QueryError> {
    let scan = Scan::read(text, vocabulary, false)?;
    if !scan.is_sentence() {
        return scan.finish(text);
    }
    let mut plain = Scan::read(text, vocabulary, true)?;
    if scan.quotes_values() {
        let quoted: Vec<String> = scan.quoted.iter().map(|phrase| shown(&phrase.text)).collect();
        plain.warn(format!(
            "this reads like a message that quotes {}, so that counts like the other words; write + before the quotes of \
             what must be there",
            quoted.join(", ")
        ));
        return plain.finish(text);
    }
    let plain = plain.finish(text)?;
    Ok(Scanned { plain: Some(Box::new(plain)), ..scan.finish(text)? })
}

struct Scan<'v> {
    vocabulary: &'v Vocabulary,
    said: Scanned,
    /// Words that were taken, by need.
    seen: HashSet<(Need, String)>,
    /// The first word without letters, such as `=>`.
    marks: Option<String>,
    /// Words were left out because there were too many.
    cut: bool,
    /// A quote is open that nothing closes.
    open: bool,
    /// What stands in quotes without a mark, and whether it counts like what does not.
    quoted: Vec<Phrase>,
    plain_quotes: bool,
    /// Words or expressions are marked as what must be there, or must not.
    marked: bool,
    /// Slashes and names that turned out to be plain text. Each costs a look ahead.
    doubts: usize,
}

impl<'v> Scan<'v> {
    fn read(text: &str, vocabulary: &'v Vocabulary, plain_quotes: bool) -> Result<Self, QueryError> {
        let mut scan = Self {
            vocabulary,
            said: Scanned::default(),
            seen: HashSet::new(),
            marks: None,
            cut: false,
            open: false,
            quoted: Vec::new(),
            plain_quotes,
            marked: false,
            doubts: 0,
        };
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let taken = scan.next(rest)?;
            // At least one character is taken, so this ends.
            let taken = if taken == 0 { rest.chars().next().map_or(1, char::len_utf8) } else { taken };
            rest = rest.get(taken..).unwrap_or_default().trim_start();
        }
        Ok(scan)
    }

    /// Whether something is quoted among plain words. Who marks words knows what quotes do.
    fn is_sentence(&self) -> bool {
        !self.marked && self.said.terms.len() >= LEAST_AROUND && !self.quoted.is_empty()
    }

    /// Whether a sentence quotes names and values alone: messages put them in quotes (`Unknown option "x" in file`), and
    /// who pastes one does not know which of them the source has. Several words in quotes are asked for as they stand.
    fn quotes_values(&self) -> bool {
        let is_value =
            |phrase: &Phrase| !phrase.words.is_empty() && !phrase.text.contains(char::is_whitespace);
        self.quoted.iter().all(is_value)
    }

    /// Takes what stands at the beginning, and says how many bytes it has.
    fn next(&mut self, rest: &str) -> Result<usize, QueryError> {
        let (need, marked) = match rest.chars().next() {
            Some('+') if self.is_marked(&rest[1..]) => (Need::Must, 1),
            Some('-') if self.is_marked(&rest[1..]) && !is_option(&rest[1..]) => (Need::Not, 1),
            _ => (Need::Should, 0),
        };
        let body = &rest[marked..];
        if body.starts_with('"')
            && let Some(taken) = self.phrase(body, need)?
        {
            return Ok(marked + taken);
        }
        if let Some((inner, flags, end)) = self.expression(body) {
            self.marked = true;
            let need = if need == Need::Not { Need::Not } else { Need::Must };
            let expression = Expression::new(&body[..end], inner, flags, need)?;
            if self.said.expressions.len() >= MOST_OTHERS && !self.said.expressions.contains(&expression) {
                return Err(QueryError::TooMany { what: "expressions", most: MOST_OTHERS });
            }
            if !self.said.expressions.contains(&expression) {
                self.said.expressions.push(expression);
            }
            return Ok(marked + end);
        }
        if let Some(taken) = self.filter(body, need)? {
            return Ok(marked + taken);
        }
        let end = body.find(char::is_whitespace).unwrap_or(body.len());
        // A mark before a quote that nothing closes means nothing either.
        let need = if body.starts_with('"') { Need::Should } else { need };
        self.marked |= need != Need::Should;
        self.word(&body[..end], need)?;
        Ok(marked + end)
    }

    /// Whether `+` or `-` before this is a mark: a letter, a quote, a regular expression.
    fn is_marked(&mut self, after: &str) -> bool {
        match after.chars().next() {
            Some('"' | '_') => true,
            Some('/') => self.expression(after).is_some(),
            Some(first) => first.is_alphabetic(),
            None => false,
        }
    }

    fn expression<'t>(&mut self, body: &'t str) -> Option<(&'t str, &'t str, usize)> {
        if !body.starts_with('/') || self.doubts >= MOST_DOUBTS {
            return None;
        }
        let found = expression::scan(body);
        self.doubts += usize::from(found.is_none());
        found
    }

    /// A text in quotes. A quote that nothing closes is a mark like others.
    fn phrase(&mut self, body: &str, need: Need) -> Result<Option<usize>, QueryError> {
        if self.open {
            return Ok(None);
        }
        let Some((text, end)) = quoted(body) else {
            self.open = true;
            return Ok(None);
        };
        if self.plain_quotes && need == Need::Should {
            for word in text.split_whitespace() {
                self.word(word, need)?;
            }
            return Ok(Some(end));
        }
        let (words, _) = wholes_and_parts(&text, MOST_WORDS);
        let unmarked = need == Need::Should;
        let need = if need == Need::Not { Need::Not } else { Need::Must };
        let phrase = Phrase { text, need, words };
        if phrase.text.trim().is_empty() || self.said.phrases.contains(&phrase) {
            return Ok(Some(end));
        }
        if need != Need::Not {
            self.speak(&phrase.text);
        }
        if self.said.phrases.len() >= MOST_OTHERS {
            return Err(QueryError::TooMany { what: "phrases", most: MOST_OTHERS });
        }
        if unmarked {
            self.quoted.push(phrase.clone());
        }
        self.said.phrases.push(phrase);
        Ok(Some(end))
    }

    /// `name:value`, where the name is a filter's and the value is not code.
    fn filter(&mut self, body: &str, need: Need) -> Result<Option<usize>, QueryError> {
        let Some(colon) = body.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) else {
            return Ok(None);
        };
        let (name, after) =
            (&body[..colon], &body[colon + body[colon..].chars().next().map_or(0, char::len_utf8)..]);
        if name.is_empty() || !body[colon..].starts_with(':') || looks_like_code(after) {
            return Ok(None);
        }
        let Some(row) = Row::by_word(name) else {
            return self.misspelt(name, after).map_or(Ok(None), Err);
        };
        if after.is_empty() || after.starts_with(char::is_whitespace) {
            let word = row.word;
            self.warn(format!(
                "`{name}:` has no value, so it counts as a word; write {word}:… without a blank to filter"
            ));
            return Ok(None);
        }
        let (value, end) = match value(after) {
            Some((value, end)) => (value, end),
            None => return Err(QueryError::Unclosed { filter: row.word }),
        };
        let sense = match need {
            Need::Should => Sense::Any,
            Need::Must => Sense::Must,
            Need::Not => Sense::Not,
        };
        // A list may be written with commas, except where a comma may be part of the value.
        let values: Vec<&str> = match row.shape {
            Shape::Language | Shape::Kind | Shape::Visibility | Shape::Risk => {
                value.split(',').filter(|value| !value.is_empty()).collect()
            }
            _ => vec![value.as_str()],
        };
        self.said.filters.add(row, &values, sense, self.vocabulary)?;
        Ok(Some(colon + 1 + end))
    }

    /// An error where a name is one slip away from a filter that would take the value.
    fn misspelt(&mut self, name: &str, after: &str) -> Option<QueryError> {
        let ordinary = name.len() < 3 || ORDINARY.contains(&name.to_ascii_lowercase().as_str());
        if ordinary
            || after.is_empty()
            || after.starts_with(char::is_whitespace)
            || self.doubts >= MOST_DOUBTS
        {
            return None;
        }
        self.doubts += 1;
        // Those of about the same length: `port:80` is not about `export`.
        let alike = |word: &&str| word.len().abs_diff(name.len()) <= 1;
        let words = ROWS.iter().flat_map(|row| row.words()).filter(alike);
        let near = nearest(name, words, 3);
        let (value, _) = if near.is_empty() { return None } else { value(after)? };
        let takes = |row: &'static Row| {
            Filters::default().add(row, &[value.as_str()], Sense::Any, self.vocabulary).is_ok()
        };
        let nearest = near.into_iter().find(|word| Row::by_word(word).is_some_and(takes))?;
        let written = shown(&format!("{name}:{value}"));
        Some(QueryError::Misspelt { written, nearest, value: shown(&value) })
    }

    fn speak(&mut self, text: &str) {
        self.said.spoken.push_str(text);
        self.said.spoken.push(' ');
    }

    fn word(&mut self, text: &str, need: Need) -> Result<(), QueryError> {
        if need != Need::Not {
            self.speak(text);
        }
        // One more than may be shows that there are too many.
        let most = if need == Need::Should { MOST_WORDS } else { MOST_WORDS + 1 };
        let (wholes, parts) = wholes_and_parts(text, most);
        if wholes.is_empty() && parts.is_empty() {
            if need == Need::Should && self.marks.is_none() && !text.is_empty() {
                self.marks = Some(text.to_owned());
            }
            return Ok(());
        }
        // A name too long to be kept whole is looked for by its parts.
        let wholes = if wholes.is_empty() { parts.clone() } else { wholes };
        let new: Vec<_> =
            wholes.iter().map(|whole| (need, whole.clone())).filter(|key| !self.seen.contains(key)).collect();
        let repeated =
            new.is_empty() && self.said.terms.iter().any(|term| term.need == need && term.text == text);
        if repeated {
            return Ok(());
        }
        let taken = self.seen.iter().filter(|(known, _)| *known == need).count();
        // A word may come again in other company (`foo`, `foo.bar`), but not without end.
        let terms = self.said.terms.iter().filter(|term| term.need == need).count();
        if taken + new.len() > MOST_WORDS || terms >= 2 * MOST_WORDS {
            return match need {
                Need::Should => {
                    self.cut = true;
                    Ok(())
                }
                // Without one of these the answer would be another one.
                Need::Must => Err(QueryError::TooMany { what: "words with +", most: MOST_WORDS }),
                Need::Not => Err(QueryError::TooMany { what: "words with -", most: MOST_WORDS }),
            };
        }
        if need == Need::Not && text.chars().nth(LONGEST_TERM).is_some() {
            let (bytes, most) = (text.len(), LONGEST_TERM.min(phrase::LONGEST));
            return Err(QueryError::LongPhrase { phrase: shown(text), bytes, most });
        }
        self.seen.extend(new);
        let common = need == Need::Should && wholes.iter().all(|whole| COMMON.contains(&whole.as_str()));
        self.said.terms.push(Term {
            text: text.chars().take(LONGEST_TERM).collect(),
            need,
            wholes,
            parts,
            common,
        });
        Ok(())
    }

    fn warn(&mut self, warning: String) {
        if self.said.warnings.len() < MOST_OTHERS && !self.said.warnings.contains(&warning) {
            self.said.warnings.push(warning);
        }
    }

    fn finish(mut self, text: &str) -> Result<Scanned, QueryError> {
        if self.cut {
            self.warn(format!("the query is long: only its first {MOST_WORDS} different words count"));
        }
        if self.open {
            self.warn("a double quote is not closed, so it does not make a phrase".to_owned());
        }
        // Nothing but marks: then they are meant.
        let nothing =
            self.said.terms.is_empty() && self.said.phrases.is_empty() && self.said.expressions.is_empty();
        if nothing && let Some(marks) = self.marks {
            let text = if self.said.filters.is_empty() { text.trim() } else { &marks }.to_owned();
            self.said.phrases.push(Phrase { text, need: Need::Must, words: Vec::new() });
        }
        Ok(self.said)
    }
}

/// One letter after a minus, as programs have it: `-x`, `-I/--head`. Names are not: `-R.layout`, `-T::new`.
fn is_option(after: &str) -> bool {
    let mut letters = after.chars();
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | ',' | ';' | ')');
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && match letters.next() {
            Some('.' | ':') => letters.next().is_none_or(char::is_whitespace),
            next => next.is_none_or(ends),
        }
}

/// After a colon: a second one, two slashes, an equals sign.
fn looks_like_code(after: &str) -> bool {
    after.starts_with(':') || after.starts_with("//") || after.starts_with('=')
}

/// The value at the beginning of a text and where it ends; `None` for a quote that nothing closes.
fn value(after: &str) -> Option<(String, usize)> {
    if after.starts_with('"') {
        return quoted(after);
    }
    if let Some((_, _, end)) = expression::scan(after) {
        return Some((after[..end].to_owned(), end));
    }
    let mut end = after.find(char::is_whitespace).unwrap_or(after.len());
    let mut text = after[..end].to_owned();
    // `meta:key="a value"`: the quotes hold what follows them.
    if let Some(open) = text.find("=\"") {
        let (inner, taken) = quoted(&after[open + 1..])?;
        text = format!("{}={inner}", &after[..open]);
        end = open + 1 + taken;
    }
    Some((text, end))
}

/// A text in double quotes, in which `\"` and `\\` stand for themselves, and where it ends.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut inner = String::new();
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            '"' => return Some((inner, at + 1)),
            '\\' if rest.peek().is_some_and(|(_, next)| matches!(next, '"' | '\\')) => {
                inner.extend(rest.next().map(|(_, escaped)| escaped));
            }
            _ => inner.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::{Need, Query};

    fn parse(text: &str) -> Query {
        Query::parse(text).unwrap()
    }

    #[test]
    fn quotes_hold_no_marks_in_either_reading() {
        for text in
            ["unknown kind:foo given", "see path:", "my lnag:rust file", "use /(/ here", "x -verbose +file"]
        {
            let query = parse(&format!("where do we print \"{text}\""));
            assert_eq!((query.phrases.len(), query.phrases[0].text.as_str()), (1, text));
            let plain = query.by_words().unwrap();
            assert!(
                plain.phrases.is_empty() && plain.filters.is_empty() && plain.expressions.is_empty(),
                "{text}"
            );
            assert!(plain.terms.iter().all(|term| term.need == Need::Should), "{text}: {:?}", plain.terms);
            assert_ne!(query.key(), parse(&format!("where do we print +\"{text}\"")).key());
        }
        let long: String = (0..70).map(|at| format!("word{at} ")).collect();
        let query = parse(&format!("{long} \"not there\""));
        assert!(query.by_words().unwrap().warnings.iter().any(|warning| warning.contains("first 64")));
        let query = parse("layout inflate -R.layout -T::new -c++");
        let refused = query.terms.iter().filter(|term| term.need == Need::Not);
        assert_eq!(refused.map(|term| term.text.as_str()).collect::<Vec<_>>(), ["R.layout", "T::new", "c++"]);
    }
}
