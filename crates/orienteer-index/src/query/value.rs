//! What does one value of a filter mean, and which are legal?

use std::time::SystemTime;

use orienteer_base::Language;
use orienteer_base::language::LANGUAGES;
use orienteer_base::nearest::nearest;
use orienteer_syntax::facts::Visibility;

use super::error::{QueryError, shown};
use super::filters::{Filters, Meta, Presence, Risk, Wanted};
use super::kind::Kind;
use super::pattern::Pattern;
use super::table::{Row, Shape};
use crate::risk::{Role, Rules};

/// The most values of one filter.
const MOST_VALUES: usize = 100;

/// What the meaning of a value depends on besides the value.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    /// What ages are counted from.
    pub now: SystemTime,
    /// Legal tags of risk, from the rules in use.
    pub risk_tags: Vec<String>,
}

impl Default for Vocabulary {
    /// The present moment and the tags of the rules that come with us.
    fn default() -> Self {
        Self::of(Rules::builtin())
    }
}

impl Vocabulary {
    pub fn of(rules: &Rules) -> Self {
        Self { now: SystemTime::now(), risk_tags: rules.tag_names().map(str::to_owned).collect() }
    }
}

/// What is done with values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// One of them, or one of those named before, must match.
    Any,
    /// One of them must match, whatever else was named.
    Must,
    /// None of them may match.
    Not,
}

impl Filters {
    /// Takes values of one filter in. Nothing changes when one of them is wrong.
    pub(super) fn add(
        &mut self,
        row: &'static Row,
        values: &[&str],
        sense: Sense,
        vocabulary: &Vocabulary,
    ) -> Result<(), QueryError> {
        if values.len() > MOST_VALUES {
            return Err(QueryError::TooManyValues { filter: row.word, most: MOST_VALUES });
        }
        match row.shape {
            Shape::Text(manner) => {
                let patterns = read(values, |value| Pattern::new(row.word, manner, value))?;
                put(row, self.texts.entry(row.name).or_default(), patterns, sense)
            }
            Shape::Language => put(row, &mut self.lang, read(values, language)?, sense),
            Shape::Kind => put(row, &mut self.kind, read(values, kind)?, sense),
            Shape::Visibility => put(row, &mut self.visibility, read(values, visibility)?, sense),
            Shape::Risk => {
                let risks = read(values, |value| risk(value, vocabulary))?;
                put(row, &mut self.risk, risks, sense)
            }
            Shape::Meta => put(row, &mut self.meta, read(values, meta)?, sense),
            _ => {
                // These hold one value, so each is laid over the others, and what differs is said.
                for value in values {
                    let mut one = Self::default();
                    one.set(row, value, sense, vocabulary)?;
                    *self = std::mem::take(self).merged(one)?;
                }
                Ok(())
            }
        }
    }

    fn set(
        &mut self,
        row: &'static Row,
        value: &str,
        sense: Sense,
        vocabulary: &Vocabulary,
    ) -> Result<(), QueryError> {
        use super::table::Name;
        let not = sense == Sense::Not;
        let no_opposite = |advice: String| {
            let written = format!("-{}:{}", row.word, shown(value));
            Err(QueryError::NoOpposite { filter: row.word, written, advice })
        };
        match row.shape {
            Shape::Flag => {
                let flag = Some(flag(row, value)? != not);
                match row.name {
                    Name::IsAsync => self.is_async = flag,
                    Name::IsGenerator => self.is_generator = flag,
                    Name::HasDoc => self.has_doc = flag,
                    _ => self.case = flag == Some(true),
                }
            }
            Shape::Lint => self.errors = Some(lint(row, value)? != not),
            Shape::Presence => {
                let presence = match (presence(row, value)?, not) {
                    (presence, false) => presence,
                    (Presence::Only, true) => Presence::Exclude,
                    (Presence::Exclude, true) => Presence::Only,
                    (Presence::Include, true) => {
                        return no_opposite(format!("write {}:exclude or {}:only", row.word, row.word));
                    }
                };
                match row.name {
                    Name::Test => self.test = Some(presence),
                    Name::Generated => self.generated = Some(presence),
                    _ => self.vendored = Some(presence),
                }
            }
            Shape::Least(_) | Shape::Most(_) if not => {
                let (other, step) = match row.word.strip_suffix("_min") {
                    Some(stem) => (format!("{stem}_max"), "one less"),
                    None => (row.word.replace("_max", "_min"), "one more"),
                };
                return no_opposite(format!("write {other} with {step}"));
            }
            Shape::Least(counted) => self.span(counted).least = Some(number(row, value)?),
            Shape::Most(counted) => self.span(counted).most = Some(number(row, value)?),
            Shape::Moment if not => {
                return no_opposite("say how new it must be; there is no filter for how old".to_owned());
            }
            Shape::Moment => self.modified_after = Some(moment(row, value, vocabulary)?),
            // Filters that hold lists do not come here.
            _ => {}
        }
        Ok(())
    }
}

