//! What does a `tokenizer.json` say?
//!
//! The file comes from outside. Its fields are those of the library that writes it; what we do not know how to follow is
//! an error, what has no influence on tokens (decoder, padding, templates) is passed over.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::added::AddedTokens;
use super::bpe::Bpe;
use super::classes::is_punctuation;
use super::normalise::{Bert, Normaliser, Step};
use super::wordpiece::WordPiece;
use super::{Cut, Model, Tokenizer, TokenizerError};

/// More tokens than any published static model has.
const MOST_TOKENS: usize = 1 << 20;
const MOST_MERGES: usize = 1 << 21;
const MOST_STEPS: usize = 256;

#[derive(Deserialize)]
struct File<'a> {
    #[serde(default)]
    added_tokens: Vec<Added>,
    #[serde(default)]
    normalizer: Option<Value>,
    #[serde(default)]
    pre_tokenizer: Option<Value>,
    #[serde(borrow)]
    model: ModelPart<'a>,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: String,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    normalized: bool,
}

#[derive(Deserialize)]
struct ModelPart<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    vocab: Vocabulary<'a>,
    #[serde(borrow, default)]
    merges: Merges<'a>,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    max_input_chars_per_word: Option<usize>,
    dropout: Option<f32>,
    #[serde(default)]
    fuse_unk: bool,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
}

pub(super) fn parse(text: &[u8]) -> Result<Tokenizer, TokenizerError> {
    let file: File<'_> = serde_json::from_slice(text)?;
    let mut normaliser = Normaliser::default();
    if let Some(value) = &file.normalizer {
        normalizer(value, &mut normaliser.0)?;
    }
    let before = file.pre_tokenizer.as_ref().map(kind);
    let model = file.model;
    let kind = model.kind.clone();
    let kind = kind.as_deref().unwrap_or(if model.merges.0.is_empty() { "WordPiece" } else { "BPE" });
    let (cut, model) = match kind {
        "BPE" => {
            if let Some(found) = before {
                let legal = "none, with BPE,";
                return Err(TokenizerError::Unsupported {
                    part: "pre_tokenizer",
                    found: found.into(),
                    legal,
                });
            }
            let cut = blank(&normaliser).map_or(Cut::Nowhere, |mark| safe_cut(mark, &model.merges));
            (cut, Model::Bpe(bpe(model)?))
        }
        "WordPiece" => {
            if before != Some("BertPreTokenizer") {
                let found = before.unwrap_or("none").into();
                let legal = "BertPreTokenizer, with WordPiece,";
                return Err(TokenizerError::Unsupported { part: "pre_tokenizer", found, legal });
            }
            (Cut::Bert, Model::WordPiece(word_piece(model)?))
        }
        found => {
            let legal = "BPE or WordPiece";
            return Err(TokenizerError::Unsupported { part: "model", found: found.into(), legal });
        }
    };
    Ok(Tokenizer { added: added(file.added_tokens)?, normaliser, cut, model })
}

fn added(tokens: Vec<Added>) -> Result<AddedTokens, TokenizerError> {
    let odd = |token: &&Added| token.single_word || token.lstrip || token.rstrip || token.normalized;
    if let Some(token) = tokens.iter().find(odd) {
        return Err(TokenizerError::Unsupported {
            part: "added token",
            found: token.content.clone(),
            legal: "one that is matched exactly as it is written",
        });
    }
    AddedTokens::new(tokens.into_iter().map(|token| (token.content, token.id)).collect())
}

fn kind(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or("without a type")
}

