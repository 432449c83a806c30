//! What to ask instead where a file or an answer is too large.

use orienteer_base::{Budget, Fact, Problem};
use serde_json::{Map, Value, json};

use super::super::asked::Asked;
use super::super::{TOOLS, tools};

/// Fields that decide how long an answer gets. What one of them is when nobody writes it stands in the schema of its tool.
const SIZES: &[&str] = &[
    "callsPerPage",
    "contextLines",
    "entriesPerPage",
    "filesPerPage",
    "limit",
    "matchStringContextLines",
    "matchesPerPage",
    "referencesPerPage",
    "searchLimit",
];

/// Which page is shown, and the field that says how many of what are on one.
const PAGES: &[(&str, &str)] = &[
    ("entryPageNumber", "entriesPerPage"),
    ("filePageNumber", "filesPerPage"),
    ("page", "callsPerPage"),
    ("page", "limit"),
    ("page", "referencesPerPage"),
];

/// A file that is not read in one piece.
pub(super) fn file(problem: &Problem, asked: &Asked) -> Vec<String> {
    if problem.detail == Some("beyond_network") {
        return vec![
            "Clone the repository, add its folder to ALLOWED_PATHS, and read the file with localGetFileContent"
                .to_owned(),
        ];
    }
    const WHY: &str = "Read it in pages with charOffset and charLength";
    let mut changes = json!({ "fullContent": null, "charOffset": 0 });
    match asked.tool {
        "githubGetFileContent" => {
            changes["charLength"] = json!(50_000);
            vec![asked.again(WHY, changes)]
        }
        "localGetFileContent" => {
            // Pages are cut from what was chosen, and here that itself is too much.
            for field in [
                "startLine",
                "endLine",
                "matchString",
                "matchStringContextLines",
                "matchStringIsRegex",
                "matchStringCaseSensitive",
            ] {
                changes[field] = Value::Null;
            }
            changes["charLength"] = json!(10_000);
            vec![asked.again(WHY, changes)]
        }
        _ => answer(problem, asked),
    }
}

/// An answer that does not fit: alone, where that is enough, or a part of it.
pub(super) fn answer(problem: &Problem, asked: &Asked) -> Vec<String> {
    let length = number(problem, "length");
    if length.is_some_and(|length| length <= Budget::MAX_TOTAL_CHARS as u64) {
        return vec![asked.again("Ask it alone: then its answer fits", json!({}))];
    }
    if asked.tool == "packageSearch" && length.is_none() {
        let name = asked.text("name").unwrap_or_default();
        let manager =
            if asked.text("ecosystem") == Some("python") { "pip index versions" } else { "npm view" };
        return vec![format!("Ask the package manager itself: `{manager} {name}`")];
    }
    // Twice as small as it has to be, since rows are not of one size.
    let share = number(problem, "share").unwrap_or(Budget::MAX_TOTAL_CHARS as u64).max(1);
    let divisor = length.map_or(4, |length| (length / share + 1).saturating_mul(2)).max(4);
    let changes = less(asked, divisor);
    if changes.is_empty() {
        return vec!["Narrow the query: a smaller path, a rarer pattern, one thing at a time".to_owned()];
    }
    vec![asked.again("Ask for less at a time", Value::Object(changes))]
}

