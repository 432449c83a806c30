//! Pointing at code: the fields that every tool which takes a symbol has, in one place.

use orienteer_base::{Problem, RootedPath, SymbolKind, Target};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::tool::Ctx;

/// The names of the fields.
pub(crate) const FIELDS: &[&str] =
    &["file_path", "line", "column", "symbol_name", "symbol_kind", "occurrence", "symbol_id"];

/// What points at something, for errors.
pub(crate) const ENOUGH: &str = "Enough is: symbol_id; symbol_name; file_path + symbol_name; \
     file_path + line + symbol_name; or file_path + line + column.";

// Doc comments only on fields whose names do not say it: every client pays for them in every tool.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetArgs {
    file_path: Option<String>,
    #[schemars(range(min = 1))]
    line: Option<u32>,
    #[schemars(range(min = 1))]
    column: Option<u32>,
    /// name or Type::method
    symbol_name: Option<String>,
    /// E.g. class, function, method.
    symbol_kind: Option<String>,
    /// nth on the line
    #[schemars(range(min = 1))]
    occurrence: Option<u32>,
    /// from an earlier answer
    symbol_id: Option<String>,
}

impl TargetArgs {
    /// The target, every field checked and all of them together enough.
    pub(super) fn target(self, ctx: &Ctx) -> Result<Target, Problem> {
        let file = match &self.file_path {
            Some(path) => Some(file(ctx, path)?),
            None => None,
        };
        self.check()?;
        let symbol_kind = match &self.symbol_kind {
            Some(word) => Some(kind("symbol_kind", word)?),
            None => None,
        };
        Ok(Target {
            file,
            line: self.line,
            column: self.column,
            symbol_name: self.symbol_name,
            symbol_kind,
            occurrence: self.occurrence,
            symbol_id: self.symbol_id,
        })
    }

    /// The file, and a line of it, where nothing else is given.
    pub(super) fn file_alone(&self) -> Option<(&str, Option<u32>)> {
        let more = self.column.is_some()
            || self.symbol_name.is_some()
            || self.symbol_kind.is_some()
            || self.occurrence.is_some()
            || self.symbol_id.is_some();
        self.file_path.as_deref().filter(|_| !more).map(|path| (path, self.line))
    }

    /// Whether the fields are enough, and what would be.
    fn check(&self) -> Result<(), Problem> {
        for (field, text) in [("symbol_name", &self.symbol_name), ("symbol_id", &self.symbol_id)] {
            if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
                return Err(Problem::invalid(
                    field,
                    "incomplete_target",
                    format!("`{field}` is empty. {ENOUGH}"),
                ));
            }
        }
        if self.symbol_id.is_some() {
            return Ok(());
        }
        let (file, line, column, name) = (
            self.file_path.is_some(),
            self.line.is_some(),
            self.column.is_some(),
            self.symbol_name.is_some(),
        );
        let (field, what) = match (file, line, column, name) {
            (false, false, false, true) | (true, false, false, true) | (true, true, _, true) => return Ok(()),
            (true, true, true, false) => return Ok(()),
            (false, true, _, _) => ("file_path", "`line` needs `file_path` beside it"),
            (_, false, true, _) => ("line", "`column` needs `file_path` and `line` beside it"),
            (true, true, false, false) => {
                ("column", "a line alone names no symbol: add `column` or `symbol_name`")
            }
            (true, false, false, false) => {
                ("symbol_name", "a file alone names no symbol: add `symbol_name`, or `line` and `column`")
            }
            (false, false, false, false) => ("symbol_name", "nothing says which symbol is meant"),
        };
        Err(Problem::invalid(field, "incomplete_target", format!("{what}. {ENOUGH}")))
    }
}

/// A file that an agent names.
pub(super) fn file(ctx: &Ctx, path: &str) -> Result<RootedPath, Problem> {
    let resolved = ctx.session.resolve(path).and_then(RootedPath::require_file);
    resolved.map_err(|error| Problem::from(error).field("file_path"))
}

/// A kind of symbol by its word.
pub(super) fn kind(field: &'static str, word: &str) -> Result<SymbolKind, Problem> {
    SymbolKind::parse(word).ok_or_else(|| {
        let legal: Vec<String> = SymbolKind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
        let word: String = word.chars().take(80).collect();
        let message = format!("`{field}` is `{word}`; legal values are {}", legal.join(", "));
        Problem::invalid(field, "illegal_value", message).candidates(legal)
    })
}