fn normalizer(value: &Value, steps: &mut Vec<Step>) -> Result<(), TokenizerError> {
    if steps.len() >= MOST_STEPS {
        return Err(TokenizerError::Malformed(format!("more than {MOST_STEPS} normalizers")));
    }
    let unsupported = || TokenizerError::Unsupported {
        part: "normalizer",
        found: kind(value).to_owned(),
        legal: "Sequence, Prepend, Replace of a string, Lowercase or BertNormalizer",
    };
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    match kind(value) {
        // serde_json goes 128 levels deep and no further, so this does too.
        "Sequence" => {
            let parts = value.get("normalizers").and_then(Value::as_array).ok_or_else(unsupported)?;
            return parts.iter().try_for_each(|part| normalizer(part, steps));
        }
        "Prepend" => steps.push(Step::Prepend(text(value, "prepend").ok_or_else(unsupported)?)),
        "Replace" => {
            let from = value.get("pattern").and_then(|pattern| text(pattern, "String"));
            let from = from.filter(|from| !from.is_empty()).ok_or_else(unsupported)?;
            steps.push(Step::Replace { from, to: text(value, "content").ok_or_else(unsupported)? });
        }
        "Lowercase" => steps.push(Step::Lowercase),
        "BertNormalizer" => {
            let lowercase = flag("lowercase").unwrap_or(true);
            steps.push(Step::Bert(Bert {
                clean: flag("clean_text").unwrap_or(true),
                separate_ideographs: flag("handle_chinese_chars").unwrap_or(true),
                // Not said means: as with capitals.
                strip_accents: flag("strip_accents").unwrap_or(lowercase),
                lowercase,
            }));
        }
        _ => return Err(unsupported()),
    }
    Ok(())
}

/// The character that stands for a blank.
fn blank(normaliser: &Normaliser) -> Option<char> {
    normaliser.0.iter().rev().find_map(|step| match step {
        Step::Replace { from, to } if from == " " => {
            let mut characters = to.chars();
            characters.next().filter(|_| characters.next().is_none())
        }
        _ => None,
    })
}

/// Where no merge has the mark after something else, no token reaches over the place before a mark: words up to there
/// come out the same alone as in their text.
fn safe_cut(mark: char, merges: &Merges<'_>) -> Cut {
    let reaches_over = |(left, right): &(Cow<'_, str>, Cow<'_, str>)| {
        let (left, whole_left) = (left.trim_start_matches(mark), left);
        let right =
            if left.is_empty() && !whole_left.is_empty() { right.trim_start_matches(mark) } else { right };
        left.contains(mark) || right.contains(mark)
    };
    if merges.0.iter().any(reaches_over) { Cut::Nowhere } else { Cut::Before(mark) }
}

fn bpe(part: ModelPart<'_>) -> Result<Bpe, TokenizerError> {
    let vocabulary = part.vocab.0;
    let refuse =
        |part, found: &str, legal| Err(TokenizerError::Unsupported { part, found: found.into(), legal });
    if part.dropout.is_some_and(|dropout| dropout > 0.0) {
        return refuse("dropout", "more than 0", "none");
    }
    if part.ignore_merges {
        return refuse("ignore_merges", "true", "false");
    }
    for mark in [&part.continuing_subword_prefix, &part.end_of_word_suffix].into_iter().flatten() {
        if !mark.is_empty() {
            return refuse("mark inside or after a word", mark, "none, with BPE,");
        }
    }
    let token = |text: &str| vocabulary.get(text).copied();
    let mut merges = HashMap::with_capacity(part.merges.0.len());
    let mut joined = String::new();
    for (rank, (left, right)) in part.merges.0.iter().enumerate() {
        joined.clear();
        joined.push_str(left);
        joined.push_str(right);
        let (Some(one), Some(other), Some(both)) = (token(left), token(right), token(&joined)) else {
            return Err(TokenizerError::Malformed(format!("the merge `{left} {right}` is not of tokens")));
        };
        merges.insert((one, other), (rank as u32, both));
    }
    let mut bytes = None;
    if part.byte_fallback {
        let mut all = [0; 256];
        for (byte, place) in all.iter_mut().enumerate() {
            let Some(found) = token(&format!("<0x{byte:02X}>")) else {
                return refuse(
                    "byte_fallback",
                    "without a token for each byte",
                    "256 tokens <0x00> to <0xFF>",
                );
            };
            *place = found;
        }
        bytes = Some(Box::new(all));
    }
    let unknown = unknown(&vocabulary, part.unk_token.as_deref())?;
    let single = |text: &str| {
        let mut characters = text.chars();
        characters.next().filter(|_| characters.next().is_none())
    };
    let characters = vocabulary.iter().filter_map(|(text, token)| Some((single(text)?, *token))).collect();
    Ok(Bpe { characters, bytes, merges, unknown, fuse_unknown: part.fuse_unk })
}

