//! Is a symbol called like something that was asked for?

use super::error::FindError;
use super::scales::Scales;
use super::words::Words;
use crate::analyse::parts;
use crate::query::{Need, Query};
use crate::store::{NameMatch, Plan, Reader, Symbol, SymbolHit, SymbolLookup};
use orienteer_base::Cancel;

/// The most names that are looked up for one question.
const MOST_LOOKED_UP: usize = 6;
/// Names that are found in one of the looser ways.
const MOST_FOUND: usize = 60;
/// Of letters in order there are many more than are meant.
const MOST_FUZZY: usize = 200;
/// A word that stands in more pieces than this is no name that leads anywhere.
const TOO_COMMON: u64 = 3_000;
/// Words that may be a name together: `read file` for `readFile`.
const MOST_JOINED: usize = 5;

/// How near a name is to one that was asked for, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Near {
    Exact,
    IgnoringCase,
    Prefix,
    /// The first letters of its parts.
    Acronym,
    Contains,
    /// The beginnings of its parts.
    Abbreviated,
}

/// A name that was asked for.
#[derive(Debug)]
pub(super) struct Asked {
    /// As it was written, without what stands in it.
    name: String,
    folded: String,
    squashed: String,
    /// In small letters; they must stand around it in order.
    containers: Vec<String>,
    parts: Vec<String>,
    /// How much of the question it is.
    pub(super) share: f64,
    /// It looks like a name, or is all that was asked: then names that are only like it count, too.
    loose: bool,
    /// Several words as one name.
    joined: bool,
}

/// The names in a question.
#[derive(Debug, Default)]
pub(super) struct Names {
    asked: Vec<Asked>,
    case: bool,
}

impl Names {
    pub(super) fn new(query: &Query, words: &Words, scales: &Scales) -> Self {
        let share = |term: usize| {
            words.concepts.iter().filter(|one| one.term == term).map(|one| one.share).sum::<f64>()
        };
        let telling: Vec<usize> = (0..query.terms.len())
            .filter(|at| query.terms.get(*at).is_some_and(|term| term.need != Need::Not))
            .filter(|at| words.concepts.iter().any(|one| one.term == *at))
            .collect();
        let single = telling.len() == 1 && query.phrases.is_empty() && query.expressions.is_empty();
        let mut asked = Vec::new();
        for at in &telling {
            let Some(term) = query.terms.get(*at) else { continue };
            let Some((containers, name)) = split(&term.text) else { continue };
            let like_a_name = !term.parts.is_empty() || !containers.is_empty() || name.contains('_');
            let plain = words.is_sentence && !like_a_name;
            asked.push(Asked {
                loose: single || (like_a_name && name.len() >= 4),
                share: share(*at) * if plain { scales.in_sentence } else { 1.0 },
                joined: false,
                ..Asked::new(name, containers)
            });
        }
        if (2..=MOST_JOINED).contains(&telling.len()) {
            let texts: Vec<&str> =
                telling.iter().filter_map(|at| query.terms.get(*at)).map(|term| term.text.as_str()).collect();
            let plain = texts.iter().all(|text| text.chars().all(|c| c.is_alphanumeric() || c == '_'));
            if plain {
                asked.push(Asked {
                    share: 1.0,
                    loose: false,
                    joined: true,
                    ..Asked::new(&texts.join("_"), Vec::new())
                });
            }
        }
        Self { asked, case: words.case }
    }

    /// How near a symbol's name is to what was asked, how close in that way, and how much of the question that is.
    pub(super) fn near(&self, symbol: &Symbol) -> Option<(Near, f64, f64)> {
        let mut name: Option<Called<'_>> = None;
        let found = self.asked.iter().filter_map(|asked| {
            let name = name.get_or_insert_with(|| Called::new(symbol));
            let (near, closeness) = asked.near(name, self.case)?;
            Some((near, closeness, asked.share))
        });
        found.max_by(|one, other| weight(one).total_cmp(&weight(other)))
    }

    /// Symbols that are called like something that was asked for.
    pub(super) fn look_up(
        &self,
        reader: &Reader<'_>,
        plan: &Plan,
        cancel: &Cancel,
    ) -> Result<Vec<SymbolHit>, FindError> {
        let mut found: Vec<SymbolHit> = Vec::new();
        let single = self.asked.len() == 1;
        for asked in self.asked.iter().filter(|asked| asked.loose || asked.joined).take(MOST_LOOKED_UP) {
            if reader
                .frequencies(std::slice::from_ref(&asked.folded))?
                .first()
                .is_some_and(|count| *count > TOO_COMMON)
            {
                continue;
            }
            let look = |name: &str, loosest: NameMatch, limit: usize| {
                let lookup = SymbolLookup {
                    name: asked.path(name),
                    loosest,
                    plan: plan.clone(),
                    limit,
                    ..SymbolLookup::default()
                };
                reader.symbols(&lookup, cancel)
            };
            if asked.joined {
                found.extend(look(&asked.folded, NameMatch::IgnoringCase, MOST_FOUND)?);
                found.extend(look(&asked.squashed, NameMatch::IgnoringCase, MOST_FOUND)?);
                continue;
            }
            let near = look(&asked.name, NameMatch::Prefix, MOST_FOUND)?;
            let same = near.iter().any(|hit| hit.how <= NameMatch::IgnoringCase);
            found.extend(near);
            if same || asked.folded.chars().count() < 2 {
                continue;
            }
            if !single {
                found.extend(look(&asked.name, NameMatch::Acronym, MOST_FOUND)?);
                continue;
            }
            let loosest =
                if asked.folded.chars().count() >= 3 { NameMatch::Fuzzy } else { NameMatch::Contains };
            found.extend(look(&asked.name, loosest, MOST_FUZZY)?);
        }
        Ok(found)
    }
}