/// Kinds of symbols by their words.
pub(super) fn kinds(words: &[String]) -> Result<Vec<SymbolKind>, Problem> {
    words.iter().map(|word| kind("kinds", word)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::schema;
    use crate::tool::{Tool, Toolset};

    fn parse(value: Value) -> Result<TargetArgs, serde_json::Error> {
        serde_json::from_value(value)
    }

    fn check(value: Value) -> Result<(), Problem> {
        parse(value).unwrap().check()
    }

    #[test]
    fn every_combination_of_the_contract_is_enough() {
        for enough in [
            json!({ "file_path": "a.rs", "line": 1, "column": 1 }),
            json!({ "file_path": "a.rs", "line": 1, "symbol_name": "f", "occurrence": 2 }),
            json!({ "file_path": "a.rs", "line": 1, "column": 1, "symbol_name": "f" }),
            json!({ "file_path": "a.rs", "symbol_name": "T::f" }),
            json!({ "symbol_name": "f", "symbol_kind": "function" }),
            json!({ "symbol_id": "x" }),
            json!({ "symbol_id": "x", "line": 3 }),
        ] {
            assert_eq!(check(enough.clone()), Ok(()), "{enough}");
        }
    }

    #[test]
    fn everything_else_says_what_is_missing() {
        for (given, field, told) in [
            (json!({}), "symbol_name", "nothing says which"),
            (json!({ "symbol_kind": "class" }), "symbol_name", "nothing says which"),
            (json!({ "file_path": "a.rs" }), "symbol_name", "a file alone"),
            (json!({ "file_path": "a.rs", "line": 1 }), "column", "a line alone"),
            (json!({ "file_path": "a.rs", "column": 1 }), "line", "needs `file_path` and `line`"),
            (json!({ "file_path": "a.rs", "column": 1, "symbol_name": "f" }), "line", "needs"),
            (json!({ "line": 1, "symbol_name": "f" }), "file_path", "needs `file_path`"),
            (json!({ "line": 1, "column": 1 }), "file_path", "needs `file_path`"),
            (json!({ "symbol_name": " " }), "symbol_name", "is empty"),
            (json!({ "symbol_id": "" }), "symbol_id", "is empty"),
        ] {
            let problem = check(given.clone()).unwrap_err();
            assert_eq!(problem.detail, Some("incomplete_target"), "{given}");
            assert_eq!(problem.field, Some(field), "{given}");
            assert!(
                problem.message.contains(told) && problem.message.contains("Enough is"),
                "{}",
                problem.message
            );
        }
    }

    #[test]
    fn kinds_are_the_words_of_the_vocabulary() {
        for known in SymbolKind::ALL {
            assert_eq!(kind("symbol_kind", known.as_str()), Ok(*known));
        }
        let problem = kind("kinds", "klass").unwrap_err();
        assert_eq!((problem.field, problem.detail), (Some("kinds"), Some("illegal_value")));
        assert!(problem.candidates.contains(&"class".to_owned()));
    }

    /// `flatten` and `deny_unknown_fields` are said not to go together; that they do here is what this checks.
    #[test]
    fn flattened_fields_are_the_tools_own_and_unknown_ones_are_refused() {
        type Args = <super::super::find_definition::FindDefinition as Tool>::Args;
        let schema = schema::input::<Args>(schema::General::default());
        for field in FIELDS {
            assert!(schema["properties"].get(field).is_some(), "{field}");
        }
        assert_eq!(schema["properties"].as_object().unwrap().len(), FIELDS.len() + 7);
        assert!(!Value::Object(schema).to_string().contains("unevaluated"));
        let parsed =
            |value| serde_json::from_value::<Args>(value).map(drop).map_err(|error| error.to_string());
        assert_eq!(parsed(json!({ "symbol_name": "f", "relation": "implementation", "wait_ms": 5 })), Ok(()));
        assert!(parsed(json!({ "symbol_nam": "f" })).unwrap_err().contains("unknown field"));
        assert!(parse(json!({ "symbol_nam": "f" })).is_err());
        assert_eq!(super::super::find_definition::FindDefinition::TOOLSET, Toolset::Navigate);
    }
}
