//! Rows with long texts: as much of every text as there is room for, then no texts, then fewer rows.

use serde_json::{Value, json};

use super::super::{Kept, Row};
use super::measure::{Outcome, written};
use super::{push_line, put, size};

/// What stands where a text was cut.
const MORE: &str = "…";

/// Adds the rows. `text` names the field of the long texts and says which part of one is shown as text.
pub(super) fn add(
    outcome: &mut Outcome,
    field: &str,
    (text, shown): (&str, fn(&str) -> &str),
    rows: &[Row],
    room: usize,
) -> Kept {
    let long = |row: &Row| row.value.get(text).and_then(Value::as_str).unwrap_or_default().to_owned();
    let least = |row: &Row| if long(row).is_empty() { 0 } else { 2 * written(MORE) + 4 };
    let bare = |row: &Row| size(&row.value, &row.line) - written(&long(row)) + least(row);
    let mut left = room;
    let fitting = rows.iter().take_while(|row| {
        let cost = bare(row);
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    });
    let count = fitting.count();
    let mut kept = Kept { rows: count, all: count == rows.len(), ..Kept::default() };
    let mut values = Vec::new();
    if count < rows.len() {
        // What the first row that did not fit would have taken.
        left = room.saturating_sub(rows.iter().take(count).map(bare).sum());
    }
    for (at, row) in rows.iter().take(count).enumerate() {
        let whole = long(row);
        let cut = cut(&whole, shown, left / (count - at) + least(row));
        left = left.saturating_sub(cost(&cut, shown).saturating_sub(least(row)));
        kept.shortened |= cut.len() < whole.len();
        push_line(&mut outcome.text, &row.line);
        push_line(&mut outcome.text, shown(&cut).trim_end_matches('\n'));
        let mut value = row.value.clone();
        value.insert(text.to_owned(), json!(cut));
        values.push(Value::Object(value));
    }
    put(&mut outcome.structured, field, Value::Array(values));
    kept
}

/// A text is sent in the structure and shown as text.
fn cost(text: &str, shown: fn(&str) -> &str) -> usize {
    written(text) + written(shown(text)) + 4
}

/// As many whole lines as fit.
fn cut(text: &str, shown: fn(&str) -> &str, room: usize) -> String {
    if cost(text, shown) <= room {
        return text.to_owned();
    }
    let mut spent = 2 * written(MORE) + 8;
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        spent += 2 * written(line);
        if spent > room {
            break;
        }
        kept.push_str(line);
    }
    // An empty text would say that there is none.
    kept.push_str(MORE);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Body, Reply};
    use crate::tools::testing::rendered;

    fn hunks(diff: &str) -> &str {
        diff.find("@@").map_or(diff, |at| &diff[at..])
    }

    fn reply(files: usize, lines: usize) -> Reply {
        let diff = format!("--- a\n+++ b\n@@ -1 +1 @@\n{}", "+one more line\n".repeat(lines));
        let row = |at: usize| {
            Row::new(
                json!({ "file_path": format!("src/file{at}.rs"), "diff": diff }),
                format!("src/file{at}.rs"),
            )
        };
        let mut reply = Reply::default();
        reply.field("plan", json!({ "plan_id": "plan-1" }));
        reply.body = Body::Texts {
            field: "plan.files",
            text: "diff",
            rows: (0..files).map(row).collect(),
            shown: hunks,
        };
        reply
    }

    fn files(outcome: &Outcome) -> &Vec<Value> {
        outcome.structured["plan"]["files"].as_array().unwrap()
    }

    #[test]
    fn what_fits_is_whole_and_the_text_leaves_the_names_of_diffs_out() {
        let outcome = rendered(reply(2, 1), 10_000);
        assert_eq!(
            outcome.text,
            "src/file0.rs\n@@ -1 +1 @@\n+one more line\nsrc/file1.rs\n@@ -1 +1 @@\n+one more line"
        );
        assert_eq!(files(&outcome)[1]["diff"], "--- a\n+++ b\n@@ -1 +1 @@\n+one more line\n");
        assert_eq!(outcome.structured["truncated"], false);
        assert_eq!(outcome.structured["plan"]["plan_id"], "plan-1");
    }

    #[test]
    fn texts_give_way_before_rows_do_and_nothing_fails() {
        for (count, cap) in [(3, 2_000), (3, 4_000), (40, 6_000), (40, 2_000), (400, 2_000), (1, 2_000)] {
            let outcome = rendered(reply(count, 500), cap);
            assert!(!outcome.is_error && outcome.chars() <= cap, "{count} {cap}: {}", outcome.chars());
            assert_eq!(outcome.structured["truncated"], true, "{count} {cap}");
            let shown = files(&outcome);
            assert!(!shown.is_empty(), "{count} {cap}");
            assert!(shown.iter().all(|file| file["diff"].as_str().unwrap().ends_with(MORE)), "{shown:?}");
            if count <= 3 {
                assert_eq!(shown.len(), count, "every file is named");
            }
        }
        let outcome = rendered(reply(0, 0), 2_000);
        assert_eq!((files(&outcome).len(), &outcome.structured["truncated"]), (0, &json!(false)));
    }

    #[test]
    fn a_row_that_is_larger_than_everything_is_left_out_without_an_error() {
        let mut reply = reply(0, 0);
        let row = Row::new(json!({ "file_path": "x".repeat(5_000), "diff": "" }), "x");
        reply.body = Body::Texts { field: "plan.files", text: "diff", rows: vec![row], shown: hunks };
        let outcome = rendered(reply, 2_000);
        assert!(!outcome.is_error && outcome.chars() <= 2_000);
        assert_eq!(outcome.structured["truncated"], true);
    }
}
