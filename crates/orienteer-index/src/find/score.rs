//! How good is an answer, and what is its score made of?
//!
//! Parts add up to the score. Factors (tests, generated code, …) are told as what they add or take away.

use super::matches::Matches;
use super::names::{Names, Near};
use super::scales::Scales;
use super::unit::Unit;
use super::words::Words;
use crate::analyse;
use crate::store::{FileFlags, Mode, Symbol};
use orienteer_base::SymbolKind;

/// What an answer has of what was asked for, by where it stands.
const FIELDS: [&str; 6] = ["symbol", "container", "path", "signature", "doc", "body"];
/// Words of a piece of usual length.
const USUAL: f64 = 120.0;
/// About three lines.
const WINDOW: u32 = 240;

/// A score and its parts.
#[derive(Debug, Default)]
pub(super) struct Score {
    pub(super) total: f64,
    pub(super) parts: Vec<(&'static str, f64)>,
    /// Where most of the question stands.
    pub(super) densest: usize,
    /// How much of the question is there.
    pub(super) covers: f64,
    /// The name is what was asked for, or has a word of it.
    pub(super) named: bool,
}

/// What a question is scored by.
pub(super) struct Judge<'q> {
    pub(super) words: &'q Words,
    pub(super) names: &'q Names,
    pub(super) scales: &'q Scales,
    /// Terms that may be names in a path, in small letters between slashes, with how much of the question each is.
    pub(super) places: Vec<(String, f64)>,
    /// What is not put last although it usually is.
    pub(super) spared: FileFlags,
    /// Several modes are asked for at once.
    pub(super) mixed: bool,
    /// All that is judged has a text as it was asked for.
    pub(super) exact: bool,
}

