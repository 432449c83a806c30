//! Blocks of several fields, such as `[[servers]]`: which fields there are and what they hold, told in one way.

use orienteer_base::nearest::nearest;

use super::layers::ConfigError;

/// What a field holds.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Text,
    Texts,
    TextTable,
    Number,
    NumberTable,
    Any,
}

impl Shape {
    fn fits(self, value: &toml::Value) -> bool {
        let number = |value: &toml::Value| value.as_integer().is_some_and(|number| number >= 0);
        match self {
            Self::Text => value.is_str(),
            Self::Texts => value.as_array().is_some_and(|items| items.iter().all(toml::Value::is_str)),
            Self::TextTable => value.as_table().is_some_and(|table| table.values().all(toml::Value::is_str)),
            Self::Number => number(value),
            Self::NumberTable => value.as_table().is_some_and(|table| table.values().all(number)),
            Self::Any => true,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Texts => "a list of strings",
            Self::TextTable => "a table of strings",
            Self::Number => "a whole number",
            Self::NumberTable => "a table of whole numbers",
            Self::Any => "anything",
        }
    }
}

/// Reads all blocks of a section. Values are never quoted in errors: some of them are credentials.
pub(super) fn read<T>(
    value: &toml::Value,
    section: &str,
    fields: &[(&str, Shape)],
    required: &[&str],
    place: &str,
    one: impl Fn(&toml::Value, &str) -> Result<T, ConfigError>,
) -> Result<Vec<T>, ConfigError> {
    let Some(blocks) = value.as_array() else {
        return Err(ConfigError::new(format!(
            "{place}: `{section}` must be written as [[{section}]] blocks"
        )));
    };
    let mut all = Vec::with_capacity(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        let place = format!("{place}: {section} block {}", at + 1);
        check(block, fields, required, &place)?;
        all.push(one(block, &place)?);
    }
    Ok(all)
}

fn check(
    block: &toml::Value,
    fields: &[(&str, Shape)],
    required: &[&str],
    place: &str,
) -> Result<(), ConfigError> {
    let table = block.as_table().ok_or_else(|| ConfigError::new(format!("{place} must be a table")))?;
    let names = || fields.iter().map(|(name, _)| *name);
    for (name, value) in table {
        let Some((_, shape)) = fields.iter().find(|(field, _)| field == name) else {
            let hint = nearest(name, names(), 1).first().map_or_else(
                || format!("legal fields are {}", names().collect::<Vec<_>>().join(", ")),
                |close| format!("did you mean `{close}`?"),
            );
            return Err(ConfigError::new(format!("{place}: `{name}` is not a field; {hint}")));
        };
        if !shape.fits(value) {
            return Err(ConfigError::new(format!("{place}: `{name}` must be {}", shape.words())));
        }
    }
    match required.iter().find(|name| !table.contains_key(**name)) {
        Some(name) => Err(ConfigError::new(format!("{place}: `{name}` is required"))),
        None => Ok(()),
    }
}
