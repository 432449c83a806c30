//! Values of configuration keys: reading them from TOML, the environment and flags.

use std::collections::BTreeMap;

use super::keys::{Key, Kind};

/// A credential: it can be compared and used, not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[hidden]")
    }
}

/// A checked value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    Bool(bool),
    Int(u64),
    Text(String),
    List(Vec<String>),
    Millis(BTreeMap<String, u64>),
    Paths(BTreeMap<String, String>),
}

impl Value {
    /// The error says what is legal; the caller says where the value was.
    pub fn from_toml(key: &Key, value: &toml::Value) -> Result<Self, String> {
        let wrong = || format!("must be {}, not {}", expected(key.kind), value.type_str());
        match (key.kind, value) {
            (Kind::Bool, toml::Value::Boolean(on)) => Ok(Self::Bool(*on)),
            (Kind::Int { min, max }, toml::Value::Integer(number)) => {
                let number = u64::try_from(*number).map_err(|_| range(min, max, &number.to_string()))?;
                check_range(number, min, max)
            }
            (Kind::Text | Kind::Path, toml::Value::String(text)) => check_text(key, text),
            (Kind::Choice(legal), toml::Value::String(text)) => check_choice(text, legal),
            (Kind::List | Kind::PathList, toml::Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
                .collect::<Result<_, _>>()
                .map(Self::List),
            (Kind::Millis, toml::Value::Table(table)) => table
                .iter()
                .map(|(name, value)| {
                    let millis = value.as_integer().and_then(|millis| u64::try_from(millis).ok());
                    let millis = millis.filter(|millis| *millis > 0);
                    millis.map(|millis| (name.clone(), millis)).ok_or_else(wrong)
                })
                .collect::<Result<_, _>>()
                .map(Self::Millis),
            (Kind::Paths, toml::Value::Table(table)) => table
                .iter()
                .map(|(name, value)| {
                    value.as_str().map(|path| (name.clone(), path.to_owned())).ok_or_else(wrong)
                })
                .collect::<Result<_, _>>()
                .map(Self::Paths),
            _ => Err(wrong()),
        }
    }

    /// From an environment variable or a flag: lists are separated by commas, lists of paths as `PATH` is,
    /// tables are written `tool=ms,tool=ms`.
    pub fn from_text(key: &Key, text: &str) -> Result<Self, String> {
        let wrong = || format!("must be {}, not `{}`", expected(key.kind), brief(text));
        let split = |separator: char| {
            text.split(separator).map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
        };
        match key.kind {
            Kind::Bool => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Ok(Self::Bool(true)),
                "0" | "false" | "no" | "off" => Ok(Self::Bool(false)),
                _ => Err(wrong()),
            },
            Kind::Int { min, max } => check_range(text.trim().parse().map_err(|_| wrong())?, min, max),
            Kind::Text | Kind::Path => check_text(key, text),
            Kind::Choice(legal) => check_choice(text, legal),
            Kind::List => Ok(Self::List(split(','))),
            Kind::PathList => Ok(Self::List(split(if cfg!(windows) { ';' } else { ':' }))),
            Kind::Millis => text
                .split(',')
                .filter(|item| !item.trim().is_empty())
                .map(|item| {
                    let (name, millis) = item.split_once('=').ok_or_else(wrong)?;
                    Ok((
                        name.trim().to_owned(),
                        millis.trim().parse().ok().filter(|millis| *millis > 0).ok_or_else(wrong)?,
                    ))
                })
                .collect::<Result<_, _>>()
                .map(Self::Millis),
            Kind::Paths => text
                .split(',')
                .filter(|item| !item.trim().is_empty())
                .map(|item| {
                    let (name, path) = item.split_once('=').ok_or_else(wrong)?;
                    Ok((name.trim().to_owned(), path.trim().to_owned()))
                })
                .collect::<Result<_, _>>()
                .map(Self::Paths),
        }
    }
}

fn expected(kind: Kind) -> String {
    match kind {
        Kind::Bool => "true or false".to_owned(),
        Kind::Int { min, max } => format!("a whole number from {min} to {max}"),
        Kind::Text => "a string".to_owned(),
        Kind::Path => "a path".to_owned(),
        Kind::Choice(legal) => format!("one of {}", legal.join(", ")),
        Kind::List => "a list of strings".to_owned(),
        Kind::PathList => "a list of paths".to_owned(),
        Kind::Millis => "a table of tool names and milliseconds".to_owned(),
        Kind::Paths => "a table of names and paths".to_owned(),
    }
}

/// A credential that is empty protects nothing, and was hardly meant so; one that no client can send locks everybody
/// out. The value is never quoted.
fn check_text(key: &Key, text: &str) -> Result<Value, String> {
    if key.secret && text.trim().is_empty() {
        return Err(
            "is empty, which protects nothing: give it a value, or remove it to do without".to_owned()
        );
    }
    if key.secret && (text.trim() != text || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte))) {
        return Err(
            "may hold printable ASCII characters only, and no space at its ends: no header can carry \
                    anything else"
                .to_owned(),
        );
    }
    Ok(Value::Text(text.to_owned()))
}

fn check_range(number: u64, min: u64, max: u64) -> Result<Value, String> {
    if (min..=max).contains(&number) {
        Ok(Value::Int(number))
    } else {
        Err(range(min, max, &number.to_string()))
    }
}

fn range(min: u64, max: u64, found: &str) -> String {
    format!("must be a whole number from {min} to {max}, not {found}")
}

fn check_choice(text: &str, legal: &[&str]) -> Result<Value, String> {
    if legal.contains(&text) {
        Ok(Value::Text(text.to_owned()))
    } else {
        Err(format!("must be one of {}, not `{}`", legal.join(", "), brief(text)))
    }
}

fn brief(text: &str) -> String {
    text.chars().take(60).collect()
}
