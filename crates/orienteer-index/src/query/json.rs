//! How are structured filters read?

use orienteer_base::nearest::nearest;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

use super::error::{QueryError, shown};
use super::filters::Filters;
use super::table::{Row, Shape, names};
use super::value::{Sense, Vocabulary};

impl Filters {
    /// Reads an object of names and values. A value is one or a list of them; `null` is as good as absent.
    pub fn from_json(value: &Value, vocabulary: &Vocabulary) -> Result<Self, QueryError> {
        let object = match value {
            Value::Null => return Ok(Self::default()),
            Value::Object(object) => object,
            other => return Err(QueryError::NotAnObject { found: sort(other) }),
        };
        let mut filters = Self::default();
        for (name, value) in object {
            let row = Row::by_word(name).ok_or_else(|| unknown(name))?;
            let groups = match (row.shape, value) {
                (_, Value::Null) => continue,
                (Shape::Meta, Value::Object(pairs)) => {
                    let mut each = Vec::new();
                    for (key, value) in pairs {
                        // The key of a filter on the command line ends at the first `=`.
                        if key.contains('=') {
                            let advice = "keys have no `=`".to_owned();
                            return Err(QueryError::WrongShape {
                                filter: row.word,
                                found: "such a key",
                                advice,
                            });
                        }
                        each.push(match value {
                            Value::Null => vec![key.clone()],
                            value => texts(row, value)?.iter().map(|text| format!("{key}={text}")).collect(),
                        });
                    }
                    each
                }
                _ => vec![texts(row, value)?],
            };
            let several = groups.len() > 1;
            for group in &groups {
                let group: Vec<&str> = group.iter().map(String::as_str).collect();
                // Each key of a record's metadata must hold.
                let sense = if several { Sense::Must } else { Sense::Any };
                if !group.is_empty() {
                    filters.add(row, &group, sense, vocabulary)?;
                }
            }
        }
        filters.settled()
    }
}

impl<'de> Deserialize<'de> for Filters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_json(&value, &Vocabulary::default()).map_err(D::Error::custom)
    }
}

pub(super) fn unknown(name: &str) -> QueryError {
    let words = super::table::ROWS.iter().flat_map(Row::words);
    let nearest = nearest(name, words, 3).into_iter().map(str::to_owned).collect();
    let legal = names().into_iter().map(str::to_owned).collect();
    QueryError::UnknownFilter { name: shown(name), nearest, legal }
}

fn texts(row: &'static Row, value: &Value) -> Result<Vec<String>, QueryError> {
    match value {
        Value::Array(values) => values.iter().map(|value| text(row, value)).collect(),
        value => Ok(vec![text(row, value)?]),
    }
}

fn text(row: &'static Row, value: &Value) -> Result<String, QueryError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        other => {
            let advice = match row.shape {
                Shape::Meta => {
                    "give an object of keys and values, such as {\"severity\": \"high\"}".to_owned()
                }
                _ => format!("give one value or a list of values: {}", row.about),
            };
            Err(QueryError::WrongShape { filter: row.word, found: sort(other), advice })
        }
    }
}

fn sort(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
