//! Which words are looked for, in which forms, and how much does each tell?

use std::collections::HashMap;

use super::error::FindError;
use super::forms::{self, Kinship};
use super::scales::Scales;
use crate::analyse;
use crate::query::{Need, Query, Term};
use crate::store::{FileSet, Lexical, Reader, Weights};

/// So many words in all their forms are looked up by the store; it takes no more.
const MOST_LOOKED_UP: usize = 60;
/// In a longer question other forms of its words would drown it.
const MOST_WITH_FORMS: usize = 32;

/// How much each column counts where the same question is asked about names alone.
pub(super) const BY_NAME: Weights = Weights([4.0, 0.5, 0.5, 0.5, 0.0, 0.0]);

/// How many pieces of each sort are judged.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Those that are ranked among each other; what the store puts behind them is ranked behind them.
    pub(super) block: usize,
    /// Those that are taken for the name of what they define.
    pub(super) named: usize,
    /// Those that have the most words of the question: a message somewhere in a long function, whose words are too
    /// common to be found by how often they stand there.
    pub(super) together: usize,
}

/// So many words make a sentence, and so many in a row are no chance.
const LEAST_WORDS: usize = 4;
pub(super) const LEAST_RUN: usize = 3;
/// Words whose order counts.
const MOST_IN_ORDER: usize = 64;
/// Longer words are alike.
const LENGTHS: usize = 65;

/// Something that is asked for: one word of the question, or a part of one, in any of its forms.
#[derive(Debug, Clone)]
pub(super) struct Concept {
    /// The term of the query it comes from.
    pub(super) term: usize,
    /// How much it tells, of all that is asked; together they are 1.
    pub(super) share: f64,
}

/// All words of a question.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) concepts: Vec<Concept>,
    /// What each form stands for, and how well.
    forms: HashMap<String, Vec<(usize, f64)>>,
    /// Which words may be forms, by their length and first letter: most words of a text are none.
    maybe: Vec<u64>,
    /// Where each word of the question stands in it, little ones too.
    sequence: HashMap<String, Vec<u16>>,
    /// How many there are.
    pub(super) count: usize,
    /// For the store, the words of the question first.
    pub(super) looked_up: Vec<String>,
    /// How many of them are words of the question.
    own: usize,
    /// A sentence, as it may stand somewhere word by word; names side by side are none.
    pub(super) is_sentence: bool,
    pub(super) must: Vec<Vec<String>>,
    pub(super) not: Vec<String>,
    /// Capitals count.
    pub(super) case: bool,
    /// As they were written, where capitals count.
    written: Vec<String>,
}

impl Words {
    pub(super) fn new(
        query: &Query,
        reader: &Reader<'_>,
        files: &FileSet,
        scales: &Scales,
    ) -> Result<Self, FindError> {
        let plain = query.terms.iter().filter(|term| term.need == Need::Should).count();
        let mut words = Self {
            case: query.filters.case,
            maybe: vec![0; LENGTHS],
            is_sentence: plain >= LEAST_WORDS,
            ..Self::default()
        };
        for term in &query.terms {
            match term.need {
                Need::Must => words.must.extend(term.wholes.iter().map(|whole| vec![whole.clone()])),
                // Several names together are looked for as they stand, in the text.
                Need::Not if term.wholes.len() == 1 => words.not.extend(term.wholes.first().cloned()),
                Need::Not | Need::Should => {}
            }
        }
        let mut found = sought(query, scales);
        if words.case {
            words.written = query.terms.iter().map(|term| term.text.clone()).collect();
            found.iter_mut().for_each(|sought| sought.forms.truncate(1));
        }
        let texts: Vec<String> =
            found.iter().flat_map(|one| one.forms.iter().map(|form| form.0.clone())).collect();
        let mut counts = reader.frequencies(&texts)?.into_iter();
        // Numbers of files are those of their first pieces, so the last one tells how many pieces there are.
        let total = files.iter().last().map_or(1.0, |last| last.0 as f64 + 1.0);
        let mut rarities = Vec::new();
        for sought in &mut found {
            let mut together = 0.0;
            sought.forms.retain(|(_, weight)| {
                let count = counts.next().unwrap_or_default() as f64;
                together += weight * count;
                count > 0.0
            });
            let together = together.min(total);
            rarities.push(sought.weight * (1.0 + (total - together + 0.5) / (together + 0.5)).ln());
        }
        let sum: f64 = rarities.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        words.look_up(&found);
        words.in_order(&query.spoken);
        for (number, (sought, rarity)) in found.into_iter().zip(rarities).enumerate() {
            for (form, weight) in &sought.forms {
                words.add(form, number, *weight);
            }
            words.concepts.push(Concept { term: sought.term, share: rarity / sum });
        }
        Ok(words)
    }

    fn may_be(&mut self, form: &str) {
        let (length, letter) = key(form);
        if let Some(letters) = self.maybe.get_mut(length) {
            *letters |= letter;
        }
    }

    /// The words in the order of the question.
    fn in_order(&mut self, text: &str) {
        let mut all: Vec<String> = Vec::new();
        analyse::words_at(text, &mut |word| {
            if !word.part && all.len() < MOST_IN_ORDER {
                all.push(word.text.to_owned());
            }
        });
        self.count = all.len();
        for (at, word) in (0..).zip(all) {
            self.may_be(&word);
            self.sequence.entry(word).or_default().push(at);
        }
    }