fn unknown(
    vocabulary: &HashMap<Cow<'_, str>, u32>,
    name: Option<&str>,
) -> Result<Option<u32>, TokenizerError> {
    match name {
        None => Ok(None),
        Some(name) => match vocabulary.get(name) {
            Some(token) => Ok(Some(*token)),
            None => {
                Err(TokenizerError::Malformed(format!("the unknown token `{name}` is not in the vocabulary")))
            }
        },
    }
}

fn word_piece(part: ModelPart<'_>) -> Result<WordPiece, TokenizerError> {
    let vocabulary = part.vocab.0;
    let unknown = unknown(&vocabulary, Some(part.unk_token.as_deref().unwrap_or("[UNK]")))?;
    let mark = part.continuing_subword_prefix.unwrap_or_else(|| "##".to_owned());
    // Words have no punctuation inside, so that no word begins with the mark.
    if mark.is_empty() || !mark.chars().all(is_punctuation) {
        return Err(TokenizerError::Unsupported {
            part: "mark inside a word",
            found: mark,
            legal: "punctuation such as ##",
        });
    }
    let mut model = WordPiece {
        starts: HashMap::new(),
        continuations: HashMap::new(),
        longest: 0,
        unknown: unknown.unwrap_or_default(),
        most_characters: part.max_input_chars_per_word.unwrap_or(100),
    };
    for (text, token) in vocabulary {
        let (piece, pieces) = match text.strip_prefix(&mark) {
            Some(piece) if !piece.is_empty() => (piece, &mut model.continuations),
            _ => (&*text, &mut model.starts),
        };
        model.longest = model.longest.max(piece.len());
        pieces.insert(piece.into(), token);
    }
    Ok(model)
}

/// Token → number.
struct Vocabulary<'a>(HashMap<Cow<'a, str>, u32>);

/// Pairs, by rank.
#[derive(Default)]
struct Merges<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

/// A string that is not copied where it stands in the file as it is.
#[derive(Deserialize, PartialEq, Eq, Hash)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Vocabulary<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Vocabulary<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("tokens with their numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = HashMap::new();
                while let Some((Text(text), token)) = map.next_entry()? {
                    entries.insert(text, token);
                    if entries.len() > MOST_TOKENS {
                        return Err(A::Error::custom(format!("more than {MOST_TOKENS} tokens")));
                    }
                }
                Ok(Vocabulary(entries))
            }

            /// Unigram models have a list of tokens with scores; they are refused by their type.
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Vocabulary(HashMap::new()))
            }
        }
        deserializer.deserialize_any(Entries)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Merges<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Merges<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of pairs")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(Pair(left, right)) = list.next_element()? {
                    pairs.push((left, right));
                    if pairs.len() > MOST_MERGES {
                        return Err(A::Error::custom(format!("more than {MOST_MERGES} merges")));
                    }
                }
                Ok(Merges(pairs))
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Merges::default())
            }
        }
        deserializer.deserialize_any(Pairs)
    }
}

/// `"a b"` in older files, `["a", "b"]` in newer ones.
struct Pair<'a>(Cow<'a, str>, Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Pair<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Two;
        impl<'de> Visitor<'de> for Two {
            type Value = Pair<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("two tokens, as a list or with a blank between")
            }

            fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                match text.split_once(' ') {
                    Some((left, right)) => Ok(Pair(left.into(), right.into())),
                    None => Err(E::custom(format!("`{text}` is not a pair"))),
                }
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                match text.split_once(' ') {
                    Some((left, right)) => Ok(Pair(left.to_owned().into(), right.to_owned().into())),
                    None => Err(E::custom(format!("`{text}` is not a pair"))),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                match (list.next_element()?, list.next_element()?, list.next_element::<IgnoredAny>()?) {
                    (Some(Text(left)), Some(Text(right)), None) => Ok(Pair(left, right)),
                    _ => Err(A::Error::custom("a merge that is not of two tokens")),
                }
            }
        }
        deserializer.deserialize_any(Two)
    }
}

#[cfg(test)]
mod tests;