/// What decides about the length, divided.
fn less(asked: &Asked, divisor: u64) -> Map<String, Value> {
    let schema = fields(asked.tool);
    let mut changes = Map::new();
    for field in SIZES {
        // Of local listings it says how many are counted, not how many are shown.
        let Some(described) = schema.get(*field).filter(|_| *field != "limit" || asked.is_remote()) else {
            continue;
        };
        let Some(now) = size(asked, field, described) else { continue };
        let few = (now / divisor).max(described["minimum"].as_u64().unwrap_or(0));
        if few < now {
            changes.insert((*field).to_owned(), json!(few));
        }
    }
    let mut drop = |names: &[&str]| {
        for name in names.iter().filter(|name| asked.row.contains_key(**name)) {
            changes.insert((*name).to_owned(), Value::Null);
        }
    };
    match asked.tool {
        "githubSearchPullRequests" => {
            drop(&["type", "partialContentMetadata", "withComments", "withCommits"]);
            changes.insert("limit".to_owned(), json!(1));
        }
        "githubGetFileContent" | "localGetFileContent" => {
            drop(&["fullContent"]);
            let usual = if asked.is_remote() { 50_000 } else { 10_000 };
            let now = asked.row.get("charLength").and_then(Value::as_u64).unwrap_or(usual);
            changes.insert("charLength".to_owned(), json!((now / divisor).max(50).min(now)));
        }
        "githubViewRepoStructure" => drop(&["depth"]),
        "packageSearch" => drop(&["npmFetchMetadata", "pythonFetchMetadata"]),
        _ => {}
    }
    if same_place(asked, &schema, &mut changes) { changes } else { Map::new() }
}

/// What a size is: as written, as the mode has it, or as it is when nobody says.
fn size(asked: &Asked, field: &str, described: &Value) -> Option<u64> {
    let written = asked.row.get(field).and_then(Value::as_u64);
    let preset = || tools::local_search_code::preset(asked.text("mode")?, field);
    written.or_else(preset).or_else(|| described["default"].as_u64())
}

/// A later page of fewer begins elsewhere: the one that begins where the asked one does, or just before it, takes its place.
/// `false` where there are no pages so far behind.
fn same_place(asked: &Asked, schema: &Map<String, Value>, changes: &mut Map<String, Value>) -> bool {
    for (page, field) in PAGES {
        let (Some(number), Some(few)) = (asked.row.get(*page), changes.get(*field)) else { continue };
        let before = schema.get(*field).and_then(|described| size(asked, field, described));
        let (Some(number), Some(few), Some(before)) = (number.as_u64(), few.as_u64(), before) else {
            continue;
        };
        let number = number.saturating_sub(1).saturating_mul(before) / few.max(1) + 1;
        let last = schema.get(*page).and_then(|described| described["maximum"].as_u64());
        if last.is_some_and(|last| number > last) {
            return false;
        }
        changes.insert((*page).to_owned(), json!(number));
    }
    true
}

/// The fields of a tool's queries, as its schema describes them.
fn fields(tool: &str) -> Map<String, Value> {
    let schema = TOOLS.iter().find(|entry| entry.name == tool).map(|entry| (entry.input_schema)());
    let row =
        schema.as_ref().and_then(|schema| schema.get("properties")?.pointer("/queries/items/properties"));
    row.and_then(Value::as_object).cloned().unwrap_or_default()
}