    fn add(&mut self, form: &str, concept: usize, weight: f64) {
        self.may_be(form);
        self.forms.entry(form.to_owned()).or_default().push((concept, weight));
    }

    /// The words themselves first, then their nearest forms.
    fn look_up(&mut self, found: &[Sought]) {
        let mut forms: Vec<&(String, f64)> = found.iter().flat_map(|sought| &sought.forms).collect();
        forms.sort_by(|one, other| other.1.total_cmp(&one.1));
        for (form, weight) in forms {
            if *weight >= 0.5 && self.looked_up.len() < MOST_LOOKED_UP && !self.looked_up.contains(form) {
                self.looked_up.push(form.clone());
                self.own += usize::from(*weight >= 1.0);
            }
        }
    }

    /// More words say better what is meant, so that the store needs less correction.
    pub(super) fn pieces(&self) -> Pieces {
        if self.is_sentence {
            Pieces { block: 40, named: 70, together: 12 }
        } else {
            Pieces { block: 64, named: 100, together: 0 }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }

    /// Whether a word of a text may be one of the question: most are not.
    #[inline]
    pub(super) fn may_have(&self, word: &str) -> bool {
        let (length, letter) = key(word);
        self.maybe.get(length).is_some_and(|letters| letters & letter != 0)
    }

    /// What a word of a text stands for.
    pub(super) fn meant(&self, word: &str) -> &[(usize, f64)] {
        if self.may_have(word) { self.forms.get(word).map_or(&[], Vec::as_slice) } else { &[] }
    }

    /// Where a word of a text stands in the question.
    pub(super) fn places(&self, word: &str) -> &[u16] {
        self.sequence.get(word).map_or(&[], Vec::as_slice)
    }

    /// Whether a word as the text has it is one as the question has it.
    pub(super) fn is_written(&self, text: &str) -> bool {
        !self.case || self.written.iter().any(|written| written.contains(text))
    }

    /// The question to the store.
    pub(super) fn lexical(&self, limit: usize, scales: &Scales) -> Lexical {
        // What the store counts with stops counting sooner.
        let scale = 1.2 / scales.saturation;
        Lexical {
            weights: Weights([
                scales.symbol * scale,
                scales.path * scale,
                scales.signature * scale,
                scales.doc * scale,
                scales.body * scale,
                scales.body * scale,
            ]),
            words: self.looked_up.clone(),
            own: self.own,
            must: self.must.clone(),
            not: self.not.clone(),
            limit,
            ..Lexical::default()
        }
    }
}

fn key(word: &str) -> (usize, u64) {
    let first = word.as_bytes().first().copied().unwrap_or_default();
    (word.len().min(LENGTHS - 1), 1 << (first & 63))
}

struct Sought {
    word: String,
    term: usize,
    weight: f64,
    /// The word itself first.
    forms: Vec<(String, f64)>,
}

fn sought(query: &Query, scales: &Scales) -> Vec<Sought> {
    let wanted = |term: &&Term| term.need != Need::Not;
    let telling = query.terms.iter().filter(wanted).any(|term| !term.common);
    let mut found: Vec<Sought> = Vec::new();
    let phrases = query.phrases.iter().filter(|phrase| phrase.need != Need::Not);
    let terms = query.terms.iter().enumerate().filter(|(_, term)| wanted(term) && !(telling && term.common));
    let mut add = |word: &String, term: usize, weight: f64| {
        if !found.iter().any(|known| known.word == *word) {
            found.push(Sought { word: word.clone(), term, weight, forms: vec![(word.clone(), 1.0)] });
        }
    };
    for (number, term) in terms {
        term.wholes.iter().for_each(|whole| add(whole, number, 1.0));
        term.parts.iter().for_each(|part| add(part, number, scales.part));
    }
    // A phrase is looked for as it stands; its words only help to rank.
    for (number, phrase) in phrases.enumerate() {
        phrase.words.iter().for_each(|word| add(word, query.terms.len() + number, 0.5));
    }
    if found.len() <= MOST_WITH_FORMS {
        compounds(&mut found, scales);
        for sought in &mut found {
            for (form, kinship) in forms::forms(&sought.word) {
                let weight = match kinship {
                    Kinship::Inflected => scales.inflected,
                    Kinship::Derived => scales.derived,
                    Kinship::Shortened => scales.shortened,
                    Kinship::Related => scales.related,
                };
                if weight > 0.0 {
                    sought.forms.push((form, weight));
                }
            }
        }
    }
    found
}

/// Neighbours that may be written as one: `hex dump` for `hexdump`, `read line` for `readline`.
fn compounds(found: &mut [Sought], scales: &Scales) {
    for at in 1..found.len() {
        let Some([left, right]) = found.get_disjoint_mut([at - 1, at]).ok() else { continue };
        if left.term + 1 != right.term || left.word.len() + right.word.len() > 20 {
            continue;
        }
        let singular = right.word.strip_suffix('s').filter(|stem| stem.len() > 2).map(str::to_owned);
        for end in std::iter::once(right.word.clone()).chain(singular) {
            for joined in [format!("{}{end}", left.word), format!("{}_{end}", left.word)] {
                left.forms.push((joined.clone(), scales.inflected));
                right.forms.push((joined, scales.inflected));
            }
        }
    }
}
