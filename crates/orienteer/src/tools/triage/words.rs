//! Which words may an agent write for sources, severities and decisions? Those that records have, without a second list.

use std::borrow::Cow;

use orienteer_base::triage::{Format, Severity, Status, VexCode};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A closed set of words.
pub(in crate::tools) trait Words {
    const NAME: &'static str;
    fn all() -> Vec<String>;
}

macro_rules! words {
    ($($of:ident)*) => {
        $(impl Words for $of {
            const NAME: &'static str = stringify!($of);
            fn all() -> Vec<String> {
                Self::words()
            }
        })*
    };
}

words! { Format Severity Status VexCode }

/// One word of a set.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::tools) struct Word<W>(pub(in crate::tools) W);

impl<W: Words> JsonSchema for Word<W> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        W::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": W::all() })
    }
}

/// A source, or the wish that it be told by the items themselves.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::tools) enum SourceWord {
    #[default]
    Auto,
    #[serde(untagged)]
    Of(Format),
}

impl SourceWord {
    pub(in crate::tools) fn format(self) -> Option<Format> {
        match self {
            Self::Auto => None,
            Self::Of(format) => Some(format),
        }
    }
}

impl JsonSchema for SourceWord {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SourceWord".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<String> = std::iter::once("auto".to_owned()).chain(Format::words()).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_schema_lists_is_what_is_read() {
        let read = |word: &str| serde_json::from_value::<SourceWord>(word.into()).map(SourceWord::format);
        assert_eq!(read("auto").unwrap(), None);
        for format in Format::ALL {
            assert_eq!(read(format.as_str()).unwrap(), Some(*format));
        }
        assert!(read("snyk").is_err());
        assert_eq!(serde_json::to_value(SourceWord::default()).unwrap(), "auto");
        for code in VexCode::ALL {
            let word: Word<VexCode> = serde_json::from_value(code.as_str().into()).unwrap();
            assert_eq!(word.0, *code);
        }
    }
}