impl Judge<'_> {
    /// The score of an answer; without its text, by what the index knows.
    pub(super) fn score(&self, unit: &Unit, matches: Option<&Matches>) -> Score {
        let mut score = Score::default();
        let count = self.words.concepts.len();
        let mut fields = vec![[0.0f64; FIELDS.len()]; count];
        let mut add = |field: usize, text: &str| {
            analyse::words_at(text, &mut |word| {
                for (concept, weight) in self.words.meant(word.text) {
                    if self.words.is_written(text.get(word.range.clone()).unwrap_or_default())
                        && let Some(fields) = fields.get_mut(*concept)
                    {
                        fields[field] = fields[field].max(*weight);
                    }
                }
            });
        };
        if let Some(symbol) = &unit.symbol {
            add(0, &symbol.name);
            let containers = symbol.name_path.strip_suffix(&symbol.name).unwrap_or_default();
            add(1, containers);
            add(3, &symbol.signature);
            add(4, &symbol.doc);
        }
        add(2, &unit.known.shown);
        let mut length = USUAL;
        if let Some(matches) = matches {
            length = matches.length as f64;
            for (fields, count) in fields.iter_mut().zip(&matches.counts) {
                fields[5] = *count;
            }
        }
        self.words_score(&fields, length, &mut score);
        if let Some(matches) = matches {
            let (near, at) = matches.densest(self.words, WINDOW);
            score.densest = at;
            score.add("near", self.scales.near * near);
            // Two in a row are chance.
            let run = matches.run.saturating_sub(1) as f64 / self.words.count.saturating_sub(1).max(2) as f64;
            score.add("run", self.scales.run * run);
            if self.words.is_sentence {
                score.add("said", self.scales.said * run.powi(3));
            }
        }
        self.own_words(unit, &fields, &mut score);
        score.times("kind", self.kind(unit));
        self.name_score(unit, &mut score);
        self.place_score(unit, &mut score);
        if let Some(meaning) = unit.meaning {
            score.add("meaning", self.scales.meaning * meaning.max(0.0));
        }
        if self.exact {
            score.add("exact", 1.0);
        }
        self.factors(unit, &mut score);
        score
    }

    fn words_score(&self, fields: &[[f64; FIELDS.len()]], length: f64, score: &mut Score) {
        let scales = self.scales;
        let weights =
            [scales.symbol, scales.container, scales.path, scales.signature, scales.doc, scales.body];
        let k = scales.saturation * (1.0 - scales.length + scales.length * length / USUAL);
        let mut parts = [0.0; FIELDS.len()];
        let (mut covered, mut anchored) = (0.0, 0.0);
        for (fields, concept) in fields.iter().zip(&self.words.concepts) {
            let weighted: [f64; FIELDS.len()] = std::array::from_fn(|field| fields[field] * weights[field]);
            let sum: f64 = weighted.iter().sum();
            if sum <= 0.0 {
                continue;
            }
            let best = fields.iter().fold(0.0f64, |best, count| best.max(*count)).min(1.0);
            covered += concept.share * best;
            anchored += concept.share * fields[0].max(fields[1]).max(fields[2]).min(1.0);
            let worth = concept.share * sum / (sum + k);
            for (part, weighted) in parts.iter_mut().zip(weighted) {
                *part += worth * weighted / sum;
            }
        }
        for (name, part) in FIELDS.iter().zip(parts) {
            score.add(name, part);
        }
        score.covers = covered;
        score.add("coverage", scales.coverage * covered * covered);
        score.add("anchored", scales.anchored * anchored * anchored);
    }

    /// How much of the name was asked for, and how much of the question the name is.
    fn own_words(&self, unit: &Unit, fields: &[[f64; FIELDS.len()]], score: &mut Score) {
        let Some(symbol) = &unit.symbol else { return };
        let parts = analyse::parts(&symbol.name);
        let asked =
            |part: &String| self.words.meant(part).iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
        let known: f64 = parts.iter().map(asked).sum();
        let share: f64 =
            fields.iter().zip(&self.words.concepts).map(|(fields, concept)| fields[0] * concept.share).sum();
        score.named = share > 0.0;
        if !parts.is_empty() {
            score.add("named", self.scales.named * share * known / parts.len() as f64);
        }
        let verb = |part: &String| {
            let first = self.words.meant(part).iter().filter(|(concept, _)| *concept == 0);
            first.map(|(_, weight)| *weight).fold(0.0, f64::max)
        };
        score.add("verb", self.scales.verb * share * parts.first().map_or(0.0, verb));
    }

    /// What words are worth here: functions do what sentences say.
    fn kind(&self, unit: &Unit) -> f64 {
        use SymbolKind as K;
        let Some(symbol) = &unit.symbol else {
            return if unit.mode == Mode::Code { self.scales.between } else { 1.0 };
        };
        match symbol.kind {
            K::Function | K::Method | K::Constructor | K::Macro | K::Heading => 1.0,
            K::Class
            | K::Enum
            | K::Interface
            | K::Module
            | K::Namespace
            | K::Package
            | K::Struct
            | K::Trait
            | K::TypeAlias
            | K::Union => self.scales.types,
            K::Constant
            | K::EnumMember
            | K::Field
            | K::Key
            | K::Property
            | K::TypeParameter
            | K::Variable => self.scales.members,
        }
    }

    fn name_score(&self, unit: &Unit, score: &mut Score) {
        let Some(symbol) = &unit.symbol else { return };
        let scales = self.scales;
        if let Some((near, closeness, share)) = self.names.near(symbol) {
            score.named = true;
            let worth = match near {
                Near::Exact => scales.exact,
                Near::IgnoringCase => scales.ignoring_case * closeness,
                Near::Prefix => scales.prefix * (0.5 + 0.5 * closeness),
                Near::Acronym => scales.acronym,
                Near::Contains => scales.contains * (0.5 + 0.5 * closeness),
                Near::Abbreviated => scales.abbreviated * (0.5 + 0.5 * closeness),
            };
            score.add("name", worth * share);
        }
    }

    /// Names of folders and of the file that were asked for as they are.
    fn place_score(&self, unit: &Unit, score: &mut Score) {
        if self.places.is_empty() {
            return;
        }
        let stands = |asked: &str| unit.known.as_place().iter().any(|whole| whole.contains(asked));
        let share: f64 = self.places.iter().filter(|(asked, _)| stands(asked)).map(|(_, share)| share).sum();
        score.add("place", self.scales.place * share);
    }

    fn factors(&self, unit: &Unit, score: &mut Score) {
        let scales = self.scales;
        let flags = unit.known.file.flags;
        let put_last = |flag: FileFlags| {
            let is = flags.any(flag) || (flag == FileFlags::TEST && is_test(unit));
            is && !self.spared.any(flag)
        };
        if unit.symbol.as_ref().is_some_and(|symbol| symbol.flags.is_exported) {
            score.times("exported", scales.exported);
        }
        if unit.symbol.as_ref().is_some_and(is_announced) {
            score.times("announced", scales.announced);
        }
        for (name, flag, factor) in [
            ("test", FileFlags::TEST, scales.test),
            ("generated", FileFlags::GENERATED.with(FileFlags::MINIFIED), scales.generated),
            ("vendored", FileFlags::VENDORED, scales.vendored),
        ] {
            if put_last(flag) {
                score.times(name, factor);
            }
        }
        if self.mixed {
            score.times(
                "mode",
                match unit.mode {
                    Mode::Code | Mode::Comments => 1.0,
                    Mode::Prose => scales.prose,
                    Mode::Config => scales.config,
                    Mode::Records => scales.records,
                },
            );
        }
    }
}

impl Score {
    fn add(&mut self, name: &'static str, part: f64) {
        if part != 0.0 {
            self.total += part;
            self.parts.push((name, part));
        }
    }

    fn times(&mut self, name: &'static str, factor: f64) {
        self.add(name, self.total * (factor - 1.0));
    }
}

/// Tests stand beside what they test in some languages.
fn is_test(unit: &Unit) -> bool {
    let named = |name: &str| matches!(name, "test" | "tests") || name.starts_with("test_");
    let file = unit.known.shown.rsplit('/').next().unwrap_or_default();
    named(file.split('.').next().unwrap_or_default())
        || unit.symbol.as_ref().is_some_and(|symbol| symbol.name_path.split('/').any(named))
}

/// Whether a function has no body: then its signature is all there is.
fn is_announced(symbol: &Symbol) -> bool {
    let function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor);
    function && symbol.range.len() <= symbol.signature.len() + 2
}
