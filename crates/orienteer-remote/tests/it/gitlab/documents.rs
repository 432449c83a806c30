//! Which documents fit a schema: the least that may come, and the most?

use serde_json::{Map, Value, json};

use super::published::{answer, wrong};

/// How much of a schema a document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Only what is required; null where that is allowed; lists without rows.
    Smallest,
    /// Every field, with something in it.
    Fullest,
}

impl Extent {
    pub(super) const BOTH: [Self; 2] = [Self::Smallest, Self::Fullest];

    /// The answer to a question. A list of rows has one.
    pub(super) fn of(self, question: &str) -> Value {
        let (schema, mut count) = (answer(question), 0);
        match schema.get("items") {
            Some(items) => json!([self.made(items, question, &mut count)]),
            None => self.made(&schema, question, &mut count),
        }
    }

    /// Texts say where they are and numbers differ, so that no value is taken for another.
    fn made(self, schema: &Value, at: &str, count: &mut u64) -> Value {
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(choice) = schema["anyOf"].as_array() {
            let is_null = |one: &&Value| one["type"] == "null";
            let null = choice.iter().find(is_null).filter(|_| self == Self::Smallest);
            let chosen = null.or_else(|| choice.iter().find(|one| !is_null(one))).unwrap();
            return self.made(chosen, at, count);
        }
        // Of several types null comes last.
        let kinds =
            schema["type"].as_array().map_or_else(|| std::slice::from_ref(&schema["type"]), Vec::as_slice);
        let kind = if self == Self::Smallest { kinds.last() } else { kinds.first() };
        match kind.and_then(Value::as_str) {
            Some("string") => json!(at),
            Some("number") => {
                *count += 1;
                json!(count)
            }
            Some("boolean") => json!(self == Self::Fullest),
            Some("array") if self == Self::Fullest => json!([self.made(&schema["items"], at, count)]),
            Some("array") => json!([]),
            Some("object") => self.object(schema, at, count),
            _ => Value::Null,
        }
    }

    fn object(self, schema: &Value, at: &str, count: &mut u64) -> Value {
        let required = schema["required"].as_array();
        let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|one| one == name));
        let fields = schema["properties"].as_object().unwrap().iter();
        let fields = fields.filter(|(name, _)| self == Self::Fullest || is_required(name));
        let made =
            fields.map(|(name, field)| (name.clone(), self.made(field, &format!("{at}.{name}"), count)));
        Value::Object(made.collect::<Map<_, _>>())
    }
}

/// A document with the fields of another in place of its own.
pub(super) fn laid_over(mut below: Value, above: &Value) -> Value {
    let (Some(fields), Some(new)) = (below.as_object_mut(), above.as_object()) else { return above.clone() };
    for (name, value) in new {
        let old = fields.remove(name).unwrap_or_default();
        fields.insert(name.clone(), laid_over(old, value));
    }
    below
}

/// A whole answer with these fields; what is not said is the least that may come.
pub(super) fn whole(question: &str, said: &Value) -> Value {
    let least = Extent::Smallest.of(question);
    let found = match said.as_array() {
        Some(rows) => rows.iter().map(|row| laid_over(least[0].clone(), row)).collect(),
        None => laid_over(least, said),
    };
    assert_eq!(wrong(question, &found), [] as [String; 0], "{question}");
    found
}