fn read<T>(
    values: &[&str],
    mut one: impl FnMut(&str) -> Result<T, QueryError>,
) -> Result<Vec<T>, QueryError> {
    values.iter().map(|value| one(value)).collect()
}

fn put<T: PartialEq>(
    row: &'static Row,
    wanted: &mut Wanted<T>,
    values: Vec<T>,
    sense: Sense,
) -> Result<(), QueryError> {
    let most = MOST_VALUES.saturating_sub(wanted.iter().count());
    if values.len() > most {
        return Err(QueryError::TooManyValues { filter: row.word, most: MOST_VALUES });
    }
    if values.is_empty() {
        return Ok(());
    }
    match sense {
        Sense::Not => wanted.none.extend(values),
        Sense::Must => wanted.groups.push(values),
        Sense::Any => match wanted.plain.and_then(|at| wanted.groups.get_mut(at)) {
            Some(group) => group.extend(values),
            None => {
                wanted.plain = Some(wanted.groups.len());
                wanted.groups.push(values);
            }
        },
    }
    Ok(())
}

/// A value that is none of a list.
fn unlisted(filter: &'static str, value: &str, legal: Vec<String>) -> QueryError {
    let nearest =
        nearest(value, legal.iter().map(String::as_str), 3).into_iter().map(str::to_owned).collect();
    let advice = format!("write one of {}", legal.join(", "));
    QueryError::BadValue { filter, value: shown(value), nearest, legal, advice }
}

fn owned<'w>(words: impl IntoIterator<Item = &'w str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

fn language(value: &str) -> Result<&'static Language, QueryError> {
    let word = value.trim().trim_start_matches('.');
    Language::by_word(word).or_else(|| Language::by_extension(word)).ok_or_else(|| {
        let aliases = LANGUAGES
            .iter()
            .flat_map(|language| std::iter::once(language.id).chain(language.aliases.iter().copied()));
        let near = nearest(word, aliases, 3);
        let mut error = unlisted("lang", value, owned(LANGUAGES.iter().map(|language| language.id)));
        if let QueryError::BadValue { nearest, .. } = &mut error
            && nearest.is_empty()
        {
            *nearest = owned(near);
        }
        error
    })
}

fn kind(value: &str) -> Result<Kind, QueryError> {
    Kind::parse(value.trim()).ok_or_else(|| unlisted("kind", value, owned(Kind::words())))
}

const VISIBILITIES: [(Visibility, &str); 4] = [
    (Visibility::Public, "public"),
    (Visibility::Protected, "protected"),
    (Visibility::Internal, "internal"),
    (Visibility::Private, "private"),
];

pub(super) fn visibility_word(visibility: Visibility) -> &'static str {
    VISIBILITIES.iter().find(|(known, _)| *known == visibility).map_or("public", |(_, word)| word)
}

