//! A query as it was asked, and the calls that hints make of it.

use orienteer_base::Budget;
use serde_json::{Map, Value, json};

/// What a query needs to be taken by the tools that ask other machines.
const CARRIED: &[&str] = &["mainResearchGoal", "researchGoal", "reasoning", "provider", "host"];

/// The tool and the fields of one query.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) tool: &'static str,
    pub(super) row: Map<String, Value>,
    /// Characters that its answer may have.
    pub(super) share: usize,
}

impl Asked {
    pub(super) fn new(tool: &'static str, row: Map<String, Value>) -> Self {
        Self { tool, row, share: Budget::MAX_TOTAL_CHARS }
    }

    /// With room for as many characters.
    pub(super) fn sharing(self, share: usize) -> Self {
        Self { share, ..self }
    }

    /// A field that is text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.row.get(name).and_then(Value::as_str)
    }

    /// Asks other machines, and so has to say why.
    pub(super) fn is_remote(&self) -> bool {
        is_remote(self.tool)
    }

    /// A hint to ask the same with some fields changed; null takes a field out.
    pub(super) fn again(&self, why: &str, changes: Value) -> String {
        let mut row = self.row.clone();
        change(&mut row, changes);
        hint(why, self.tool, row)
    }

    /// A hint to ask something else. Who asks for whom, and of which forge, is carried over where it belongs.
    pub(super) fn other(&self, why: &str, tool: &'static str, fields: Value) -> String {
        let mut row = Map::new();
        if is_remote(tool) {
            let given = CARRIED.iter().filter_map(|name| Some((*name, self.row.get(*name)?)));
            let fits = |name: &str| tool != "packageSearch" || !matches!(name, "provider" | "host");
            row.extend(
                given.filter(|(name, _)| fits(name)).map(|(name, value)| (name.to_owned(), value.clone())),
            );
        }
        change(&mut row, fields);
        hint(why, tool, row)
    }
}

fn is_remote(tool: &str) -> bool {
    tool.starts_with("github") || tool == "packageSearch"
}

fn change(row: &mut Map<String, Value>, changes: Value) {
    let Value::Object(changes) = changes else { return };
    for (name, value) in changes {
        if value.is_null() {
            row.shift_remove(&name);
        } else {
            row.insert(name, value);
        }
    }
}

/// `why: tool {"queries":[…]}`, which runs as given.
fn hint(why: &str, tool: &str, row: Map<String, Value>) -> String {
    format!("{why}: {tool} {}", json!({ "queries": [row] }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(tool: &'static str, row: Value) -> Asked {
        let Value::Object(row) = row else { panic!("an object") };
        Asked::new(tool, row)
    }

    #[test]
    fn the_same_is_asked_with_what_changed() {
        let asked = asked("localSearchCode", json!({ "pattern": "x", "path": ".", "filePageNumber": 1 }));
        assert_eq!(
            asked.again("Next page", json!({ "filePageNumber": 2, "pattern": null })),
            r#"Next page: localSearchCode {"queries":[{"path":".","filePageNumber":2}]}"#
        );
    }

    #[test]
    fn who_asks_is_carried_to_forges_only() {
        let row = json!({ "mainResearchGoal": "a", "researchGoal": "b", "reasoning": "c", "host": "h", "owner": "o" });
        let asked = asked("githubSearchCode", row);
        let local = asked.other("Look here", "localSearchCode", json!({ "pattern": "x", "path": "." }));
        assert_eq!(local, r#"Look here: localSearchCode {"queries":[{"pattern":"x","path":"."}]}"#);
        let forge = asked.other("There", "githubGetFileContent", json!({ "path": "p" }));
        assert!(forge.contains(r#""reasoning":"c","host":"h","path":"p""#), "{forge}");
        let package = asked.other("There", "packageSearch", json!({ "name": "n" }));
        assert!(package.contains(r#""reasoning":"c","name":"n""#), "{package}");
    }
}