fn weight(found: &(Near, f64, f64)) -> f64 {
    let (near, closeness, share) = found;
    share * closeness / (1.0 + f64::from(*near as u8))
}

/// A symbol's name in the ways it is compared.
struct Called<'s> {
    symbol: &'s Symbol,
    folded: String,
    squashed: String,
    parts: Vec<String>,
}

impl<'s> Called<'s> {
    fn new(symbol: &'s Symbol) -> Self {
        let folded = symbol.name.to_lowercase();
        Self { symbol, squashed: squash(&folded), parts: parts(&symbol.name), folded }
    }
}

impl Asked {
    fn new(name: &str, containers: Vec<String>) -> Self {
        let folded = name.to_lowercase();
        Self {
            name: name.to_owned(),
            squashed: squash(&folded),
            parts: parts(name),
            folded,
            containers,
            share: 0.0,
            loose: false,
            joined: false,
        }
    }

    fn path(&self, name: &str) -> String {
        self.containers.iter().map(|container| format!("{container}/")).chain([name.to_owned()]).collect()
    }

    fn near(&self, called: &Called<'_>, case: bool) -> Option<(Near, f64)> {
        if !self.containers.is_empty() && !self.is_around(&called.symbol.name_path) {
            return None;
        }
        if self.name == called.symbol.name {
            return Some((Near::Exact, 1.0));
        }
        if case {
            return (self.loose && called.symbol.name.contains(&self.name))
                .then(|| (Near::Contains, self.part_of(called)));
        }
        if self.folded == called.folded {
            return Some((Near::IgnoringCase, 1.0));
        }
        // `read_file` for `readFile`, and a name without its underscores in front.
        if self.squashed.len() > 2 && self.squashed == called.squashed {
            return Some((Near::IgnoringCase, 0.9));
        }
        if !self.loose || self.folded.chars().count() < 2 {
            return None;
        }
        if called.folded.trim_start_matches('_').starts_with(&self.folded) {
            return Some((Near::Prefix, self.part_of(called)));
        }
        let letters: String = called.parts.iter().filter_map(|part| part.chars().next()).collect();
        if called.parts.len() > 1 && letters == self.folded {
            return Some((Near::Acronym, 1.0));
        }
        if self.folded.chars().count() >= 3 && called.folded.contains(&self.folded) {
            return Some((Near::Contains, self.part_of(called)));
        }
        self.abbreviates(called).map(|closeness| (Near::Abbreviated, closeness))
    }

    fn part_of(&self, called: &Called<'_>) -> f64 {
        (self.folded.chars().count() as f64 / called.folded.chars().count().max(1) as f64).min(1.0)
    }

    /// Whether the containers stand around a name, in order.
    fn is_around(&self, name_path: &str) -> bool {
        let path = name_path.to_lowercase();
        let mut around: Vec<&str> = path.split('/').collect();
        around.pop();
        let mut left = around.into_iter();
        self.containers.iter().all(|container| left.any(|name| name == container))
    }

    /// How much of a name its parts begin, in order: `getConTim` for `getConnectionTimeout`.
    fn abbreviates(&self, called: &Called<'_>) -> Option<f64> {
        if self.parts.len() < 2 {
            return None;
        }
        let mut left = called.parts.iter();
        let all = self.parts.iter().all(|part| left.any(|whole| whole.starts_with(part.as_str())));
        all.then(|| self.parts.len() as f64 / called.parts.len() as f64)
    }
}

fn squash(folded: &str) -> String {
    folded.chars().filter(|c| *c != '_' && *c != '-').collect()
}

/// The containers, in small letters, and the name at the end of a term; `None` where there is none.
fn split(text: &str) -> Option<(Vec<String>, &str)> {
    let text =
        text.trim_end_matches("()").trim_matches(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    let mut names: Vec<&str> = text
        .split(['/', '.', ':', '#', '>'])
        .map(|name| name.trim_end_matches('-'))
        .filter(|name| !name.is_empty())
        .collect();
    let name = names.pop()?;
    Some((names.into_iter().map(str::to_lowercase).collect(), name))
}