fn number(problem: &Problem, name: &str) -> Option<u64> {
    problem.facts.iter().find_map(|(known, fact)| match fact {
        Fact::Number(number) if *known == name => u64::try_from(*number).ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_base::ErrorKind;

    fn asked(tool: &'static str, row: Value) -> Asked {
        Asked::new(tool, row.as_object().unwrap().clone())
    }

    fn large(length: i64) -> Problem {
        Problem::new(ErrorKind::TooLarge, "x").fact("length", length).fact("share", 2_000_000_i64)
    }

    #[test]
    fn what_nobody_wrote_is_divided_too() {
        let told = |tool, row| Value::Object(less(&asked(tool, row), 4));
        for (tool, row, expected) in [
            (
                "localSearchCode",
                json!({ "mode": "detailed" }),
                json!({ "contextLines": 0, "filesPerPage": 2, "matchesPerPage": 5 }),
            ),
            ("localSearchCode", json!({ "matchesPerPage": 1 }), json!({ "filesPerPage": 2 })),
            ("localViewStructure", json!({ "limit": 100 }), json!({ "entriesPerPage": 5 })),
            ("localFindFiles", json!({}), json!({ "filesPerPage": 5 })),
            ("lspFindReferences", json!({}), json!({ "contextLines": 0, "referencesPerPage": 5 })),
            ("lspCallHierarchy", json!({}), json!({ "callsPerPage": 3, "contextLines": 0 })),
            ("lspGotoDefinition", json!({}), json!({ "contextLines": 1 })),
            ("githubSearchCode", json!({}), json!({ "limit": 2 })),
            (
                "githubViewRepoStructure",
                json!({ "depth": 2 }),
                json!({ "entriesPerPage": 12, "depth": null }),
            ),
            (
                "githubSearchPullRequests",
                json!({ "type": "fullContent", "withCommits": true }),
                json!({ "type": null, "withCommits": null, "limit": 1 }),
            ),
            (
                "packageSearch",
                json!({ "searchLimit": 8, "npmFetchMetadata": true }),
                json!({ "searchLimit": 2, "npmFetchMetadata": null }),
            ),
            // The same rows, on the page of fewer that begins with them.
            (
                "localSearchCode",
                json!({ "filesPerPage": 20, "filePageNumber": 4, "matchesPerPage": 1, "contextLines": 0 }),
                json!({ "filesPerPage": 5, "filePageNumber": 13 }),
            ),
            (
                "lspFindReferences",
                json!({ "page": 3, "contextLines": 0 }),
                json!({ "page": 9, "referencesPerPage": 5 }),
            ),
            (
                "lspFindReferences",
                json!({ "page": 1, "contextLines": 0 }),
                json!({ "page": 1, "referencesPerPage": 5 }),
            ),
            // There is no 21st page.
            ("githubSearchPullRequests", json!({ "limit": 10, "page": 3 }), json!({})),
            (
                "localGetFileContent",
                json!({ "fullContent": true }),
                json!({ "matchStringContextLines": 1, "fullContent": null, "charLength": 2_500 }),
            ),
        ] {
            assert_eq!(told(tool, row), expected, "{tool}");
        }
    }

    #[test]
    fn the_longer_an_answer_the_less_is_asked_for() {
        let row = json!({ "contextLines": 50, "filesPerPage": 20, "matchesPerPage": 100 });
        let told = answer(&large(400_000_000), &asked("localSearchCode", row.clone())).join("\n");
        assert!(told.contains(r#""contextLines":0,"filesPerPage":1,"matchesPerPage":1"#), "{told}");
        let told = answer(&large(2_500_000), &asked("localSearchCode", row.clone())).join("\n");
        assert!(told.contains(r#""contextLines":12,"filesPerPage":5,"matchesPerPage":25"#), "{told}");
        // One of several that shared the room needs no change at all.
        let told = answer(&large(1_500_000), &asked("localSearchCode", row)).join("\n");
        assert!(told.starts_with("Ask it alone") && told.contains(r#""matchesPerPage":100"#), "{told}");
        let least = json!({ "contextLines": 0, "filesPerPage": 1, "matchesPerPage": 1 });
        let told = answer(&large(9_000_000), &asked("localSearchCode", least)).join("\n");
        assert!(told.starts_with("Narrow the query") && !told.contains("queries"), "{told}");
    }

    #[test]
    fn every_number_that_a_query_takes_was_thought_of() {
        // These choose a place, or how far is looked; the others decide how much of it is shown.
        let others = [
            "charLength",
            "charOffset",
            "depth",
            "endLine",
            "entryPageNumber",
            "filePageNumber",
            "lineHint",
            "maxDepth",
            "minDepth",
            "orderHint",
            "page",
            "prNumber",
            "startLine",
        ];
        for entry in TOOLS {
            for (name, field) in fields(entry.name) {
                if field["type"] == "integer" || field["type"] == json!(["integer", "null"]) {
                    assert!(
                        SIZES.contains(&name.as_str()) != others.contains(&name.as_str()),
                        "{} {name}",
                        entry.name
                    );
                }
            }
        }
    }
}