fn visibility(value: &str) -> Result<Visibility, QueryError> {
    let found = VISIBILITIES.iter().find(|(_, word)| word.eq_ignore_ascii_case(value.trim()));
    found
        .map(|(visibility, _)| *visibility)
        .ok_or_else(|| unlisted("visibility", value, owned(VISIBILITIES.iter().map(|(_, word)| *word))))
}

fn risk(value: &str, vocabulary: &Vocabulary) -> Result<Risk, QueryError> {
    let word = value.trim().to_lowercase();
    if let Some(role) = Role::parse(&word) {
        return Ok(Risk::Role(role));
    }
    // `sink:sql` is a tag in one role.
    let tag =
        word.split_once(':').filter(|(role, _)| Role::parse(role).is_some()).map_or(&*word, |(_, tag)| tag);
    if vocabulary.risk_tags.iter().any(|known| known == tag) {
        return Ok(Risk::Tag(word));
    }
    let roles = Role::ALL.iter().map(|role| role.as_str().to_owned());
    Err(unlisted("risk", value, roles.chain(vocabulary.risk_tags.iter().cloned()).collect()))
}

/// `key=value`, or a key alone.
fn meta(written: &str) -> Result<Meta, QueryError> {
    let (key, value) = match written.split_once('=') {
        Some((key, value)) => (key.trim(), Some(value.trim().to_owned())),
        None => (written.trim(), None),
    };
    let sound = !key.is_empty() && written.len() <= super::pattern::LONGEST;
    if sound {
        return Ok(Meta { key: key.to_owned(), value });
    }
    let advice = format!("write key=value, or a key alone, of at most {} bytes", super::pattern::LONGEST);
    Err(QueryError::BadValue {
        filter: "meta",
        value: shown(written),
        nearest: Vec::new(),
        legal: Vec::new(),
        advice,
    })
}

fn flag(row: &'static Row, value: &str) -> Result<bool, QueryError> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" => Ok(true),
        "false" | "no" => Ok(false),
        _ => Err(unlisted(row.word, value, owned(["true", "false"]))),
    }
}

fn lint(row: &'static Row, value: &str) -> Result<bool, QueryError> {
    match value.trim().to_ascii_lowercase().as_str() {
        "errors" | "true" => Ok(true),
        "clean" | "false" => Ok(false),
        _ => Err(unlisted(row.word, value, owned(["errors", "clean"]))),
    }
}

/// `true` and `false` say what people mean by them: only these, none of these.
fn presence(row: &'static Row, value: &str) -> Result<Presence, QueryError> {
    let word = value.trim().to_ascii_lowercase();
    let named = Presence::WORDS.iter().find(|(_, known)| *known == word).map(|(presence, _)| *presence);
    match (named, word.as_str()) {
        (Some(presence), _) => Ok(presence),
        (None, "true") => Ok(Presence::Only),
        (None, "false") => Ok(Presence::Exclude),
        _ => Err(unlisted(row.word, value, owned(Presence::WORDS.iter().map(|(_, word)| *word)))),
    }
}

fn number(row: &'static Row, value: &str) -> Result<u64, QueryError> {
    let value = value.trim();
    // A sign would be taken by the parser, and is no part of a count.
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { value.parse().ok() } else { None };
    number.ok_or_else(|| QueryError::BadValue {
        filter: row.word,
        value: shown(value),
        nearest: Vec::new(),
        legal: Vec::new(),
        advice: "write a whole number from 0 on".to_owned(),
    })
}

fn moment(row: &'static Row, value: &str, vocabulary: &Vocabulary) -> Result<SystemTime, QueryError> {
    orienteer_base::units::parse_time_before(row.word, value, vocabulary.now).map_err(|_| {
        QueryError::BadValue {
            filter: row.word,
            value: shown(value),
            nearest: Vec::new(),
            legal: owned(["7d", "2026-01-31", "2026-01-31T12:00:00Z"]),
            advice:
                "write an age such as 7d, a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z"
                    .to_owned(),
        }
    })
}
