//! Which vector does a text have?

use crate::analyse;

use super::model::Model;
use super::tokenizer::Scratch;
use super::vector::Vector;

/// How much of a text counts. What a function is about stands in its first lines: with four times as many tokens the
/// right ones are found no more often, and the work is four times as much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLimits {
    pub max_bytes: usize,
    pub max_tokens: usize,
}

impl Default for TextLimits {
    fn default() -> Self {
        Self { max_bytes: 4 << 10, max_tokens: 128 }
    }
}

/// What a piece of code tells about itself. Leave empty what it has not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fields<'t> {
    pub path: &'t str,
    pub name: &'t str,
    pub signature: &'t str,
    pub doc: &'t str,
    pub body: &'t str,
}

impl Fields<'_> {
    /// What each counts, however long it is. Tried with `examples/vectors_quality.rs`; a name counts in its signature and
    /// in its body once more.
    fn weighted(&self) -> [(f32, &str); 5] {
        [(0.5, self.path), (1.0, self.name), (1.0, self.signature), (2.0, self.doc), (2.0, self.body)]
    }
}

impl TextLimits {
    fn cut(self, text: &str) -> &str {
        text.get(..text.floor_char_boundary(self.max_bytes)).unwrap_or_default()
    }
}

/// Makes vectors of texts, with buffers that are used again.
#[derive(Debug)]
pub struct Embedder<'m> {
    model: &'m Model,
    limits: TextLimits,
    scratch: Scratch,
    tokens: Vec<u32>,
    words: String,
    sums: Vec<f32>,
}

impl<'m> Embedder<'m> {
    pub(super) fn new(model: &'m Model, limits: TextLimits) -> Self {
        let sums = vec![0.0; model.dims()];
        Self { model, limits, scratch: Scratch::default(), tokens: Vec::new(), words: String::new(), sums }
    }

    /// The vector of the words of a text, such as a question: identifiers in their parts, which say more than the way they
    /// are written. Nothing when none of its tokens is known.
    pub fn embed(&mut self, text: &str) -> Option<Vector> {
        self.embed_weighted(&[(1.0, text)])
    }

    /// The vector of a piece of code. The limits are for each of its fields.
    pub fn embed_fields(&mut self, fields: &Fields<'_>) -> Option<Vector> {
        self.embed_weighted(&fields.weighted())
    }

    fn embed_weighted(&mut self, texts: &[(f32, &str)]) -> Option<Vector> {
        let mut words = std::mem::take(&mut self.words);
        self.sums.fill(0.0);
        for (weight, text) in texts {
            words.clear();
            meaningful_words(self.limits.cut(text), &mut words);
            self.add(&words, *weight);
        }
        self.words = words;
        Vector::quantised(&self.sums)
    }

    /// The vector of a text as it is written. Not to be compared with one of [`Embedder::embed`].
    pub fn embed_verbatim(&mut self, text: &str) -> Option<Vector> {
        self.sums.fill(0.0);
        self.add(self.limits.cut(text), 1.0);
        Vector::quantised(&self.sums)
    }

    /// Adds the mean of a text's tokens, so many times.
    fn add(&mut self, text: &str, weight: f32) {
        let mut tokens = std::mem::take(&mut self.tokens);
        self.model.tokenizer.encode_into(text, self.limits.max_tokens, &mut self.scratch, &mut tokens);
        let unknown = self.model.tokenizer.unknown();
        tokens.retain(|token| Some(*token) != unknown);
        let share = weight / tokens.len().max(1) as f32;
        for (codes, worth) in tokens.iter().filter_map(|token| self.model.row(*token)) {
            let worth = worth * share;
            for (sum, code) in self.sums.iter_mut().zip(codes) {
                *sum += worth * f32::from(*code);
            }
        }
        self.tokens = tokens;
    }
}

/// The words of a text with blanks between them. Of a name that has parts only the parts: as a whole it is rarely a
/// token, and falls apart at places that mean nothing.
fn meaningful_words(text: &str, into: &mut String) {
    // Where the last word begins, and the end of the text that it was made of.
    let (mut last, mut end) = (0, 0);
    analyse::words_at(text, &mut |word| {
        if word.part && word.range.start < end {
            into.truncate(last);
        }
        if !word.part {
            (last, end) = (into.len(), word.range.end);
        } else {
            end = 0;
        }
        if !into.is_empty() {
            into.push(' ');
        }
        into.push_str(word.text);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_by_their_parts() {
        let words = |text: &str| {
            let mut words = String::new();
            meaningful_words(text, &mut words);
            words
        };
        assert_eq!(
            words("fn parseJSON(the_text: &str) -> HTTPServer"),
            "fn parse json the text str http server"
        );
        assert_eq!(words("plain words, twice plain"), "plain words twice plain");
        assert_eq!(words("x_y Z"), "x_y z");
        assert_eq!(words("中文字"), "中文 文字");
        assert_eq!(words(""), "");
    }
}
